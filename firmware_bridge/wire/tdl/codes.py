"""Every code number of TDL, once (docs/protocols/tdl.md section 14: appended, never given twice)."""

from __future__ import annotations

from enum import IntEnum, IntFlag

MAJOR = 0xD1  # first byte of every frame: TDL, major version 1
VERSION = 1  # the only minor version so far, negotiated in HELLO
HEADER_SIZE = 8
CHECK_SIZE = 4  # CRC-32
MIN_RX_MAX = 96  # every receiver takes bodies of this size: what an 8-bit controller can afford
MAX_RX_MAX = 1000  # no body is larger, so that a frame fits any receiver's buffer of 1 kB
NONCE_SIZE = 8
MAX_PERMIT_MS = 60_000
MAX_SEQ = 255  # followed by 1

_FIRST_MOVING, _LAST_MOVING = 0x40, 0xBF  # 40-7F move something, 80-BF are maintenance and treated alike


class MessageType(IntEnum):
    HELLO = 0x01
    HELLO_REPLY = 0x02
    REQUEST = 0x03
    REPLY = 0x04
    NOTICE = 0x05
    NOTICE_ACK = 0x06
    PROGRESS = 0x07
    SEALED = 0x08


class Operation(IntEnum):
    IDENTITY = 0x01
    OUTCOME = 0x02
    STATE = 0x03
    PERMIT = 0x04
    LAMP = 0x05
    FAULTS = 0x06
    METERS = 0x07
    PING = 0x08
    SHOW = 0x09
    CLEAR_FAULT = 0x0A
    ARM = 0x0B
    COUNT_ALL = 0x40
    EJECT_ALL = 0x41
    DEAL = 0x42
    SHUFFLE = 0x43
    RECOVER = 0x44
    SELF_TEST = 0x45
    COLLECT = 0x46
    ADOPT = 0x80


def is_moving(operation: int) -> bool:
    """Moving or maintenance: has a number, is sent once, never repeated by the host (tdl.md section 7)."""
    return _FIRST_MOVING <= operation <= _LAST_MOVING


class NoticeKind(IntEnum):
    BOOTED = 0x01
    CARDS_OUT = 0x02
    CARDS_IN = 0x03
    TRAY = 0x04
    CHIPS_IN = 0x05
    JAM = 0x10
    JAM_GONE = 0x11
    LID_OPENED = 0x12
    LID_CLOSED = 0x13
    FAULT = 0x14
    FAULT_GONE = 0x15
    LAMP = 0x16
    BUFFER_LOW = 0x17
    BUFFER_NORMAL = 0x18
    PACKET_END = 0x19
    PERMIT_ENDED = 0x1A
    SUSPECT_CARD = 0x1B
    COMMAND_ENDED = 0x1C
    TAMPER = 0x1D
    NOTICES_LOST = 0x1E
    KEY = 0x20
    CARD_READ = 0x21
    CHIP_RETURNED = 0x22


class Status(IntEnum):
    """Key 0 of every REPLY, and the outcome of a moving command."""

    OK = 0
    STARTED = 1
    DONE = 2
    REFUSED = 3
    FAILED = 4
    INTERRUPTED = 5
    OLD = 6
    NEVER = 7
    BUSY = 8


class Reason(IntEnum):
    """Key 1 of a REPLY, and the reason of an outcome."""

    EPOCH = 1
    COMMAND_RUNS = 2
    PERMIT = 3
    CONTENT_UNVERIFIED = 4
    FAULT_OR_JAM = 5
    LID_OPEN = 6
    NO_CARDS = 7
    NO_ROOM = 8
    NOT_OFFERED = 9
    ARGUMENT = 10
    NOT_ARMED = 11
    NOT_SEALED = 12
    NOTICES_FULL = 13
    NOT_OPEN = 14


class Profile(IntEnum):
    CONTINUOUS = 1
    BATCH = 2
    CARD_READER = 3
    DISPLAY = 4
    CHIP_SLOT = 5
    SWITCH_BOX = 6


class Ability(IntEnum):
    """Index into the abilities of IDENTITY; SLOTS is there only with the profile CHIP_SLOT."""

    DEAL = 0
    FEED = 1
    LID = 2
    LAMP = 3
    COUNT_IN = 4
    COUNT_OUT = 5
    COUNT_ALL = 6
    CONTENT_BY_AREA = 7
    SLOTS = 8


class Holding(IntEnum):
    """How far a device holds one ability."""

    CANNOT = 0
    OBSERVES = 1
    ENFORCES = 2


class Permit(IntEnum):
    """What a permit is for; bit (value - 1) in STATE."""

    DEAL = 1
    FEED = 2
    LID = 3
    SLOTS = 4


class Place(IntEnum):
    """Where in the machine; FEED, EXIT and CAROUSEL are also the areas of content, in this order."""

    FEED = 1
    EXIT = 2
    CAROUSEL = 3
    TRAY = 4
    LID = 5
    SLOT = 6


class LampColour(IntEnum):
    OFF = 0
    RED = 1
    AMBER = 2
    BLUE = 3


class LampPattern(IntEnum):
    STEADY = 0
    BLINKING = 1


class Key(IntEnum):
    """The dealer's keys."""

    HOLD = 1
    CALL = 2
    NO_MORE_BETS = 3
    DONE = 4
    DAMAGED_CARD = 5


class BootCause(IntEnum):
    UNKNOWN = 0
    POWER = 1
    RESET = 2
    WATCHDOG = 3
    BROWN_OUT = 4
    UPDATE = 5


class FaultCode(IntEnum):
    """JAM stands only in FAULTS; as a notice it has kinds of its own. From 128 the maker's own."""

    JAM = 0
    HOMING = 1
    CAROUSEL_DRIVE = 2
    ALIGNMENT = 3
    FEED_DRIVE = 4
    EXIT_DRIVE = 5
    SENSOR_STUCK = 6
    SENSOR_MARGIN = 7
    MEMORY = 8
    SUPPLY = 9
    TEMPERATURE = 10
    RANDOM_SOURCE = 11
    LAMP = 12
    OVER_CAPACITY = 13
    DOUBLE_FEED = 14


class PermitEnd(IntEnum):
    TIME = 1
    REVOKED = 2
    NUMBER = 3
    FAULT = 4
    LID = 5
    NOTICES_FULL = 6


class SuspectReason(IntEnum):
    THICK = 1
    BENT = 2
    UNREAD = 3


class TamperKind(IntEnum):
    COVER = 1
    PORT = 2


class ChipReturn(IntEnum):
    LATE = 1
    SECOND = 2
    VALUE = 3


class Shown(IntEnum):
    """What a display shows."""

    NOTHING = 0
    AMOUNT = 1
    PENDING = 2
    WON = 3
    ONE_MOMENT = 4


class HelloFlag(IntFlag):
    """Key 12 of HELLO_REPLY and key 9 of STATE."""

    NOTICES_LOST = 1
    CONTENT_UNVERIFIED = 2
    COMMAND_RUNS = 4
    OTHER_HOST = 8
