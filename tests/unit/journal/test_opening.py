"""What opening a journal refuses, finds and keeps."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.clock import SystemClock
from tableside.journal.chain import FindingKind, verify
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.journal.record import RecordKind
from tableside.journal.schema import Synchronous
from tableside.journal.store import JournalRefused
from tableside.journal.writer import JournalWriter
from tests.support.journals import TABLE, WIDE, draft, file_of, full_disk, open_journal, place_in
from tests.unit.journal.conftest import SMALL_RESERVE_BYTES


async def test_settings_below_full_are_refused_br_048(tmp_path: Path) -> None:
    writer = JournalWriter(SystemClock())
    for synchronous in (Synchronous.OFF, Synchronous.NORMAL):
        with pytest.raises(JournalRefused, match="needs FULL"):
            await writer.open(place_in(tmp_path), synchronous=synchronous)
    for place in (Place(TABLE, None, tmp_path / "r"), Place(TABLE, tmp_path / "j", None)):
        with pytest.raises(JournalRefused, match="a file and a reserve"):
            await writer.open(place)
    assert os.listdir(tmp_path) == []
    journal = await writer.open(place_in(tmp_path))
    pragma = file_of(journal).connection().execute
    assert pragma("PRAGMA synchronous").fetchone() == (2,)
    assert pragma("PRAGMA journal_mode").fetchone() == ("wal",)
    await writer.close()


async def test_second_writer_is_refused_and_told_who_has_it_br_062(tmp_path: Path) -> None:
    async with open_journal("stored", tmp_path) as journal:
        with pytest.raises(JournalRefused, match=rf"process {os.getpid()}: stop that one first"):
            async with open_journal("stored", tmp_path):
                pass
        await journal.commit([draft(1)])
    async with open_journal("stored", tmp_path) as journal:
        assert journal.tail.seq == 2


def _text_file(place: Path) -> None:
    place.write_text("not a database, but long enough to look like one" * 100)


def _other_database(place: Path) -> None:
    with sqlite3.connect(place) as other:
        other.execute("CREATE TABLE jackpot (amount)")
    other.close()


def _other_program(place: Path) -> None:
    with sqlite3.connect(place) as other:
        other.execute("PRAGMA application_id = 77")
    other.close()


def _directory(place: Path) -> None:
    place.mkdir()


@pytest.mark.parametrize("name", ["BJ-1.db", "BJ-1.reserve"])
@pytest.mark.parametrize("make", [_text_file, _directory])
def test_something_else_under_the_name_is_refused_and_not_touched(
    make: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    make(tmp_path / name)
    before = None if make is _directory else (tmp_path / name).read_bytes()
    with pytest.raises(JournalRefused):
        InLoopJournal.open(place_in(tmp_path), SystemClock())
    assert before is None or (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("make", [_other_database, _other_program])
def test_another_database_is_refused_and_not_touched(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "BJ-1.db")
    before = (tmp_path / "BJ-1.db").read_bytes()
    with pytest.raises(JournalRefused, match="name another path"):
        InLoopJournal.open(place_in(tmp_path), SystemClock())
    assert (tmp_path / "BJ-1.db").read_bytes() == before


def test_no_directory_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(JournalRefused, match="away"):
        InLoopJournal.open(place_in(tmp_path / "away"), SystemClock())


def test_epoch_is_a_u32_above_zero(tmp_path: Path) -> None:
    for epoch in (0, 2**32, -1):
        with pytest.raises(ValueError, match="u32"):
            InLoopJournal.open(Place(TABLE, None, None), SystemClock(), epoch=epoch)
    epochs = {InLoopJournal.open(Place(TABLE, None, None), SystemClock()).genesis.epoch for _ in range(5)}
    assert len(epochs) == 5
    assert all(0 < epoch < 2**32 for epoch in epochs)


async def test_journal_of_another_table_is_refused(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(1)])
    place = place_in(tmp_path)
    with pytest.raises(JournalRefused, match="the journal of table BJ-1, not of PO-2"):
        InLoopJournal.open(Place("PO-2", place.path, place.reserve), SystemClock())
    # The refusal let both files go.
    async with open_journal("in-loop", tmp_path) as journal:
        assert journal.tail.seq == 2


def test_making_that_was_cut_short_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "BJ-1.db").touch()
    (tmp_path / "BJ-1.reserve").write_bytes(bytes(1_000))
    journal = InLoopJournal.open(place_in(tmp_path), SystemClock())
    assert journal.opening.is_new
    assert os.stat(tmp_path / "BJ-1.reserve").st_size == SMALL_RESERVE_BYTES


def test_names_of_new_files_are_made_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    for module in ("opening", "disk"):
        monkeypatch.setattr(f"tableside.journal.{module}.sync_directory", synced.append)
    InLoopJournal.open(place_in(tmp_path), SystemClock())
    assert synced == [tmp_path, tmp_path]


async def test_files_are_for_the_daemons_account_only(tmp_path: Path) -> None:
    async with open_journal("stored", tmp_path) as journal:
        await journal.commit([draft(1)])
        assert {os.stat(tmp_path / name).st_mode & 0o777 for name in os.listdir(tmp_path)} == {0o600}


async def test_rows_since_the_checkpoint_are_checked_at_start(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(1), draft(2, RecordKind.CHECKPOINT), draft(3), draft(4)])
    with sqlite3.connect(tmp_path / "BJ-1.db") as forger:
        forger.execute("DROP TRIGGER record_no_update")
        forger.execute("UPDATE record SET body = x'00' WHERE seq IN (2, 4)")
    forger.close()
    async with open_journal("in-loop", tmp_path) as journal:
        (finding,) = journal.opening.findings
        assert (finding.kind, finding.seq) == (FindingKind.CHANGED, 4)


async def test_older_copy_put_in_place_is_found_by_the_anchor(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(1)])
    shutil.copyfile(tmp_path / "BJ-1.db", tmp_path / "older")
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(2), draft(3)])
    shutil.copyfile(tmp_path / "older", tmp_path / "BJ-1.db")
    for _ in range(2):  # looking does not make it forget
        async with open_journal("in-loop", tmp_path) as journal:
            (finding,) = journal.opening.findings
            assert (finding.kind, finding.seq) == (FindingKind.CUT, 2)


async def test_anchor_before_the_checkpoint_is_compared_too(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(1)])
    shutil.copyfile(tmp_path / "BJ-1.reserve", tmp_path / "reserve")
    os.remove(tmp_path / "BJ-1.db")
    os.remove(tmp_path / "BJ-1.reserve")
    async with open_journal("in-loop", tmp_path) as journal:  # another journal, with a checkpoint of its own
        await journal.commit([draft(7), draft(8, RecordKind.CHECKPOINT)])
    shutil.copyfile(tmp_path / "reserve", tmp_path / "BJ-1.reserve")
    async with open_journal("in-loop", tmp_path) as journal:
        (finding,) = journal.opening.findings
        assert (finding.kind, finding.seq) == (FindingKind.REPLACED, 2)


async def test_rows_of_another_journal_on_the_reserve_are_kept_aside(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(1)])
        with full_disk(file_of(journal)):
            await journal.commit([draft(2, body=WIDE)])
            shutil.copyfile(tmp_path / "BJ-1.reserve", tmp_path / "foreign")
    for name in ("BJ-1.db", "BJ-1.reserve"):
        os.remove(tmp_path / name)
    for number in (1, 2):
        shutil.copyfile(tmp_path / "foreign", tmp_path / "BJ-1.reserve")
        async with open_journal("in-loop", tmp_path) as journal:
            aside = tmp_path / f"BJ-1.reserve.aside-{number}"
            assert journal.opening.set_aside == str(aside)
            assert aside.read_bytes()[4_096:] == (tmp_path / "foreign").read_bytes()[4_096:]
            assert journal.opening.carried_rows == 0
            assert journal.opening.findings
            assert verify(journal.records()) == []


async def test_row_cut_short_on_the_reserve_is_told(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        with full_disk(file_of(journal)):
            await journal.commit([draft(1, body=WIDE)])
            await journal.commit([draft(2, body=WIDE)])
            left = tmp_path / "left"
            left.mkdir()
            for name in ("BJ-1.db", "BJ-1.db-wal", "BJ-1.reserve"):
                shutil.copyfile(tmp_path / name, left / name)
    raw = bytearray((left / "BJ-1.reserve").read_bytes())
    raw[4_096 + 3_000 + 400] ^= 1  # within the second row
    (left / "BJ-1.reserve").write_bytes(raw)
    async with open_journal("in-loop", left) as journal:
        assert journal.opening.is_torn
        assert journal.opening.carried_rows == 1
        # It had been acknowledged, so this is no cut of a kill, and the anchor says so.
        assert [finding.kind for finding in journal.opening.findings] == [FindingKind.CUT]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET body = x'00' WHERE seq = 2",
        "DELETE FROM record WHERE seq = 2",
        "INSERT OR REPLACE INTO record SELECT * FROM record WHERE seq = 2",
        "INSERT INTO record SELECT seq + 2, format, kind, type, body, at_ns, wall_ns, quality, boot, request, previous,"
        " hash FROM record WHERE seq = 2",
    ],
)
async def test_file_itself_refuses_to_be_rewritten(statement: str, tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        await journal.commit([draft(1)])
        other = sqlite3.connect(tmp_path / "BJ-1.db")
        with pytest.raises(sqlite3.IntegrityError, match="a journal row"):
            other.execute(statement)
        other.close()
        assert [row.at_ns for row in journal.records(after=1)] == [1]


async def test_no_key_is_made_of_time_br_053(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        query = file_of(journal).connection().execute
        keys = {name for _, name, *_ in query("PRAGMA index_list(record)")}
        columns = {column for key in keys for _, _, column in query(f"PRAGMA index_info({key})")}
        assert columns == {"request", "seq"}


async def test_finding_a_request_uses_the_index_br_038(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        query = file_of(journal).connection().execute
        for statement, index in (
            ("SELECT * FROM record WHERE request = ? AND kind = 'input'", "record_request"),
            ("SELECT * FROM record WHERE kind = 'checkpoint' ORDER BY seq DESC LIMIT 1", "record_checkpoint"),
        ):
            plan = " ".join(row[-1] for row in query(f"EXPLAIN QUERY PLAN {statement}", ("r",) * statement.count("?")))
            assert index in plan
            assert "TEMP B-TREE" not in plan
