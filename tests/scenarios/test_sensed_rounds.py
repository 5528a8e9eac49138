"""Rounds of a table without a DONE key, from roller to record: what its sensors tell ends them (CSM-10)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from simulator.plan import Plan
from simulator.watch import Row
from tableside.config import HostConfig
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(300)]
HERE = Path(__file__).parent


def without_key(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    table = config.tables[0]
    settings = msgspec.structs.replace(table.settings, round_end="sensed")
    return plan, dataclasses.replace(config, tables=(dataclasses.replace(table, settings=settings),))


async def test_twelve_rounds_end_in_the_tray(tmp_path: Path) -> None:
    rows: list[Row] = []
    async with house(tmp_path, more=without_key) as here:
        checks = Checks(here)
        here.hears.append(rows.append)
        outcome = await here.play(HERE / "sensed_rounds.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
    ends = [row.body["how"] for row in rows if row.type == "RoundEnded"]
    assert ends == ["sensed"] * 12
    assert not [row for row in rows if row.type in ("RoundDoubted", "KeyPressed")]
