"""A jam's bytes read → its alert durable and published: our whole stack against the one commit that it cannot spare.

Ours: from the moment in which the chunk with the notice is handed to the session, through codec, session, driver,
hub, reduce, journal thread and FULL commit, to the moment in which the alert's row is published. The table stands in
the middle of a round (`benchmarks.jamming_table`).
Peer: the same rows into the same columns in one bare SQLite transaction with FULL, on the same disk, in turn.

The bars stand for samples that follow each other as soon as the device has answered what the last one ordered. Beside
them, without a bar, the same after 20 ms of rest: then every cache is cold, as it is when a table's jam comes.
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from benchmarks.compare import ROUNDS, Reach, Row, rows
from benchmarks.jamming_table import jamming_table
from tableside.journal.record import Row as StoredRow
from tableside.journal.record import row_of
from tableside.journal.schema import COLUMNS

SAMPLES = 300  # a round; nine rounds make 2,700
OURS = "jam read to alert durable"
PEER = "bare SQLite FULL commit"
PERCENTILE = 99
REACH = Reach(PEER, 2.5)
RESTED_SAMPLES = 60
REST_S = 0.02

Sample = Callable[[], Awaitable[int]]  # ns


@contextmanager
def _bare(folder: Path, stored: Sequence[StoredRow]) -> Iterator[Sample]:
    """The same rows under new numbers."""
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"CREATE TABLE record (seq INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})")
        insert = f"INSERT INTO record VALUES ({', '.join('?' * len(COLUMNS))})"
        numbers = count(1)

        async def commit() -> int:
            numbered = [(next(numbers), *row[1:]) for row in stored]
            started_ns = time.perf_counter_ns()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(insert, numbered)
            connection.execute("COMMIT")
            return time.perf_counter_ns() - started_ns

        yield commit


def measure(rounds: int = ROUNDS, samples: int = SAMPLES, rested: int = RESTED_SAMPLES) -> list[Row]:
    """Median and 99th percentile of each round."""
    taken = asyncio.run(_measured(rounds, samples, 0.0))
    cold = asyncio.run(_measured(rounds, rested, REST_S))
    total = rounds * samples
    return [
        *rows(f"jam read → alert durable, median of {total}", OURS, _each(statistics.median, taken), [REACH], "ms"),
        *rows(f"jam read → alert durable, p{PERCENTILE} of {total}", OURS, _each(_percentile, taken), [REACH], "ms"),
        *rows("the same after 20 ms of rest, median", OURS, _each(statistics.median, cold), [Reach(PEER)], "ms"),
    ]


def _each(figure: Callable[[Sequence[float]], float], taken: Mapping[str, list[list[float]]]) -> dict[str, list[float]]:
    return {side: [figure(one) for one in of_rounds] for side, of_rounds in taken.items()}


async def _measured(rounds: int, samples: int, rest_s: float) -> dict[str, list[list[float]]]:
    taken: dict[str, list[list[float]]] = {OURS: [], PEER: []}
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as name:
        folder = Path(name)
        async with jamming_table(folder) as table:
            before = table.journal.tail.seq
            await table.jam()
            with _bare(folder, [row_of(record) for record in table.journal.records(before)]) as commit:
                sides = {OURS: table.jam, PEER: commit}
                for _ in range(rounds):
                    for one in taken.values():
                        one.append([])
                    for number in range(samples):
                        for side in (OURS, PEER) if number % 2 else (PEER, OURS):
                            await table.settled(rest_s)
                            taken[side][-1].append(await sides[side]() / 1e6)
    return taken


def _percentile(samples: Sequence[float]) -> float:
    return sorted(samples)[len(samples) * PERCENTILE // 100]
