"""What a turn of the table decides. Every decision is a row of the journal; some go on to devices or people.

Three sorts, told apart by base class: `Stopping` acts go out before the commit because they only make things
safer; `Order`s go to devices after it; the rest are rows, answers and alerts. `TableEvent`s (events.py of the
table) are decisions too: what the table knows to have happened.
"""

from __future__ import annotations

import msgspec

from drivers.displays.showing import Showing
from drivers.events import Holding, LampColour, LampPattern, Outcome, PermitKind, Reason, Verb


class Decision(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Any decision."""


class Stopping(Decision, frozen=True, kw_only=True):
    """Goes out before the commit (semantics §1.1 step 3)."""


class Order(Decision, frozen=True, kw_only=True):
    """Goes to a device's outbox after the commit (semantics §1.1 step 5)."""

    device: str


# --- stopping -----------------------------------------------------------------------------------------------


class PermitRevoked(Stopping, frozen=True, kw_only=True):
    device: str
    what: PermitKind
    why: str
    held: Holding = Holding.ENFORCES


class LampSet(Stopping, frozen=True, kw_only=True):
    device: str
    colour: LampColour
    pattern: LampPattern


class LockAdded(Stopping, frozen=True, kw_only=True):
    """A named reason not to do what `scope` says. `is_from_next_round`: the round in progress may end.

    `held` says how the machine in use holds it: *enforces*, *observes* or *cannot*; the last two mean that the stop
    is asked of people (semantics §3).
    """

    scope: str
    reason: str
    rule: str
    held: Holding
    is_from_next_round: bool = False


# --- orders -------------------------------------------------------------------------------------------------


class PermitGranted(Order, frozen=True, kw_only=True):
    """Grant or change: the hub renews it at a third of `duration_ms`, never beyond `not_after_ns`."""

    what: PermitKind
    duration_ms: int
    limit_cards: int | None = None
    not_after_ns: int | None = None
    is_fresh: bool = True  # a revoke goes before it, so that the device counts from zero (TDL 9.2)
    held: Holding = Holding.ENFORCES  # whether the device keeps to it by itself, or people are asked to


class CommandIntended(Order, frozen=True, kw_only=True):
    """A moving command with its durable number; bytes leave only after this row is durable (design rule 1)."""

    verb: Verb
    epoch: int
    number: int
    argument: int | None
    step: str  # the procedure's step that wants it, e.g. "unload.eject"
    is_resumable: bool
    expires_at_ns: int


class DisplaySet(Order, frozen=True, kw_only=True):
    """The present goal of a display; the hub says it again as long as it holds, so that the display knows it does."""

    showing: Showing


class OutcomeAsked(Order, frozen=True, kw_only=True):
    """OUTCOME for a number (a read that fences; semantics §1.3)."""

    epoch: int
    number: int


class NoticesResumed(Order, frozen=True, kw_only=True):
    """Handshake step 4: the journal holds everything up to here."""

    boot: int
    number: int


class LevelsAsked(Order, frozen=True, kw_only=True):
    """Read STATE and METERS: a quiet point is to be compared."""

    why: str


class FaultCleared(Order, frozen=True, kw_only=True):
    fault: int
    by: str


class ReaderPrompted(Order, frozen=True, kw_only=True):
    """LED amber or normal, and so many beeps now."""

    is_amber: bool
    beeps: int


# --- identities of cards ------------------------------------------------------------------------------------


class SealedCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card that was read: by which device, where it lay or went, and its identity as the journal keeps it."""

    device: str
    place: str
    sealed: str


class CardsToOpen(Decision, frozen=True, kw_only=True):
    """The round is over, or they lie face up: what these cards are may be said. The rim opens them (`CardsOpened`)."""

    round: int
    cards: tuple[SealedCard, ...]
    is_face_up: bool = False


# --- rows of a command (semantics §1.2) ---------------------------------------------------------------------


class CommandAccepted(Decision, frozen=True, kw_only=True):
    device: str
    number: int
    is_found: bool


class CommandRefused(Decision, frozen=True, kw_only=True):
    device: str
    number: int
    reason: Reason
    is_found: bool


class CommandFinished(Decision, frozen=True, kw_only=True):
    """*Ended* of the semantics: done or failed, with cards moved."""

    device: str
    number: int
    outcome: Outcome
    reason: Reason
    moved: int | None
    is_found: bool


class CommandNotDone(Decision, frozen=True, kw_only=True):
    """It never ran and never will: *never*, *expired* or *superseded*."""

    device: str
    number: int
    why: str


class CommandUnknown(Decision, frozen=True, kw_only=True):
    device: str
    number: int
    why: str


class CommandSettled(Decision, frozen=True, kw_only=True):
    """An unknown outcome was settled: by *meter*, *count* or *person*."""

    device: str
    number: int
    by: str
    moved: int | None


# --- the table's own books ----------------------------------------------------------------------------------


class LockRemoved(Decision, frozen=True, kw_only=True):
    scope: str
    reason: str
    by: str


class CardsBrought(Decision, frozen=True, kw_only=True):
    """The cards of a session lie at the table: the sum that every row keeps."""

    playing: int
    reserve: int


class ReserveFetched(Decision, frozen=True, kw_only=True):
    """More reserve cards were brought in mid-session: so many more lie at the table."""

    cards: int
    by: str


class CardsMoved(Decision, frozen=True, kw_only=True):
    """n cards from one place to another; `evidence`: *meter*, *person* or *inferred* (semantics §2.2)."""

    source: str
    target: str
    cards: int
    evidence: str
    why: str
    by: str = ""


class TimerSet(Decision, frozen=True, kw_only=True):
    name: str
    due_ns: int


class TimerCancelled(Decision, frozen=True, kw_only=True):
    name: str


class ProcedureMoved(Decision, frozen=True, kw_only=True):
    """A table of transitions went from one state to another, under a rule."""

    procedure: str
    source: str
    target: str
    rule: str
    by: str = ""


class RequestAnswered(Decision, frozen=True, kw_only=True):
    """The one answer to a request. A refusal says what, why (rule) and what to do next (design rule 15).

    Texts are in English; `code` and `fields` are the catalogue's, for whoever reads another language.
    """

    request: str
    is_accepted: bool
    rule: str
    text: str
    next_step: str
    code: str = ""
    fields: dict[str, str] = {}


class IncidentOpened(Decision, frozen=True, kw_only=True):
    number: int
    kind: str
    rule: str
    text: str


class IncidentNoted(Decision, frozen=True, kw_only=True):
    """Something was added to a standing incident."""

    number: int
    text: str
    by: str = ""


class IncidentClosed(Decision, frozen=True, kw_only=True):
    number: int
    text: str
    by: str


class AlertRaised(Decision, frozen=True, kw_only=True):
    """Somebody must act (semantics §5). `fields` fill the catalogue's text; `asked` are staff ids."""

    alert: int
    text: str  # id in the catalogue
    place: str
    level: int  # class 1 or 2, 0: at the table only
    fields: dict[str, str]
    asked: tuple[str, ...]
    rides: str = ""  # along with this alert, which calls people for both


class AlertRepeated(Decision, frozen=True, kw_only=True):
    alert: int
    times: int


class AlertEscalated(Decision, frozen=True, kw_only=True):
    alert: int
    asked: tuple[str, ...]
    why: str
    level: int


class AlertAcknowledged(Decision, frozen=True, kw_only=True):
    """Seen, neither taken nor cleared. `via` says by which way, such as which client's."""

    alert: int
    by: str
    via: str


class AlertTaken(Decision, frozen=True, kw_only=True):
    alert: int
    by: str


class AlertArrived(Decision, frozen=True, kw_only=True):
    alert: int
    by: str


class AlertCleared(Decision, frozen=True, kw_only=True):
    alert: int
    by: str
    why: str


class LineShown(Decision, frozen=True, kw_only=True):
    """Information in the tile, never an alert."""

    text: str  # id in the catalogue
    fields: dict[str, str]


class StateKept(Decision, frozen=True, kw_only=True):
    """A checkpoint is due here (semantics §1.4); the hub writes the state's bytes."""

    why: str
