"""Alerts go to a person, not to a page: new → taken → arrived → cleared (semantics §5).

One cause, one alert: repeats merge by (text, place). Texts, classes and lamps are the catalogue's.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import LampColour, LampPattern
from tableside.decisions import AlertCleared, AlertRaised, AlertRepeated
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class Progress(StrEnum):
    """How far a standing alert has come."""

    NEW = "new"
    TAKEN = "taken"
    ARRIVED = "arrived"


class Alert(msgspec.Struct, frozen=True):
    number: int
    text: str
    place: str
    level: int
    fields: dict[str, str]
    since_ns: int
    progress: Progress = Progress.NEW
    taken_by: str = ""
    asked: tuple[str, ...] = ()
    times: int = 1


class Alerts(msgspec.Struct, frozen=True):
    """Standing alerts keyed `text:place`, and how many there were."""

    last: int = 0
    standing: dict[str, Alert] = {}


def raise_alert(turn: Turn, text: str, place: str = "", /, **fields: str) -> int:
    """Raise an alert of the catalogue, or count a repeat of the one that stands. Returns its number."""
    key = f"{text}:{place}"
    alerts = turn.state.alerts
    known = alerts.standing.get(key)
    if known is not None:
        again = replace(known, times=known.times + 1, fields=fields or known.fields)
        turn.state = replace(turn.state, alerts=replace(alerts, standing={**alerts.standing, key: again}))
        turn.decide(AlertRepeated(alert=known.number, times=again.times))
        return known.number
    number = alerts.last + 1
    fields = {"table": turn.state.house.table, **fields}
    alert = Alert(number, text, place, 1, fields, turn.now_ns)
    turn.state = replace(turn.state, alerts=Alerts(number, {**alerts.standing, key: alert}))
    turn.decide(AlertRaised(alert=number, text=text, place=place, level=1, fields=fields, asked=()))
    return number


def clear_alert(turn: Turn, text: str, place: str = "", *, by: str, why: str) -> None:
    """What the alert asked for is done; nothing happens where it does not stand."""
    key = f"{text}:{place}"
    alerts = turn.state.alerts
    known = alerts.standing.get(key)
    if known is not None:
        rest = {name: alert for name, alert in alerts.standing.items() if name != key}
        turn.state = replace(turn.state, alerts=replace(alerts, standing=rest))
        turn.decide(AlertCleared(alert=known.number, by=by, why=why))


def lamps(state: TableState) -> frozenset[tuple[LampColour, LampPattern]]:
    """What the standing alerts want the lamp to show."""
    return frozenset((LampColour.RED, LampPattern.STEADY) for _alert in state.alerts.standing.values())
