"""The reserve against a disk that fails at every byte."""

from __future__ import annotations

import multiprocessing
import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from tableside.journal.disk import DiskFile, DiskHeld
from tableside.journal.numbering import number
from tableside.journal.record import Record, RecordKind, Tail, record_of
from tableside.journal.reserve import RESERVE_BYTES, Reserve, ReserveFull
from tableside.journal.reserve_layout import END, HEAD_BYTES, MAGIC, packed_row, read_content
from tests.support.faulty_disk import FaultyDisk, Killed
from tests.support.journals import draft

SMALL_BYTES = HEAD_BYTES + 8_192
START = Tail(41, bytes(range(32)))


def rows_after(tail: Tail, count: int, *, first: int = 0, size: int | None = None) -> list[Record]:
    body = None if size is None else bytes(size)
    drafts = [draft(first + n, body=body) for n in range(count)]
    return [record_of(row) for row in number(drafts, tail, boot="boot", is_taken=lambda _: False, claimed=set())]


def tail_of(rows: list[Record]) -> Tail:
    return Tail(rows[-1].seq, rows[-1].hash)


def fresh() -> tuple[Reserve, FaultyDisk]:
    disk = FaultyDisk(bytes(SMALL_BYTES))
    return Reserve(disk), disk


def test_thousand_rows_of_four_kilobytes_fit_semantics_1_1() -> None:
    reserve = Reserve(FaultyDisk(bytes(RESERVE_BYTES)))
    reserve.append(rows_after(START, 1_000, size=4_096))
    assert len(reserve.rows) == 1_000


def test_rows_and_anchor_come_back() -> None:
    reserve, disk = fresh()
    rows = rows_after(START, 5)
    reserve.append(rows[:2])
    reserve.append(rows[2:])
    reserve.note(tail_of(rows))
    again = Reserve(disk.after_kill())
    assert again.rows == tuple(rows)
    assert again.anchor == tail_of(rows)
    assert not again.is_torn
    assert again.free_bytes == reserve.free_bytes


def test_full_reserve_takes_nothing_and_keeps_what_it_has() -> None:
    reserve, disk = fresh()
    rows = rows_after(START, 1)
    reserve.append(rows)
    with pytest.raises(ReserveFull):
        reserve.append(rows_after(tail_of(rows), 1, size=SMALL_BYTES))
    assert Reserve(disk.after_kill()).rows == tuple(rows)
    exactly = reserve.free_bytes - len(packed_row(rows_after(tail_of(rows), 1, size=0)[0]))
    reserve.append(rows_after(tail_of(rows), 1, size=exactly))
    assert reserve.free_bytes == 0
    assert len(Reserve(disk.after_kill()).rows) == 2


def test_killed_at_every_byte_of_an_append_no_half_row_and_nothing_acknowledged_lost() -> None:
    before = rows_after(START, 2)
    more = rows_after(tail_of(before), 2, first=2)
    length = sum(len(packed_row(row)) for row in more) + len(END)
    seen = set()
    for budget in range(length):
        reserve, disk = fresh()
        reserve.append(before)
        disk.budget, disk.kills = budget, True
        with pytest.raises(Killed):
            reserve.append(more)
        again = Reserve(disk.after_kill())
        count = len(again.rows)
        assert again.rows == tuple([*before, *more][:count])
        assert count >= len(before)
        seen.add(count)
        # The next process goes on after what it found.
        following = rows_after(tail_of(list(again.rows)), 1, first=9)
        again.append(following)
        assert again.rows[-1] == following[0]
    assert seen == {2, 3, 4}


@pytest.mark.parametrize("seed", range(20))
def test_power_cut_leaves_every_acknowledged_row_and_an_anchor_that_is_whole(seed: int) -> None:
    chance = random.Random(seed)
    reserve, disk = fresh()
    rows: list[Record] = []
    anchors: list[Tail | None] = [None]
    for _ in range(6):
        new = rows_after(tail_of(rows) if rows else START, chance.randint(1, 3), first=len(rows))
        reserve.append(new)
        rows += new
        reserve.note(tail_of(rows))
        anchors.append(tail_of(rows))
        again = Reserve(disk.after_power_cut(chance))
        assert again.rows == tuple(rows)
        assert again.anchor in anchors[-2:]


def test_killed_at_every_byte_of_the_anchor_it_is_the_old_or_the_new_one() -> None:
    first, second, third = (Tail(n, bytes([n]) * 32) for n in (1, 2, 3))
    seen = set()
    for budget in range(64):
        reserve, disk = fresh()
        reserve.note(first)
        reserve.note(second)
        disk.budget, disk.kills = budget, True
        with suppress(Killed):
            reserve.note(third)
        anchor = Reserve(disk.after_kill()).anchor
        assert anchor in (second, third)
        seen.add(anchor)
    assert seen == {second, third}


def test_failed_append_leaves_room_for_the_next_one() -> None:
    rows = rows_after(START, 2)
    reserve, disk = fresh()
    reserve.append(rows[:1])
    for fault in ("write", "sync"):
        disk.budget, disk.sync_fails = (70, False) if fault == "write" else (None, True)
        with pytest.raises(OSError, match="Input/output"):
            reserve.append(rows_after(tail_of(rows[:1]), 3, first=7))
        assert reserve.rows == tuple(rows[:1])
    disk.budget, disk.sync_fails = None, False
    reserve.append(rows[1:])
    assert Reserve(disk.after_kill()).rows == tuple(rows)


def test_rows_of_an_earlier_stay_do_not_come_back() -> None:
    reserve, disk = fresh()
    old = rows_after(START, 6)
    reserve.append(old)
    reserve.release()
    assert Reserve(disk.after_kill()).rows == ()
    new = rows_after(tail_of(old), 1, first=50)
    disk.budget, disk.kills = len(packed_row(new[0])), True
    with pytest.raises(Killed):
        reserve.append(new)  # before its end mark is written: behind it lie old rows, whole where lengths agree
    assert Reserve(disk.after_kill()).rows == tuple(new)


def test_rows_found_at_the_start_are_released_like_others() -> None:
    reserve, disk = fresh()
    reserve.append(rows_after(START, 2))
    disk = disk.after_kill()
    Reserve(disk).release()
    assert Reserve(disk.after_power_cut(random.Random(1))).rows == ()


def test_release_that_fails_is_done_by_the_next_one() -> None:
    reserve, disk = fresh()
    reserve.append(rows_after(START, 2))
    disk.sync_fails = True
    with pytest.raises(OSError, match="Input/output"):
        reserve.release()
    again = Reserve(FaultyDisk(bytes(disk.after_power_cut(random.Random(3)).seen)))
    assert len(again.rows) in (0, 2)
    disk.sync_fails = False
    reserve.release()
    assert Reserve(disk.after_power_cut(random.Random(1))).rows == ()
    syncs = disk.syncs
    reserve.release()
    assert disk.syncs == syncs  # nothing to do: the common commit writes nothing here


@pytest.mark.parametrize("seed", range(5))
def test_damage_anywhere_never_makes_a_row(seed: int) -> None:
    chance = random.Random(seed)
    rows = rows_after(START, 6)
    reserve, disk = fresh()
    reserve.append(rows)
    reserve.note(tail_of(rows))
    used = SMALL_BYTES - reserve.free_bytes
    for _ in range(300):
        raw = bytearray(disk.seen)
        raw[chance.randrange(used)] ^= 1 << chance.randrange(8)
        try:
            content = read_content(bytes(raw))
        except ValueError:
            continue  # the name of the format was hit
        assert content.rows == tuple(rows[: len(content.rows)])
        assert len(content.rows) == len(rows) or content.is_torn
        assert content.anchor in (None, tail_of(rows))


@pytest.mark.parametrize("seed", range(5))
def test_any_bytes_at_all_are_refused_or_empty(seed: int) -> None:
    chance = random.Random(seed)
    for size in (0, 7, 8, 511, 1_100, SMALL_BYTES):
        noise = chance.randbytes(size)
        if noise:
            with pytest.raises(ValueError, match="not a reserve"):
                read_content(noise)
        content = read_content(b"TSRESRV1" + noise)
        assert content.rows == ()
        assert content.anchor is None
        assert content.is_torn == (size > HEAD_BYTES)
    assert read_content(bytes(SMALL_BYTES)).rows == ()


def test_disk_file_is_really_as_long_as_it_says_and_held_once(tmp_path: Path) -> None:
    path = tmp_path / "table.reserve"
    disk = DiskFile(path, 100_000, magic=MAGIC)
    assert os.stat(path).st_blocks * 512 >= 100_000  # written, not only promised
    assert os.stat(path).st_mode & 0o777 == 0o600
    with pytest.raises(DiskHeld):
        DiskFile(path, 100_000, magic=MAGIC)
    disk.write(10, b"kept")
    disk.sync()
    disk.close()
    disk.close()
    again = DiskFile(path, 200_000, magic=MAGIC)
    assert (again.size, again.read(10, 4), again.read(199_990, 100)) == (200_000, b"kept", bytes(10))
    again.close()


def _hold(path: Path, ready: multiprocessing.synchronize.Event) -> None:
    DiskFile(path, 4_096, magic=MAGIC)
    ready.set()
    os.kill(os.getpid(), 9)


def test_lock_ends_with_its_holder_br_062(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(tmp_path / "table.reserve", ready))
    holder.start()
    holder.join(timeout=30)
    assert ready.is_set()
    assert holder.exitcode == -9
    DiskFile(tmp_path / "table.reserve", 4_096, magic=MAGIC).close()


def test_checkpoint_rows_stand_on_the_reserve_like_others() -> None:
    reserve, disk = fresh()
    (row,) = number(
        [draft(1, RecordKind.CHECKPOINT, body=bytes(3_000))], START, boot="b", is_taken=lambda _: False, claimed=set()
    )
    reserve.append([record_of(row)])
    assert Reserve(disk.after_kill()).rows[0].kind is RecordKind.CHECKPOINT
