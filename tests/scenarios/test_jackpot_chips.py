"""Jackpot chips at a whole table in virtual time: simulated slots, people, daemon; every message obeys the CDDL."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.wire.cctalk.codes import Header
from firmware_bridge.wire.cctalk.frame import Frame
from simulator.faces.cctalk import CctalkFace
from simulator.plan import DevicePlan, Kind, Plan
from tableside.config import HostConfig
from tableside.configuration.shape import Device, DeviceRole
from tableside.jackpot_happenings import ChipRefused
from tableside.journal.reader import JournalReader
from tableside.rows import decision_of
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import ROOT, TABLE, house

pytestmark = [pytest.mark.virtual_time, pytest.mark.timeout(600)]

SERIAL = "000555"
SEATS = (1, 2, 3, 4, 5, 6, 7)
CHIP = 5_00


def with_slots(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's table, and slots at all its seats."""
    simulated = DevicePlan(
        name="slots", kind=Kind.CHIP_SLOTS, serial_number=SERIAL, address="memory://slots", chip_value=CHIP
    )
    slots = Device(
        name="slots",
        role=DeviceRole.CHIP_SLOTS,
        driver="tdl-slots",
        address="tcp://127.0.0.1:47108",
        serial_number=SERIAL,
        model="SLOT-SIM",
        seats=SEATS,
    )
    table = config.tables[0]
    settings = msgspec.structs.replace(
        table.settings,
        jackpot_chip_value=CHIP,
        jackpot_chip_currency="EUR",
        jackpot_approved_by="Inspection service (test)",
        jackpot_approved_on=datetime.date(2026, 1, 15),
    )
    table = dataclasses.replace(table, devices=(*table.devices, slots), settings=settings)
    return (
        msgspec.structs.replace(plan, devices=(*plan.devices, simulated)),
        dataclasses.replace(config, tables=(table,)),
    )


def chips_refused(config: HostConfig) -> Iterator[ChipRefused]:
    """Chips that were no bets, as the record has them."""
    with JournalReader(config.journal_directory / f"{TABLE}.db") as journal:
        for record in journal.rows.records(0):
            if record.type == ChipRefused.__name__:
                what = decision_of(record)
                assert isinstance(what, ChipRefused)
                yield what


async def test_chips_from_the_lips_to_the_box(tmp_path: Path) -> None:
    """JP-3, JP-10, JP-11 through every layer; what lies in boxes, windows and cups at the end is what was told."""
    async with house(tmp_path, more=with_slots) as here:
        checks = Checks(here)
        outcome = await here.play(ROOT / "tests" / "scenarios" / "jackpot_chips.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
        world = here.room.slots["slots"].slots
        given_back = {(row.why, row.rule) for row in chips_refused(here.host.config)}
        assert given_back == {("late", "JP-11"), ("second chip", "JP-10"), ("another value", "JP-10")}
        assert world[7].unseen == 1
        assert world[2].cup >= 1
        assert sum(slot.box for slot in world.values()) >= 3
        assert {"request-collect", "notice-chips-in", "notice-chip-returned"} <= set(here.host.ear.valid)


def with_acceptors(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """The demo's table, and ccTalk acceptors at two of its seats."""
    address, seats = "serial:///dev/serial/by-id/slots?baud=9600", (2, 5)
    simulated = DevicePlan(
        name="slots", kind=Kind.COIN_SLOTS, serial_number="40", address="memory://slot-2", seats=seats
    )
    acceptors = [
        Device(
            name=f"slot-{seat}",
            role=DeviceRole.CHIP_SLOTS,
            driver="cctalk-slot",
            address=address,
            serial_number=str(40 + place),
            model="CCT-SIM",
            seats=(seat,),
            cctalk_address=11 + place,
            chip_position=1,
        )
        for place, seat in enumerate(seats)
    ]
    plan, config = with_slots(plan, config)
    table = config.tables[0]
    table = dataclasses.replace(table, devices=(*table.devices[:-1], *acceptors))
    return (
        msgspec.structs.replace(plan, devices=(*plan.devices[:-1], simulated)),
        dataclasses.replace(config, tables=(table,)),
    )


async def test_chips_through_coin_acceptors_and_rounds_between(tmp_path: Path) -> None:
    """JP-11 with acceptors on a bus: the dealer plays, guests bet, nothing is in doubt at the end."""
    async with house(tmp_path, more=with_acceptors) as here:
        checks = Checks(here)
        outcome = await here.play(ROOT / "tests" / "scenarios" / "jackpot_acceptors.toml")
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        findings = await checks.at_end()
        assert not findings, "\n".join(findings)
        assert sum(coin.acceptor.box for coin in here.room.acceptors.values()) >= 1


def taking_bets(folder: Path) -> Path:
    """The scenario up to the chip that lies in a slot: bets are taken."""
    text = (ROOT / "tests" / "scenarios" / "jackpot_acceptors.toml").read_text("utf-8")
    path = folder / "taking_bets.toml"
    path.write_text(text[: text.rindex("[[steps]]", 0, text.index('says = "No more bets'))], "utf-8")
    return path


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - the state is the device's, which tells nobody that it changed
            await asyncio.sleep(0.005)


async def test_acceptors_are_shut_when_the_daemon_stops_and_first_of_all_when_it_starts_again(tmp_path: Path) -> None:
    """An acceptor knows no lease: an orderly stop waits until each is shut; after a kill they stand open until then."""
    async with house(tmp_path, more=with_acceptors) as here:
        outcome = await here.play(taking_bets(tmp_path))
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        world = [coin.acceptor for coin in here.room.acceptors.values()]
        assert all(acceptor.accepts for acceptor in world)
        await here.host.kill()
        await asyncio.sleep(120)
        assert all(acceptor.accepts for acceptor in world), "nobody is there to shut them, and they know no lease"
        first: dict[int, Frame] = {}
        face = here.room.devices["slots"].face
        assert isinstance(face, CctalkFace)
        hear = face._hear

        def heard(frame: Frame, now_ns: int) -> None:
            first.setdefault(frame.destination, frame)
            hear(frame, now_ns)

        face._hear = heard  # type: ignore[method-assign]  # an ear on the wire, for this run
        await here.host.start()
        await until(lambda: len(first) == len(world))
        assert {(frame.header, frame.data) for frame in first.values()} == {(Header.SET_MASTER_INHIBIT, b"\x00")}
        await until(lambda: all(acceptor.accepts for acceptor in world))
        await here.host.stop()
        assert not any(acceptor.accepts for acceptor in world)
