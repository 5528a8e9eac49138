"""The writer's thread: locks of others, long readers, several tables, waits that are given up."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from firmware_bridge.clock import NS_PER_S, SystemClock
from tableside.journal.chain import verify
from tableside.journal.file import PAGES_BEFORE_AGAIN
from tableside.journal.opening import Place
from tableside.journal.schema import LOG_KEPT_BYTES
from tableside.journal.store import JournalUnavailable
from tableside.journal.writer import JournalWriter
from tests.support.journals import ManualClock, draft, file_of, open_journal, until


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def writer(clock: ManualClock) -> AsyncIterator[JournalWriter]:
    writer = JournalWriter(clock)
    yield writer
    await writer.close()


def place(folder: Path, table: str) -> Place:
    return Place(table, folder / f"{table}.db", folder / f"{table}.reserve")


def lock(path: Path | None) -> sqlite3.Connection:
    """Another program that holds the write lock."""
    assert path is not None
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


async def tried_again(clock: ManualClock, times: int = 3) -> None:
    """The thread has come by so often since."""
    readings = clock.readings
    await until(lambda: clock.readings >= readings + times)


async def test_lock_of_three_seconds_is_waited_out_br_048(
    writer: JournalWriter, clock: ManualClock, tmp_path: Path
) -> None:
    locked, other = await writer.open(place(tmp_path, "BJ-1")), await writer.open(place(tmp_path, "BJ-2"))
    holder = lock(place(tmp_path, "BJ-1").path)
    waiting = asyncio.create_task(locked.commit([draft(1)]))
    second = asyncio.create_task(locked.commit([draft(2)]))
    await tried_again(clock)
    clock.at_ns += 3 * NS_PER_S
    await tried_again(clock)
    assert not waiting.done()
    assert (await other.commit([draft(9)])).where == "journal"  # the neighbour's file is not held up
    holder.execute("ROLLBACK")
    result = await waiting
    assert (result.where, result.seconds) == ("journal", 3.0)
    await second
    assert [row.at_ns for row in locked.records(after=1)] == [1, 2]
    holder.close()


async def test_lock_without_end_sends_the_rows_to_the_reserve_br_048(
    writer: JournalWriter, clock: ManualClock, tmp_path: Path
) -> None:
    journal = await writer.open(place(tmp_path, "BJ-1"))
    holder = lock(place(tmp_path, "BJ-1").path)
    waiting = asyncio.create_task(journal.commit([draft(1)]))
    await tried_again(clock)
    clock.at_ns += 5 * NS_PER_S
    assert (await waiting).where == "reserve"
    assert not await journal.carry_over()
    holder.execute("ROLLBACK")
    assert await journal.carry_over()
    assert [row.at_ns for row in journal.records(after=1)] == [1]
    holder.close()


async def test_closing_while_locked_keeps_the_rows(writer: JournalWriter, clock: ManualClock, tmp_path: Path) -> None:
    journal = await writer.open(place(tmp_path, "BJ-1"))
    holder = lock(place(tmp_path, "BJ-1").path)
    waiting = asyncio.create_task(journal.commit([draft(1)]))
    await tried_again(clock)
    await journal.close()
    assert (await waiting).where == "reserve"
    with pytest.raises(JournalUnavailable, match="closed"):
        await journal.commit([draft(2)])
    holder.close()
    journal = await writer.open(place(tmp_path, "BJ-1"))
    assert journal.opening.carried_rows == 1
    assert [row.at_ns for row in journal.records(after=1)] == [1]


async def test_wait_that_is_given_up_withdraws_nothing(
    writer: JournalWriter, clock: ManualClock, tmp_path: Path
) -> None:
    journal = await writer.open(place(tmp_path, "BJ-1"))
    holder = lock(place(tmp_path, "BJ-1").path)
    waiting = asyncio.create_task(journal.commit([draft(1)]))
    await tried_again(clock)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    holder.execute("ROLLBACK")
    holder.close()
    await journal.commit([draft(2)])
    assert [row.at_ns for row in journal.records(after=1)] == [1, 2]


async def test_thirty_two_tables_one_thread_and_no_row_in_another_table(writer: JournalWriter, tmp_path: Path) -> None:
    before = threading.active_count()
    journals = [await writer.open(place(tmp_path, f"BJ-{n}")) for n in range(32)]
    assert threading.active_count() == before + 1
    await asyncio.gather(*(journal.commit([draft(n)]) for n, journal in enumerate(journals) for _ in range(3)))
    for number, journal in enumerate(journals):
        assert [row.at_ns for row in journal.records(after=1)] == [number] * 3
        assert verify(journal.records(), table=f"BJ-{number}") == []
    await writer.close()
    assert threading.active_count() == before


async def test_unforeseen_error_reaches_its_caller_and_the_thread_goes_on(
    writer: JournalWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await writer.open(place(tmp_path, "BJ-1"))
    with monkeypatch.context() as patch:
        patch.setattr(file_of(journal), "_transact", lambda rows: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await journal.commit([draft(1)])
    assert (await journal.commit([draft(2)])).first_seq == 2


async def test_long_reader_does_not_make_the_log_grow_for_ever_br_048(tmp_path: Path) -> None:
    """A tenth of the entry's ten minutes at 50 rows a second: 3,000 commits, and a tenth of its 64 MB."""
    async with open_journal("in-loop", tmp_path, SystemClock()) as journal:
        await journal.commit([draft(0)])
        reader = sqlite3.connect(f"{(tmp_path / 'BJ-1.db').as_uri()}?mode=ro", uri=True, isolation_level=None)
        reader.execute("BEGIN")
        assert reader.execute("SELECT max(seq) FROM record").fetchone() == (2,)
        for number in range(3_000):
            await journal.commit([draft(number)])
        assert LOG_KEPT_BYTES < journal.condition().log_bytes < 6_400_000
        assert reader.execute("SELECT max(seq) FROM record").fetchone() == (2,)
        reader.close()
        for number in range(PAGES_BEFORE_AGAIN):
            await journal.commit([draft(number)])
        file_of(journal).tend()
        await journal.commit([draft(1)])
        assert journal.condition().log_bytes <= LOG_KEPT_BYTES


async def test_log_is_moved_into_the_file_when_nobody_waits(tmp_path: Path) -> None:
    async with open_journal("stored", tmp_path, SystemClock()) as journal:
        before = journal.condition().journal_bytes
        await journal.commit([draft(number) for number in range(1_500)])
        await until(lambda: journal.condition().journal_bytes > before + 1_500 * 100)
        assert not file_of(journal).needs_tending()


async def test_our_own_slow_reader_holds_nothing_back_br_048(tmp_path: Path) -> None:
    async with open_journal("stored", tmp_path, SystemClock()) as journal:
        await journal.commit([draft(number) for number in range(2_000)])
        reading = journal.records()
        next(reading)
        file = file_of(journal)
        file.tend()
        assert file.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
        assert sum(1 for _ in reading) == 2_000


async def test_held_log_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableside.journal.file.LOG_ALARM_BYTES", 100_000)
    async with open_journal("in-loop", tmp_path) as journal:
        reader = sqlite3.connect(tmp_path / "BJ-1.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT max(seq) FROM record").fetchone()
        await journal.commit([draft(number) for number in range(1_000)])
        file_of(journal).tend()
        assert "a reader has held" in journal.condition().troubles[0]
        # Looking again and again through a long log would cost more than the rows: some come first.
        assert not file_of(journal).needs_tending()
        for number in range(PAGES_BEFORE_AGAIN):
            await journal.commit([draft(number)])
        assert file_of(journal).needs_tending()
        reader.close()
        await journal.commit([draft(1)])
        file_of(journal).tend()
        await journal.commit([draft(2)])
        file_of(journal).tend()
        assert journal.condition().troubles == ()
