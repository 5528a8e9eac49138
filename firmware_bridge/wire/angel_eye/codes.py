"""Bytes, letters and numbers of the Angel Eye protocol (docs/protocols/angel-eye.md). Tables only."""

from __future__ import annotations

from enum import IntEnum, StrEnum

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15
# Every byte of a parameter has it, so that none can look like a control byte.
PARAMETER = 0x80
# A shoe sends each telegram so often, one after another.
COPIES = 3


class Letter(StrEnum):
    """What a telegram of the shoe tells: the first byte of its data."""

    STARTED = "S"
    STANDBY = "P"
    CUT_CARD = "C"
    DRAWN = "D"
    AGAIN = "R"
    OUTSIDE = "d"
    RESULT = "G"
    ERROR = "E"
    ERROR_CANCELLED = "e"
    LOCK = "L"
    REGISTER = "M"


class Target(IntEnum):
    """Bits 6 to 4 of a card's first byte."""

    PLAYER = 0b000
    BANKER = 0b001
    BURN = 0b010
    BURN_TELLING = 0b100
    BURN_COUNT = 0b101


class Mode(IntEnum):
    """Bits 6 to 4 of the first byte of a card that was drawn outside the game."""

    LOCK = 0b000
    ERROR = 0b001
    SETTING = 0b010


class Suit(IntEnum):
    """Bits 6 to 4 of a card's second byte; NONE where the shoe could not tell."""

    NONE = 0b000
    DIAMOND = 0b001
    CLUB = 0b010
    SPADE = 0b011
    HEART = 0b100


class Winner(IntEnum):
    """Bits 6 to 4 of a result."""

    PLAYER = 0b001
    TIE = 0b010
    BANKER = 0b100
    FORCED = 0b111


class Pair(IntEnum):
    """Bits 1 and 0 of a result, each by itself."""

    PLAYER = 0b01
    BANKER = 0b10


class ErrorCode(IntEnum):
    """Bits 5 to 0 of an error."""

    CANNOT_READ = 1
    OVER_DRAW = 2
    WRONG_BUTTON = 3
    BACK_AT_EXIT = 4
    BACK_MIDWAY = 5
    CARD_CODE = 6
    DRAWING_TIME = 7


class CommandType(StrEnum):
    """What a host may ask, with two digits behind it."""

    LOCK = "LK"  # 02 locks, 01 unlocks
    CANCEL_ERROR = "EC"  # 00 to 99
    CONFIRM_GAME = "GP"  # 00


class Refusal(IntEnum):
    """The code behind a NAK."""

    LINE = 0x01  # overrun, framing or parity
    CHECK = 0x02
    NO_ETX = 0x03
    FORMAT = 0x11
    ADDRESS = 0x12
    COMMAND = 0x13
    TYPE = 0x14
    BUSY = 0x21
    WRITING = 0x22
    OTHER = 0xFF


RANK_KING = 13
INDEX_MAX = 10
LOCK_ON, LOCK_OFF = "02", "01"
IN_ERROR_MODE = 0b100_0000
