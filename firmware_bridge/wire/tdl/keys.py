"""The body keys of each TDL message, named after the message (docs/protocols/tdl.md section 14.3)."""

from __future__ import annotations

from enum import IntEnum


class HelloKey(IntEnum):
    NONCE = 0
    LOWEST_VERSION = 1
    HIGHEST_VERSION = 2
    RX_MAX = 3
    EPOCH = 4


class HelloReplyKey(IntEnum):
    NONCE = 0
    VERSION = 1
    BOOT = 2
    CAUSE = 3
    MODEL = 4
    SERIAL = 5
    RX_MAX = 6
    SIMULATED = 7
    EPOCH = 8
    HIGHEST_COMMAND = 9
    OLDEST_NOTICE = 10
    NEWEST_NOTICE = 11
    FLAGS = 12


class ReplyKey(IntEnum):
    """In every REPLY; what an operation adds has a class of its own below."""

    STATUS = 0
    REASON = 1


class IdentityKey(IntEnum):
    """Reply."""

    MAKER = 2
    FIRMWARE_VERSION = 3
    DIGEST = 4
    PROFILES = 5
    ABILITIES = 6


class OutcomeKey(IntEnum):
    """Request."""

    EPOCH = 0
    NUMBER = 1


class OutcomeReplyKey(IntEnum):
    """Beside ReplyKey, whose status here is the outcome."""

    CARDS_MOVED = 2


class StateKey(IntEnum):
    """Reply."""

    CONTENT = 2
    CONTENT_BY_AREA = 3
    PATH_CLEAR = 4
    LID_OPEN = 5
    LAMP = 6
    PERMITS = 7
    COMMAND = 8
    FLAGS = 9
    TRAY_CARDS = 10
    VERSION_SHOWN = 11
    SHOWN = 12
    TRAY_FILL = 13
    CHIPS_LYING = 14


class PermitKey(IntEnum):
    """Request."""

    WHAT = 0
    MS = 1
    CARDS = 2


class PermitReplyKey(IntEnum):
    COUNTED = 2


class LampKey(IntEnum):
    """Request."""

    COLOUR = 0
    PATTERN = 1


class FaultsKey(IntEnum):
    """Reply: fault, place, fault, place, and so on."""

    STANDING = 2


class MetersKey(IntEnum):
    """Reply: since boot."""

    CARDS_IN = 2
    CARDS_OUT = 3
    JAMS = 4
    CHIPS_IN = 5
    DROPPED = 6


class ShowKey(IntEnum):
    """Request."""

    VERSION = 0
    WHAT = 1
    AMOUNT = 2
    DECIMALS = 3
    CURRENCY = 4
    STALE_MS = 5


class ClearFaultKey(IntEnum):
    """Request."""

    FAULT = 0
    PLACE = 1


class ArmKey(IntEnum):
    """Request."""

    CODE = 0


class MovingKey(IntEnum):
    """Request. The argument is cards, place, part or seat, by operation."""

    EPOCH = 0
    NUMBER = 1
    ARGUMENT = 2


class ProgressKey(IntEnum):
    NUMBER = 0
    DONE = 1
    OF = 2


class AdoptKey(IntEnum):
    """Request."""

    NEW_EPOCH = 0
    HIGHEST_NUMBER = 1


class NoticeKey(IntEnum):
    """In every NOTICE."""

    BOOT = 0
    NUMBER = 1
    MS = 2


class NoticeAckKey(IntEnum):
    BOOT = 0
    NUMBER = 1


class BootedKey(IntEnum):
    CAUSE = 3
    CONTENT = 4
    CARDS_IN = 5
    CARDS_OUT = 6


class MeterKey(IntEnum):
    """CARDS_OUT, CARDS_IN and CHIPS_IN; the last alone has a seat."""

    METER = 3
    SEAT = 4


class TrayKey(IntEnum):
    CARDS = 3
    FILL = 4


class PlaceKey(IntEnum):
    """JAM and JAM_GONE."""

    PLACE = 3


class FaultKey(IntEnum):
    """FAULT and FAULT_GONE."""

    FAULT = 3
    PLACE = 4


class LampNoticeKey(IntEnum):
    COLOUR = 3
    PATTERN = 4


class CardsKey(IntEnum):
    """BUFFER_LOW, BUFFER_NORMAL and PACKET_END."""

    CARDS = 3


class PermitEndedKey(IntEnum):
    WHAT = 3
    WHY = 4
    COUNTED = 5


class SuspectKey(IntEnum):
    WHY = 3
    PLACE = 4


class CommandEndedKey(IntEnum):
    NUMBER = 3
    STATUS = 4
    REASON = 5
    CARDS_MOVED = 6


class TamperKey(IntEnum):
    WHAT = 3


class NoticesLostKey(IntEnum):
    COUNT = 3


class KeyKey(IntEnum):
    KEY = 3


class CardReadKey(IntEnum):
    COUNT = 3
    CARD = 4
    BACK = 5


class ChipReturnedKey(IntEnum):
    SEAT = 3
    WHY = 4
