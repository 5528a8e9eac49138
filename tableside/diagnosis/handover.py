"""What the next shift must know, on one page: what stands, what is open, what was done and moved lately, what is due.

Read from the rows of a table alone, so that a copy of its journal says the same as the daemon. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from drivers.firmware_events import FirmwareTold
from firmware_bridge.clock import NS_PER_S
from tableside import decisions, happenings, service_happenings, session_happenings
from tableside.diagnosis.errors import FaultLine, fault_line
from tableside.diagnosis.faults_told import faults_told
from tableside.diagnosis.maintenance import Upkeep, upkeep_told
from tableside.journal.export import utc_text
from tableside.machine_happenings import MachineRecorded
from tableside.outputs.texts import Texts
from tableside.reports.lines import LINES
from tableside.reports.story import Story, Told

NS_PER_HOUR = 3_600 * NS_PER_S
LANGUAGE = "en"


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """Something, when (UTC), and in which row."""

    at: str
    row: int
    text: str


class TableHandover(msgspec.Struct, frozen=True, kw_only=True):
    """One table. `session`: since when it is open, empty while it is closed."""

    table: str
    session: str
    faults: tuple[FaultLine, ...]
    alerts: tuple[Noted, ...]
    incidents: tuple[Noted, ...]
    work_orders: tuple[Noted, ...]
    done: tuple[Noted, ...]
    cleared: dict[str, int]  # faults of the shift that are over, by device
    upkeep: tuple[Upkeep, ...]


class HandoverTold(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `diag handover`. `since` and `until` are UTC."""

    source: str
    since: str
    until: str
    tables: tuple[TableHandover, ...]


class OrdersOfTable(msgspec.Struct, frozen=True, kw_only=True):
    """The open work orders of one table."""

    table: str
    work_orders: tuple[Noted, ...]


class OrdersTold(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `diag work-order list`."""

    source: str
    tables: tuple[OrdersOfTable, ...]


def orders_told(source: str, stories: Iterable[Story]) -> OrdersTold:
    """Of every table."""
    tables = tuple(
        OrdersOfTable(table=story.house.table, work_orders=tuple(_read(story).orders.values())) for story in stories
    )
    return OrdersTold(source=source, tables=tables)


def handover_told(source: str, stories: Iterable[Story], until_ns: int, hours: float) -> HandoverTold:
    """Of every table; *lately* are the last `hours`."""
    since_ns = until_ns - round(hours * NS_PER_HOUR)
    return HandoverTold(
        source=source,
        since=utc_text(since_ns),
        until=utc_text(until_ns),
        tables=tuple(_table(story, since_ns, until_ns) for story in stories),
    )


def _table(story: Story, since_ns: int, until_ns: int) -> TableHandover:
    reader = _read(story)
    every = faults_told(story.told)
    cleared: dict[str, int] = {}
    for fault in every:
        if fault.cleared_ns is not None and fault.cleared_ns >= since_ns:
            cleared[fault.device] = cleared.get(fault.device, 0) + fault.times
    return TableHandover(
        table=story.house.table,
        session=reader.session,
        faults=tuple(fault_line(story.house.table, fault) for fault in every if fault.stands),
        alerts=tuple(reader.alerts.values()),
        incidents=tuple(reader.incidents.values()),
        work_orders=tuple(reader.orders.values()),
        done=tuple(note for at_ns, note in reader.done if at_ns >= since_ns),
        cleared=cleared,
        upkeep=tuple(one for one in upkeep_told("", [story], until_ns).upkeep if one.state in ("due", "soon")),
    )


def _read(story: Story) -> _Reader:
    reader = _Reader(story)
    for told in story.told:
        handler = _READ.get(type(told.what))
        if handler is not None:
            handler(reader, told, told.what)
    return reader


class _Reader:
    """Follows one table: what of it stands at the end."""

    def __init__(self, story: Story) -> None:
        self.session = ""
        self.alerts: dict[int, Noted] = {}
        self.incidents: dict[int, Noted] = {}
        self.orders: dict[str, Noted] = {}
        self.done: list[tuple[int, Noted]] = []
        self._story = story
        self._texts = Texts((LANGUAGE,), story.house.time_zone)

    def _note(self, told: Told, text: str) -> Noted:
        return Noted(at=utc_text(told.wall_ns), row=told.seq, text=text)

    def _did(self, told: Told, text: str) -> None:
        self.done.append((told.wall_ns, self._note(told, text)))

    def _opened(self, told: Told, _what: happenings.SessionOpened) -> None:
        self.session = utc_text(told.wall_ns)

    def _closed(self, _told: Told, _what: happenings.SessionClosed) -> None:
        self.session = ""

    def _raised(self, told: Told, what: decisions.AlertRaised) -> None:
        fact, step = self._texts.lines(what.text, what.fields, LANGUAGE)
        self.alerts[what.alert] = self._note(told, f"{fact} {step}")

    def _alert_cleared(self, _told: Told, what: decisions.AlertCleared) -> None:
        self.alerts.pop(what.alert, None)

    def _incident(self, told: Told, what: decisions.IncidentOpened) -> None:
        self.incidents[what.number] = self._note(told, f"{what.number}, {what.kind} ({what.rule}): {what.text}")

    def _incident_closed(self, _told: Told, what: decisions.IncidentClosed) -> None:
        self.incidents.pop(what.number, None)

    def _order(self, told: Told, what: service_happenings.WorkOrderOpened) -> None:
        text = f"{what.number} at {what.device}, to {utc_text(what.until_ns)[:16]} at the longest, by {what.by}"
        self.orders[what.device] = self._note(told, text)

    def _order_ended(self, told: Told, what: service_happenings.WorkOrderClosed) -> None:
        self.orders.pop(what.device, None)
        self._did(told, f"work order {what.number} at {what.device} ended ({what.why}): {what.work or 'no word'}")

    def _said(self, told: Told, what: service_happenings.SelfTestEnded | service_happenings.DealTestEnded) -> None:
        self._did(told, LINES[type(what)](self._story, what))

    def _worked(self, told: Told, what: happenings.TechnicianWorked) -> None:
        self._did(told, f"{what.technician}: {what.work}")

    def _recorded(self, told: Told, what: MachineRecorded) -> None:
        parts = f"; new or done: {', '.join(what.parts)}" if what.parts else ""
        note = f" ({what.note})" if what.note else ""
        self._did(told, f"machine {what.serial} is {what.standing}{parts}{note}, by {what.by}")

    def _exchanged(self, told: Told, what: session_happenings.MachineCountedOut) -> None:
        self._did(told, f"machine {what.serial} exchanged, {what.left_behind} cards left in it")

    def _proved(self, told: Told, what: FirmwareTold) -> None:
        listed = what.version if what.is_listed else "NOT on the list"
        self._did(told, f"firmware of {what.of}, as it tells itself: {listed}")


_READ: Mapping[type, Callable[[_Reader, Told, Any], None]] = {
    happenings.SessionOpened: _Reader._opened,
    happenings.SessionClosed: _Reader._closed,
    decisions.AlertRaised: _Reader._raised,
    decisions.AlertCleared: _Reader._alert_cleared,
    decisions.IncidentOpened: _Reader._incident,
    decisions.IncidentClosed: _Reader._incident_closed,
    happenings.TechnicianWorked: _Reader._worked,
    MachineRecorded: _Reader._recorded,
    session_happenings.MachineCountedOut: _Reader._exchanged,
    FirmwareTold: _Reader._proved,
    service_happenings.WorkOrderOpened: _Reader._order,
    service_happenings.WorkOrderClosed: _Reader._order_ended,
    service_happenings.SelfTestEnded: _Reader._said,
    service_happenings.DealTestEnded: _Reader._said,
}
