"""A short table whose shuffler is on USB: pyusb with its reader thread, the daemon's parts and the room in one process.

Here the simulated device takes libusb's place; in processes of their own, over USB/IP, they stand in test_cables.py.
The daemon is killed here as a task is: nothing more goes out, nobody is told, its files stay.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.clock import LoopClock
from firmware_bridge.links.address import open_link
from firmware_bridge.links.address_kinds import Surroundings
from firmware_bridge.links.base import Link
from simulator.control import SideDesk
from simulator.director import Director, gather_cast
from simulator.hands_voice import voice_of
from simulator.kinds import KINDS
from simulator.people import Scene
from simulator.room import Room
from simulator.scenario import read_scenario
from simulator.watch import Watch
from tableside.config import HostConfig
from tests.scenarios.checks import Checks
from tests.scenarios.virtual_house import House, MortalLink, VirtualHost, house_config, virtual_plan
from tests.support.table import WALL_START_NS
from tests.support.wires import UsbSocket

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

SCENARIO = Path(__file__).with_name("short_table.toml")
PACE = 20.0
SERIAL = "000123"


class UsbHost(VirtualHost):
    """The shuffler is opened by its usb:// address, as a daemon's process does; the others are on memory cables."""

    def __init__(self, config: HostConfig, room: Room, clock: LoopClock, surroundings: Surroundings) -> None:
        super().__init__(config, room, clock)
        self.opened: list[str] = []
        self._surroundings = surroundings

    async def _connect(self, address: str, life: int) -> Link:
        if not address.startswith("usb://"):
            return await super()._connect(address, life)
        link = await open_link(address, self._surroundings)
        self.opened.append(address)
        return MortalLink(link, lambda: self.daemon is None or self.starts != life)


@asynccontextmanager
async def usb_house(folder: Path, socket: UsbSocket) -> AsyncIterator[tuple[House, UsbHost]]:
    """Room and daemon, in real time, of four decks."""
    usb = {"shuffler": socket.address}
    plan, config = virtual_plan(seed=7), house_config(folder)
    table = config.tables[0]
    replace = msgspec.structs.replace
    plan = replace(
        plan,
        simulation=replace(plan.simulation, pace=PACE),
        decks=tuple(replace(decks, count=2) for decks in plan.decks),
        devices=tuple(replace(each, address=usb.get(each.name, each.address)) for each in plan.devices),
    )
    table = dataclasses.replace(
        table,
        decks=tuple(replace(decks, count=2) for decks in table.decks),
        devices=tuple(replace(each, address=usb.get(each.name, each.address)) for each in table.devices),
    )
    room = Room(plan, sockets={"shuffler": socket})
    room.power_up()
    cables = asyncio.create_task(room.run(), name="room")
    surroundings = Surroundings(usb_backend=socket.backend)
    clock = LoopClock(asyncio.get_running_loop(), wall_start_ns=WALL_START_NS)
    host = UsbHost(dataclasses.replace(config, tables=(table,)), room, clock, surroundings)
    await host.start()
    try:
        yield House(room, host, voice_of(SideDesk(room))), host
    finally:
        if host.daemon is not None:
            await host.stop()
        cables.cancel()
        await asyncio.wait({cables})


async def test_shuffler_on_usb(tmp_path: Path) -> None:
    """Load, rounds, a jam, two kills: every notice once, nothing moved twice, the account is the machine's."""
    socket = UsbSocket(SERIAL)
    async with usb_house(tmp_path, socket) as (house, host):
        checks = Checks(house)
        scenario = read_scenario(SCENARIO, KINDS)
        scene = Scene(
            watch=Watch(host.talk, table="BJ-07", retry_s=0.2),
            side=house.side,
            connect=host.talk,
            pace=PACE,
            seed=scenario.seed,
            token="usb",
            retry_s=0.2,
        )
        gather_cast(scenario, scene, KINDS)
        outcome = await Director(scenario, scene, host).run()
        assert outcome.is_right, "\n".join(map(str, outcome.mismatches))
        assert host.opened.count(socket.address) == host.starts == 3
        assert house.room.table.census()["machine"] == 208
        assert await checks.at_end() == []
