"""The ledger of several machines, in PostgreSQL: a lost connection is said and made anew, nothing is assumed of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from firmware_bridge.links.mqtt_tls import readable_by_others
from tableside.jackpot import ledger_sql as sql
from tableside.jackpot.ledger import LedgerAway, Row, Rows

SERIAL = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
# One statement of the ledger takes milliseconds; a server that says nothing for so long is away.
ANSWER_S = 5.0
# One connection a table that shares this daemon, and one more: a claim never waits behind contributions.
CONNECTIONS = 2
NEVER_CHANGED = (
    """CREATE OR REPLACE FUNCTION jackpot_insert_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the ledger is insert-only'; END $$""",
    *(
        f"""CREATE OR REPLACE TRIGGER {table}_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION jackpot_insert_only()"""
        for table in ("jackpot_entries", "jackpot_closings")
    ),
)
# Entries of others wait until this transaction has ended, and this one until theirs have: so a closing balance, or a
# claim, misses no entry whose number is lower than one that it has seen.
ALONE = "LOCK TABLE jackpot_entries IN SHARE ROW EXCLUSIVE MODE"
# A connection that is cut off in the middle of a statement may come as the client's own confusion.
AWAY = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, TimeoutError)
# An answer means that the entry is on the server's disk, whatever the server, the role or the address is set to.
DURABLE = {"synchronous_commit": "on"}
MAKING = 0x7A81E51DE  # any number of our own: only one client makes the tables at a time


class PostgresStore:
    """Ledgers in a PostgreSQL database, `postgresql://user@host:port/database`. `open` it first.

    It keeps its connections by itself: asyncpg's pool would put a question to the server after each statement, and
    what is set for a session here holds for all of it: nothing has to be put back.
    """

    def __init__(self, address: str, password_file: Path | None = None) -> None:
        self._address = address
        self._password_file = password_file
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[asyncpg.Connection] = []
        self._is_open = False

    async def open(self) -> None:
        """Connect, and make the tables where they lack. Raises `LedgerAway`."""
        self._is_open = True
        async with self._connection() as connection, connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", MAKING)
            for statement in (*sql.TABLES, *NEVER_CHANGED):
                await connection.execute(statement.replace("{serial}", SERIAL))

    @asynccontextmanager
    async def statements(self) -> AsyncIterator[Rows]:
        """See `Store.statements`."""
        async with self._connection() as connection:
            yield _PostgresRows(connection)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Rows]:
        """See `Store.alone`."""
        async with self._connection() as connection, connection.transaction():
            await connection.execute(ALONE)
            yield _PostgresRows(connection)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.Connection]:
        """One that is free, or a new one. After an error it is not used again: nobody knows what stands on it."""
        if not self._is_open:
            raise LedgerAway("the ledger is not open")
        async with self._free:
            connection = None
            try:
                connection = self._idle.pop() if self._idle else await self._connect()
                yield connection
            except AWAY as error:
                if connection is not None:
                    connection.terminate()
                raise LedgerAway(f"the ledger does not answer: {error}") from error
            except BaseException:
                if connection is not None:
                    connection.terminate()
                raise
            self._idle.append(connection)

    async def _connect(self) -> asyncpg.Connection:
        return await asyncpg.connect(
            self._address,
            password=self._password,
            timeout=ANSWER_S,
            command_timeout=ANSWER_S,
            server_settings=DURABLE,
        )

    async def _password(self) -> str:
        """Read anew for each connection: a password is changed without a restart."""
        if self._password_file is None:
            return ""
        if (why := readable_by_others(self._password_file)) is not None:
            raise LedgerAway(why)
        return (await asyncio.to_thread(self._password_file.read_text, "utf-8")).strip()

    async def close(self) -> None:
        """Let go of the connections."""
        self._is_open = False
        for connection in self._idle:
            try:
                await connection.close(timeout=ANSWER_S)
            except AWAY:
                connection.terminate()
        self._idle.clear()


class _PostgresRows:
    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def fetch(self, statement: str, *arguments: object) -> Sequence[Row]:
        return [tuple(row) for row in await self._connection.fetch(statement, *arguments)]
