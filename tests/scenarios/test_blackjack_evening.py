"""Rounds of blackjack followed through every layer, in virtual time: a reader, a dealer's words and mistakes."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from simulator.plan import Plan
from simulator.watch import Row
from tableside.config import HostConfig
from tableside.games.blackjack_settings import BlackjackSettings
from tests.scenarios.checks import Checks
from tests.scenarios.test_card_reader import with_reader
from tests.scenarios.virtual_house import ROOT, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

SETTINGS = BlackjackSettings(currency="EUR", minimum=1_000, maximum=30_000)


def followed(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's table with a reader, and its hands are followed."""
    plan, config = with_reader(plan, config)
    return plan, dataclasses.replace(config, tables=(dataclasses.replace(config.tables[0], blackjack=SETTINGS),))


async def test_an_evening_with_mistakes_and_decisions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No card of a round that is still secret leaves the daemon, and every row is what replay decides."""
    rows: Counter[str] = Counter()
    async with house(tmp_path, more=followed) as here:
        checks = Checks(here)

        def hear(row: Row) -> None:
            rows[row.type] += 1

        here.hears.append(hear)
        for name in ("first_rounds", "blackjack_evening"):
            outcome = await here.play(ROOT / "scenarios" / f"{name}.toml")
            assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
    assert rows["HandDealt"] > 60
    assert rows["Decided"] == 2
