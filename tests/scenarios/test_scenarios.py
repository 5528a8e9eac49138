"""The scenario files, played in virtual time, with checks that stay on whatever is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("days", "quiet_points", "rules"),
    [
        (("first_rounds",), 10, 30),
        (("short_day",), 80, 30),
        (("short_day_bad_deck",), 12, 30),
        (("day", "short_day_bad_deck"), 140, 45),
    ],
    ids=["first rounds", "short day", "bad deck", "two days"],
)
async def test_a_day_comes_out_as_expected(
    days: tuple[str, ...], quiet_points: int, rules: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with house(tmp_path) as here:
        checks = Checks(here)
        for day in days:
            outcome = await here.play(ROOT / "scenarios" / f"{day}.toml")
            assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
        assert checks.quiet_points >= quiet_points
        wire = here.host.ear  # every message of both ends, reconnects and restarts among them
        assert wire.messages > 1_000
        assert len(wire.valid) >= rules, sorted(wire.valid)
