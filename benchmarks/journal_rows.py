"""Rows a second from eight writers, each waiting for its row: our journal against a bare thread with group commit."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.compare import Reach, Row, interleave, rows
from firmware_bridge.clock import SystemClock
from tableside.journal.opening import Place
from tableside.journal.record import Draft, RecordKind
from tableside.journal.schema import COLUMNS
from tableside.journal.writer import JournalWriter

WRITERS = 8
ROWS_A_WRITER = 300
BOOT = "6223ad65-4141-4839-baff-1c12897dddd1"
OURS = "journal, 8 writers, FULL"
PEER = "bare thread, group commit"

_Job = tuple[tuple[object, ...], asyncio.Future[None]]


def measure() -> list[Row]:
    """Ours against the peer, on the disk that holds temporary files."""
    sides = {OURS: partial(_on_disk, _ours), PEER: partial(_on_disk, _bare)}
    reaches = [Reach(PEER, 0.8, is_at_most=False)]
    return rows("journal rows a second, 8 writers", OURS, interleave(sides), reaches, "rows/s")


def _on_disk(side: Callable[[Path], Awaitable[float]]) -> float:
    async def within(folder: Path) -> float:
        return await side(folder)

    with tempfile.TemporaryDirectory(prefix="journal-bench-") as folder:
        return asyncio.run(within(Path(folder)))


def _body(number: int) -> bytes:
    return b'{"type":"CardsOut","meter":%06d,"device":"shuffler","table":"BJ-1","serial":"000123"}' % number


async def _drive(commit: Callable[[int], Awaitable[object]]) -> float:
    async def writer(first: int) -> None:
        for number in range(first, first + ROWS_A_WRITER):
            await commit(number)

    started = time.perf_counter()
    await asyncio.gather(*(writer(one * ROWS_A_WRITER) for one in range(WRITERS)))
    return WRITERS * ROWS_A_WRITER / (time.perf_counter() - started)


async def _ours(folder: Path) -> float:
    writer = JournalWriter(SystemClock())
    journal = await writer.open(Place("bench", folder / "bench.db", folder / "bench.reserve"))

    def commit(number: int) -> Awaitable[object]:
        draft = Draft(RecordKind.INPUT, "CardsOut", _body(number), number, number, "free-running", None)
        return journal.commit([draft])

    rate = await _drive(commit)
    await writer.close()
    return rate


async def _bare(folder: Path) -> float:
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

    rate = await _drive(commit)
    jobs.put(None)
    thread.join()
    connection.close()
    return rate


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
