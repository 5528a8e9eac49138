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
from tests.scenarios.retrofit_house import retrofit
from tests.scenarios.virtual_house import ROOT, house

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


PLAY = """
person = "Ana"
does = "play"
with = { rounds = 8, ends_with = "nothing" }
within_s = 2000
expect = [{ state = "procedures.rounds.number", is = 8 }, { state = "alerts", at_most = 0 }]
"""


async def test_eight_rounds_of_a_machine_behind_light_gates_end_with_the_cards_that_go_in(tmp_path: Path) -> None:
    """The dealer says nothing, the tray's contact counts nothing, and no gate obeys."""
    text = (ROOT / "scenarios" / "retrofit_day.toml").read_text("utf-8")
    opening = text[: text.index("[[steps]]", text.rindex("[[steps]]", 0, text.index('does = "play"')))]
    story = tmp_path / "gates.toml"
    story.write_text(f"{opening}[[steps]]{PLAY}", "utf-8")
    ends: list[str] = []
    async with house(tmp_path, more=lambda plan, config: without_key(*retrofit(plan, config))) as here:
        checks = Checks(here)
        here.hears.append(lambda row: ends.append(row.body["how"]) if row.type == "RoundEnded" else None)
        outcome = await here.play(story)
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
    assert ends == ["sensed"] * 8
