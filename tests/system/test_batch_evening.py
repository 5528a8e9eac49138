"""The batch table's ready files and evening, as docs/howto/two-decks-in-turn.md types them: real processes, a kill."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tableside.config import check

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
DEADLINE_S = 240
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
PLAY = ("--plan", "demo/batch_simulation.toml", "--control-socket", "run/batch/control.sock", "--table", "PK-01")

pytestmark = [pytest.mark.system, pytest.mark.timeout(DEADLINE_S + 60)]


@pytest.fixture
def folder(tmp_path: Path, unused_tcp_port: int) -> Path:
    """The project's demo and scenarios, the switch box on a port that is free."""
    for name in ("demo", "scenarios"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("batch_table.toml", "batch_simulation.toml"):
        path = tmp_path / "demo" / name
        path.write_text(path.read_text("utf-8").replace(":47117", f":{unused_tcp_port}"), "utf-8")
    return tmp_path


async def simulator_says(folder: Path, *words: str) -> tuple[int, str, str]:
    """`tableside-sim` in that folder: exit code, output, errors."""
    process = await asyncio.create_subprocess_exec(
        PYTHON, "-m", "simulator", *words, cwd=folder, env=ENVIRONMENT, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE,
        stderr=PIPE,
    )  # fmt: skip
    async with asyncio.timeout(DEADLINE_S):
        out, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[None]:
    """The simulated room, until the end."""
    process = await asyncio.create_subprocess_exec(
        PYTHON, "-m", "simulator", "serve", "demo/batch_simulation.toml", cwd=folder, env=ENVIRONMENT, stdout=PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(30):
            while b"Stop with Ctrl-C" not in await process.stdout.readline():
                pass
        yield
    finally:
        process.terminate()
        await process.wait()


def test_the_ready_files_are_right() -> None:
    assert check(ROOT / "demo" / "batch_host.toml") == []


async def test_the_evening_in_packets_is_played_by_hand_with_the_daemon_killed_in_it(folder: Path) -> None:
    daemon = f"{PYTHON} -m tableside run --config demo/batch_host.toml"
    async with served(folder):
        code, out, errors = await simulator_says(
            folder, "scenario", "scenarios/batch_packets.toml", *PLAY, "--daemon", daemon
        )
    assert code == 0, out + errors[-2_000:]
    assert "steps came out as expected" in out
    assert errors.count('"event":"daemon_started"') == 2
    assert "daemon_stopped" in errors


async def test_a_scenario_that_kills_the_daemon_is_refused_in_one_sentence_where_nobody_can(folder: Path) -> None:
    async with served(folder):
        code, out, errors = await simulator_says(folder, "scenario", "scenarios/batch_packets.toml", *PLAY)
    assert (code, out) == (64, "")
    assert errors.count("\n") == 1
    assert "--daemon" in errors


@pytest.mark.parametrize(
    ("command", "words"), [("nothing-of-this-name run", "cannot start"), ("true", "ended at once, with exit code 0")]
)
async def test_a_daemon_that_does_not_start_is_said(folder: Path, command: str, words: str) -> None:
    async with served(folder):
        code, _, errors = await simulator_says(
            folder, "scenario", "scenarios/batch_packets.toml", *PLAY, "--daemon", command
        )
    assert code == 69
    assert words in errors
    assert "Traceback" not in errors
