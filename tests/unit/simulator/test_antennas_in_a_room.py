"""Antennas and batch shufflers as a simulation file names them, and the hands that lay tags."""

from __future__ import annotations

import msgspec
import pytest

from simulator.faces.tdl_device import TdlDevice
from simulator.plan import DevicePlan, Kind, Plan
from tests.unit.simulator.room_bench import PLAN, running_room

pytestmark = pytest.mark.virtual_time


def with_devices(*devices: DevicePlan) -> Plan:
    return msgspec.structs.replace(PLAN, devices=(*PLAN.devices, *devices))


ANTENNAS = with_devices(
    DevicePlan(name="one", kind=Kind.ANTENNA, serial_number="A1", address="memory://one"),
    DevicePlan(name="two", kind=Kind.ANTENNA, serial_number="A2", address="memory://two"),
    DevicePlan(name="near", kind=Kind.ANTENNA, serial_number="A3", address="memory://near", at_mm=40.0),
)


async def test_a_tag_is_laid_and_taken() -> None:
    async with running_room(ANTENNAS) as bench:
        rf = bench.room.rf
        assert [antenna.at_mm for antenna in rf.antennas.values()] == [0.0, 210.0, 40.0]
        await bench.person("lay-tag", tag="D0AC1F62", antenna="two", off_mm=5)
        assert rf.lying == {"D0AC1F62": 215.0}
        assert [tag.uid.hex() for tag in rf.look("two", 2)] == ["d0ac1f62"]
        assert await bench.person("take-tag", tag="D0AC1F62") == {"count": 1}
        assert rf.look("two", 2) == []


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ({"does": "lay-tag", "tag": "D0AC1F62", "antenna": "three"}, "here are one, two, near"),
        ({"does": "lay-tag", "tag": "d0ac1f62", "antenna": "one"}, "upper-case hex"),
        ({"does": "take-tag", "tag": "D0AC"}, "8, 14 or 20"),
    ],
)
async def test_what_cannot_be_done_says_why(deed: dict[str, object], says: str) -> None:
    async with running_room(ANTENNAS) as bench:
        answer = await bench.ask("person", deed=deed)
        assert answer["answer"] != "done"
        assert says in answer["text"]


async def test_a_batch_shuffler_by_its_kind() -> None:
    plan = with_devices(
        DevicePlan(name="batch", kind=Kind.BATCH_SHUFFLER, serial_number="000321", address="memory://batch")
    )
    async with running_room(plan) as bench:
        face = bench.room.devices["batch"].face
        assert isinstance(face, TdlDevice)
        assert face.equipment.identity.model == "BSM-SIM"
