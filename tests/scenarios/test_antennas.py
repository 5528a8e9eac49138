"""Antennas at a table, whole and in virtual time: told once, ambiguous, unknown, away; which card it was, nowhere."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from simulator.plan import DevicePlan, Kind, Plan
from simulator.watch import Row
from tableside.config import HostConfig
from tableside.configuration.shape import Device, DeviceRole
from tableside.journal.reader import JournalReader
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, TABLE, More, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

REGISTER = "D0AC1F62 card 8♠\n04A1B2C3D4E580 card A♦\n00000001 chip 500\n"
# Name, place at the table, place in the row: the third lies so near the first that a card lies on both.
ANTENNAS = (("one", "seat 1", 0.0), ("two", "seat 2", 400.0), ("three", "seat 3", 56.0))


def with_antennas(folder: Path) -> More:
    """The demo's table with three antennas."""

    def more(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
        register = folder / "tags.txt"
        register.write_text(REGISTER, "utf-8")
        simulated = tuple(
            DevicePlan(name=name, kind=Kind.ANTENNA, serial_number=name, address=f"memory://{name}", at_mm=at_mm)
            for name, _, at_mm in ANTENNAS
        )
        devices = tuple(
            Device(
                name=name,
                role=DeviceRole.ANTENNA,
                driver="pn532-antenna",
                address=f"tcp://127.0.0.1:{port}",
                serial_number=name,
                model="PN532",
                place=place,
                is_simulated=True,
            )
            for port, (name, place, _) in enumerate(ANTENNAS, 47120)
        )
        (table,) = config.tables
        here = dataclasses.replace(table, devices=(*table.devices, *devices), tag_register=register)
        return (
            msgspec.structs.replace(plan, devices=(*plan.devices, *simulated)),
            dataclasses.replace(config, tables=(here,)),
        )

    return more


async def test_cards_and_chips_on_antennas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with house(tmp_path, more=with_antennas(tmp_path)) as here:
        checks, cards = Checks(here), list[object]()

        def hear(row: Row) -> None:
            if row.type in ("CardRead", "CardRemoved"):
                cards.append(row.body["card"])

        here.hears.append(hear)
        outcome = await here.play(ROOT / "tests" / "scenarios" / "antennas.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        said = capsys.readouterr()
        checks.log(said.out + said.err)
        assert not findings, "\n".join(findings)
        assert cards == ["a card", "a card"]
        told = said.out + said.err + kept(tmp_path)
        for secret in ("8♠", "A♦", "D0AC1F62", "d0ac1f62", "04A1B2C3D4E580", "04a1b2c3d4e580"):
            assert secret not in told


def kept(folder: Path) -> str:
    """What traces and journal have."""
    traces = "".join(path.read_text("utf-8") for path in folder.rglob("*.trace"))
    with JournalReader(folder / f"{TABLE}.db") as reader:
        return traces + "".join(record.body.decode() for record in reader.rows.records())
