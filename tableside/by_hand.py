"""Whether cards are dealt by hand here: at a table without a machine always, at one with a machine while it is down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside.house import TableKind

if TYPE_CHECKING:
    from tableside.state import TableState


def is_by_hand(state: TableState) -> bool:
    """Cards come from a shoe that is shuffled by hand now, and no machine has any of them."""
    return state.house.kind is TableKind.HAND_SHOE or state.procedures.hand_shoe.is_in_place_of_machine
