"""Drafts and journals for tests: the store in a thread and its twin in the loop, opened alike."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from firmware_bridge.clock import Clock, Instant, SystemClock, WallQuality
from tableside.journal.disk import Disk
from tableside.journal.file import JournalFile
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.open_journal import OpenJournal
from tableside.journal.opening import Place
from tableside.journal.record import Draft, RecordKind
from tableside.journal.reserve import Reserve
from tableside.journal.store import Journal
from tableside.journal.writer import JournalWriter

TABLE = "BJ-1"
EPOCH = 0xA1B2C3D4
STORES = ("stored", "in-loop", "memory")


def draft(
    number: int = 0, kind: RecordKind = RecordKind.INPUT, *, request: str | None = None, body: bytes | None = None
) -> Draft:
    """A row like the table's: about a hundred bytes of body."""
    text = b'{"type":"CardsOut","meter":%06d,"table":"BJ-1"}' % number
    return Draft(kind, "CardsOut", text if body is None else body, number, 10**18 + number, "synchronised", request)


def place_in(folder: Path) -> Place:
    """Where a test's journal lives."""
    return Place(TABLE, folder / "BJ-1.db", folder / "BJ-1.reserve")


@asynccontextmanager
async def open_journal(store: str, folder: Path, clock: Clock | None = None) -> AsyncIterator[Journal]:
    """One of `STORES`, closed at the end."""
    clock = clock or SystemClock()
    if store == "stored":
        writer = JournalWriter(clock)
        try:
            yield await writer.open(place_in(folder), epoch=EPOCH)
        finally:
            await writer.close()
        return
    place = place_in(folder) if store == "in-loop" else Place(TABLE, None, None)
    journal = InLoopJournal.open(place, clock, epoch=EPOCH)
    try:
        yield journal
    finally:
        await journal.close()


class ManualClock:
    """Real threads, time by hand; counts how often it was read, which tells that somebody came by."""

    boot = "manual"

    def __init__(self) -> None:
        self.at_ns = 0
        self.readings = 0

    def now(self) -> Instant:
        return Instant(self.at_ns, 10**18 + self.at_ns, WallQuality.SIMULATED)

    def monotonic_ns(self) -> int:
        self.readings += 1
        return self.at_ns


async def until(is_reached: Callable[[], bool]) -> None:
    """Wait for a named state of another thread, 30 s at most."""
    async with asyncio.timeout(30):
        while not is_reached():  # noqa: ASYNC110  # a thread's state sets no event
            await asyncio.sleep(0.002)


@contextmanager
def full_disk(file: JournalFile) -> Iterator[None]:
    """The file may not grow: rows that need a new page (see `WIDE`) meet SQLITE_FULL."""
    pages = file.connection().execute("PRAGMA page_count").fetchone()[0]
    file.connection().execute(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        file.connection().execute("PRAGMA max_page_count = 1073741823")


WIDE = bytes(3_000)  # a body that needs pages of its own


@contextmanager
def broken_reserve(reserve: Reserve) -> Iterator[None]:
    """The reserve's disk refuses every write."""
    disk = reserve._disk
    reserve._disk = _RefusingDisk(disk)
    try:
        yield
    finally:
        reserve._disk = disk


class _RefusingDisk:
    def __init__(self, disk: Disk) -> None:
        self.size = disk.size
        self.read = disk.read
        self.close = disk.close

    def write(self, offset: int, data: bytes) -> None:
        raise OSError(errno.EIO, "Input/output error")

    def sync(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def file_of(journal: Journal) -> JournalFile:
    """The writer's side of an open journal, to hurt it."""
    assert isinstance(journal, OpenJournal)
    return journal._file
