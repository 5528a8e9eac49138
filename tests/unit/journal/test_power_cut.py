"""BR-048 (c): the power goes at any write; each acknowledged row is there afterwards and the file is whole."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge.clock import SystemClock
from tableside.journal.file import JournalFile
from tableside.journal.opening import open_file
from tableside.journal.record import Draft, Record, RecordKind
from tableside.journal.reserve_layout import HEAD_BYTES
from tableside.journal.schema import Synchronous
from tableside.journal.store import JournalRefused
from tests.support.journals import WIDE, draft, full_disk, place_in
from tests.support.power_cut import DiskLog, Event, LoggedDisk, Unavailable, logged_sqlite

CUTS = 500


@dataclass(frozen=True)
class Story:
    """What was done to the disk, the rows, and after how many events which row was acknowledged."""

    log: DiskLog
    rows: list[Record]
    acknowledged: list[tuple[int, int]]

    def acknowledged_at(self, moment: int) -> int:
        return max((seq for events, seq in self.acknowledged if events <= moment), default=0)


def story(folder: Path, synchronous: Synchronous, chance: random.Random) -> Story:
    """Sixty turns with checkpoints of the log, two stays on the reserve and one clean restart in between."""
    folder.mkdir()
    log = DiskLog()
    acknowledged: list[tuple[int, int]] = []
    try:
        with logged_sqlite(log):
            for part in range(2):
                file, _ = open_file(place_in(folder), clock=SystemClock(), synchronous=synchronous)
                assert file.reserve is not None
                file.reserve._disk = LoggedDisk(file.reserve._disk, "BJ-1.reserve", log)
                acknowledged.append((len(log.events), file.tail.seq))
                for turn in range(30):
                    drafts = _turn(turn, chance)
                    if turn in (12, 13, 14) and part == 0:
                        with full_disk(file):
                            _commit(file, [*drafts, draft(turn, body=WIDE)], log, acknowledged)
                    else:
                        _commit(file, drafts, log, acknowledged)
                    if turn % 9 == 8:
                        file.tend()
                rows = list(file.rows.records())
                assert sorted(os.listdir(folder)) == ["BJ-1.db", "BJ-1.db-shm", "BJ-1.db-wal", "BJ-1.reserve"]
                file.close()
    except Unavailable as error:
        pytest.skip(f"SQLite's file layer cannot be replaced here: {error}")
    return Story(log, rows, acknowledged)


def _turn(turn: int, chance: random.Random) -> list[Draft]:
    kind = RecordKind.CHECKPOINT if turn % 10 == 9 else RecordKind.DECISION
    return [draft(turn), *(draft(turn, kind, body=bytes(chance.randint(0, 900))) for _ in range(chance.randint(0, 4)))]


def _commit(file: JournalFile, drafts: list[Draft], log: DiskLog, acknowledged: list[tuple[int, int]]) -> None:
    file.write([drafts])
    acknowledged.append((len(log.events), file.tail.seq))


def is_reserve_row(event: Event) -> bool:
    return event.act == "write" and event.name == "BJ-1.reserve" and event.offset >= HEAD_BYTES


def cuts(told: Story, folder: Path, chance: random.Random, count: int) -> Iterator[tuple[Path, int]]:
    """Folders as cuts leave them, with the last row that was acknowledged before: every second one between a write
    to the reserve and its sync, as those are few."""
    first = told.acknowledged[0][0]
    moments = (
        range(first, len(told.log.events) + 1),
        [at for at, event in enumerate(told.log.events, 1) if at > first and is_reserve_row(event)],
    )
    for number in range(count):
        moment = chance.choice(moments[number % 2])
        left = folder / f"cut-{number}"
        left.mkdir()
        told.log.after_cut(moment, left, chance)
        yield left, told.acknowledged_at(moment)


def test_five_hundred_power_cuts_br_048(tmp_path: Path) -> None:
    chance = random.Random(48)
    told = story(tmp_path / "day", Synchronous.FULL, chance)
    outcomes = set()
    for left, acknowledged in cuts(told, tmp_path, chance, CUTS):
        # The cut is over: this opening itself need not be safe from one, and OFF is quicker.
        file, opening = open_file(place_in(left), clock=SystemClock(), synchronous=Synchronous.OFF)
        found = list(file.rows.records())
        assert found == told.rows[: len(found)]
        assert len(found) >= acknowledged
        assert opening.findings == ()
        assert file.connection().execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        outcomes.add((len(found) > acknowledged, opening.carried_rows > 0, opening.is_torn))
        file.close()
    # The cuts met what they are there for: rows that nobody was told of, rows on the reserve, half rows on it.
    assert {True, False} == {more for more, _, _ in outcomes}
    assert {True, False} == {carried for _, carried, _ in outcomes}
    assert {True, False} == {torn for _, _, torn in outcomes}


def test_same_cuts_lose_rows_below_full_so_the_cuts_are_real(tmp_path: Path) -> None:
    chance = random.Random(48)
    told = story(tmp_path / "day", Synchronous.OFF, chance)
    lost = 0
    for left, acknowledged in cuts(told, tmp_path, chance, 60):
        try:
            file, opening = open_file(place_in(left), clock=SystemClock())
        except JournalRefused:
            lost += 1
            continue
        lost += file.tail.seq < acknowledged or bool(opening.findings)
        file.close()
    assert lost > 0
