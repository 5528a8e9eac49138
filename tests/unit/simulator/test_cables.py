"""Two hosts at one simulated device, on real sockets (TDL 2.1; BR-020)."""

from __future__ import annotations

import asyncio

from firmware_bridge.links.base import LinkRefused
from firmware_bridge.links.tcp import open_tcp
from simulator.faces.tdl_device import TdlDevice
from simulator.plan import DevicePlan, Kind, Plan
from simulator.room import Room
from tests.support.collector import DEADLINE_S, until

from .host import Host


async def connected(port: int) -> Host:
    """A host that has said HELLO; the port may not be open yet."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                host = Host(await open_tcp("127.0.0.1", port))
            except LinkRefused:
                await asyncio.sleep(0.01)
            else:
                await host.begin()
                return host


async def test_a_second_host_is_shown_the_door_while_the_first_is_there(unused_tcp_port: int) -> None:
    address = f"tcp://127.0.0.1:{unused_tcp_port}"
    room = Room(Plan(devices=(DevicePlan(name="a", kind=Kind.SHUFFLER, serial_number="1", address=address),)))
    face = room.devices["a"].face
    assert isinstance(face, TdlDevice)
    room.power_up()
    running = asyncio.create_task(room.run())
    try:
        first = await connected(unused_tcp_port)
        await until(first.kinds, "the first notice")
        second = await connected(unused_tcp_port)
        await until(lambda: second.lost is not None, "the door")
        assert second.frames == []
        assert first.lost is None
        await first.link.close()
        await until(lambda: face.session is None, "the end of the first session")
        third = await connected(unused_tcp_port)
        await until(lambda: third.frames, "an answer to the next host")
        await third.link.close()
    finally:
        running.cancel()
        await asyncio.wait([running])
