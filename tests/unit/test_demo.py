"""What `make run` says at its end works as typed."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.config import load_host
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
