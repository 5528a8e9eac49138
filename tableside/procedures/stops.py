"""Stops that people ask for, CALL, and NO MORE BETS: what makes things safer needs no badge (semantics §3)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tableside import alerts, locks, presence
from tableside.happenings import RoundEnded, SessionOpened
from tableside.house import Role
from tableside.jackpot_happenings import BetsClosed
from tableside.locks import Scope
from tableside.requests import CallSupervisor, LockBets, ResumePlay, StopPlay
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

STOP = "stop asked"
# A commit above 5 s stops dealing (semantics §1.1); a person who has looked lets it go on, as after any stop.
SLOW_JOURNAL = "journal slow"
BETS = "no more bets"


class StopState(StrEnum):
    """Derived from the locks: whether somebody has asked for a stop."""

    FREE = "not stopped"
    STOPPED = "stopped"


def read(state: TableState, _what: object) -> StopState:
    """Derived from the locks."""
    is_stopped = any(f"{Scope.DEAL}:{reason}" in state.locks.standing for reason in (STOP, SLOW_JOURNAL))
    return StopState.STOPPED if is_stopped else StopState.FREE


def _stop(turn: Turn, _what: StopPlay) -> None:
    locks.add(turn, Scope.DEAL, STOP, "CSM-2")
    alerts.raise_alert(turn, "CALL-PRESSED")


def _resume(turn: Turn, _what: ResumePlay) -> None:
    for reason in (STOP, SLOW_JOURNAL):
        locks.remove_all(turn, reason, turn.by)
    for text in ("CALL-PRESSED", "JOURNAL-SLOW"):
        alerts.clear_alert(turn, text, by=turn.by, why="play goes on")


def _call(turn: Turn, _what: CallSupervisor) -> None:
    alerts.raise_alert(turn, "CALL-PRESSED")


def _lock_bets(turn: Turn, _what: LockBets) -> None:
    locks.add(turn, Scope.JACKPOT_BETS, BETS, "JP-11")
    turn.happened(BetsClosed())


def _free_bets(turn: Turn, what: RoundEnded) -> None:
    locks.remove_all(turn, BETS, f"round {what.round} over")


def _opened(turn: Turn, what: SessionOpened) -> None:
    """Pressed while the table was closed, it was about no bets of this session."""
    locks.remove_all(turn, BETS, f"session {what.session} opened")


SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-2")
S = StopState
CALLED = "wait at the table for the floor supervisor"
PROCEDURE = Procedure(
    name="stop",
    rule="CSM-2",
    states=StopState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(S.FREE, StopPlay, None, _stop, said="dealing stops"),
        Row(S.STOPPED, StopPlay, None, _stop, said="dealing is stopped"),
        Row(S.STOPPED, ResumePlay, None, _resume, guards=(SUPERVISOR,), said="dealing goes on"),
        *(Row(state, CallSupervisor, None, _call, said="the floor supervisor is called", then=CALLED) for state in S),
        *(Row(state, LockBets, None, _lock_bets, rule="JP-11", said="jackpot bets locked", then="deal") for state in S),
        *(Row(state, RoundEnded, None, _free_bets, rule="JP-11", said="next round's bets") for state in S),
        *(Row(state, SessionOpened, None, _opened, rule="JP-11", said="next session's bets") for state in S),
    ),
    next_step={
        S.FREE: "play goes on",
        S.STOPPED: "floor supervisor: let play go on",
    },
)
