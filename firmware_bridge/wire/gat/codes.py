"""The numbers of GAT 3.50 (GSA, gsa-p0093.001.00, 2010)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag


class Command(IntEnum):
    """First byte of a frame; a response has bit 7."""

    STATUS_QUERY = 0x01
    LAST_STATUS_QUERY = 0x02
    RESULTS_QUERY = 0x03
    INITIATE = 0x04
    STATUS = 0x81
    LAST_STATUS = 0x82
    RESULTS = 0x83
    INITIATE_ACK = 0x84


FROM_HOST = frozenset({Command.STATUS_QUERY, Command.LAST_STATUS_QUERY, Command.RESULTS_QUERY, Command.INITIATE})
FROM_DEVICE = frozenset({Command.STATUS, Command.LAST_STATUS, Command.RESULTS, Command.INITIATE_ACK})

# How long a frame of each command can be, head and CRC included.
LENGTHS: Mapping[Command, range] = {
    Command.STATUS_QUERY: range(4, 5),
    Command.LAST_STATUS_QUERY: range(4, 5),
    Command.RESULTS_QUERY: range(7, 8),
    Command.INITIATE: range(5, 256),
    Command.STATUS: range(8, 9),
    Command.LAST_STATUS: range(9, 10),
    Command.RESULTS: range(7, 256),
    Command.INITIATE_ACK: range(5, 6),
}


class Calculation(IntEnum):
    """Bits 3 and 2 of the status byte."""

    REQUESTED = 0
    IDLE = 1  # finished, or never asked for
    CALCULATING = 2
    FAILED = 3


CALCULATING_BIT, HAS_RESULTS_BIT = 0x01, 0x02


class Format(IntFlag):
    """In which forms a device tells its results."""

    TEXT = 1
    XML = 2


class Level(IntEnum):
    """What is to be calculated."""

    NONE = 0x00  # nothing was calculated yet (assumed)
    TEXT_REPORT = 0x01
    SPECIAL_FUNCTION = 0xBA


class InitiateBit(IntFlag):
    """The one byte of an INITIATE_ACK."""

    ACCEPTED = 1
    STARTED = 2
    LEVEL_UNKNOWN = 4


class ResultsBit(IntFlag):
    """First byte of RESULTS."""

    FAILED = 1
    LAST_FRAME = 2


VERSION_3_50 = b"\x03\x50"  # as binary coded decimals
MAX_RESULT_DATA_BYTES = 248

# Special functions, fields apart by a tab behind level BAh and a zero byte.
FIELD_END = "\t"
GET_FUNCTIONS = "Get Special Functions"
GET_FILE = "Get File"
COMPONENT = "Component"
DIGESTS_FILE = "AuthenticationResponse.xml"
NO_KEY = "(none)"
