"""Numbers and letters of the ALPHA protocol (docs/protocols/alpha.md). Pure."""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum

NUL, SOH, STX, ETX, EOT = 0x00, 0x01, 0x02, 0x03, 0x04
ACK, NAK = 0x06, 0x15
ESC = 0x1B

WAKE_NULS = 5  # a host's; signs find the speed in them
REPLY_NULS = 20  # a sign's
ALL_SIGNS = "Z"
RESPONSE = "0"  # the type code of what a sign says
BROADCAST = "00"

PRIORITY_LABEL = "0"  # this file takes the sign over; it stands in no memory table
STRING_MAX_BYTES = 125
PRIORITY_MAX_BYTES = 125
ALWAYS = "FFFF"  # start and stop of a TEXT file
NO_TIMES = "0000"  # of a STRING file


class Command(StrEnum):
    """The first byte of what stands after STX."""

    WRITE_TEXT = "A"
    READ_TEXT = "B"
    WRITE_SPECIAL = "E"
    READ_SPECIAL = "F"
    WRITE_STRING = "G"
    READ_STRING = "H"


class Special(StrEnum):
    """What a special function is about."""

    TIME = " "
    SPEAKER = "!"
    GENERAL = '"'
    POOL = "#"
    MEMORY = "$"
    WEEKDAY = "&"
    ERROR_STATUS = "*"
    SOFT_RESET = ","
    RUN_SEQUENCE = "."
    CLEAR_ERROR = "4"
    ACKNOWLEDGE = "s"


class Position(IntEnum):
    """Where on a sign of several lines; a sign of one line ignores it, and it must be given."""

    MIDDLE = 0x20
    TOP = 0x22
    BOTTOM = 0x26
    FILL = 0x30


class Mode(StrEnum):
    """How a text arrives."""

    ROTATE = "a"
    HOLD = "b"
    FLASH = "c"
    AUTO = "o"


class Insert(IntEnum):
    """Control codes within a text."""

    CHARACTER = 0x08  # with an offset: a character of the extended set
    NEW_PAGE = 0x0C
    STRING = 0x10  # with a label: what that STRING file holds
    FIXED_WIDTH = 0x1E  # with 0 or 1


class FileType(StrEnum):
    """What a file of the memory table holds."""

    TEXT = "A"
    STRING = "B"
    DOTS = "D"


class ErrorStatus(IntFlag):
    """The sign's serial error status; a sign without one says 40h."""

    PARITY = 0x01
    FRAMING = 0x02
    TIMEOUT = 0x04
    OVERFLOW = 0x08
    CHECKSUM = 0x10
    ILLEGAL = 0x20
    DEFAULT = 0x40
