"""A table whose cards are shuffled by hand, whole and in virtual time: two shoes, an interruption, a power cut."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from simulator.plan import Plan
from tableside.config import HostConfig
from tableside.configuration.shape import SpecialCards
from tableside.house import TableKind
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

MACHINES = ("shuffler", "spare")


def by_hand(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's table without its machines."""
    room = msgspec.structs.replace(plan, devices=tuple(one for one in plan.devices if one.name not in MACHINES))
    (table,) = config.tables
    here = dataclasses.replace(
        table,
        kind=TableKind.HAND_SHOE,
        special_cards=SpecialCards(cut="yellow", warning="green"),
        devices=tuple(device for device in table.devices if device.name not in MACHINES),
    )
    return room, dataclasses.replace(config, tables=(here,))


async def test_an_evening_over_two_shoes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SHOE-1 to SHOE-8 through desk, hub, journal and real drivers; the daemon is killed in mid-round."""
    async with house(tmp_path, more=by_hand) as here:
        checks = Checks(here)
        outcome = await here.play(ROOT / "tests" / "scenarios" / "hand_shoe.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
        assert here.host.starts == 2


def with_special_cards(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's table, which may deal by hand while its machine is down."""
    (table,) = config.tables
    here = dataclasses.replace(table, special_cards=SpecialCards(cut="yellow", warning="green"))
    return plan, dataclasses.replace(config, tables=(here,))


async def test_the_machine_is_down_and_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSM-8, CSM-5: real cards out of the simulated machine and back into it; the daemon is killed between."""
    async with house(tmp_path, more=with_special_cards) as here:
        checks = Checks(here)
        for path in (ROOT / "scenarios" / "first_rounds.toml", ROOT / "tests" / "scenarios" / "mode_change.toml"):
            outcome = await here.play(path)
            assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
