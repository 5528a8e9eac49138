"""Alerts go to a person, not to a page: new → taken → arrived → cleared (semantics §5).

One cause, one alert: repeats merge by (text, place). Texts, classes, lamps and who must come are the catalogue's;
who that is now, the section says: its floor supervisor, else room management; the neighbour and the pit manager
when nobody takes it, room management in the end.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import LampColour, LampPattern
from tableside import causes, timers, work_orders
from tableside.catalogue import AlertClass, AlertText, alert_text, fields_of
from tableside.decisions import (
    AlertArrived,
    AlertCleared,
    AlertEscalated,
    AlertRaised,
    AlertRepeated,
    AlertTaken,
    LineShown,
)
from tableside.house import Role, Section
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

TIMER = "alert:"
# Who takes a class 1 alert is at the table within this, or the next in line is asked: as long as one that nobody takes
# needs to room management (ADR 24).
ARRIVAL_S = 120


class Progress(StrEnum):
    """How far a standing alert has come."""

    NEW = "new"
    TAKEN = "taken"
    ARRIVED = "arrived"


class Alert(msgspec.Struct, frozen=True):
    """One that stands. `level` is its class, 0 at the table only; `asked` are staff ids, latest last."""

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
    escalated: int = 0
    rides: str = ""  # along with this alert, which calls people for both (causes.py)


class Alerts(msgspec.Struct, frozen=True):
    """Standing alerts keyed `text:place`, and how many there were."""

    last: int = 0
    standing: dict[str, Alert] = {}
    elsewhere: tuple[causes.Elsewhere, ...] = ()  # what calls people at the section's other tables


def raise_alert(turn: Turn, text: str, place: str = "", /, **fields: str) -> int:
    """Raise an alert of the catalogue, or count a repeat of the one that stands.

    Returns its number; 0 for a line, and for what a work order keeps quiet.
    """
    entry = alert_text(text)
    fields = {"table": turn.state.house.table, **_technician(turn, entry), **fields}
    if entry.class_ is AlertClass.LINE:
        turn.decide(LineShown(text=text, fields=fields))
        return 0
    key = f"{text}:{place}"
    if device := work_orders.of_alert(turn.state, text, place, fields):
        work_orders.mute(turn, device, text, place, fields)
        return 0
    known = turn.state.alerts.standing.get(key)
    if known is not None:
        again = replace(known, times=known.times + 1, fields=fields)
        _put(turn, key, again)
        turn.decide(AlertRepeated(alert=known.number, times=again.times))
        return known.number
    number = turn.state.alerts.last + 1
    level = entry.class_.level
    asked = _first_asked(turn.state.house.section, entry.come) if level else ()
    rides = causes.leader(turn.state, text, level, asked, turn.now_ns, turn.given.wall_ns) if level else ""
    asked = () if rides else asked
    alert = Alert(number, text, place, level, fields, turn.now_ns, asked=asked, rides=rides)
    turn.state = replace(turn.state, alerts=replace(turn.state.alerts, last=number))
    _put(turn, key, alert)
    turn.decide(AlertRaised(alert=number, text=text, place=place, level=level, fields=fields, asked=asked, rides=rides))
    if level and not rides:
        timers.start(turn, f"{TIMER}{number}", _escalation_s(turn, level)[0])
    return number


def _escalation_s(turn: Turn, level: int) -> tuple[int, ...]:
    """After how long an alert that nobody takes goes to the next in line, step by step (semantics §5)."""
    house = turn.state.house
    if level == AlertClass.GO_NOW.level:
        return house.class_1_neighbour_s, house.class_1_management_s
    return (house.class_2_neighbour_s,)


def clear_alert(turn: Turn, text: str, place: str = "", *, by: str, why: str) -> None:
    """What the alert asked for is done; nothing happens where it does not stand. One that is mute is forgotten."""
    key = f"{text}:{place}"
    work_orders.forget(turn, key)
    known = turn.state.alerts.standing.get(key)
    if known is not None:
        rest = {name: alert for name, alert in turn.state.alerts.standing.items() if name != key}
        turn.state = replace(turn.state, alerts=replace(turn.state.alerts, standing=rest))
        timers.cancel(turn, f"{TIMER}{known.number}")
        turn.decide(AlertCleared(alert=known.number, by=by, why=why))
        call_rider(turn, causes.own_name(known.number))


def call_rider(turn: Turn, name: str) -> None:
    """The alert that called people for others too is gone: the oldest of those calls now, for the rest as well."""
    waiting = causes.riders(turn.state, name)
    if not waiting:
        return
    first, *rest = waiting
    come = alert_text(first.text).come
    asked = _first_asked(turn.state.house.section, come)
    _put(turn, _key(first), replace(first, asked=asked, rides=""))
    turn.decide(AlertEscalated(alert=first.number, asked=asked, why="stands alone now", level=first.level))
    timers.start(turn, f"{TIMER}{first.number}", _escalation_s(turn, first.level)[0])
    for alert in rest:
        _put(turn, _key(alert), replace(alert, rides=causes.own_name(first.number)))


def find(state: TableState, number: int) -> Alert | None:
    """The standing alert of this number."""
    return next((alert for alert in state.alerts.standing.values() if alert.number == number), None)


def take(turn: Turn, alert: Alert, by: str) -> None:
    """Somebody goes: nobody else is asked, unless it is urgent and he does not come."""
    _put(turn, _key(alert), replace(alert, progress=Progress.TAKEN, taken_by=by))
    if alert.level == AlertClass.GO_NOW.level:
        timers.start(turn, f"{TIMER}{alert.number}", ARRIVAL_S)
    else:
        timers.cancel(turn, f"{TIMER}{alert.number}")
    turn.decide(AlertTaken(alert=alert.number, by=by))


def arrive(turn: Turn, alert: Alert, by: str) -> None:
    """A tap at the table takes the alert, if nobody has, and marks arrival."""
    if alert.progress is Progress.NEW:
        take(turn, alert, by)
    now = find(turn.state, alert.number)
    assert now is not None
    timers.cancel(turn, f"{TIMER}{alert.number}")
    _put(turn, _key(now), replace(now, progress=Progress.ARRIVED))
    turn.decide(AlertArrived(alert=alert.number, by=by))


def escalate(turn: Turn, alert: Alert, why: str) -> None:
    """Ask the next in line; the alert stays new."""
    section = turn.state.house.section
    steps = _escalation_s(turn, alert.level)
    step = alert.escalated + 1
    # The supervisor is asked before, save where an alert called the technician alone.
    next_in_line = (section.supervisor, section.neighbour, section.pit_manager)
    named = (section.room_management,) if step >= 2 else next_in_line
    fresh = tuple(staff for staff in named if staff and staff not in alert.asked) or (section.room_management,)
    asked = (*alert.asked, *(staff for staff in fresh if staff not in alert.asked))
    _put(turn, _key(alert), replace(alert, asked=asked, escalated=step, progress=Progress.NEW, taken_by=""))
    turn.decide(AlertEscalated(alert=alert.number, asked=fresh, why=why, level=alert.level))
    if step < len(steps):
        timers.start(turn, f"{TIMER}{alert.number}", steps[step] - steps[step - 1])
    else:
        timers.cancel(turn, f"{TIMER}{alert.number}")


def hand_over(turn: Turn, staff: str) -> tuple[str, ...]:
    """The section has another supervisor: what nobody has taken is asked of him. Returns the open items' texts."""
    for key, alert in tuple(turn.state.alerts.standing.items()):
        if alert.level and not alert.rides and alert.progress is Progress.NEW and staff not in alert.asked:
            _put(turn, key, replace(alert, asked=(*alert.asked, staff)))
    return tuple(alert.text for alert in turn.state.alerts.standing.values())


def lamps(state: TableState) -> frozenset[tuple[LampColour, LampPattern]]:
    """What the standing alerts want the lamp to show."""
    return frozenset(alert_text(alert.text).shown for alert in state.alerts.standing.values())


def wall_field(turn: Turn) -> str:
    """A time in an alert's field: UTC ns as text; what people read is made of it in their zone."""
    return str(turn.given.wall_ns)


def _technician(turn: Turn, entry: AlertText) -> dict[str, str]:
    """Whether a pager of a technician rings, for a text that says so."""
    is_told = any("technician" in fields_of(line) for line in entry.en)
    return {"technician": "called" if turn.state.house.section.technician else "to be called"} if is_told else {}


def _first_asked(section: Section, come: tuple[Role, ...]) -> tuple[str, ...]:
    """Who is asked first. Nobody supervises the section: room management; no technician is named: the supervisor."""
    by_role = {
        Role.FLOOR_SUPERVISOR: section.supervisor or section.room_management,
        Role.ROOM_MANAGEMENT: section.room_management,
        Role.PIT_MANAGER: section.pit_manager,
        Role.TECHNICIAN: section.technician,
    }
    named = tuple(dict.fromkeys(by_role[role] for role in come if by_role.get(role)))
    return named or tuple(filter(None, (section.supervisor or section.room_management,)))


def _key(alert: Alert) -> str:
    return f"{alert.text}:{alert.place}"


def _put(turn: Turn, key: str, alert: Alert) -> None:
    alerts = turn.state.alerts
    turn.state = replace(turn.state, alerts=replace(alerts, standing={**alerts.standing, key: alert}))
