"""A run says last which peers and rigs were missing, so that a green run cannot hide what it did not try."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.peer_report import NOTHING_SKIPPED, last_line, missed

ROOT = Path(__file__).parents[2]


def report(name: str, reason: str = "", **keywords: int) -> pytest.TestReport:
    """The report of one test, skipped where there is a reason."""
    longrepr = (name, 1, f"Skipped: {reason}") if reason else None
    outcome = "skipped" if reason else "passed"
    return pytest.TestReport(name, (name, 1, name), keywords, outcome, longrepr, "call")


def test_skipped_peers_and_rigs_are_counted_by_reason_in_any_order() -> None:
    ran = [report("tests/unit/a.py::x"), report("tests/contract/b.py::y", peer=1)]
    skipped = [
        report("tests/peers/c.py::x", "no C compiler", peer=1),
        report("tests/peers/c.py::y", "no C compiler", peer=1),
        report("tests/peers/d.py", "mosquitto is not installed"),
        report("tests/contract/e.py::x", "no device named", rig=1),
        report("tests/unit/f.py::x", "not on this system"),
    ]
    expected = (
        "peers and rigs: 1 ran, 4 skipped: no C compiler (2), mosquitto is not installed (1), no device named (1)"
    )
    for seed in range(5):
        random.Random(seed).shuffle(skipped)
        assert last_line(ran, skipped) == expected


def test_a_run_without_any_says_so() -> None:
    assert last_line([report("tests/unit/a.py::x")], []) == "peers and rigs: none in this selection"


def test_where_nothing_may_be_skipped_a_peer_is_missed_and_a_rig_is_not() -> None:
    skipped = [
        report("tests/peers/c.py::x", "node and npm are not installed", peer=1),
        report("tests/contract/e.py::x", "no device named", rig=1),
        report("tests/tidy/u.py::x", "no udevadm that verifies (systemd 254 or later)", peer=1),
        report("tests/unit/f.py::x", "not on this system"),
        report("tests/peers/a.py", "no C compiler"),
    ]
    assert missed(skipped) == [
        "tests/peers/a.py: no C compiler",
        "tests/peers/c.py::x: node and npm are not installed",
    ]


@pytest.mark.parametrize(("is_set", "end"), [("", 0), ("1", 1)])
def test_a_real_run_without_a_peer_fails_where_nothing_may_be_skipped(is_set: str, end: int, tmp_path: Path) -> None:
    """A peer that needs node, on a path without it."""
    (tmp_path / "python").symlink_to(sys.executable)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/peers/test_cctalk_peer.py"]
    environment = {**os.environ, "PATH": str(tmp_path), NOTHING_SKIPPED: is_set}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60, env=environment)
    assert run.returncode == end, run.stdout
    assert ("and these were skipped" in run.stdout) is bool(end)


def test_ci_skips_no_peer_where_their_index_can_be_reached() -> None:
    lines = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    (asked,) = [line for line in lines if line.endswith(f"&& export {NOTHING_SKIPPED}=1")]
    assert asked.startswith("npm view ")
    assert lines.index(asked) < lines.index("make test")


@pytest.mark.parametrize("options", [["-q"], ["-v"], ["-q", "-q"]])
def test_it_is_the_last_line_of_a_real_run(options: list[str]) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "tests/tidy/test_rules_page.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.rstrip().split("\n")[-1] == "peers and rigs: none in this selection"
