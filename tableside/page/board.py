"""What all viewers are told, made once for all of them: after news of any table, and at most so often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol

import msgspec

from firmware_bridge.clock import Clock
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.journal.store import Journal
from tableside.outputs.texts import Texts
from tableside.page import view
from tableside.page.offers import offers
from tableside.page.progress import progress
from tableside.page.rows import Rows
from tableside.state import TableState

# A person cannot read quicker; a burst of rows is one picture.
LEAST_GAP_S = 0.1
# A viewer hears at least so often, so that a broken stream shows within three seconds.
BEAT_S = 1.0


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


class Board:
    """The present picture, by table and of the pit. `run` it; viewers wait for `until_newer`."""

    def __init__(
        self,
        host: str,
        tables: Mapping[str, Table],
        refused: Mapping[str, str],
        clock: Clock,
        screens: Callable[[str], list[dict[str, object]]] = lambda _table: [],
        second_language: str | None = None,
    ) -> None:
        """`screens`: those that are signed in or wait at a table's reader, as everybody may see them."""
        self._second_language = second_language
        self._host = host
        self._screens = screens
        self._tables = tables
        self._refused = refused
        self._clock = clock
        self._rows = {name: Rows(table, clock) for name, table in tables.items()}
        self._news = asyncio.Event()
        self._changed = asyncio.Condition()
        self.number = 0
        self.is_closed = False
        self._made: dict[str, str] = {}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that there are."""
        return tuple(self._tables)

    def staff(self) -> dict[str, str]:
        """Everybody's name, by staff id: people at a table know names."""
        return {one.staff: one.name for table in self._tables.values() for one in table.state.house.persons}

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

    async def close(self) -> None:
        """The daemon stops: nobody waits for another picture."""
        self.is_closed = True
        async with self._changed:
            self._changed.notify_all()

    def wake(self) -> None:
        """Something that is shown has changed beside the tables' rows."""
        self._news.set()

    async def until_newer(self, number: int) -> None:
        """Wait for a picture after this one, but not longer than a beat."""
        try:
            async with asyncio.timeout(BEAT_S), self._changed:
                await self._changed.wait_for(lambda: self.number > number or self.is_closed)
        except TimeoutError:
            return

    def picture(self, name: str) -> str:
        """The pit, and the table of this name whole where there is one; JSON, made once for all viewers."""
        if name not in self._made:
            self._made[name] = msgspec.json.encode(self._picture(name)).decode()
        return self._made[name]

    def _picture(self, name: str) -> dict[str, object]:
        views = {each: self._view(table) for each, table in self._tables.items()}
        tiles = []
        for each, seen in views.items():
            rows = self._rows[each]
            if rows.read():
                self.wake()  # it is behind its table: the next picture has more
            tiles.append(view.tile(seen, rows.rounds_this_hour(), rows.cards_age_s()))
        whole = None
        if name in views:
            devices = self._tables[name].health()["devices"]
            assert isinstance(devices, dict)
            state = self._tables[name].state
            whole = {
                **view.whole(views[name], self._rows[name].last(), devices),
                "offers": msgspec.to_builtins(offers(state, self._clock.now())),
                "progress": msgspec.to_builtins(progress(state)),
                "entries": view.entries(state),
                "screens": self._screens(name),
            }
        return {
            "host": self._host,
            "second": self._second_language,
            "tiles": sorted(tiles, key=view.order),
            "refused": dict(self._refused),
            "table": whole,
        }

    def _view(self, table: Table) -> dict[str, object]:
        return state_view(table.state, table.texts, table.curtain, self._clock.now(), table.blind)
