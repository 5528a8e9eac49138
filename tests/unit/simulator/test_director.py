"""When a scenario's step begins."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from simulator.director import Director
from simulator.kinds import KINDS
from simulator.people import Scene
from simulator.scenario import read_scenario
from simulator.speaking import Channel
from simulator.watch import Watch

SCENARIO = """
title = "killed while it recovers"
seed = 1

[[cast]]
name = "Ana"
as = "dealer"
staff_id = "D-101"
badge = "26:00010140"

[[steps]]
world = "start-daemon"

[[steps]]
world = "kill-daemon"
when = [{ row = "DaemonStarted" }]
"""


class SilentChannel:
    """A daemon that says nothing by itself."""

    async def write(self, line: bytes) -> None: ...

    async def read(self) -> bytes:
        return await asyncio.Event().wait() and b""

    async def close(self) -> None: ...


class QuickHost:
    """A daemon whose first row is heard before its launcher says that it is up."""

    def __init__(self) -> None:
        self.watch: Watch | None = None
        self.deeds: list[str] = []

    async def start(self) -> None:
        self.deeds.append("start")
        assert self.watch is not None
        entry = {"seq": 8, "type": "DaemonStarted", "body": {}, "at": "2026-01-01T00:00:00Z"}
        self.watch._heard({"entry": entry})

    async def kill(self) -> None:
        self.deeds.append("kill")


class NoCauses:
    async def proofs(self) -> list[dict[str, Any]]:
        return []


BROKER = (
    SCENARIO.split("[[steps]]")[0]
    + """[[steps]]
world = "kill-broker"

[[steps]]
world = "start-broker"
"""
)


def scene_of(watch: Watch) -> Scene:
    return Scene(watch=watch, side=NoCauses(), connect=watch.line._connect, pace=1, seed=1, token="t", retry_s=1)  # type: ignore[arg-type]  # proofs are all that is asked


@pytest.mark.virtual_time
async def test_a_broker_is_killed_and_started_by_whoever_has_one(tmp_path: Path) -> None:
    async def talk() -> Channel:
        return SilentChannel()

    file = tmp_path / "broker.toml"
    file.write_text(BROKER, "utf-8")
    watch, daemon, broker = Watch(talk, table="BJ-07", retry_s=1), QuickHost(), QuickHost()
    broker.watch = watch
    outcome = await Director(read_scenario(file, KINDS), scene_of(watch), daemon, broker).run()
    assert outcome.is_right, outcome.mismatches
    assert (daemon.deeds, broker.deeds) == ([], ["kill", "start"])
    outcome = await Director(read_scenario(file, KINDS), scene_of(watch), daemon).run()
    assert "there is no broker here" in str(outcome.mismatches[0])


@pytest.mark.virtual_time
async def test_what_is_waited_for_may_have_come_while_the_step_before_was_still_at_it(tmp_path: Path) -> None:
    """A day of real processes stood still here: the daemon's first row was heard before the next step looked for it."""

    async def talk() -> Channel:
        return SilentChannel()

    host = QuickHost()
    host.watch = watch = Watch(talk, table="BJ-07", retry_s=1)
    scene = scene_of(watch)
    file = tmp_path / "killed.toml"
    file.write_text(SCENARIO, "utf-8")
    outcome = await Director(read_scenario(file, KINDS), scene, host).run()
    assert outcome.is_right, outcome.mismatches
    assert host.deeds == ["start", "kill"]
