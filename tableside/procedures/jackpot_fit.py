"""Whether a table may take jackpot bets by its figures: its chip is the bet in force, and its meters reconcile (JP-2).

A change of the bet counts from the next jackpot on, a change of the slots' chip from a start of the daemon: in between
no chip is taken. Meters that do not reconcile are never put right by anybody here; they are shown as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tableside import incidents, locks
from tableside.jackpot.meters import Meters
from tableside.jackpot.settings import JackpotSettings
from tableside.locks import Scope

if TYPE_CHECKING:
    from tableside.house import House
    from tableside.tables import Turn

RULE = "JP-2"
# Its own words: what the ledger objects to is closed by the ledger's word, and this by the table's own figures.
UNFIT_OWN = "jackpot figures"


def chip_objection(house: House, in_force: JackpotSettings, whose: str) -> str:
    """Why the slots' chip is no bet of this jackpot; empty where it is, or where there are no slots."""
    if not house.chip_slots or (house.chip_value, house.chip_currency) == (in_force.bet, in_force.currency):
        return ""
    bet, chip = f"{in_force.bet} {in_force.currency}", f"{house.chip_value} {house.chip_currency}"
    return f"{whose} bet is {bet}, this table's chip {chip}"


def meters_objection(own: Mapping[str, Meters]) -> str:
    """The figures of every level that does not reconcile; empty where all do."""
    pots = "; ".join(
        f"{level or 'main'}: {each.started} + {each.contributed} - {each.paid} is not {each.shown}"
        for level, each in own.items()
        if not each.is_reconciled
    )
    return f"the table's own meters do not reconcile: {pots}" if pots else ""


def judge_own(turn: Turn, in_force: JackpotSettings, own: Mapping[str, Meters]) -> None:
    """Lock the bets with an incident while the figures object, and free them when they no longer do."""
    why = meters_objection(own) or chip_objection(turn.state.house, in_force, "the running jackpot's")
    for incident in incidents.of_kind(turn, UNFIT_OWN):
        if incident.text != why:
            incidents.close(turn, incident.number, why or "settings, chip and meters fit again", "jackpot")
    if not why:
        locks.remove_all(turn, UNFIT_OWN, "jackpot")
        return
    locks.add(turn, Scope.JACKPOT_BETS, UNFIT_OWN, RULE)
    if not incidents.of_kind(turn, UNFIT_OWN):
        incidents.open_incident(turn, UNFIT_OWN, RULE, why)


def let_go(turn: Turn) -> None:
    """The table keeps no pot of its own any more."""
    locks.remove_all(turn, UNFIT_OWN, "jackpot")
    for incident in incidents.of_kind(turn, UNFIT_OWN):
        incidents.close(turn, incident.number, "the table's own jackpot is over", "jackpot")
