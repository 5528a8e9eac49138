"""Cards that go in though they were to stay out (CSM-12): the mirror of cards dealt while play is stopped.

It only watches: where the cards belong the round says. An enforcing machine may finish the card that moves; more, or
any where the stop is only asked of people, must be explained.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import Holding
from tableside import locks, unexpected
from tableside.happenings import CardsEntered
from tableside.locks import Scope
from tableside.procedures.rounds import CARDS_AFTER_STOP
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "CSM-12"


class HeldCardsState(StrEnum):
    """Derived from the locks: whether cards are to stay out."""

    FREE = "may go in"
    HELD = "to stay out"


class HeldCardsSlice(msgspec.Struct, frozen=True):
    """Cards that went in since they were to stay out."""

    entered: int = 0


def read(state: TableState, _what: object) -> HeldCardsState:
    """Derived status cannot drift."""
    return HeldCardsState.HELD if locks.standing(state, Scope.FEED) else HeldCardsState.FREE


def _put(turn: Turn, entered: int) -> None:
    turn.state = replace(turn.state, procedures=replace(turn.state.procedures, held_cards=HeldCardsSlice(entered)))


def _entered(turn: Turn, what: CardsEntered) -> None:
    entered = turn.state.procedures.held_cards.entered + what.cards
    _put(turn, entered)
    is_held = locks.holding(turn.state, Scope.FEED) is Holding.ENFORCES
    if entered > (CARDS_AFTER_STOP if is_held else 0):
        unexpected.record(turn, f"{entered} card(s) went in while cards were to stay out", (Scope.DEAL,), RULE)


def _freely(turn: Turn, _what: CardsEntered) -> None:
    if turn.state.procedures.held_cards.entered:
        _put(turn, 0)


S = HeldCardsState
PROCEDURE = Procedure(
    name="held cards",
    rule=RULE,
    states=HeldCardsState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(S.HELD, CardsEntered, None, _entered, said="went in all the same", watches=True),
        Row(S.FREE, CardsEntered, None, _freely, said="went in", watches=True),
    ),
    next_step={
        S.FREE: "insert the round's cards",
        S.HELD: "keep the cards out until what holds them is settled",
    },
)
