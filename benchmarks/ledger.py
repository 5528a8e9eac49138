"""Contributions to a linked jackpot in PostgreSQL, fifty clients at once, against bare inserts of the same durability.

Both insert one row under a unique id into a table with the same columns and index, each commit on the disk before it is
answered, each client over a connection of its own. Ours adds the ledger: the same id is the same contribution.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence

import asyncpg

from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows
from tableside.jackpot import ledger_sql as sql
from tableside.jackpot.ledger import Ledger
from tableside.jackpot.ledger_postgres import SERIAL, PostgresStore
from tableside.jackpot.linked import Contribution, contribution
from tests.law.jackpot_table import SETTINGS
from tests.support.postgres import Postgres, find

CLIENTS = 50
EACH = 20
OURS = "ledger contributions"
PEER = "bare inserts"
BARE = "INSERT INTO bare (id, jackpot, from_table, kind, shown, hidden, about) VALUES ($1, $2, $3, $4, $5, $6, $7)"

# The table works them out in its turn, before the ledger is asked.
SHARES = contribution("", "BJ 1", 3, SETTINGS).shares

Insert = Callable[[str], Awaitable[object]]


async def _ours(address: str) -> tuple[Sequence[Insert], Sequence[PostgresStore]]:
    stores = [PostgresStore(address) for _ in range(CLIENTS)]
    for store in stores:
        await store.open()
    ledgers = [Ledger(store, "bench", SETTINGS) for store in stores]
    await ledgers[0].open()
    return [_contribute(ledger) for ledger in ledgers], stores


def _contribute(ledger: Ledger) -> Insert:
    return lambda entry: ledger.contribute(Contribution(entry, "BJ 1", 3, SHARES))


async def _bare(address: str) -> tuple[Sequence[Insert], Sequence[asyncpg.Connection]]:
    connections = [await asyncpg.connect(address) for _ in range(CLIENTS)]
    for statement in sql.TABLES:
        named = statement.replace("{serial}", SERIAL).replace("jackpot_entries", "bare").replace("jackpot_", "bare_")
        await connections[0].execute(named)
    return [_insert(connection) for connection in connections], connections


def _insert(connection: asyncpg.Connection) -> Insert:
    return lambda entry: connection.fetch(BARE, entry, "bench", "BJ 1", "chips", 225, 0, "3")


async def _all(inserts: Sequence[Insert], ids: itertools.count[int]) -> float:
    async def client(insert: Insert) -> None:
        for _ in range(EACH):
            await insert(f"{next(ids)}")

    started = time.perf_counter()
    await asyncio.gather(*map(client, inserts))
    return CLIENTS * EACH / (time.perf_counter() - started)


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Contributions a second."""
    if find("postgres") is None:
        print("ledger: left out, PostgreSQL is not installed")
        return []
    server = Postgres()
    with asyncio.Runner() as runner:
        try:
            server.start()
            ours, stores = runner.run(_ours(server.address))
            bare, connections = runner.run(_bare(server.address))
            ids = itertools.count()
            sides = {OURS: lambda: runner.run(_all(ours, ids)), PEER: lambda: runner.run(_all(bare, ids))}
            figures = interleave(sides, rounds, slices=3)
            for end in (*stores, *connections):
                runner.run(end.close())
        finally:
            server.stop()
    return rows("Contributions a second, 50 clients", OURS, figures, [Reach(PEER, 0.7, is_at_most=False)], "a second")
