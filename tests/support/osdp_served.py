"""Our simulated OSDP reader behind a TCP port of this machine, in real time, for panels that nobody here wrote."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from firmware_bridge.links.tcp import TcpLink, TcpListener
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.faces.osdp_security import Security
from simulator.world.badges import BadgeHead

ADDRESS = 0x65
SERIAL = 0x0901


class ServedReader:
    """Our simulated reader behind a TCP port, in real time."""

    def __init__(self, key: bytes | None) -> None:
        security = Security(random.Random(1).randbytes, key=key)
        self.face = OsdpReader(BadgeHead(1), ADDRESS, ReaderModel(serial=SERIAL), security)
        self.face.boot(self.now_ns())
        self._link: TcpLink | None = None
        self._came = asyncio.Event()

    def accepted(self, link: TcpLink) -> None:
        self._link = link
        self.face.connected(is_message_based=False)
        link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        self.face.receive(chunk, self.now_ns())
        self._came.set()

    def link_lost(self, reason: Exception) -> None:
        self._link = None
        self.face.disconnected()

    async def serve(self) -> None:
        while True:
            wake_ns = self.face.update(self.now_ns())
            for data in self.face.take_output():
                if self._link is not None:
                    await self._link.write(data)
            wait_s = None if wake_ns is None else max(0.0, (wake_ns - self.now_ns()) / 1e9)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), wait_s)
            self._came.clear()

    @staticmethod
    def now_ns() -> int:
        return round(asyncio.get_running_loop().time() * 1e9)


@asynccontextmanager
async def served_reader(key: bytes | None) -> AsyncIterator[tuple[ServedReader, str]]:
    """A reader that is served for the length of a block, and its port."""
    served = ServedReader(key)
    listener = TcpListener(served.accepted)
    await listener.open()
    serving = asyncio.create_task(served.serve())
    try:
        yield served, listener.address.rpartition(":")[2]
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
        await listener.close()
