"""The tests of a named device, as a person starts them: a pytest of its own against a shuffler of another process.

BR-072: what stands on a bench is known before anything moves, and a refused run is never taken for a passed one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulator.side_client import ask
from tests.support.processes import ROOT, environment, simulated_table
from tests.support.tdl_table import TEST_EPOCH

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

# The mechanics' minute is a second; links, replies and permits keep real time.
PACE = 60
CHILD_LIMIT_S = 240.0
PLATE = ("--serial-number", "000123", "--model", "CSM-SIM")
# The shuffler's answer to whoever looks into it: nothing was asked of it, nothing has moved.
UNTOUCHED = {"epoch": 0, "highest command": 0, "cards in": 0, "cards out": 0, "frames dropped": 0}


@dataclass(frozen=True)
class Bench:
    """A shuffler of the simulator's process, on a pseudo-terminal."""

    folder: Path

    @property
    def address(self) -> str:
        return f"serial://{self.folder}/run/dev/shuffler?baud=115200"

    def look(self) -> dict[str, Any]:
        """Into the machine, as only a laboratory does."""
        world: Any = ask(self.folder / "run" / "simulator.sock", {"act": "look", "everything": True})
        machine: dict[str, Any] = world["devices"]["shuffler"]
        return {key: machine[key] for key in UNTOUCHED}

    def hold_to_contract(self, *options: str) -> subprocess.CompletedProcess[str]:
        """The command line of docs/howto/hold-a-device-to-its-contract.md."""
        command = [sys.executable, "-m", "pytest", "tests/contract/test_tdl_device.py", "-k", "TestRig"]
        quiet = ["-q", "-rsp", "-p", "no:cacheprovider", "--device", f"tdl={self.address}"]
        return subprocess.run(
            [*command, *quiet, *options],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=CHILD_LIMIT_S,
            check=False,
        )


def passed(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The tests that passed, by name."""
    return re.findall(r"^PASSED .*::(test_\w+)$", done.stdout, re.MULTILINE)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with simulated_table(tmp_path, pace=PACE):
        yield Bench(tmp_path)


def refused(done: subprocess.CompletedProcess[str], says: str) -> None:
    """The whole run has ended before its first test, with one message, and not as one that passed."""
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout + done.stderr
    assert done.stdout.count(says) == 1, done.stdout
    assert passed(done) == []
    assert not re.search(r"\d+ (failed|error)", done.stdout), done.stdout


def test_another_device_than_the_named_one_is_told_and_left_alone(bench: Bench) -> None:
    other = ("--serial-number", "000999", "--model", "CSM-SIM", "--may-move", "000999")
    done = bench.hold_to_contract(*other)
    refused(done, "Nothing but HELLO was sent to it")
    assert "000123" in done.stdout, "who answered is said"
    assert bench.look() == UNTOUCHED


# Holds a port as our links and pyserial do, says so, and waits until its input ends.
HOLDER = """import fcntl, sys
port = open(sys.argv[1], "rb+", 0)
fcntl.flock(port, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_port_that_somebody_holds_ends_the_run_and_is_said_by_whom(bench: Bench) -> None:
    """BR-062: each test waited out its own deadline, and none said why."""
    node = str(bench.folder / "run" / "dev" / "shuffler")
    command = [sys.executable, "-c", HOLDER, node]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        done = bench.hold_to_contract(*PLATE, "--may-move", "000123")
        holder.communicate()
    refused(done, "is held by")
    assert f"{holder.pid}" in done.stdout, done.stdout
    assert bench.look() == UNTOUCHED


def test_a_port_that_is_not_there_ends_the_run(bench: Bench) -> None:
    nowhere = Bench(bench.folder / "elsewhere")
    refused(nowhere.hold_to_contract(*PLATE, "--may-move", "000123"), "elsewhere/run/dev/shuffler")


def test_an_open_lid_is_said_before_anything_moves(bench: Bench) -> None:
    ask(bench.folder / "run" / "simulator.sock", {"act": "person", "deed": {"does": "lift-lid", "with_key": True}})
    refused(bench.hold_to_contract(*PLATE, "--may-move", "000123"), "not fit to be moved: its lid is open")
    assert bench.look() == UNTOUCHED


@pytest.mark.parametrize("may_move", [(), ("--may-move", "000124")], ids=["no may-move", "another may-move"])
def test_a_device_that_nobody_lets_move_is_not_even_asked(bench: Bench, may_move: tuple[str, ...]) -> None:
    done = bench.hold_to_contract(*PLATE, *may_move)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout + done.stderr
    assert "--may-move 000123 is needed" in done.stdout
    assert passed(done) == []
    assert bench.look() == UNTOUCHED


def test_the_named_device_that_may_move_is_held_to_its_contract(bench: Bench) -> None:
    done = bench.hold_to_contract(*PLATE, "--may-move", "000123")
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr
    assert {"test_it_says_who_it_is_and_begins_with_booted", "test_the_same_number_twice_runs_once"} <= {*passed(done)}
    assert "nobody's hands at the rig" in done.stdout, "what needs hands is skipped, and says so"
    after = bench.look()
    assert after["epoch"] == TEST_EPOCH
    assert after["highest command"] > 0
    assert after["frames dropped"] == 0
