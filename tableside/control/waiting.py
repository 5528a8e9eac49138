"""What a table waits for: each procedure that is under way, with what a person can do about it. Pure.

The next steps are those of the procedures' tables, so that a page shows at any time what a refusal would say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tableside.house import TableKind
from tableside.procedures import (
    PROCEDURES,
    batch,
    conditions,
    device_faults,
    jams,
    people,
    rounds,
    second_way,
    session,
    shoe,
)
from tableside.procedures.empty import EmptyState
from tableside.procedures.jackpot_bets import BetState
from tableside.procedures.jackpot_slice import JackpotState
from tableside.procedures.load_slice import LoadState
from tableside.procedures.opening import OpeningState
from tableside.procedures.session import SessionState
from tableside.procedures.sort import SortState
from tableside.procedures.unload_slice import UnloadState
from tableside.state import TableState
from tableside.tables import Procedure

# What the cards of a table come from says what it is at: told first, always. No other table has these under way.
FIRST: Mapping[TableKind, tuple[Procedure, ...]] = {
    TableKind.SHUFFLER: (session.PROCEDURE, rounds.PROCEDURE),
    TableKind.HAND_SHOE: (session.PROCEDURE, rounds.PROCEDURE),
    TableKind.BATCH: (batch.PROCEDURE,),
    TableKind.SHOE: (shoe.PROCEDURE,),
}
# Told for themselves, or what stands there is told by alerts.
_APART = (*(one for kind in FIRST.values() for one in kind), jams.AT_PLACE, jams.HELP)
_BY_ALERTS = (conditions.PROCEDURE, device_faults.PROCEDURE, people.PROCEDURE, second_way.PROCEDURE)
# Over and done with; a table's opening and its load make one the other's next step.
_DONE = frozenset({LoadState.OVER, UnloadState.OVER, SortState.REGULAR, BetState.LOCKED, JackpotState.RUNNING})
_DONE_AFTER_OPENING = frozenset({OpeningState.PREPARED, EmptyState.PROVED})


def waiting_view(state: TableState) -> list[dict[str, str]]:
    """`procedure`, `state`, `next_step` of everything under way; what the table's kind is at first, always."""
    return [
        {"procedure": name, "state": at, "next_step": next_step}
        for name, at, next_step in (*_first(state), *_jams(state), *_others(state))
    ]


def _first(state: TableState) -> Iterator[tuple[str, str, str]]:
    for procedure in FIRST[state.house.kind]:
        at = procedure.read(state, None)
        yield procedure.name, str(at.value), procedure.next_step[at]


def _jams(state: TableState) -> Iterator[tuple[str, str, str]]:
    for place, jam in state.procedures.jams.standing.items():
        yield f"jam at the {place}", str(jam.state.value), jams.AT_PLACE.next_step[jam.state]
    if state.procedures.jams.is_technician_called:
        at = jams.HELP.read(state, None)
        yield jams.HELP.name, str(at.value), jams.HELP.next_step[at]


def _others(state: TableState) -> Iterator[tuple[str, str, str]]:
    fresh = TableState(house=state.house)
    done = _DONE if state.procedures.session.state is SessionState.OPENING else _DONE | _DONE_AFTER_OPENING
    for procedure in PROCEDURES:
        if procedure in _APART or procedure in _BY_ALERTS:
            continue
        at = procedure.read(state, None)
        if at not in done and at is not _rest(procedure, fresh):
            yield procedure.name, str(at.value), procedure.next_step[at]


def _rest(procedure: Procedure, fresh: TableState) -> object:
    return procedure.read(fresh, None)
