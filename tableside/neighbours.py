"""What one table must know of the others: who has their section, who tapped next door, for what they call people.

Semantics §2.1.9, §5.

Each table's journal knows who supervises its own section; a hand-over there is told to the tables that have it as
neighbour. While a table's readers are away, a tap at another table of its section counts for it, unless two tables
wait for one: a tap is for one operation, and nobody could say for which.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from msgspec.structs import replace

from drivers.events import SightingKind
from tableside.causes import CAUSES, Elsewhere
from tableside.configuration.shape import Section
from tableside.decisions import AlertCleared, AlertRaised
from tableside.happenings import SectionHandedOver
from tableside.house import House
from tableside.hub import Entry
from tableside.inputs import (
    AlertElsewhere,
    AlertElsewhereGone,
    AnyInput,
    BadgeSighted,
    NeighbourSighting,
    NeighbourSupervised,
)
from tableside.state import TableState


class Table(Protocol):
    """What is needed of a running table."""

    name: str
    section: str

    @property
    def state(self) -> TableState: ...

    async def tell(self, what: AnyInput) -> None: ...


def supervisors(states: Iterable[TableState]) -> dict[str, str]:
    """Who has each section, as the tables' journals know it; where they differ, the one that lived longest knows."""
    known: dict[str, str] = {}
    for state in sorted(states, key=lambda state: state.last_wall_ns):
        if state.last_wall_ns and state.house.section.supervisor:
            known[state.house.section.name] = state.house.section.supervisor
    return known


def with_present(configured: House, neighbour: str | None, present: Mapping[str, str]) -> House:
    """The house as configured, with who has the sections now: the file names who has them at the first start only."""
    section = configured.section
    changes: dict[str, str] = {}
    if _is_known(configured, present.get(section.name)):
        changes["supervisor"] = present[section.name]
    if neighbour is not None and _is_known(configured, present.get(neighbour)):
        changes["neighbour"] = present[neighbour]
    return replace(configured, section=replace(section, **changes))


def _is_known(configured: House, staff: str | None) -> bool:
    return staff is not None and configured.person(staff) is not None


@dataclass(frozen=True, slots=True)
class _Word:
    """Something for one table."""

    table: Table
    what: AnyInput


class Neighbours:
    """Listens to all tables of the host, and passes on. `listen` never waits; `run` does."""

    def __init__(self, tables: Mapping[str, Table], sections: Sequence[Section]) -> None:
        self._tables = tables
        self._neighbour_of = {section.name: section.neighbour for section in sections}
        self._words: asyncio.Queue[_Word] = asyncio.Queue()
        self._calling: set[tuple[str, int]] = set()  # table and number of what was told to the others

    def begin(self) -> None:
        """What calls people now; and what was told and has gone while nobody listened."""
        for table in self._tables.values():
            for alert in table.state.alerts.standing.values():
                if alert.text in CAUSES and not alert.rides:
                    self._calling.add((table.name, alert.number))
        for table in self._tables.values():
            for known in table.state.alerts.elsewhere:
                if (known.table, known.alert) not in self._calling:
                    self._pass_on(table, AlertElsewhereGone(table=known.table, alert=known.alert))

    def listen(self, table: Table, entries: Sequence[Entry]) -> None:
        """What a table has just written."""
        for entry in entries:
            act = _HEARD.get(type(entry.what))
            if act is not None:
                act(self, table, entry.what)

    async def run(self) -> NoReturn:
        """Pass on until cancelled."""
        while True:
            word = await self._words.get()
            await word.table.tell(word.what)

    def _handed_over(self, _table: Table, what: SectionHandedOver) -> None:
        for other in self._tables.values():
            if self._neighbour_of.get(other.section) == what.section:
                self._pass_on(other, NeighbourSupervised(staff=what.staff))

    def _tapped(self, table: Table, what: BadgeSighted) -> None:
        if what.kind is not SightingKind.TAP or not what.staff:
            return
        waiting = [
            other
            for other in self._tables.values()
            if other is not table and other.section == table.section and _is_reader_away(other.state)
        ]
        if len(waiting) == 1:
            reader = f"{table.name} {what.reader}"
            self._pass_on(waiting[0], NeighbourSighting(staff=what.staff, reader=reader))

    def _called(self, table: Table, what: AlertRaised) -> None:
        cause = CAUSES.get(what.text)
        if cause is None or not what.asked:
            return
        self._calling.add((table.name, what.alert))
        stands = Elsewhere(table.name, what.alert, cause, what.level, what.asked, table.state.last_wall_ns)
        for other in self._beside(table):
            self._pass_on(other, AlertElsewhere(stands=stands))

    def _calls_no_more(self, table: Table, what: AlertCleared) -> None:
        if (table.name, what.alert) not in self._calling:
            return
        self._calling.remove((table.name, what.alert))
        for other in self._beside(table):
            self._pass_on(other, AlertElsewhereGone(table=table.name, alert=what.alert))

    def _beside(self, table: Table) -> list[Table]:
        return [other for other in self._tables.values() if other is not table and other.section == table.section]

    def _pass_on(self, table: Table, what: AnyInput) -> None:
        self._words.put_nowait(_Word(table, what))


def _is_reader_away(state: TableState) -> bool:
    known = state.devices.known
    return not any(name in known and known[name].is_connected for name in state.house.readers)


_HEARD: Mapping[type, Callable[..., None]] = {
    SectionHandedOver: Neighbours._handed_over,
    BadgeSighted: Neighbours._tapped,
    AlertRaised: Neighbours._called,
    AlertCleared: Neighbours._calls_no_more,
}
