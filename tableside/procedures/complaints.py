"""Patrons' complaints: heard until the round's cards begin to go in (CSM-12).

One in its window holds insertion until a supervisor settles it; held-over cards keep their rounds' windows. A late
one is recorded as late: the supervisor decides, no machine refuses a guest.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import alerts, locks, presence
from tableside.happenings import ComplaintRaised, ComplaintSettled
from tableside.house import Role
from tableside.locks import Scope
from tableside.procedures import rounds
from tableside.refusals import refusal
from tableside.requests import RaiseComplaint, SettleComplaint
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class Complaint(msgspec.Struct, frozen=True):
    """One that is not settled. Times in UTC ns."""

    number: int
    round: int
    is_late: bool
    raised_ns: int


class ComplaintSlice(msgspec.Struct, frozen=True):
    """Open complaints by number, and how many there were."""

    last: int = 0
    open: dict[str, Complaint] = {}


class ComplaintState(StrEnum):
    """Derived: whether one holds the cards out."""

    NONE = "none open"
    HOLDING = "holding the cards out"
    LATE = "late ones only"


def read(state: TableState, _what: object) -> ComplaintState:
    """Derived from the open complaints."""
    complaints = state.procedures.complaints.open.values()
    if any(not complaint.is_late for complaint in complaints):
        return ComplaintState.HOLDING
    return ComplaintState.LATE if complaints else ComplaintState.NONE


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    slice_ = replace(procedures.complaints, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, complaints=slice_))


def is_window_open(state: TableState, number: int) -> bool:
    """CSM-12: from the round's first card until its cards begin to go in; while they wait outside as long as that."""
    now = state.procedures.rounds
    is_held_over = now.held_over > 0 and now.held_since <= number <= now.number
    if is_held_over or (now.lag and number == rounds.lag_round(now)):
        return now.returned == 0
    if number != now.number or not number:
        return False
    return now.state.value == "dealing" or (now.state.value == "over" and now.returned == 0)


def _closed_ns(turn: Turn, number: int) -> int | None:
    """When the cards of a round began to go in; None for one before those that went in last."""
    now = turn.state.procedures.rounds
    first, last = now.inserted_rounds
    return now.inserted_ns if first <= number <= last else None


def lock_reason(number: int) -> str:
    """The name of a complaint's lock."""
    return f"complaint {number}"


def _raised(turn: Turn, what: RaiseComplaint) -> None:
    complaints = turn.state.procedures.complaints
    round_number = what.round or turn.state.procedures.rounds.number
    is_late = not is_window_open(turn.state, round_number)
    number = complaints.last + 1
    complaint = Complaint(number, round_number, is_late, turn.given.wall_ns)
    put(turn, last=number, open={**complaints.open, str(number): complaint})
    closed_ns = _closed_ns(turn, round_number) if is_late else None
    turn.happened(ComplaintRaised(complaint=number, round=round_number, is_late=is_late, closed_ns=closed_ns))
    if is_late:
        alerts.raise_alert(turn, "COMPLAINT-LATE", str(number), r=str(round_number))
    else:
        locks.add(turn, Scope.FEED, lock_reason(number), "CSM-12")
        alerts.raise_alert(turn, "COMPLAINT-HOLD", str(number), r=str(round_number))


def _is_known_round(turn: Turn, what: RaiseComplaint) -> Refusal | None:
    last = turn.state.procedures.rounds.number
    if 0 <= what.round <= last and last:
        return None
    return refusal("ROUND-UNKNOWN", round=what.round or last, last=last)


def _is_key_again(turn: Turn, what: RaiseComplaint) -> bool:
    """HOLD pressed again while the round's complaint holds the cards: one complaint, not two."""
    rounds = turn.state.procedures.rounds
    open_ = turn.state.procedures.complaints.open.values()
    return what.via == "key" and any(not each.is_late and each.round == rounds.number for each in open_)


def _meant(turn: Turn, what: SettleComplaint) -> Complaint | None:
    """The open complaint of that number; without one, the only open one."""
    open_ = turn.state.procedures.complaints.open
    if what.complaint == 0 and len(open_) == 1:
        return next(iter(open_.values()))
    return open_.get(str(what.complaint))


def _is_open(turn: Turn, what: SettleComplaint) -> Refusal | None:
    if not what.decision.strip():
        return refusal("COMPLAINT-NO-DECISION")
    if _meant(turn, what) is not None:
        return None
    open_ = turn.state.procedures.complaints.open.values()
    listed = ", ".join(f"{one.number} (round {one.round}{', late' if one.is_late else ''})" for one in open_)
    if what.complaint == 0:
        return refusal("COMPLAINT-WHICH", n=len(open_), listed=listed)
    return refusal("COMPLAINT-NOT-OPEN", complaint=what.complaint, listed=listed)


def _settled(turn: Turn, what: SettleComplaint) -> None:
    meant = _meant(turn, what)
    assert meant is not None, "guarded"
    number = meant.number
    open_ = turn.state.procedures.complaints.open
    put(turn, open={key: each for key, each in open_.items() if key != str(number)})
    locks.remove_all(turn, lock_reason(number), turn.by)
    for text in ("COMPLAINT-HOLD", "COMPLAINT-LATE"):
        alerts.clear_alert(turn, text, str(number), by=turn.by, why=what.decision)
    turn.happened(ComplaintSettled(complaint=number, decision=what.decision, by=turn.by))


SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-12")
S = ComplaintState
PROCEDURE = Procedure(
    name="complaint",
    rule="CSM-12",
    states=ComplaintState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(S.HOLDING, RaiseComplaint, None, when=_is_key_again, said="the cards are held out already"),
        *(
            Row(state, RaiseComplaint, None, _raised, guards=(_is_known_round,), said="complaint entered")
            for state in S
        ),
        *(
            Row(state, SettleComplaint, None, _settled, guards=(SUPERVISOR, _is_open), said="settled")
            for state in (S.HOLDING, S.LATE)
        ),
    ),
    next_step={
        S.NONE: "no complaint is open",
        S.HOLDING: "the supervisor decides and settles it; the cards go in after that",
        S.LATE: "the supervisor decides; the cards are in already",
    },
)
