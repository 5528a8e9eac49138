"""SIGKILL at moments that nobody chose, in commands and in recoveries: nothing twice, nothing lost, the chain holds."""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tableside.exit_codes import ExitCode
from tests.support.processes import daemon, simulated_table, tableside, until

pytestmark = pytest.mark.system
KILLS = 6
SEED = 2026
# From a process that only begins to one that has asked its devices, and in which the machine counts.
LATEST_S = 1.5


def rows(journal: Path, kind: str) -> list[dict[str, object]]:
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as reading:
        found = reading.execute("SELECT body FROM record WHERE type = ?", (kind,)).fetchall()
    return [msgspec.json.decode(body) for (body,) in found]


def test_killed_at_random_moments_nothing_is_done_twice(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    journal = tmp_path / "run" / "BJ-07.db"
    control, log = tmp_path / "run" / "control.sock", tmp_path / "log"
    with simulated_table(tmp_path, pace=8) as config:
        for _ in range(KILLS):
            with daemon(config, control, log) as running:
                asked = tableside(
                    "count", "all", "--as", "S-201", "--id", "count-1", "--socket", str(control), "--json"
                )
                assert asked.returncode in {ExitCode.DONE, ExitCode.REFUSED}, asked.stderr
                time.sleep(chance.uniform(0, LATEST_S))
                running.end(signal.SIGKILL)
        with daemon(config, control, log) as running:
            until(lambda: bool(rows(journal, "CountEnded")), lambda: running.log)
            until(lambda: rows(journal, "CommandIntended") != [], lambda: running.log)
            assert running.end() == ExitCode.DONE, running.log
    asked_of = Counter((row["device"], row["number"]) for row in rows(journal, "CommandIntended"))
    assert set(asked_of.values()) == {1}, "a number is given out once"
    assert len([row for row in rows(journal, "CountAll") if row["id"] == "count-1"]) == 1, "asked once"
    ended = Counter((row["device"], row["number"]) for row in rows(journal, "CommandFinished"))
    assert set(ended.values()) == {1}, "ends once"
    for kind in ("CardsOut", "CardsIn", "CommandEnded"):
        told = Counter((row["device"], row["boot"], row["number"]) for row in rows(journal, kind))
        assert set(told.values()) <= {1}, "no notice twice"
    assert len(rows(journal, "DaemonStarted")) == KILLS + 1
    verified = tableside("journal", "verify", str(journal), "--explain")
    assert verified.returncode == ExitCode.DONE, verified.stdout + verified.stderr
