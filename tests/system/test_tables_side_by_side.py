"""Three whole tables on one daemon, each with devices and people of its own; the daemon is killed, and all go on."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from simulator.play import Where, play
from simulator.side_client import ask
from tableside.exit_codes import ExitCode
from tests.support.processes import DEADLINE_S, ROOT, Running, simulated_table, tableside

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

PACE = 20
# Table → its section, and the supervisor there with his badge.
TABLES = {
    "BJ-07": ("A", "S-201", "26:00020140"),
    "BJ-08": ("B", "S-203", "26:00020340"),
    "BJ-09": ("C", "S-204", "26:00020440"),
}
SECTION_C = """
[[sections]]
name = "C"
floor_supervisors = ["S-204"]
neighbour = "A"

[[staff]]
staff_id = "S-204"
name = "Sofia Reis"
roles = ["floor supervisor"]
badge = "26:00020440"
"""

# Who deals stands last in the demo's host file.
DEALERS = '[[staff]]\nstaff_id = "D-'


@contextmanager
def pit(folder: Path) -> Iterator[Callable[[], Running]]:
    """A room of its own for each table; gives what starts the one daemon for all, as often as it is killed."""
    with ExitStack() as rooms:
        for table, (section, _staff, _badge) in TABLES.items():
            edits = {
                'name = "BJ-07"': f'name = "{table}"',
                'section = "A"': f'section = "{section}"',
                'staff_id = "D-1': f'staff_id = "D-{table[-1]}',
                '"26:0001': f'"26:001{table[-1]}',
            }
            rooms.enter_context(simulated_table(folder / table, pace=PACE, edits=edits))
        host = folder / "BJ-07" / "demo" / "host.toml"
        files = json.dumps([str(folder / table / "demo" / "table.toml") for table in TABLES])
        text = host.read_text("utf-8").replace('tables = ["table.toml"]', f"tables = {files}")
        others = [(folder / table / "demo" / "host.toml").read_text("utf-8") for table in TABLES if table != "BJ-07"]
        dealers = [other[other.index(DEALERS) :] for other in others]
        host.write_text("\n".join((text, *dealers, SECTION_C)), "utf-8")
        started: list[Running] = []

        def start() -> Running:
            started.append(Running(host, folder / "BJ-07" / "run" / "control.sock", folder / "log"))
            started[-1].until_answering()
            return started[-1]

        try:
            yield start
        finally:
            for running in started:
                if running.process.poll() is None:
                    running.process.kill()
                    running.process.wait(DEADLINE_S)


async def play_at(folder: Path, table: str) -> None:
    """The first rounds, by this table's own people."""
    _section, staff, badge = TABLES[table]
    text = (ROOT / "scenarios" / "first_rounds.toml").read_text("utf-8")
    scenario = folder / f"{table}.toml"
    for old, new in (("S-201", staff), ("26:00020140", badge), ("D-101", f"D-{table[-1]}01")):
        text = text.replace(old, new)
    scenario.write_text(text.replace("26:0001", f"26:001{table[-1]}"), "utf-8")
    side = folder / table / "run" / "simulator.sock"
    where = Where(folder / "BJ-07" / "run" / "control.sock", side, table, PACE)
    said: list[str] = []
    outcome = await play(scenario, where, said.append)
    assert outcome.is_right, "\n".join([table, *said, *map(str, outcome.mismatches)])


async def until_dealing(running: Running) -> None:
    """Wait until a round is under way at one table while another is not that far: they do not move in step."""
    while True:
        rounds = [(await _state(running, table))["procedures"]["rounds"] for table in TABLES]
        if any(each["number"] >= 2 and each["state"] == "dealing" for each in rounds):
            return
        await asyncio.sleep(0.1)


async def _state(running: Running, table: str) -> Any:
    return await asyncio.to_thread(running.told, "state", table=table)


async def test_each_table_has_its_own_day_on_one_daemon(tmp_path: Path) -> None:
    with pit(tmp_path) as start:
        running = await asyncio.to_thread(start)
        spare = tmp_path / "BJ-08" / "run" / "simulator.sock"
        ask(spare, {"act": "world", "deed": {"does": "pull-cable", "device": "spare"}})  # no business of the others
        plays = [asyncio.create_task(play_at(tmp_path, table)) for table in TABLES]
        await until_dealing(running)
        assert await asyncio.to_thread(running.end, signal.SIGKILL) == -signal.SIGKILL
        running = await asyncio.to_thread(start)
        await asyncio.gather(*plays)
        for table, (section, staff, _badge) in TABLES.items():
            state = await _state(running, table)
            assert (state["section"], state["supervisor"]) == (section, staff)
            assert state["procedures"]["rounds"]["number"] == 5
            assert state["account"]["balances"]["machine"] == 312
            spare_known = state["devices"]["known"].get("spare", {})
            assert spare_known.get("is_connected", False) is (table != "BJ-08"), spare_known
            world: Any = ask(tmp_path / table / "run" / "simulator.sock", {"act": "look", "everything": True})
            assert world["census"]["machine"] == world["devices"]["shuffler"]["cards inside"] == 312
            assert world["devices"]["shuffler"]["boot"] == 1
        assert await asyncio.to_thread(running.end) == ExitCode.DONE, running.log
        for table in TABLES:
            verified = tableside("journal", "verify", str(tmp_path / "BJ-07" / "run" / f"{table}.db"), "--explain")
            assert verified.returncode == ExitCode.DONE, verified.stdout + verified.stderr
            assert "every turn is decided as it was" in verified.stdout
