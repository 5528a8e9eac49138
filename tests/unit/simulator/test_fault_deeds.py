"""The fault catalogue through the side channel, and bad lines that a plan asks for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from firmware_bridge.wire.tdl.codes import NoticeKind
from simulator.cables import MemorySocket
from simulator.cli import main
from simulator.faults import CATALOGUE
from simulator.line import Direction, LineFault
from simulator.plan import Plan, PlanRefused, read_plan

from .host import Host
from .room_bench import PLAN, running_room

BAD = msgspec.structs.replace(
    PLAN,
    devices=(
        msgspec.structs.replace(PLAN.devices[0], bad_line={LineFault.DUPLICATE: 0.2, LineFault.SPLIT: 0.2}),
        *PLAN.devices[1:],
    ),
)


@pytest.mark.virtual_time
async def test_a_fault_is_provoked_by_name_proves_itself_and_is_mended() -> None:
    async with running_room() as bench:
        await bench.world("provoke", fault="supply fails")
        await asyncio.sleep(1)
        assert await bench.fired() == [True]
        assert bench.room.table.machine.standing.troubles
        await bench.world("mend-fault", fault="supply fails")
        await asyncio.sleep(1)
        assert not bench.room.table.machine.standing.troubles


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("does", "fault", "says"),
    [
        ("provoke", "earthquake", "jam at the exit"),
        ("provoke", "jam at the exit", "in the buffer"),
        ("provoke", "cable: cut to the shuffler", "plug it in first"),
        ("mend-fault", "cover opened", "nothing to mend"),
    ],
)
async def test_what_cannot_be_says_why(does: str, fault: str, says: str) -> None:
    async with running_room() as bench:
        answer = await bench.ask("world", deed={"does": does, "fault": fault})
        assert answer["answer"] == "impossible"
        assert says in answer["text"]


async def greeted(bench_plan: Plan, seconds: float) -> tuple[Host, dict[tuple[Direction, LineFault], int]]:
    async with running_room(bench_plan) as bench:
        cable = bench.room.devices["shuffler"].cable
        assert isinstance(cable.socket, MemorySocket)
        host = Host(cable.socket.answer())
        await host.begin()
        for _ in range(round(seconds)):
            await asyncio.sleep(1)
            await host.ask(8, {})
        await host.link.close()
        return host, dict(cable.line.fired) if cable.line is not None else {}


@pytest.mark.virtual_time
async def test_a_bad_line_of_the_plan_does_what_it_says() -> None:
    host, fired = await greeted(BAD, 60)
    assert NoticeKind.BOOTED in host.kinds()
    assert {fault for _, fault in fired} == {LineFault.DUPLICATE, LineFault.SPLIT}
    assert (await greeted(PLAN, 1))[1] == {}


@pytest.mark.virtual_time
async def test_a_cable_fault_of_the_catalogue_reaches_the_bad_line() -> None:
    async with running_room(BAD) as bench:
        cable = bench.room.devices["shuffler"].cable
        assert isinstance(cable.socket, MemorySocket)
        host = Host(cable.socket.answer())
        await host.begin()
        await asyncio.sleep(1)
        await bench.world("provoke", fault="cable: cut to the shuffler")
        assert await bench.fired() == [False]
        await host.ask(8, {})
        await asyncio.sleep(1)
        assert await bench.fired() == [True]
        assert host.lost is not None


DEVICE = """
[[devices]]
name = "shuffler"
kind = "shuffler"
serial_number = "1"
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('address = "memory://a"\nbad_line = { drop = 0.7, split = 0.4 }', "together 1 at most"),
        ('address = "memory://a"\nbad_line = { drop = -0.1 }', "each 0 or more"),
        ('address = "mqtt://localhost:1883/p/d"\nbad_line = { join = 0.1 }', "streams only"),
        ('address = "memory://a"\nbad_line = { gnaw = 0.1 }', "bad_line"),
    ],
)
def test_a_mistaken_bad_line_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "simulation.toml"
    path.write_text(DEVICE + text, "utf-8")
    with pytest.raises(PlanRefused, match=says):
        read_plan(path)


def test_the_catalogue_can_be_read() -> None:
    listed = CliRunner().invoke(main, ["faults"])
    assert listed.exit_code == 0
    assert len(listed.output.splitlines()) == len(CATALOGUE)
    assert "jam at the exit: the next card in the buffer is creased" in listed.output
