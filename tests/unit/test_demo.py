"""What `make run` says at its end works as typed."""

from __future__ import annotations

import re
import runpy
import shlex
import socket
from pathlib import Path
from typing import Any

import pytest

from demo.outside import free_port, write_files
from demo.status import configured, findings
from simulator.kinds import KINDS
from simulator.plan import read_plan
from simulator.scenario import read_scenario
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.config import check, load_host
from tableside.pins import is_pin
from tableside.procedures.outcomes import BY_TWO
from tests.support.session import open_table
from tests.support.written import written

ROOT = Path(__file__).parents[2]


@pytest.fixture
def demo() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "demo" / "run.py"), run_name="demo")


def test_the_hinted_commands_work_as_typed(
    demo: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = written(open_table(), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert demo["look_further"](journal) == 0
    typed = [line for line in capsys.readouterr().out.splitlines() if " journal report " in line or " diag " in line]
    assert len(typed) == len(demo["LOOK_FURTHER"])
    for line in typed:
        program, words = demo["program"](), line.strip()
        assert words.startswith(program)
        assert Path(shlex.split(program)[0]).exists()
        assert run_command(tableside, shlex.split(words.removeprefix(program))) == 0


@pytest.mark.parametrize("broker_port", [None, 47_883])
@pytest.mark.parametrize("page", [None, "http://127.0.0.1:8378"])
def test_the_files_that_are_made_are_sound(tmp_path: Path, broker_port: int | None, page: str | None) -> None:
    """With and without a broker, with and without what serves a page: the same table, and a wall in the room."""
    run = tmp_path / "run"
    (run / "reserve").mkdir(parents=True)
    write_files(ROOT / "demo", run, broker_port, page)
    for name in ("host", "evening"):
        assert [one for one in check(run / f"{name}.toml") if one.is_refused] == []
    host, evening = load_host(run / "host.toml"), load_host(run / "evening.toml")
    assert host.control_socket == evening.control_socket == run / "control.sock"
    assert (host.broker is not None) is (broker_port is not None)
    assert [device.role for device in host.tables[0].devices if device.role == "display"] == []
    shown = {device.name: device.address for device in evening.tables[0].devices if device.role == "display"}
    assert set(shown) == ({"wall", "page"} if page else {"wall"})
    plan = read_plan(run / "simulation.toml")
    assert {device.name: device.address for device in plan.devices}["wall"] == shown["wall"]
    assert plan.simulation.side_channel == str(run / "simulator.sock")
    assert read_scenario(ROOT / "scenarios" / "jackpot_shown.toml", KINDS).steps


WANTED = {"BJ-07": ["shuffler", "page"], "BA-01": ["shoe"]}
TEXT = "shuffler connected\npage away\nshoe connected\n"


def status(**away: bool) -> dict[str, Any]:
    return {
        "tables": {
            table: {"devices": {name: {"is_connected": not away.get(name, False)} for name in names}}
            for table, names in WANTED.items()
        }
    }


def test_the_status_at_the_end_names_every_device_of_the_evening(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    write_files(ROOT / "demo", run, 47_883, "http://127.0.0.1:8378")
    devices = configured(run / "evening.toml")
    assert {table: len(names) > 0 for table, names in devices.items()} == dict.fromkeys(
        ("BJ-07", "BJ-08", "BA-01"), True
    )
    assert {"shuffler", "wall", "page"} <= set(devices["BJ-07"])
    assert "lamp" in devices["BJ-08"]
    assert findings(WANTED, status(), TEXT, 0) == []
    assert findings(WANTED, status(page=True), TEXT, 81) == []


@pytest.mark.parametrize(
    ("told", "text", "code", "said"),
    [
        (status(shoe=True), TEXT, 81, "BA-01: shoe is away"),
        (status(page=True), TEXT, 0, "ended with 0 where 81 is due"),
        (status(), TEXT, 78, "ended with 78 where 0 is due"),
        (status(), "shuffler\npage\n", 0, "BA-01: shoe is not in the text"),
        ({"tables": {"BJ-07": status()["tables"]["BJ-07"]}}, TEXT, 0, "BA-01: shoe is not in the answer"),
    ],
)
def test_a_status_that_lacks_a_device_makes_the_run_fail(told: dict[str, Any], text: str, code: int, said: str) -> None:
    assert any(said in line for line in findings(WANTED, told, text, code))


def test_a_port_that_is_taken_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert free_port(port) != port


def test_a_hint_that_does_not_work_makes_the_run_fail(demo: dict[str, Any], tmp_path: Path) -> None:
    assert demo["look_further"](tmp_path / "none.db") != 0


def test_the_program_is_named_from_where_one_stands(
    demo: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tableside` alone is on nobody's path after `make run`."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    monkeypatch.setattr("sys.executable", str(tmp_path / ".venv" / "bin" / "python"))
    monkeypatch.chdir(tmp_path)
    assert demo["program"]().endswith("python -m tableside")
    (tmp_path / ".venv" / "bin" / "tableside").touch()
    assert demo["program"]() == ".venv/bin/tableside"


def test_the_pins_of_the_demo_are_those_beside_their_hashes_and_two_persons_can_adopt_a_device() -> None:
    """Technician and room management, both by PIN: without one of them a device of another journal stays locked out."""
    text = (ROOT / "demo" / "host.toml").read_text("utf-8") + (ROOT / "demo" / "table.toml").read_text("utf-8")
    shown = re.findall(r'^pin_hash = "([^"]+)" # (\d+)$', text, re.MULTILINE)
    assert len(shown) == text.count("\npin_hash = ")
    assert all(is_pin(pin, stored) for stored, pin in shown)
    staff = load_host(ROOT / "demo" / "host.toml").tables[0].staff
    having = {role for member in staff if member.pin_hash for role in member.roles}
    assert set(BY_TWO) <= having
