"""A ledger in virtual time: a real SQLite file in the loop, whose cable a test cuts before or after a write."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from tableside.configuration.ledger import LedgerPlace
from tableside.jackpot.ledger import LedgerAway, Rows, Store
from tableside.jackpot.ledger_sqlite import SqliteStore

T = TypeVar("T")


async def in_loop(act: Callable[[], T], /) -> T:
    """The twin of a thread."""
    return act()


@dataclass
class Cable:
    """`before`: nothing reaches the ledger. `after`: so many transactions are done, and their answers are lost."""

    before: bool = False
    after: int = 0
    lost: list[str] = field(default_factory=list)

    def store(self, place: LedgerPlace) -> Store:
        """For `Ground.new_ledger`."""
        assert place.file is not None
        return CutStore(SqliteStore(place.file, in_loop), self)


class CutStore:
    """A store behind that cable."""

    def __init__(self, store: SqliteStore, cable: Cable) -> None:
        self._store = store
        self._cable = cable

    def _pull(self) -> None:
        if self._cable.before:
            raise LedgerAway("the cable is pulled")

    async def open(self) -> None:
        self._pull()
        await self._store.open()

    @asynccontextmanager
    async def statements(self) -> AsyncIterator[Rows]:
        self._pull()
        async with self._store.statements() as rows:
            yield rows
        self._lose("statements")

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Rows]:
        self._pull()
        async with self._store.alone() as rows:
            yield rows
        self._lose("alone")

    def _lose(self, what: str) -> None:
        if self._cable.after:
            self._cable.after -= 1
            self._cable.lost.append(what)
            raise LedgerAway("no answer")

    async def close(self) -> None:
        await self._store.close()
