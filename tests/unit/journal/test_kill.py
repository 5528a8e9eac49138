"""The process is killed at any moment: each acknowledged row is there afterwards, once (BR-048, semantics 1.3)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.clock import SystemClock
from tableside.journal.chain import verify
from tableside.journal.opening import open_file
from tableside.journal.record import Record
from tableside.journal.schema import Synchronous
from tests.support.journal_child import POINTS
from tests.support.journals import TABLE, place_in

ROOT = Path(__file__).parents[3]
KILLS = 6


def run_and_kill(folder: Path, *arguments: str, after: int | None = None) -> int:
    """Run the child until it has told so many rows, or until it dies by itself; the last row that it told."""
    command = [sys.executable, "-m", "tests.support.journal_child", str(folder), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told: list[int] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment) as child:
        assert child.stdout is not None
        for line in child.stdout:  # what it told before its death is still in the pipe then
            told.append(int(line))
            if len(told) == after:
                child.kill()
        assert child.wait(timeout=30) == -9
    return max(told, default=0)


def rows_after_start(folder: Path) -> list[Record]:
    """What the next start finds; everything must be well."""
    file, opening = open_file(place_in(folder), clock=SystemClock(), synchronous=Synchronous.OFF)
    try:
        assert opening.findings == ()
        assert file.standing() == ()
        assert file.connection().execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = list(file.rows.records())
        assert verify(rows, table=TABLE, anchor=file.tail) == []
        return rows
    finally:
        file.close()


def test_killed_again_and_again(tmp_path: Path) -> None:
    chance = random.Random(9)
    before: list[Record] = []
    for _ in range(KILLS):
        told = run_and_kill(tmp_path, after=chance.randint(1, 400))
        rows = rows_after_start(tmp_path)
        assert len(rows) >= told > len(before)
        assert rows[: len(before)] == before
        before = rows


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_each_point_of_a_commit(point: str, tmp_path: Path) -> None:
    told = run_and_kill(tmp_path, point, "3")
    rows = rows_after_start(tmp_path)
    assert len(rows) >= told > 0
    # It goes on from there, and dies there again.
    told = run_and_kill(tmp_path, point, "2")
    assert len(rows_after_start(tmp_path)) >= told >= len(rows)
