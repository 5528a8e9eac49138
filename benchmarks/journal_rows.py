"""Rows a second from eight writers, each waiting for its row: our journal against a bare thread with group commit.

Both keep their file open on the disk that holds temporary files, and take turns slice by slice.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows
from benchmarks.sides import Slice, open_side
from firmware_bridge.clock import SystemClock
from tableside.journal.opening import Place
from tableside.journal.record import Draft, RecordKind
from tableside.journal.schema import COLUMNS
from tableside.journal.writer import JournalWriter

SLICES = 11
WRITERS = 8
ROWS_A_WRITER = 60  # a slice of some 30 ms
BOOT = "6223ad65-4141-4839-baff-1c12897dddd1"
OURS = "journal, 8 writers, FULL"
PEER = "bare thread, group commit"

_Job = tuple[tuple[object, ...], asyncio.Future[None]]
_numbers = count()


def measure(rounds: int = ROUNDS, slices: int = SLICES) -> list[Row]:
    """Ours against the peer."""
    with ExitStack() as end:
        folder = Path(end.enter_context(tempfile.TemporaryDirectory(prefix="journal-bench-")))
        sides = {OURS: open_side(_ours(folder), end), PEER: open_side(_bare(folder), end)}
        figures = interleave(sides, rounds, slices)
    reaches = [Reach(PEER, 0.8, is_at_most=False)]
    return rows("journal rows a second, 8 writers", OURS, figures, reaches, "rows/s")


def _body(number: int) -> bytes:
    return b'{"type":"CardsOut","meter":%06d,"device":"shuffler","table":"BJ-1","serial":"000123"}' % number


async def _drive(commit: Callable[[int], Awaitable[object]]) -> float:
    async def writer() -> None:
        for _ in range(ROWS_A_WRITER):
            await commit(next(_numbers))

    started = time.perf_counter()
    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return WRITERS * ROWS_A_WRITER / (time.perf_counter() - started)


@asynccontextmanager
async def _ours(folder: Path) -> AsyncIterator[Slice]:
    writer = JournalWriter(SystemClock())
    journal = await writer.open(Place("bench", folder / "bench.db", folder / "bench.reserve"))

    def commit(number: int) -> Awaitable[object]:
        draft = Draft(RecordKind.INPUT, "CardsOut", _body(number), number, number, "free-running", None)
        return journal.commit([draft])

    yield partial(_drive, commit)
    await writer.close()


@asynccontextmanager
async def _bare(folder: Path) -> AsyncIterator[Slice]:
    loop = asyncio.get_running_loop()
    jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"CREATE TABLE record (seq INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})")
    thread = threading.Thread(target=_write_groups, args=(connection, jobs, loop))
    thread.start()
    digest = bytes(32)

    def commit(number: int) -> Awaitable[object]:
        future: asyncio.Future[None] = loop.create_future()
        row = (number + 1, 1, "input", "CardsOut", _body(number), number, number, "free-running", BOOT, None)
        jobs.put(((*row, digest, digest), future))
        return future

    yield partial(_drive, commit)
    jobs.put(None)
    thread.join()
    connection.close()


def _write_groups(
    connection: sqlite3.Connection, jobs: queue.SimpleQueue[_Job | None], loop: asyncio.AbstractEventLoop
) -> None:
    insert = f"INSERT INTO record VALUES ({', '.join('?' * len(COLUMNS))})"
    while (job := jobs.get()) is not None:
        group = [job]
        while not jobs.empty() and (job := jobs.get()) is not None:
            group.append(job)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(insert, [row for row, _ in group])
        connection.execute("COMMIT")
        loop.call_soon_threadsafe(_settle, [future for _, future in group])


def _settle(futures: Sequence[asyncio.Future[None]]) -> None:
    for future in futures:
        future.set_result(None)
