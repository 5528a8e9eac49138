"""Tables at which an advice waits for a decision."""

from __future__ import annotations

from msgspec.structs import replace

from tableside.games.advice import Advice
from tableside.house import House, Role
from tableside.procedures.advice_slice import advise
from tableside.tables import Turn
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table

RULING = Advice(
    "BJ-2",
    "a card was seen at seat 3; it was seat 2's turn",
    "cards are dealt in seat order",
    "stop; the floor supervisor says whose card it is",
    Role.FLOOR_SUPERVISOR,
)
DEALERS = Advice("BJ-3", "the bank's second card was turned", "it goes to the tray", "draw another, face down")
HOUSE_WITHOUT_DEALERS_WORD = replace(HOUSE, dealer_decides=False)


def give(table: Table, advice: Advice, place: str = "") -> int:
    """Advise as a procedure would, within a turn of its own that is not journalled as an input."""
    turn = Turn(table.state, table.given[-1])
    number = advise(turn, advice, place)
    table.state = turn.state
    table.decided += turn.decisions
    return number


def advised(*given: Advice, house: House = HOUSE) -> Table:
    """A round with five cards out, and these were advised."""
    table = open_table(house)
    give_out(table, 5)
    for advice in given:
        give(table, advice)
    return table
