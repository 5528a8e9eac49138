"""Stops that the machine cannot hold are asked of people: an instruction, and a confirmation (semantics §3).

Derived, as permits are: while a lock of a scope stands that the machine in use does not enforce, the table is told to
keep the stop by hand; taking that alert is the confirmation. A machine never met has no abilities: nothing is asked.
"""

from __future__ import annotations

from drivers.events import Holding
from tableside import alerts, devices, locks
from tableside.locks import Scope
from tableside.tables import Turn

TEXT = "STOP-ASKED"
# What people can stop with their hands.
BY_HAND = (Scope.DEAL, Scope.FEED)


def settle(turn: Turn, *, is_round_open: bool) -> None:
    """Ask for what is not held, and no longer once it need not be."""
    if not devices.of(turn, devices.machine(turn.state)).abilities:
        return
    for scope in BY_HAND:
        is_stopped = bool(locks.standing(turn.state, scope, is_round_open=is_round_open))
        is_asked = is_stopped and locks.holding(turn.state, scope) is not Holding.ENFORCES
        is_told = f"{TEXT}:{scope}" in turn.state.alerts.standing
        if is_asked and not is_told:
            alerts.raise_alert(turn, TEXT, scope, what=scope)
        elif is_told and not is_asked:
            alerts.clear_alert(turn, TEXT, scope, by="table", why="the stop has ended")
