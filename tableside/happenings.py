"""What has happened at the table, as the tables of transitions tell each other. Past participles.

A procedure that finishes something says so here, and others have rows for it: no procedure calls another.
Each is a row of the journal, and the reports are made from them.
"""

from __future__ import annotations

from drivers.events import Outcome, PermitKind, Place, Reason, Verb
from tableside.cards import Card
from tableside.decisions import Decision


class Happening(Decision, frozen=True, kw_only=True):
    """Any event about the table."""


# --- cards as the meters saw them (posted already) ----------------------------------------------------------


class CardsLeft(Happening, frozen=True, kw_only=True):
    """So many cards left a machine."""

    device: str
    cards: int


class CardsPassed(Happening, frozen=True, kw_only=True):
    """So many cards went by a card reader: the same that a machine gave out, if both count well."""

    device: str
    cards: int


class CardsEntered(Happening, frozen=True, kw_only=True):
    """So many cards went into a machine; `source` is the place they were posted from."""

    device: str
    cards: int
    source: str


# --- session ------------------------------------------------------------------------------------------------


class SessionOpened(Happening, frozen=True, kw_only=True):
    session: int
    dealer: str


class SessionReady(Happening, frozen=True, kw_only=True):
    """Loaded and idle: rounds may be played."""

    session: int


class ClosingAnnounced(Happening, frozen=True, kw_only=True):
    by: str


class SessionClosed(Happening, frozen=True, kw_only=True):
    session: int


# --- rounds -------------------------------------------------------------------------------------------------


class RoundStarted(Happening, frozen=True, kw_only=True):
    round: int


class RoundEnded(Happening, frozen=True, kw_only=True):
    """`how`: told, inferred, void or elsewhere; `cards` were dealt in it."""

    round: int
    how: str
    cards: int


class CardsToldLate(Happening, frozen=True, kw_only=True):
    """So many more cards of a round that had ended before the machine told of them."""

    round: int
    cards: int


class RoundRuled(Happening, frozen=True, kw_only=True):
    """A supervisor's ruling on the round in progress."""

    round: int
    ruling: str
    by: str


class CardsReturned(Happening, frozen=True, kw_only=True):
    """The return of a round (and of what was held over) came to its end."""

    round: int
    cards: int
    held_over: int  # still in the tray


class CardsHeldOver(Happening, frozen=True, kw_only=True):
    """CSM-11."""

    round: int
    cards: int


# A quiet point: a person has said how many cards lie outside the machine.
HELD_COUNTED = "held over, counted"


class QuietPointReached(Happening, frozen=True, kw_only=True):
    """Observations may be compared with balances now (semantics §2.2)."""

    point: str


# --- complaint, jam, lid, damaged ----------------------------------------------------------------------------


class ComplaintRaised(Happening, frozen=True, kw_only=True):
    """CSM-12. Of a late one, when (UTC ns) the round's cards began to go in, as far as that is still known."""

    complaint: int
    round: int
    is_late: bool
    closed_ns: int | None = None


class ComplaintSettled(Happening, frozen=True, kw_only=True):
    complaint: int
    decision: str
    by: str


class JamOpened(Happening, frozen=True, kw_only=True):
    place: Place
    times_lately: int


class JamCleared(Happening, frozen=True, kw_only=True):
    place: Place
    taken_out: int
    by: str


class CardsHandled(Happening, frozen=True, kw_only=True):
    """Cards were taken out by hand at an open lid; they are posted already, from `source`."""

    cards: int
    source: str
    now: str
    by: str


class TechnicianCalled(Happening, frozen=True, kw_only=True):
    by: str


class TechnicianWorked(Happening, frozen=True, kw_only=True):
    technician: str
    work: str
    by: str


class DamagedCardFound(Happening, frozen=True, kw_only=True):
    """`how`: key, person or machine."""

    incident: int
    how: str


class CardReplaced(Happening, frozen=True, kw_only=True):
    incident: int
    damaged: Card
    envelope: str
    replacement: Card
    by: str


class DamageReported(Happening, frozen=True, kw_only=True):
    """Room management has told the inspection service."""

    incident: int
    reference: str
    by: str


# --- counts -------------------------------------------------------------------------------------------------


class CountWanted(Happening, frozen=True, kw_only=True):
    """Somebody needs a full count: *difference*, *jam*, *unknown outcome*, *unverified* or *person*."""

    why: str


class CountEnded(Happening, frozen=True, kw_only=True):
    """The machine counted all it holds."""

    device: str
    counted: int
    expected: int


class MachineHandCounted(Happening, frozen=True, kw_only=True):
    """A supervisor emptied the machine and counted by hand; what differed is posted to or from *unexplained*."""

    device: str
    counted: int
    expected: int
    by: str


class DifferenceFound(Happening, frozen=True, kw_only=True):
    """Observation and balance do not agree at a quiet point."""

    incident: int
    place: str
    observed: int
    expected: int
    sensor: str


class DifferenceSettled(Happening, frozen=True, kw_only=True):
    """How: *sensor miscount* or *hand count*."""

    incident: int
    how: str
    by: str


# --- commands (after recovery's table) ------------------------------------------------------------------------


class CommandClosed(Happening, frozen=True, kw_only=True):
    """A moving command came to a known end: done, failed, refused or never. `step` says who wanted it."""

    device: str
    number: int
    verb: Verb
    step: str
    outcome: Outcome
    reason: Reason
    moved: int | None
    is_resumable: bool


class CommandLost(Happening, frozen=True, kw_only=True):
    """Nobody knows what a command did: deal and feed are locked until it is settled."""

    device: str
    number: int
    verb: Verb
    step: str


# --- presence, people ---------------------------------------------------------------------------------------


class PresenceShown(Happening, frozen=True, kw_only=True):
    """A person of a role that the operation names is present; `change`: shown, extended, handed over, resumed."""

    operation: str
    staff: str
    change: str
    until_ns: int | None
    meter: int | None
    way: str  # reader, or which second way


class PresenceMissed(Happening, frozen=True, kw_only=True):
    """A request was refused because nobody was present for it: a tap is waited for."""

    operation: str


class PresenceLapsed(Happening, frozen=True, kw_only=True):
    operation: str
    staff: str
    meter: int | None


class BadgeTapped(Happening, frozen=True, kw_only=True):
    """A member of staff was seen at the table's reader, or by the second way (one sighting; semantics §2.1)."""

    staff: str
    reader: str
    way: str


class BadgeRefused(Happening, frozen=True, kw_only=True):
    """A badge of the wrong role, unknown, revoked or out of date; unknown ones as a keyed digest."""

    badge: str
    why: str


class SectionHandedOver(Happening, frozen=True, kw_only=True):
    section: str
    staff: str
    open_items: tuple[str, ...]


class DealerRelieved(Happening, frozen=True, kw_only=True):
    dealer: str


class PermitSpent(Happening, frozen=True, kw_only=True):
    """A permit that was stopped is wished for anew, and nothing is left of its count: it is not given."""

    device: str
    what: PermitKind


# --- machines -----------------------------------------------------------------------------------------------


class DeviceCame(Happening, frozen=True, kw_only=True):
    """A device is connected and its levels are known; `is_new_boot`: it was restarted since we last knew."""

    device: str
    is_new_boot: bool


class DeviceWent(Happening, frozen=True, kw_only=True):
    device: str


class LevelsFound(Happening, frozen=True, kw_only=True):
    """What a device showed when it was connected, once all it had kept is told: what differs happened unseen.

    `is_lid_open` None: it has no lid switch. `faults` are (fault, place), jams apart.
    """

    device: str
    is_lid_open: bool | None
    jams: tuple[Place, ...]
    faults: tuple[tuple[int, Place], ...]


class JamFound(Happening, frozen=True, kw_only=True):
    """A jam stands that nobody told of (semantics §1.4)."""

    device: str
    place: Place


class JamFoundGone(Happening, frozen=True, kw_only=True):
    """A jam is gone that nobody told of: the device was restarted, or could not keep its notice."""

    device: str
    place: Place


class FaultFound(Happening, frozen=True, kw_only=True):
    """A fault stands that nobody told of."""

    device: str
    fault: int
    place: Place


class SwapStarted(Happening, frozen=True, kw_only=True):
    old: str
    new: str
    incident: int


class SwapCompleted(Happening, frozen=True, kw_only=True):
    old: str
    new: str
    left_behind: int


class SwapAdvised(Happening, frozen=True, kw_only=True):
    """Third jam at one place within the hour (semantics §4)."""

    place: Place
    times: int
