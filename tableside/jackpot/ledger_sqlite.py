"""The ledger of one machine, in a SQLite file: one writer at a time, every commit on the disk before it is answered."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from firmware_bridge.links.apart import run_apart
from tableside.jackpot import ledger_sql as sql
from tableside.jackpot.ledger import LedgerAway, Row, Rows

SERIAL = "INTEGER PRIMARY KEY AUTOINCREMENT"
BUSY_S = 5.0  # another process of this machine holds the lock for one small transaction
NEVER_CHANGED = """CREATE TRIGGER IF NOT EXISTS {table}_{act} BEFORE {act} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger is insert-only'); END"""


T = TypeVar("T")


# Another process may hold the lock for BUSY_S; a disk that takes longer than this has troubles of its own.
DISK_S = 15.0


class Apart(Protocol):
    """Runs what waits for the disk where it holds up nobody."""

    def __call__(self, act: Callable[[], T], /) -> Awaitable[T]: ...


async def disk_apart(act: Callable[[], T], /) -> T:
    """In a thread of its own. Raises what it raises, and TimeoutError."""
    return await run_apart(act, name="ledger's disk", timeout_s=DISK_S)


class SqliteStore:
    """A ledger file. `open` it first; one transaction of this process runs at a time.

    `apart` runs what waits for the disk, and ends waiting by TimeoutError; tests in virtual time run it in the loop.
    A disk that hangs is left alone with what it was given: another attempt opens the file anew.
    """

    def __init__(self, path: Path, apart: Apart = disk_apart) -> None:
        self._path = path
        self._apart = apart
        self._turn = asyncio.Lock()
        self._database: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Open the file, with its tables. Raises `LedgerAway`."""
        self._database = await self._wait(self._open)

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        for statement in sql.TABLES:
            database.execute(statement.format(serial=SERIAL))
        for table in ("jackpot_entries", "jackpot_closings"):
            for act in ("UPDATE", "DELETE"):
                database.execute(NEVER_CHANGED.format(table=table, act=act))
        return database

    @asynccontextmanager
    async def statements(self) -> AsyncIterator[Rows]:
        """See `Store.statements`."""
        async with self._turn:
            yield self

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Rows]:
        """See `Store.alone`."""
        async with self._turn:
            await self.fetch("BEGIN IMMEDIATE")
            try:
                yield self
                await self.fetch("COMMIT")
            except BaseException:
                if self._database is not None and self._database.in_transaction:
                    await self._wait(self._database.rollback)
                raise

    async def fetch(self, statement: str, *arguments: object) -> Sequence[Row]:
        """See `Rows.fetch`."""
        if self._database is None:
            raise LedgerAway("the ledger's file is not open")
        named = {str(place): value for place, value in enumerate(arguments, start=1)}
        return await self._wait(partial(_rows, self._database, statement, named))

    async def close(self) -> None:
        """Close the file."""
        database, self._database = self._database, None
        if database is not None:
            await self._wait(database.close)

    async def _wait(self, act: Callable[[], T]) -> T:
        try:
            return await self._apart(act)
        except TimeoutError as error:
            self._database = None
            raise LedgerAway(f"{self._path}: the disk has not answered for {DISK_S:.0f} s") from error
        except sqlite3.Error as error:
            raise LedgerAway(f"{self._path}: {error}") from error


def _rows(database: sqlite3.Connection, statement: str, named: dict[str, object]) -> Sequence[Row]:
    return list(database.execute(statement, named))
