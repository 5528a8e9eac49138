"""When the journal cannot be written: the reserve, the refusal, and the way back (semantics 1.1, BR-048, BR-049)."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_bridge.clock import SystemClock
from tableside.journal.chain import verify
from tableside.journal.file import Written
from tableside.journal.opening import Place
from tableside.journal.reading import Rows
from tableside.journal.record import Record, RecordKind
from tableside.journal.store import Journal, JournalUnavailable, RequestRepeated
from tableside.journal.writer import JournalWriter
from tests.support.journals import (
    TABLE,
    WIDE,
    broken_reserve,
    draft,
    file_of,
    full_disk,
    open_journal,
    place_in,
)

DECISION = RecordKind.DECISION


@pytest.fixture(params=["stored", "in-loop"])
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def journal(store: str, tmp_path: Path) -> AsyncIterator[Journal]:
    async with open_journal(store, tmp_path) as journal:
        yield journal


def numbers(journal: Journal) -> list[int]:
    return [row.at_ns for row in journal.records(after=1)]


def is_whole(journal: Journal) -> bool:
    return verify(journal.records(), table=TABLE, anchor=journal.tail) == []


async def test_full_disk_rows_go_to_the_reserve_and_back_once_br_049(journal: Journal) -> None:
    await journal.commit([draft(1)])
    with full_disk(file_of(journal)):
        result = await journal.commit([draft(2, request="r-2", body=WIDE), draft(3, DECISION)])
        assert (result.first_seq, result.last_seq, result.where) == (3, 4, "reserve")
        assert (await journal.commit([draft(4, body=WIDE)])).where == "reserve"
        # The round in progress lives on the reserve: reading sees it, a repeated request is known.
        assert numbers(journal) == [1, 2, 3, 4]
        assert is_whole(journal)
        found = journal.find_request("r-2")
        assert found is not None
        assert [row.at_ns for row in journal.decisions_of(found)] == [3]
        with pytest.raises(RequestRepeated):
            await journal.commit([draft(9, request="r-2", body=WIDE)])
        assert not await journal.carry_over()
        assert journal.condition().reserve_rows == 3
        assert "disk is full" in journal.condition().troubles[0]
    assert (await journal.commit([draft(5)])).where == "journal"
    assert journal.condition().reserve_rows == 0
    assert journal.condition().troubles == ()
    assert numbers(journal) == [1, 2, 3, 4, 5]
    assert is_whole(journal)


async def test_idle_table_comes_off_the_reserve_by_itself(journal: Journal) -> None:
    with full_disk(file_of(journal)):
        await journal.commit([draft(1, body=WIDE)])
    assert await journal.carry_over()
    assert await journal.carry_over()
    assert journal.condition().reserve_rows == 0
    assert numbers(journal) == [1]


async def test_neither_journal_nor_reserve_nothing_happened(journal: Journal) -> None:
    await journal.commit([draft(1)])
    reserve = file_of(journal).reserve
    assert reserve is not None
    with full_disk(file_of(journal)), broken_reserve(reserve):
        for _ in range(3):
            with pytest.raises(JournalUnavailable, match=r"disk is full.*Input/output"):
                await journal.commit([draft(2, request="r-2", body=WIDE)])
        assert numbers(journal) == [1]
        assert journal.find_request("r-2") is None
    # Tried again, the rows may be others: what failed has left nothing behind.
    result = await journal.commit([draft(3), draft(2, request="r-2")])
    assert (result.first_seq, result.where) == (3, "journal")
    assert numbers(journal) == [1, 3, 2]
    assert is_whole(journal)


async def test_full_reserve_refuses_and_keeps_what_it_holds(journal: Journal) -> None:
    with full_disk(file_of(journal)):
        await journal.commit([draft(1, body=WIDE)])
        with pytest.raises(JournalUnavailable, match="do not fit"):
            await journal.commit([draft(2, body=bytes(5_000_000))])
        assert (await journal.commit([draft(3, body=WIDE)])).where == "reserve"
    await journal.commit([draft(4)])
    assert numbers(journal) == [1, 3, 4]
    assert is_whole(journal)


async def test_broken_anchor_loses_no_row_and_is_told(journal: Journal) -> None:
    reserve = file_of(journal).reserve
    assert reserve is not None
    with broken_reserve(reserve):
        assert (await journal.commit([draft(1)])).where == "journal"
        assert "anchor" in journal.condition().troubles[0]
    await journal.commit([draft(2)])
    assert journal.condition().troubles == ()


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """The kernel refuses every byte beyond: a real I/O error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_io_error_is_said_and_the_file_opened_anew(journal: Journal) -> None:
    await journal.commit([draft(1)])
    file = file_of(journal)
    connection = file.connection()
    refused = pytest.raises(JournalUnavailable, match=r"I/O error.*SQLITE_IOERR_WRITE.*File too large")
    with files_end_at(journal.condition().log_bytes), refused:
        await journal.commit([draft(2, body=bytes(100_000))])
    assert (await journal.commit([draft(3)])).where == "journal"
    assert file.connection() is not connection
    assert numbers(journal) == [1, 3]
    assert is_whole(journal)


async def test_write_refused_by_the_file_goes_to_the_reserve(journal: Journal) -> None:
    file_of(journal).connection().execute("PRAGMA query_only = ON")
    assert (await journal.commit([draft(1)])).where == "reserve"
    assert (await journal.commit([draft(2)])).where == "journal"
    assert numbers(journal) == [1, 2]


class _LyingConnection:
    """A commit that reaches the file and is reported as failed, as an I/O error after the last write may be."""

    in_transaction = False

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.executemany = connection.executemany
        self.close = connection.close

    def execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        cursor = self._connection.execute(statement, values)
        if statement == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return cursor


async def test_commit_that_failed_and_is_there_all_the_same_counts_once(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        await journal.commit([draft(1)])
        file = file_of(journal)
        file._connection = _LyingConnection(file.connection())  # type: ignore[assignment]  # the fault itself
        assert (await journal.commit([draft(2), draft(3)])).where == "reserve"
        assert numbers(journal) == [1, 2, 3]
        assert (await journal.commit([draft(4)])).where == "journal"
        assert numbers(journal) == [1, 2, 3, 4]
        assert is_whole(journal)


async def test_commit_that_nobody_was_told_of_needs_a_replay(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        file = file_of(journal)
        assert file.reserve is not None
        file._connection = _LyingConnection(file.connection())  # type: ignore[assignment]  # the fault itself
        with broken_reserve(file.reserve), pytest.raises(JournalUnavailable):
            await journal.commit([draft(1)])
        with pytest.raises(JournalUnavailable, match="restart"):
            await journal.commit([draft(2)])
        assert not await journal.carry_over()
    async with open_journal(store, tmp_path) as journal:
        assert journal.opening.findings == ()
        assert numbers(journal) == [1]
        await journal.commit([draft(2)])


async def test_request_twice_in_one_transaction_is_refused_once_br_038(journal: Journal) -> None:
    first, second = file_of(journal).write([[draft(1, request="r-1")], [draft(2, request="r-1"), draft(3)]])
    assert isinstance(first, Written)
    assert isinstance(second, RequestRepeated)
    assert numbers(journal) == [1]


async def test_rows_carried_over_while_they_are_read_are_read_once(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        file = file_of(journal)
        with full_disk(file):
            await journal.commit([draft(1, body=WIDE)])

        def carried_over_just_before() -> tuple[Record, ...]:
            file.carry_over()
            return file.standing()

        assert [row.at_ns for row in Rows(file.connection, carried_over_just_before).records(after=1)] == [1]


async def test_journal_moved_away_under_the_daemon(journal: Journal, tmp_path: Path) -> None:
    await journal.commit([draft(1)])
    path = place_in(tmp_path).path
    assert path is not None
    os.rename(path, tmp_path / "away")
    assert (await journal.commit([draft(2)])).where == "reserve"
    assert sorted(os.listdir(tmp_path)) == ["BJ-1.db-shm", "BJ-1.db-wal", "BJ-1.reserve", "away"]
    os.rename(tmp_path / "away", path)
    assert (await journal.commit([draft(3)])).where == "journal"
    assert numbers(journal) == [1, 2, 3]


async def test_log_removed_under_the_daemon_nothing_is_lost_even_by_a_kill(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        await journal.commit([draft(1)])
        os.remove(tmp_path / "BJ-1.db-wal")
        assert (await journal.commit([draft(2)])).where == "reserve"
        (tmp_path / "left").mkdir()
        for name in ("BJ-1.db", "BJ-1.reserve"):
            shutil.copyfile(tmp_path / name, tmp_path / "left" / name)
    for folder in (tmp_path, tmp_path / "left"):
        async with open_journal(store, folder) as journal:
            assert journal.opening.carried_rows == 1
            assert numbers(journal) == [1, 2]
            assert is_whole(journal)


async def test_rows_that_this_process_did_not_write_stop_it_until_restart(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        await journal.commit([draft(1)])
        other = sqlite3.connect(tmp_path / "BJ-1.db")
        with other:
            other.execute(
                "INSERT INTO record SELECT seq + 1, format, kind, type, body, at_ns, wall_ns, quality, boot, request,"
                " previous, hash FROM record ORDER BY seq DESC LIMIT 1"
            )
        other.close()
        for _ in range(2):
            with pytest.raises(JournalUnavailable, match="restart"):
                await journal.commit([draft(2)])
    async with open_journal(store, tmp_path) as journal:
        assert {finding.seq for finding in journal.opening.findings} == {3}
        assert (await journal.commit([draft(4)])).first_seq == 4


async def test_restart_on_the_reserve(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        await journal.commit([draft(1)])
        with full_disk(file_of(journal)):
            await journal.commit([draft(2, body=WIDE), draft(3, RecordKind.CHECKPOINT, body=WIDE)])
            await journal.commit([draft(4, request="r-4")])
            # What a kill leaves now is what these files are.
            shutil.copytree(tmp_path, tmp_path / "left")
    (tmp_path / "left" / "BJ-1.db-shm").unlink()
    async with open_journal(store, tmp_path / "left") as journal:
        assert (journal.opening.carried_rows, journal.opening.findings) == (3, ())
        assert numbers(journal) == [1, 2, 3, 4]
        assert journal.find_request("r-4") is not None
        checkpoint = journal.last_checkpoint()
        assert checkpoint is not None
        assert checkpoint.at_ns == 3
        assert is_whole(journal)


async def test_killed_between_the_journal_and_the_reserve_carried_over_exactly_once(store: str, tmp_path: Path) -> None:
    async with open_journal(store, tmp_path) as journal:
        await journal.commit([draft(1)])
        with full_disk(file_of(journal)):
            await journal.commit([draft(2, body=WIDE), draft(3)])
            shutil.copyfile(tmp_path / "BJ-1.reserve", tmp_path / "before")
        await journal.commit([draft(4)])
    # The journal has all; the reserve still shows rows, as if it was killed before it was emptied.
    shutil.copyfile(tmp_path / "before", tmp_path / "BJ-1.reserve")
    for _ in range(2):
        async with open_journal(store, tmp_path) as journal:
            assert journal.opening.carried_rows == 0
            assert numbers(journal)[:4] == [1, 2, 3, 4]
            assert is_whole(journal)
            await journal.commit([draft(5)])
    async with open_journal(store, tmp_path) as journal:
        assert numbers(journal) == [1, 2, 3, 4, 5, 5]
        assert journal.condition().reserve_rows == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command: a real full disk cannot be made here")
    if done.returncode != 0:
        pytest.skip("mounting is not allowed here: a real full disk cannot be made")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


async def test_disk_really_full_and_freed_again_without_restart_br_049(small_disk: Path, tmp_path: Path) -> None:
    path, ballast = small_disk / "BJ-1.db", small_disk / "ballast"
    writer = JournalWriter(SystemClock())
    journal = await writer.open(Place(TABLE, path, tmp_path / "BJ-1.reserve"))
    written = 0
    while (await journal.commit([draft(written, body=WIDE)])).where == "journal":
        written += 1
        if written == 20:
            _fill(ballast, small_disk)
    length = os.stat(path).st_size
    for _ in range(20):
        written += 1
        assert (await journal.commit([draft(written, body=WIDE)])).where == "reserve"
    assert os.stat(path).st_size >= length
    assert numbers(journal) == list(range(written + 1))
    os.remove(ballast)
    assert (await journal.commit([draft(written + 1)])).where == "journal"
    assert numbers(journal) == list(range(written + 2))
    assert is_whole(journal)
    await writer.close()


def _fill(ballast: Path, disk: Path) -> None:
    status = os.statvfs(disk)
    ballast.write_bytes(bytes(status.f_bavail * status.f_frsize - 65_536))
