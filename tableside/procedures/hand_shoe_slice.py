"""What stands of a shoe that is shuffled by hand; the table of transitions is in `hand_shoe`."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.card_account import ASIDE, SHOE, TABLE, TRAY
from tableside.cards import CARDS_PER_DECK
from tableside.games.shoe import CutTurn, Shoe
from tableside.shoe_requests import BackCount
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class HandShoeState(StrEnum):
    """Where the cards of a shoe by hand stand."""

    NONE = "no shoe by hand"
    TO_COUNT = "backs to be counted"
    TO_SHUFFLE = "to be shuffled"
    TO_CUT = "to be cut"
    TO_FILL = "warning card to be placed"
    TO_BURN = "card to be burnt"
    READY = "ready"
    IN_ROUND = "round is dealt"
    OVER = "shoe is over"
    SPREAD = "spread on the table"
    EMPTYING = "machine is emptied"
    RETURNING = "cards go back to the machine"


class HandShoeSlice(msgspec.Struct, frozen=True):
    """`number` counts shoes through the journal's life. `cut_turn`: whose right to cut is next (SHOE-4).

    `occupied` at the last cut. `out_before`: cards that were out when the last round began. `uncounted` rounds of this
    shoe ended and nobody has said how many cards they had: then nobody knows after how many the warning card came.
    `is_place_open`: it came, and where it lay waits for a round's count.
    `is_whole`: the last count by back agreed, and nothing was dealt since. `special_ahead`: special cards that a reader
    has named and its meter has not counted yet.
    `is_in_place_of_machine`: a machine is down; `incident` is what that is for, `packets` how it is loaded again.
    """

    state: HandShoeState = HandShoeState.NONE
    number: int = 0
    cut_turn: CutTurn = CutTurn()
    occupied: tuple[int, ...] = ()
    shoe: Shoe = Shoe(cards=0, players=0)
    out_before: int = 0
    uncounted: int = 0
    is_place_open: bool = False
    is_whole: bool = False
    special_ahead: int = 0
    is_in_place_of_machine: bool = False
    incident: int = 0
    packets: int = 0


def of(turn: Turn) -> HandShoeSlice:
    """The slice."""
    return turn.state.procedures.hand_shoe


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    hand_shoe = replace(procedures.hand_shoe, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, hand_shoe=hand_shoe))


def expected_backs(state: TableState) -> tuple[BackCount, ...]:
    """What a count of all cards by back should find, in the order of the table's file."""
    return tuple(BackCount(group.back, group.decks * CARDS_PER_DECK) for group in state.house.decks)


def is_gathered(state: TableState) -> bool:
    """All cards lie before the dealer: none in the shoe, in play or in the tray."""
    return not any(state.account.at(place) for place in (SHOE, TABLE, TRAY))


def lying_aside(state: TableState) -> int:
    """Cards that lie on the table and are not in play."""
    return state.account.at(ASIDE)
