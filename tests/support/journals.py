"""Drafts and journals for tests: the store in a thread and its twin in the loop, opened alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from firmware_bridge.clock import Clock, SystemClock
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.journal.record import Draft, RecordKind
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
