"""The ledger of one machine, in a SQLite file: one writer at a time, every commit on the disk before it is answered."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from tableside.jackpot import ledger_sql as sql
from tableside.jackpot.ledger import LedgerAway, Row, Rows

SERIAL = "INTEGER PRIMARY KEY AUTOINCREMENT"
BUSY_S = 5.0  # another process of this machine holds the lock for one small transaction
NEVER_CHANGED = """CREATE TRIGGER IF NOT EXISTS {table}_{act} BEFORE {act} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger is insert-only'); END"""


T = TypeVar("T")


class Apart(Protocol):
    """Runs what waits for the disk where it holds up nobody."""

    def __call__(self, act: Callable[[], T], /) -> Awaitable[T]: ...


class SqliteStore:
    """A ledger file. `open` it first; one transaction of this process runs at a time.

    `apart` runs what waits for the disk; tests in virtual time run it in the loop.
    """

    def __init__(self, path: Path, apart: Apart = asyncio.to_thread) -> None:
        self._path = path
        self._apart = apart
        self._turn = asyncio.Lock()
        self._database: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Open the file, with its tables. Raises `LedgerAway`."""
        self._database = await self._apart(self._open)

    def _open(self) -> sqlite3.Connection:
        try:
            database = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            for statement in sql.TABLES:
                database.execute(statement.format(serial=SERIAL))
            for table in ("jackpot_entries", "jackpot_closings"):
                for act in ("UPDATE", "DELETE"):
                    database.execute(NEVER_CHANGED.format(table=table, act=act))
        except sqlite3.Error as error:
            raise LedgerAway(f"{self._path}: {error}") from error
        return database

    @asynccontextmanager
    async def statements(self) -> AsyncIterator[Rows]:
        """See `Store.statements`."""
        async with self._turn:
            yield _SqliteRows(self._database, self._apart)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Rows]:
        """See `Store.alone`."""
        async with self._turn:
            rows = _SqliteRows(self._database, self._apart)
            await rows.fetch("BEGIN IMMEDIATE")
            try:
                yield rows
                await rows.fetch("COMMIT")
            except BaseException:
                if self._database is not None and self._database.in_transaction:
                    self._database.rollback()
                raise

    async def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            await self._apart(self._database.close)
            self._database = None


class _SqliteRows:
    def __init__(self, database: sqlite3.Connection | None, apart: Apart) -> None:
        self._database = database
        self._apart = apart

    async def fetch(self, statement: str, *arguments: object) -> Sequence[Row]:
        return await self._apart(partial(self._fetch, statement, arguments))

    def _fetch(self, statement: str, arguments: tuple[object, ...]) -> Sequence[Row]:
        if self._database is None:
            raise LedgerAway("the ledger's file is not open")
        named = {str(place): value for place, value in enumerate(arguments, start=1)}
        try:
            return self._database.execute(statement, named).fetchall()
        except sqlite3.Error as error:
            raise LedgerAway(f"the ledger's file: {error}") from error
