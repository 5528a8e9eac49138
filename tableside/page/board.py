"""What all viewers are told, made once for all of them: after news of any table, and at most so often."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from typing import NoReturn, Protocol

from firmware_bridge.clock import NS_PER_S, Clock
from tableside.control.curtain import Curtain
from tableside.control.views import entry_view, state_view
from tableside.happenings import RoundEnded
from tableside.journal.record import Record, RecordKind
from tableside.journal.store import Journal
from tableside.outputs.texts import Texts
from tableside.page import view
from tableside.state import TableState

# A person cannot read quicker; a burst of rows is one picture.
LEAST_GAP_S = 0.1
# A viewer hears at least so often, so that a broken stream shows within three seconds.
BEAT_S = 1.0
# The last rows of a table that its page shows.
ROWS = 40
HOUR_NS = 3_600 * NS_PER_S
# Rows that say little to a person at the table.
QUIET = frozenset(
    {
        *("LevelsRead", "LevelsAsked", "CardsOut", "CardsIn", "CardsMoved", "CardsLeft", "CardsEntered", "TrayLevel"),
        *("PermitGranted", "PermitRevoked", "PermitEnded", "PermitAnswered", "LampSet", "LampChanged", "DisplaySet"),
        *("TimerSet", "TimerCancelled", "DeadlinePassed", "ReaderPrompted", "PacketEnded", "QuietPointReached"),
    }
)


class Table(Protocol):
    """A table of the host, as the page reads it."""

    name: str
    texts: Texts
    curtain: Curtain
    published: int

    @property
    def state(self) -> TableState: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def blind(self) -> tuple[int, str] | None: ...
    def health(self) -> dict[str, object]: ...
    async def until_news(self, after: int) -> None: ...


class Rows:
    """What a table's page shows of its journal: the last rows, and the rounds of the last hour."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._after = max(0, table.journal.tail.seq - ROWS)
        self._ended_ns: deque[int] = deque()
        self.last: deque[dict[str, object]] = deque(maxlen=ROWS)

    def read(self) -> None:
        """Take in what was published since."""
        for record in self._table.journal.records(self._after, {RecordKind.INPUT, RecordKind.DECISION}):
            if record.seq > self._table.published:
                break
            self._after = record.seq
            self._take(record)

    def _take(self, record: Record) -> None:
        if record.type == RoundEnded.__name__:
            self._ended_ns.append(record.wall_ns)
        if record.type not in QUIET:
            self.last.append(entry_view(record, self._table.name, self._table.curtain, self._table.texts))

    def rounds_this_hour(self) -> int:
        """Rounds that have ended within the last sixty minutes, as far as this page has seen them."""
        since_ns = self._clock.now().wall_ns - HOUR_NS
        while self._ended_ns and self._ended_ns[0] < since_ns:
            self._ended_ns.popleft()
        return len(self._ended_ns)


class Board:
    """The present picture, by table and of the pit. `run` it; viewers wait for `until_newer`."""

    def __init__(self, host: str, tables: Mapping[str, Table], refused: Mapping[str, str], clock: Clock) -> None:
        self._host = host
        self._tables = tables
        self._refused = refused
        self._clock = clock
        self._rows = {name: Rows(table, clock) for name, table in tables.items()}
        self._news = asyncio.Event()
        self._changed = asyncio.Condition()
        self.number = 0
        self._made: dict[str, str] = {}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that there are."""
        return tuple(self._tables)

    async def run(self) -> NoReturn:
        """Make a new picture after news of any table."""
        async with asyncio.TaskGroup() as tasks:
            for table in self._tables.values():
                tasks.create_task(self._watch(table), name=f"page of {table.name}")
            while True:
                await self._news.wait()
                self._news.clear()
                self._made.clear()
                self.number += 1
                async with self._changed:
                    self._changed.notify_all()
                await asyncio.sleep(LEAST_GAP_S)

    async def _watch(self, table: Table) -> NoReturn:
        after = table.published
        self._news.set()
        while True:
            await table.until_news(after)
            after = table.published
            self._news.set()

    async def until_newer(self, number: int) -> None:
        """Wait for a picture after this one, but not longer than a beat."""
        try:
            async with asyncio.timeout(BEAT_S), self._changed:
                await self._changed.wait_for(lambda: self.number > number)
        except TimeoutError:
            return

    def picture(self, name: str) -> str:
        """The pit, and the table of this name whole where there is one; JSON, made once for all viewers."""
        if name not in self._made:
            self._made[name] = json.dumps(self._picture(name), ensure_ascii=False)
        return self._made[name]

    def _picture(self, name: str) -> dict[str, object]:
        views = {each: self._view(table) for each, table in self._tables.items()}
        tiles = []
        for each, seen in views.items():
            self._rows[each].read()
            tiles.append(view.tile(seen, self._rows[each].rounds_this_hour()))
        whole = None
        if name in views:
            devices = self._tables[name].health()["devices"]
            assert isinstance(devices, dict)
            whole = view.whole(views[name], tuple(self._rows[name].last), devices)
        return {
            "host": self._host,
            "tiles": sorted(tiles, key=view.order),
            "refused": dict(self._refused),
            "table": whole,
        }

    def _view(self, table: Table) -> dict[str, object]:
        return state_view(table.state, table.texts, table.curtain, self._clock.now(), table.blind)
