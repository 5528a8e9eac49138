"""The scenario files, played in virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, house

pytestmark = pytest.mark.virtual_time


async def test_first_rounds(tmp_path: Path) -> None:
    async with house(ROOT / "scenarios" / "first_rounds.toml", tmp_path) as here:
        checks = Checks(here)
        outcome = await here.play()
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        assert await checks.at_end() == []
        assert checks.quiet_points >= 10
