"""A batch table's evening in virtual time: real driver, hub and journal, the simulated machine, checks that stay on."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from simulator.plan import DeckPlan, Kind, Plan
from simulator.world.cards import Back
from tableside.config import HostConfig
from tableside.house import TableKind
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]


def batch_table(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's house with one batch shuffler, and one deck of each back."""
    replace = msgspec.structs.replace
    room = replace(
        plan,
        decks=(DeckPlan(back=Back.RED, count=1, reserve=1), DeckPlan(back=Back.BLUE, count=1, reserve=1)),
        devices=tuple(
            replace(device, kind=Kind.BATCH_SHUFFLER) if device.name == "shuffler" else device
            for device in plan.devices
            if device.name != "spare"
        ),
    )
    (table,) = config.tables
    devices = tuple(
        replace(device, driver="tdl-batch-shuffler", model="BSM-SIM", capacity_cards=416)
        if device.name == "shuffler"
        else device
        for device in table.devices
        if not device.is_spare
    )
    decks = tuple(replace(group, count=1) for group in table.decks)
    here = dataclasses.replace(table, kind=TableKind.BATCH, decks=decks, devices=devices)
    return room, dataclasses.replace(config, tables=(here,))


@pytest.mark.parametrize("evening", ["batch", "batch_packets"])
async def test_two_decks_in_turn_and_one_in_packets(
    evening: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with house(tmp_path, more=batch_table) as here:
        checks = Checks(here)
        outcome = await here.play(ROOT / "scenarios" / f"{evening}.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
        assert checks.quiet_points >= 3
