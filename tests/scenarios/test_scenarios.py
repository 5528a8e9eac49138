"""The scenario files, played in virtual time, with checks that stay on whatever is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.plan import Chance
from simulator.watch import Row
from tests.scenarios.checks import Checks, uncounted
from tests.scenarios.retrofit_house import retrofit
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


async def test_a_day_at_a_machine_that_obeys_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be enforced is asked, confirmed and recorded; the cards balance all the same."""
    rows: list[Row] = []
    async with house(tmp_path, more=retrofit) as here:
        checks = Checks(here)
        here.hears.append(rows.append)
        outcome = await here.play(ROOT / "scenarios" / "retrofit_day.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
        assert checks.quiet_points >= 12
    held = {(row.type, row.body["held"]) for row in rows if "held" in row.body and row.body.get("scope") != "lid"}
    assert held == {
        ("LockAdded", "observes"),
        ("PermitGranted", "observes"),
        ("PermitRevoked", "observes"),
        ("EmptyProved", "cannot"),
    }
    asked = {row.body["alert"] for row in rows if row.type == "AlertRaised" and row.body["text"] == "STOP-ASKED"}
    taken = {row.body["alert"] for row in rows if row.type == "AlertTaken" and row.body["by"] == "D-101"}
    assert len(asked) >= 8
    assert asked == taken, "each stop is confirmed by who keeps it"


async def test_the_retrofit_table_of_the_evening_plays_two_rounds_and_a_jam_by_what_people_confirm(
    tmp_path: Path,
) -> None:
    """What `make run` plays beside the table of the days."""
    rows: list[Row] = []
    async with house(tmp_path, more=retrofit) as here:
        checks = Checks(here)
        here.hears.append(rows.append)
        outcome = await here.play(ROOT / "scenarios" / "retrofit_evening.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        assert not (findings := await checks.at_end()), "\n".join(findings)
    told = [row.type for row in rows]
    assert told.count("RoundEnded") >= 2
    assert told.count("CardJammed") == told.count("JamCleared") == 1
    assert [row for row in rows if row.type == "AlertRaised" and row.body["text"] == "STOP-ASKED"]


# What happens at these seeds, and what comes of it.
MISHAPS = {
    "a return counted short": (2, "misread"),
    "a jam in the load, a packet counted short": (14, "jam"),
    "two dealt as one, unnoticed": (20, "double feed"),
    "two at the exit, noticed": (36, "double feed"),
}


@pytest.mark.parametrize(("seed", "mishap"), MISHAPS.values(), ids=MISHAPS)
async def test_an_evening_at_the_rates_of_the_field_balances_to_the_card(
    seed: int, mishap: str, tmp_path: Path
) -> None:
    """semantics §7: what goes wrong goes wrong by itself, through every layer; people and product see it through."""
    async with house(tmp_path, seed=seed, chance=Chance.PINNED) as here:
        checks = Checks(here, is_miscounted=True)
        outcome = await here.play(ROOT / "scenarios" / "pinned_evening.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        fired = here.room.table.machine.carousel.hazards.fired
        assert fired[mishap] if mishap != "misread" else uncounted(here) > fired["double feed"]
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
