"""The scenario files, played in virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]


@pytest.mark.parametrize(("name", "quiet_points"), [("first_rounds", 10), ("day", 120)])
async def test_a_day_comes_out_as_expected(name: str, quiet_points: int, tmp_path: Path) -> None:
    async with house(ROOT / "scenarios" / f"{name}.toml", tmp_path) as here:
        checks = Checks(here)
        outcome = await here.play()
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
        assert checks.quiet_points >= quiet_points
