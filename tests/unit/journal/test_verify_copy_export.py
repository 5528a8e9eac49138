"""Verifying, copying and exporting a journal without the daemon."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import shutil
import sqlite3
import struct
from pathlib import Path

import pytest

from tableside.journal.chain import FindingKind
from tableside.journal.copy import copy_journal
from tableside.journal.export import export_journal, export_lines, utc_text
from tableside.journal.reader import JournalReader
from tableside.journal.record import Draft, RecordKind
from tableside.journal.space import FULL_BELOW_BYTES, SpaceLevel, level_of, space_facts
from tableside.journal.store import Journal, JournalRefused
from tableside.journal.verify import verify_journal
from tests.support.journals import TABLE, WIDE, draft, file_of, full_disk, open_journal

HOUR_NS = 3_600 * 10**9


async def a_day(folder: Path, rows: int = 30) -> Path:
    """A finished journal; returns its file."""
    async with open_journal("in-loop", folder) as journal:
        await journal.commit([draft(n, request=f"r-{n}" if n % 5 == 0 else None) for n in range(rows)])
        await journal.commit([draft(rows, RecordKind.CHECKPOINT), draft(rows + 1, RecordKind.DECISION)])
    return folder / "BJ-1.db"


def listing(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in os.listdir(folder) if name != "BJ-1.db-shm"}


async def test_finished_journal_is_sound_and_nothing_is_made_beside_it(tmp_path: Path) -> None:
    path = await a_day(tmp_path)
    before = listing(tmp_path)
    report = verify_journal(path, reserve=tmp_path / "BJ-1.reserve", table=TABLE)
    assert report.is_sound
    assert (report.rows, report.tail.seq, report.reserve_rows) == (33, 33, 0)
    assert report.genesis is not None
    assert report.genesis.table == TABLE
    assert listing(tmp_path) == before


async def test_copy_on_a_disk_that_cannot_be_written_is_verified(tmp_path: Path) -> None:
    path = await a_day(tmp_path)
    os.chmod(path, 0o400)
    os.chmod(tmp_path, 0o500)
    try:
        assert verify_journal(path).is_sound
        assert sorted(os.listdir(tmp_path)) == ["BJ-1.db", "BJ-1.reserve"]
    finally:
        os.chmod(tmp_path, 0o700)


@pytest.mark.parametrize("has_index", [True, False])
async def test_what_a_kill_left_is_read_and_left(has_index: bool, tmp_path: Path) -> None:
    left = tmp_path / "left"
    async with open_journal("stored", tmp_path) as journal:
        await journal.commit([draft(1)])
        shutil.copytree(tmp_path, left)
    if not has_index:
        (left / "BJ-1.db-shm").unlink()
    before, names = listing(left), sorted(os.listdir(left))
    report = verify_journal(left / "BJ-1.db", reserve=left / "BJ-1.reserve")
    assert (report.findings, report.rows) == ((), 2)
    assert listing(left) == before
    assert sorted(os.listdir(left)) == names


async def test_live_journal_is_verified_beside_its_daemon(tmp_path: Path) -> None:
    async with open_journal("stored", tmp_path) as journal:
        await journal.commit([draft(1)])
        with full_disk(file_of(journal)):
            await journal.commit([draft(2, body=WIDE)])
            report = verify_journal(tmp_path / "BJ-1.db", reserve=tmp_path / "BJ-1.reserve")
            assert (report.findings, report.rows, report.reserve_rows) == ((), 3, 1)
        assert (await journal.commit([draft(3)])).where == "journal"


@pytest.mark.parametrize("seed", range(12))
async def test_any_changed_byte_of_the_file_is_found_or_harmless(seed: int, tmp_path: Path) -> None:
    """A byte of a row's column is always found; others (free space, page heads) change no row or are found too."""
    path = await a_day(tmp_path)
    with JournalReader(path) as reader:
        rows = list(reader.rows.records())
    raw = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(25):
        at = chance.randrange(100, len(raw))  # below 100 is the file's own head
        forged = bytearray(raw)
        forged[at] ^= 1 << chance.randrange(8)
        path.write_bytes(forged)
        try:
            report = verify_journal(path, reserve=tmp_path / "BJ-1.reserve", table=TABLE)
        except JournalRefused:
            continue
        if report.is_sound:
            with JournalReader(path) as reader:
                assert list(reader.rows.records()) == rows


@pytest.mark.parametrize(
    ("statement", "found", "seq"),
    [
        ("UPDATE record SET at_ns = at_ns + 1 WHERE seq = 7", FindingKind.CHANGED, 7),
        ("UPDATE record SET request = 'r-1' WHERE seq = 7", FindingKind.CHANGED, 7),
        ("UPDATE record SET kind = 'nothing we know' WHERE seq = 7", FindingKind.CHANGED, 7),
        ("UPDATE record SET type = CAST(x'ff' AS TEXT) WHERE seq = 7", FindingKind.CHANGED, 7),
        ("DELETE FROM record WHERE seq = 7", FindingKind.GAP, 8),
        ("DELETE FROM record WHERE seq > 20", FindingKind.CUT, 20),
        ("DELETE FROM record", FindingKind.NO_GENESIS, 0),
    ],
)
async def test_forgery_with_the_guards_removed_is_found(
    statement: str, found: FindingKind, seq: int, tmp_path: Path
) -> None:
    path = await a_day(tmp_path)
    with sqlite3.connect(path) as forger:
        for guard in ("record_no_update", "record_no_delete"):
            forger.execute(f"DROP TRIGGER {guard}")
        forger.execute(statement)
    forger.close()
    report = verify_journal(path, reserve=tmp_path / "BJ-1.reserve")
    kinds = {(finding.kind, finding.seq) for finding in report.findings}
    assert (found, seq) in kinds
    assert (FindingKind.SCHEMA, 0) in kinds


async def test_foreign_reserve_beside_a_journal_is_told(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path = await a_day(tmp_path)
    async with open_journal("in-loop", tmp_path / "other") as journal:
        with full_disk(file_of(journal)):
            await journal.commit([draft(1, body=WIDE)])
            report = verify_journal(path, reserve=tmp_path / "other" / "BJ-1.reserve")
    assert {finding.kind for finding in report.findings} == {FindingKind.REPLACED}
    assert report.reserve_rows == 0


async def test_clock_steps_are_listed_br_052(tmp_path: Path) -> None:
    offsets = [0, 0, 12 * HOUR_NS, 0, -14 * 24 * HOUR_NS, -14 * 24 * HOUR_NS + 10**8]
    async with open_journal("in-loop", tmp_path) as journal:
        for at, offset in enumerate(offsets):
            await journal.commit([Draft(RecordKind.INPUT, "Tick", b"", at, 10**18 + at + offset, "free-running")])
        for second in range(1_000):
            wall = 10**18 + second * 10**9
            await journal.commit([Draft(RecordKind.INPUT, "Tick", b"", 0, wall, "free-running")])
    report = verify_journal(tmp_path / "BJ-1.db")
    assert report.is_sound
    assert [(step.seq, round(step.seconds)) for step in report.clock_steps[1:4]] == [
        (4, 43_200),
        (5, -43_200),
        (6, -1_209_600),
    ]
    assert len(report.clock_steps) == 100
    assert report.clock_step_count == 1_000 + 4


@pytest.mark.parametrize("content", [b"", b"no journal at all", bytes(4_096)])
def test_no_journal_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "something"
    with pytest.raises(JournalRefused, match="there is no journal"):
        verify_journal(path)
    path.write_bytes(content)
    with pytest.raises(JournalRefused):
        verify_journal(path)
    assert os.listdir(tmp_path) == ["something"]


async def test_copy_of_a_live_journal_is_one_sound_file_with_the_reserves_rows(tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    async with open_journal("stored", tmp_path) as journal:
        await journal.commit([draft(n) for n in range(400)])
        with full_disk(file_of(journal)):
            await journal.commit([draft(400, body=WIDE)])
            report = copy_journal(tmp_path / "BJ-1.db", target, reserve=tmp_path / "BJ-1.reserve")
            assert (report.rows, report.tail) == (402, journal.tail)
            _is_same(target, journal)
        await journal.commit([draft(401)])
        copy_journal(tmp_path / "BJ-1.db", target, reserve=tmp_path / "BJ-1.reserve")
        _is_same(target, journal)
    assert sorted(os.listdir(tmp_path)) == ["BJ-1.db", "BJ-1.reserve", "copy.db"]
    assert os.stat(target).st_mode & 0o777 == 0o600


def _is_same(copy: Path, journal: Journal) -> None:
    with JournalReader(copy) as reader:
        assert list(reader.rows.records()) == list(journal.records())


async def test_unsound_copy_replaces_nothing_br_049(tmp_path: Path) -> None:
    path, target = await a_day(tmp_path), tmp_path / "copy.db"
    copy_journal(path, target)
    good = target.read_bytes()
    with sqlite3.connect(path) as forger:
        forger.execute("DROP TRIGGER record_no_update")
        forger.execute("UPDATE record SET body = x'00' WHERE seq = 5")
    forger.close()
    with pytest.raises(JournalRefused, match="not sound"):
        copy_journal(path, target)
    assert target.read_bytes() == good
    assert not verify_journal(tmp_path / "copy.db.unsound").is_sound


async def test_copy_that_finds_no_room_replaces_nothing_br_049(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, target = await a_day(tmp_path), tmp_path / "copy.db"
    copy_journal(path, target)
    good = target.read_bytes()

    def no_room(_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tableside.journal.copy._sync", no_room)
    with pytest.raises(JournalRefused, match=r"No space left.*the target is as it was"):
        copy_journal(path, target)
    assert target.read_bytes() == good
    assert sorted(os.listdir(tmp_path)) == ["BJ-1.db", "BJ-1.reserve", "copy.db"]
    with pytest.raises(JournalRefused):
        copy_journal(tmp_path / "nothing.db", target)


async def test_export_is_enough_to_check_the_chain_without_our_code(tmp_path: Path) -> None:
    async with open_journal("in-loop", tmp_path) as journal:
        bodies = [b'{"a":1}', b"\xff\x00", b"", "três ♣".encode()]
        await journal.commit([draft(n, body=body, request=f"r{n}") for n, body in enumerate(bodies)])
        assert export_journal(journal.records(), tmp_path / "day.jsonl") == 5
    previous = bytes(32)
    lines = (tmp_path / "day.jsonl").read_text().splitlines()
    for line in lines:
        row = json.loads(line)
        body = row["body_text"].encode() if "body_text" in row else base64.b64decode(row["body_base64"])
        summed = previous
        for value in (row["seq"], row["format"], row["kind"], row["type"], body):
            summed += _prefixed(value)
        for value in (row["at_ns"], row["wall_ns"], row["quality"], row["boot"], row["request"]):
            summed += _prefixed(value)
        assert row["previous"] == previous.hex()
        previous = hashlib.sha256(summed).digest()
        assert row["hash"] == previous.hex()
    assert len(lines) == 5
    assert sorted(os.listdir(tmp_path)) == ["BJ-1.db", "BJ-1.reserve", "day.jsonl"]


def _prefixed(value: int | str | bytes | None) -> bytes:
    if value is None:
        return b"\xff\xff\xff\xff"
    if isinstance(value, int):
        value = struct.pack(">q", value)
    elif isinstance(value, str):
        value = value.encode()
    return struct.pack(">I", len(value)) + value


async def test_export_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "day.jsonl"
    target.write_text("yesterday's\n")
    path = await a_day(tmp_path)
    with JournalReader(path) as reader:
        rows = reader.rows.records()

        def breaking() -> object:
            yield next(rows)
            raise OSError(5, "Input/output error")

        with pytest.raises(OSError, match="Input/output"):
            export_journal(breaking(), target)  # type: ignore[arg-type]  # a generator that never ends well
        assert len(list(export_lines(rows))) == 32
    assert target.read_text() == "yesterday's\n"
    assert not (tmp_path / "day.jsonl.partial").exists()


@pytest.mark.parametrize(
    ("wall_ns", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (2_147_483_648 * 10**9, "2038-01-19T03:14:08Z"),
        (4_102_444_800 * 10**9 + 123_456_789, "2100-01-01T00:00:00.123456Z"),
        (2**63 - 1, "2262-04-11T23:47:16.854775Z"),
        (-(2**63), "1677-09-21T00:12:43.145224Z"),
    ],
)
def test_wall_time_is_told_in_utc_and_does_not_overflow_br_053(wall_ns: int, text: str) -> None:
    assert utc_text(wall_ns) == text


def test_hours_that_come_twice_or_never_are_plain_in_utc_br_053() -> None:
    """Lisbon goes back at 01:00 UTC on 2026-10-25: a row a minute, no text twice, no gap."""
    start = 1_792_886_400 * 10**9
    texts = [utc_text(start + minute * 60 * 10**9) for minute in range(180)]
    assert texts == sorted(set(texts))
    assert texts[0] == "2026-10-25T00:00:00Z"


def test_space_is_told_before_it_ends_br_049(tmp_path: Path) -> None:
    status = os.statvfs(tmp_path)
    total = status.f_blocks * status.f_frsize
    (fact, gone) = space_facts([tmp_path, tmp_path / "away"])
    assert (fact.total_bytes, fact.alarm_below_bytes) == (total, total // 10)
    assert fact.level is level_of(fact.free_bytes, total // 10)
    assert gone.level is SpaceLevel.GONE
    (low,) = space_facts([tmp_path], floor_bytes=total + 1)
    assert low.level in (SpaceLevel.LOW, SpaceLevel.FULL)
    levels = [level_of(free, 10_000_000) for free in (10_000_000, 9_999_999, FULL_BELOW_BYTES, FULL_BELOW_BYTES - 1, 0)]
    assert levels == [SpaceLevel.ENOUGH, SpaceLevel.LOW, SpaceLevel.LOW, SpaceLevel.FULL, SpaceLevel.FULL]
