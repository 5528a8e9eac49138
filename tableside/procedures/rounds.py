"""A round: bets, dealing, over, returning (design §5; CSM-9 to CSM-11)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import PermitKind
from tableside.happenings import CardsLeft, RoundStarted
from tableside.permits import DEAL_MS, Wish
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class RoundState(StrEnum):
    CLOSED = "closed"
    WAITING = "waiting"
    DEALING = "dealing"
    OVER = "over"
    RETURNING = "returning"


class RoundSlice(msgspec.Struct, frozen=True):
    state: RoundState = RoundState.CLOSED
    number: int = 0
    dealt: int = 0


def is_open(state: TableState) -> bool:
    """Cards of a round are being dealt."""
    return state.procedures.rounds.state is RoundState.DEALING


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Dealing is wished while rounds may be played."""
    if state.procedures.rounds.state in (RoundState.WAITING, RoundState.DEALING):
        return (Wish(state.house.shuffler, PermitKind.DEAL, DEAL_MS),)
    return ()


def _first_card(turn: Turn, what: CardsLeft) -> None:
    put(turn, number=turn.state.procedures.rounds.number + 1, dealt=what.cards)
    turn.happened(RoundStarted(round=turn.state.procedures.rounds.number))


def _next_cards(turn: Turn, what: CardsLeft) -> None:
    put(turn, dealt=turn.state.procedures.rounds.dealt + what.cards)


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, rounds=replace(procedures.rounds, **changes)))


PROCEDURE = Procedure(
    name="round",
    rule="CSM-10",
    states=RoundState,
    read=lambda state, _what: state.procedures.rounds.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(RoundState.WAITING, CardsLeft, RoundState.DEALING, _first_card, rule="CSM-8", said="first card"),
        Row(RoundState.DEALING, CardsLeft, None, _next_cards, rule="CSM-8", said="a card"),
    ),
    next_step={
        RoundState.CLOSED: "open the table",
        RoundState.WAITING: "deal",
        RoundState.DEALING: "end the round",
        RoundState.OVER: "insert the cards, or hold them over",
        RoundState.RETURNING: "insert the rest",
    },
)
