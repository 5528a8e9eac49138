"""The session of the table: closed, opening, loading, open, closing, unloading, sorting, closed."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import attendance, card_account, presence, sightings
from tableside.decisions import StateKept
from tableside.happenings import ClosingAnnounced, SessionClosed, SessionOpened, SessionReady
from tableside.house import Role
from tableside.procedures.under_test import nothing_is_tested
from tableside.refusals import refusal
from tableside.requests import AnnounceClosing, CloseTable, OpenTable
from tableside.session_happenings import (
    CardChangeBegun,
    CardsSorted,
    LoadCompleted,
    LoadStarted,
    NextSessionWanted,
    UnloadCompleted,
    UnloadStarted,
)
from tableside.shoe_happenings import ShoeCleared, ShoeReady
from tableside.tables import Guard, Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

# The load and the unload that belong to a session; a swap's or an incident's do not move it.
KIND = "session"
SUPERVISING = (Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT)


class SessionState(StrEnum):
    """Where the table's session stands."""

    CLOSED = "closed"
    OPENING = "opening"
    LOADING = "loading"
    OPEN = "open"
    CLOSING = "closing"
    UNLOADING = "unloading"
    SORTING = "sorting"
    SORTED = "sorted"


class SessionSlice(msgspec.Struct, frozen=True):
    """`number` counts through the journal's life."""

    state: SessionState = SessionState.CLOSED
    number: int = 0


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, session=replace(procedures.session, **changes)))


def state_of(state: TableState) -> SessionState:
    """Where the session stands."""
    return state.procedures.session.state


def is_dealer_on_duty(rule: str, what: str) -> Guard:
    """Guard: the dealer on duty says it himself (CSM-4)."""

    def guard(turn: Turn, _request: object) -> Refusal | None:
        dealer = turn.state.procedures.people.dealer
        if turn.by == dealer != "":
            return None
        return refusal("DEALERS-TO-SAY", rule=rule, what=what, who=turn.by or "nobody", dealer=dealer)

    return guard


# --- opening and closing ------------------------------------------------------------------------------------


def _is_dealer(turn: Turn, what: OpenTable) -> Refusal | None:
    person = turn.state.house.person(what.dealer)
    why = sightings.objection(turn, what.dealer)
    if person is None or why:
        return refusal("DEALER-OBJECTED", staff=what.dealer, why=why)
    if Role.DEALER not in person.roles:
        return refusal("DEALER-UNKNOWN", staff=person.name)
    return None


def _open(turn: Turn, what: OpenTable | NextSessionWanted) -> None:
    house = turn.state.house
    number = turn.state.procedures.session.number + 1
    put(turn, number=number)
    card_account.bring(turn, house.cards_at_table, house.cards_in_reserve)
    turn.happened(SessionOpened(session=number, dealer=what.dealer))


def _ready(turn: Turn, _what: LoadCompleted | ShoeReady) -> None:
    turn.happened(SessionReady(session=turn.state.procedures.session.number))


def _announce(turn: Turn, _what: AnnounceClosing | CardChangeBegun) -> None:
    turn.happened(ClosingAnnounced(by=turn.by))


def is_between_rounds(turn: Turn, _what: object) -> Refusal | None:
    """Guard: no round is open, and the last one's cards are in or held over."""
    state = turn.state.procedures.rounds.state.value
    if state == "dealing":
        return refusal("ROUND-OPEN")
    if state in ("over", "returning"):
        return refusal("ROUND-NOT-RETURNED")
    return None


def _is_machine_empty(turn: Turn, _what: CloseTable) -> Refusal | None:
    inside = turn.state.account.at(card_account.MACHINE)
    if inside:
        return refusal("MACHINE-NOT-EMPTY", inside=inside)
    inside = turn.state.account.at(card_account.SHOE)
    return refusal("SHOE-NOT-EMPTY", inside=inside) if inside else None


def _is_fit_to_close(turn: Turn, _what: CloseTable) -> Refusal | None:
    """An irregular sort is not closed over by the dealer alone."""
    is_supervising = any(role in sightings.roles_here(turn, turn.by) for role in SUPERVISING)
    if turn.state.procedures.sort.state.value != "irregular" or is_supervising:
        return None
    return refusal("SORT-IRREGULAR")


def _close(turn: Turn, _what: CloseTable) -> None:
    number = turn.state.procedures.session.number
    for operation in tuple(turn.state.presence.kept):
        attendance.end(turn, operation)
    turn.happened(SessionClosed(session=number))
    turn.decide(StateKept(why=f"session {number} closed"))


def _is_sessions(_turn: Turn, what: LoadStarted | LoadCompleted | UnloadStarted | UnloadCompleted) -> bool:
    return what.kind == KIND


STAFF = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule="CSM-4")
SUPERVISORS = presence.acts_as(*SUPERVISING, rule="CSM-6")

S = SessionState
PROCEDURE = Procedure(
    name="session",
    rule="CSM-5",
    states=SessionState,
    read=lambda state, _what: state.procedures.session.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(
            S.CLOSED,
            OpenTable,
            S.OPENING,
            _open,
            guards=(STAFF, _is_dealer, nothing_is_tested),
            rule="SHOE-3",
            said="table opens",
        ),
        Row(S.OPENING, LoadStarted, S.LOADING, when=_is_sessions, rule="CSM-5", said="load begins"),
        Row(
            S.OPENING,
            CloseTable,
            S.CLOSED,
            _close,
            guards=(SUPERVISORS, _is_machine_empty),
            rule="CSM-6",
            said="closed without play",
        ),
        Row(S.OPENING, ShoeReady, S.OPEN, _ready, rule="SHOE-6", said="the shoe is ready"),
        Row(S.LOADING, LoadCompleted, S.OPEN, _ready, _is_sessions, rule="CSM-5", said="all cards in"),
        Row(
            S.LOADING, AnnounceClosing, S.CLOSING, _announce, guards=(SUPERVISORS,), rule="CSM-6", said="load given up"
        ),
        Row(
            S.OPEN,
            AnnounceClosing,
            S.CLOSING,
            _announce,
            guards=(STAFF, is_between_rounds),
            rule="CSM-6",
            said="closing announced",
        ),
        Row(S.CLOSING, UnloadStarted, S.UNLOADING, when=_is_sessions, rule="CSM-6", said="cards come out"),
        Row(S.CLOSING, ShoeCleared, S.SORTING, rule="CSM-6", said="the shoe's cards are out"),
        Row(S.UNLOADING, UnloadCompleted, S.SORTING, when=_is_sessions, rule="CSM-6", said="machine empty"),
        Row(S.SORTING, CardsSorted, S.SORTED, rule="CSM-6", said="decks sorted"),
        Row(S.SORTED, CardsSorted, None, rule="CSM-6", said="sorted again"),
        Row(
            S.SORTED,
            CloseTable,
            S.CLOSED,
            _close,
            guards=(STAFF, _is_fit_to_close),
            rule="CSM-6",
            said="table closed",
        ),
        Row(S.CLOSED, NextSessionWanted, S.OPENING, _open, rule="CSM-5", said="cards changed: next session"),
        Row(S.OPEN, CardChangeBegun, S.CLOSING, _announce, rule="CSM-5", said="cards are changed"),
    ),
    next_step={
        S.CLOSED: "open the table",
        S.OPENING: "show, mix and hand-shuffle the cards, prove the machine empty, load",
        S.LOADING: "load the packets",
        S.OPEN: "play, or announce closing",
        S.CLOSING: "unload with a floor supervisor present",
        S.UNLOADING: "wait until the machine is empty",
        S.SORTING: "sort the decks and enter the result",
        S.SORTED: "close the table",
    },
)
