"""Facts that devices tell, in the table's words. Past participles; never refused; journalled as they stand.

Every fact names its device. One that came as a TDL notice carries its position (boot, number), for the hub to
acknowledge it once its row is durable (TDL 8). Values are words: the journal is readable without the protocol.
"""

from __future__ import annotations

from enum import StrEnum

from drivers.counters import CounterReadings as CounterReadings
from drivers.display_events import DisplayLost as DisplayLost
from drivers.display_events import DisplayReady as DisplayReady
from drivers.display_events import DisplayShowed as DisplayShowed
from drivers.display_events import DisplayTroubled as DisplayTroubled
from drivers.display_events import Shown as Shown
from drivers.fact import Fact as Fact
from drivers.fact import Lost as Lost
from drivers.fact import Notice as Notice
from drivers.fact import Ready as Ready
from drivers.firmware_events import FirmwarePortLost as FirmwarePortLost
from drivers.firmware_events import FirmwarePortReady as FirmwarePortReady
from drivers.firmware_events import FirmwareTold as FirmwareTold
from drivers.firmware_events import FirmwareUntold as FirmwareUntold
from drivers.lamp_events import LampColour as LampColour
from drivers.lamp_events import LampLost as LampLost
from drivers.lamp_events import LampPattern as LampPattern
from drivers.lamp_events import LampReady as LampReady
from drivers.lamp_events import LampShowed as LampShowed
from drivers.lamp_events import LampTroubled as LampTroubled
from drivers.slot_events import ChipReturn as ChipReturn
from drivers.slot_events import ChipReturned as ChipReturned
from drivers.slot_events import ChipsIn as ChipsIn
from drivers.slot_events import SlotEvents as SlotEvents
from drivers.slot_events import SlotTroubled as SlotTroubled


class Place(StrEnum):
    """Where in a machine something is (TDL 14.2 *Places*)."""

    FEED = "feed"
    EXIT = "exit"
    CAROUSEL = "carousel"
    TRAY = "tray"
    LID = "lid"
    SLOT = "slot"
    UNKNOWN = "unknown"


class PermitKind(StrEnum):
    """What a permit allows (TDL 9)."""

    DEAL = "deal"
    FEED = "feed"
    LID = "lid"
    SLOTS = "slots"


class PermitEnding(StrEnum):
    """Why a permit ended (TDL 9.3)."""

    TIME = "time"
    REVOKED = "revoked"
    NUMBER = "number"
    FAULT = "fault"
    LID = "lid"
    NOTICES_FULL = "notices full"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What a device says of a command (TDL 14.2 *Statuses*)."""

    OK = "ok"
    STARTED = "started"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    OLD = "old"
    NEVER = "never"
    BUSY = "busy"


class Reason(StrEnum):
    """Why a device refused or failed (TDL 14.2 *Reasons*)."""

    NONE = "none"
    EPOCH = "epoch"
    ANOTHER_RUNS = "another command runs"
    PERMIT = "permit"
    CONTENT_UNVERIFIED = "content unverified"
    FAULT = "fault or jam"
    LID_OPEN = "lid open"
    NO_CARDS = "no cards"
    NO_ROOM = "no room"
    NOT_OFFERED = "not offered"
    ARGUMENT = "argument"
    NOT_ARMED = "not armed"
    NOT_SEALED = "not sealed"
    NOTICES_FULL = "notices full"
    NOT_OPEN = "not open"
    UNKNOWN = "unknown"


class Verb(StrEnum):
    """Moving commands, by their goal (TDL 7.4, 7.7)."""

    COUNT_ALL = "count all"
    EJECT_ALL = "eject all"
    DEAL = "deal"
    SHUFFLE = "shuffle"
    RECOVER = "recover"
    SELF_TEST = "self test"
    COLLECT = "collect"
    ADOPT = "adopt"


class KeyName(StrEnum):
    """The dealer's keys (TDL 14.2 *Keys of the dealer*)."""

    HOLD = "hold"
    CALL = "call"
    NO_MORE_BETS = "no more bets"
    DONE = "done"
    DAMAGED_CARD = "damaged card"


class Ability(StrEnum):
    """What a device may enforce, observe or cannot do (TDL, abilities in IDENTITY's order)."""

    DEAL = "deal"
    FEED = "feed"
    LID = "lid"
    LAMP = "lamp"
    COUNT_IN = "count in"
    COUNT_OUT = "count out"
    COUNT_ALL = "count all"
    CONTENT_BY_AREA = "content by area"
    SLOTS = "slots"


class Holding(StrEnum):
    """How far a device can hold a rule by itself (semantics: abilities)."""

    ENFORCES = "enforces"
    OBSERVES = "observes"
    CANNOT = "cannot"


class SightingKind(StrEnum):
    """How a badge was seen."""

    TAP = "tap"
    HELD_FROM = "held from"
    HELD_TO = "held to"


# --- the link and the device itself -----------------------------------------------------------------------


class DeviceReady(Fact, frozen=True, kw_only=True):
    """A session was set up: identity, boot and full level readback (design rule 4; TDL 4.2, 6).

    Counts are cards, `areas` cards by area in the order feed, exit, carousel; meters count since boot; what a
    device does not tell is None. `faults` are (fault number, place); a jam is fault 0. `counters` are of a
    machine whose board counts on while nobody listens.
    """

    maker: str
    model: str
    serial: str
    firmware: str
    digest: str  # lower-case hex; self-reported
    is_simulated: bool
    boot: int
    boot_cause: str
    epoch: int
    highest_number: int
    oldest_notice: int
    newest_notice: int
    abilities: dict[Ability, Holding]
    is_content_unverified: bool = False
    running_number: int = 0
    content: int | None = None
    areas: tuple[int, ...] | None = None
    is_path_clear: bool | None = None
    is_lid_open: bool | None = None
    lamp: tuple[LampColour, LampPattern] | None = None
    permits: tuple[PermitKind, ...] = ()
    tray_cards: int | None = None
    tray_fill_percent: int | None = None
    faults: tuple[tuple[int, Place], ...] = ()
    meter_in: int | None = None
    meter_out: int | None = None
    jams: int | None = None
    chips_in: tuple[int, ...] | None = None  # chip slots: since boot, by seat from 1
    chips_lying: tuple[int, ...] | None = None  # chip slots: taken in and not collected yet, by seat from 1
    slot_events: int | None = None  # a slot that counts its events: where that counter stands
    counters: CounterReadings | None = None


class DeviceLost(Lost, frozen=True, kw_only=True):
    """The session ended; the keeper tries again. `why` is for the technician."""


class DeviceRejected(Fact, frozen=True, kw_only=True):
    """What answered is not the device of the configuration (`wrong_device`), or speaks no common version."""

    why: str
    serial: str = ""
    model: str = ""


class DeviceBooted(Notice, frozen=True, kw_only=True):
    """Notice 01: the device started; last meters of the boot before where it kept them."""

    cause: str
    content: int | None = None
    last_meter_in: int | None = None
    last_meter_out: int | None = None


class NoticesLost(Notice, frozen=True, kw_only=True):
    """Notice 1E: the device could not keep all its notices: levels have been read again, compare."""

    how_many: int | None = None


class NoticeUnknown(Notice, frozen=True, kw_only=True):
    """A kind that the driver does not know: kept raw, touches nothing."""

    kind: int
    body: str  # hex of the CBOR body


class LevelsRead(Fact, frozen=True, kw_only=True):
    """STATE and METERS read on request of the hub (a quiet point); the same fields as in `DeviceReady`."""

    boot: int
    content: int | None = None
    areas: tuple[int, ...] | None = None
    is_path_clear: bool | None = None
    is_lid_open: bool | None = None
    permits: tuple[PermitKind, ...] = ()
    tray_cards: int | None = None
    meter_in: int | None = None
    meter_out: int | None = None
    chips_in: tuple[int, ...] | None = None
    chips_lying: tuple[int, ...] | None = None


# --- cards ------------------------------------------------------------------------------------------------


class CardsOut(Notice, frozen=True, kw_only=True):
    """Notice 02: cards dealt or ejected since boot, as a meter."""

    meter: int


class CardsIn(Notice, frozen=True, kw_only=True):
    """Notice 03: cards taken in since boot, as a meter."""

    meter: int


class TrayLevel(Notice, frozen=True, kw_only=True):
    """Notice 04: what lies in the discard tray: cards, or fill in percent, as the tray can tell."""

    cards: int | None = None
    fill_percent: int | None = None


class BufferLow(Notice, frozen=True, kw_only=True):
    cards: int


class BufferNormal(Notice, frozen=True, kw_only=True):
    cards: int


class PacketEnded(Notice, frozen=True, kw_only=True):
    """Notice 19: the hopper is empty, or the permit's number is reached; `cards` went in under it."""

    cards: int


class CardSuspected(Notice, frozen=True, kw_only=True):
    """Notice 1B: the machine suspects a card: *thick*, *bent* or *unread*, at a place."""

    why: str
    place: Place


# --- jams, lid, faults, lamp, keys ------------------------------------------------------------------------


class CardJammed(Notice, frozen=True, kw_only=True):
    place: Place


class JamGone(Notice, frozen=True, kw_only=True):
    place: Place


class LidOpened(Notice, frozen=True, kw_only=True):
    pass


class LidClosed(Notice, frozen=True, kw_only=True):
    pass


class DeviceFaulted(Notice, frozen=True, kw_only=True):
    """Notice 14; `fault` is the number of TDL 14.2 *Faults*, from 128 the maker's own."""

    fault: int
    place: Place


class DeviceFaultGone(Notice, frozen=True, kw_only=True):
    fault: int
    place: Place


class LampChanged(Notice, frozen=True, kw_only=True):
    colour: LampColour
    pattern: LampPattern


class Tampered(Notice, frozen=True, kw_only=True):
    """Notice 1D: *cover* or *port*."""

    what: str


class KeyPressed(Notice, frozen=True, kw_only=True):
    """A dealer's key. Both a fact and, as what it asks, a request with (serial, boot, number) as its id."""

    key: KeyName


# --- permits and commands ---------------------------------------------------------------------------------


class PermitEnded(Notice, frozen=True, kw_only=True):
    """Notice 1A: a permit ended, why, and how many cards were counted under it."""

    what: PermitKind
    why: PermitEnding
    counted: int = 0


class CommandEnded(Notice, frozen=True, kw_only=True):
    """Notice 1C: a moving command came to its end (done or failed)."""

    command: int
    outcome: Outcome
    reason: Reason = Reason.NONE
    moved: int = 0


class CommandAnswered(Fact, frozen=True, kw_only=True):
    """The reply to a moving command, or to OUTCOME (`is_found`): started, done, refused, failed, never …"""

    command: int
    outcome: Outcome
    reason: Reason = Reason.NONE
    moved: int | None = None
    is_found: bool = False


class CommandProgressed(Fact, frozen=True, kw_only=True):
    """PROGRESS of a running command: extends its deadline; not journalled by itself when nothing waits."""

    command: int
    done: int | None = None
    of: int | None = None


class PermitAnswered(Fact, frozen=True, kw_only=True):
    """A device refused a permit, with its reason (accepted ones say nothing: the grant's row stands)."""

    what: PermitKind
    reason: Reason


# --- badges -----------------------------------------------------------------------------------------------
# What a reader read or was keyed holds what no journal may hold: the hub's rim turns it into whose badge it was.


class BadgeSeen(Fact, frozen=True, kw_only=True):
    """A sighting: the badge as `<bits>:<UPPER HEX>` (semantics §6), and its kind. `device` is the reader."""

    badge: str
    kind: SightingKind


class CodeKeyed(Fact, frozen=True, kw_only=True):
    """Digits keyed at a reader; never shown, only compared."""

    code: str


class ReaderReady(Fact, frozen=True, kw_only=True):
    """The reader answers: identity as it tells it, and whether the channel is secure."""

    vendor: str
    model: str
    serial: str
    firmware: str
    is_secure: bool
    is_simulated: bool = False


class ReaderLost(Lost, frozen=True, kw_only=True):
    """The reader has not answered for 8 s, or its channel could not be secured."""


class ReaderTroubled(Fact, frozen=True, kw_only=True):
    """The reader tells of itself: *cover opened*, *supply failing*. Told once when it begins."""

    what: str
