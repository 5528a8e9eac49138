"""Cards that a machine which was exchanged seems to have kept, or gave out too many: play waits for a hand count.

The supervisor looks into the old machine first and enters what he finds there; what lacks is posted to *unexplained*
under his name and stays visible until the sort at closing explains it (CSM-6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside import alerts, locks
from tableside.alerts import Alert
from tableside.card_account import left_in
from tableside.locks import Scope
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "CSM-6"
SHORT = "COUNT-SHORT-SWAP"
LONG = "COUNT-LONG"


def lock_reason(place: str) -> str:
    """The name of the lock that a counting out which does not agree adds; `place` is the account's, of that machine."""
    return f"to be counted: {place}"


def _waiting(state: TableState) -> tuple[Alert, ...]:
    """What stands for a machine's counting out: its place is the account's, by the machine's serial number."""
    return tuple(
        alert
        for alert in state.alerts.standing.values()
        if alert.text in (SHORT, LONG) and alert.place.startswith(left_in(""))
    )


def places(state: TableState) -> tuple[str, ...]:
    """What a hand count may name beside the places of play."""
    return tuple(dict.fromkeys(alert.place for alert in _waiting(state)))


def tell(turn: Turn, serial: str, left: int, more: int) -> None:
    """The numbers, to a person; nothing is dealt until he has counted."""
    total, place = turn.state.house.cards_at_table, left_in(serial)
    if left:
        short = {"k": str(left), "n": str(total - left), "total": str(total)}
        alerts.raise_alert(turn, SHORT, place, **short, serial=serial)
    if more:
        alerts.raise_alert(turn, LONG, place, k=str(more), n=str(total + more), total=str(total))
    if left or more:
        locks.add(turn, Scope.DEAL, lock_reason(place), RULE)


def counted(turn: Turn, place: str) -> None:
    """A supervisor has counted what is in the old machine."""
    for alert in _waiting(turn.state):
        if alert.place == place:
            _end(turn, alert, "hand count")


def play_ends(turn: Turn, _what: object) -> None:
    """The cards are taken out to be sorted: that is not dealing. What lacks is still to be found."""
    for alert in _waiting(turn.state):
        locks.remove_all(turn, lock_reason(alert.place), turn.by)


def explained(turn: Turn) -> None:
    """The sort has named what lacks, or found it."""
    for alert in _waiting(turn.state):
        _end(turn, alert, "sorted")


def _end(turn: Turn, alert: Alert, why: str) -> None:
    locks.remove_all(turn, lock_reason(alert.place), turn.by)
    for text in (SHORT, LONG):
        alerts.clear_alert(turn, text, alert.place, by=turn.by, why=why)
