"""Numbers of ccTalk (generic specification 4.7): addresses, headers, events of a coin acceptor."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

HOST = 1
BROADCAST = 0
# Where coin acceptors are: the first one, and the range for further ones. A slot may be set to any free address.
FIRST_ACCEPTOR = 2
MAX_ADDRESS = 255
MAX_DATA = 252  # generic specification: a whole message fits into 257 bytes
REPLY = 0  # the header of every reply


class Header(IntEnum):
    """Commands that a coin acceptor knows, and a bus asks."""

    SIMPLE_POLL = 254
    ADDRESS_POLL = 253
    POLLING_PRIORITY = 249
    STATUS = 248
    MANUFACTURER = 246
    CATEGORY = 245
    PRODUCT = 244
    SERIAL = 242
    SOFTWARE = 241
    SELF_CHECK = 232
    SET_INHIBITS = 231
    GET_INHIBITS = 230
    READ_CREDIT = 229
    SET_MASTER_INHIBIT = 228
    GET_MASTER_INHIBIT = 227
    COIN_ID = 184
    RESET = 1


# These change nothing at the acceptor: what the line lost may be asked again.
READS = frozenset(
    {
        Header.SIMPLE_POLL,
        Header.POLLING_PRIORITY,
        Header.STATUS,
        Header.MANUFACTURER,
        Header.CATEGORY,
        Header.PRODUCT,
        Header.SERIAL,
        Header.SOFTWARE,
        Header.SELF_CHECK,
        Header.GET_INHIBITS,
        Header.READ_CREDIT,
        Header.GET_MASTER_INHIBIT,
        Header.COIN_ID,
    }
)
COINS = 16  # positions of an acceptor
EVENTS_KEPT = 5  # pairs in the buffer of header 229
COUNTER_MAX = 255  # event counter: 0 after a reset only, then 1 … 255, 1 …

# Event codes, pair (0, code).
NULL_EVENT = 0
REJECT = 1
INHIBITED = 2
FIRST_INHIBITED_COIN, LAST_INHIBITED_COIN = 128, 159
COIN_RETURN = 254
ALARMS: Mapping[int, str] = {
    3: "coins too close together",
    5: "validation timed out",
    6: "credit sensor timed out",
    8: "second coin too close",
    14: "credit sensor blocked",
    15: "sorter sensor blocked",
    16: "credit sequence wrong",
    17: "coin going backwards",
    18: "coin too fast",
    19: "coin too slow",
    20: "string found",
    25: "slug",
    26: "reject sensor blocked",
    28: "too many meter pulses",
    34: "security status changed",
    36: "coin swallowed",
    40: "light from outside",
    255: "alarm without a name",
}
BLOCKED = frozenset({14, 15, 26})

# Self check: the first byte of the reply.
CHECKED_OK = 0
