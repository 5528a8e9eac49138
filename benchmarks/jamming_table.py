"""A table in the middle of a round whose machine jams when it is told to: real hub, journal, driver, session, pty.

After each jam the table's state is put back to what it was before, for people would need minutes to clear it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from benchmarks.far_side import FarSide
from benchmarks.prepared import EPOCH, MODEL, SERIAL
from benchmarks.stamping import StampingLink
from drivers.events import DeviceReady
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.clock import SystemClock
from firmware_bridge.links.base import Link
from firmware_bridge.links.serial import open_serial
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind
from firmware_bridge.wire.tdl.codes import Place as Spot
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import NoticeKey, PlaceKey
from firmware_bridge.wire.tdl.stream import encode_stream
from tableside.decisions import AlertRaised
from tableside.hub import Entry, Hub
from tableside.journal.opening import Place
from tableside.journal.store import Journal
from tableside.journal.writer import JournalWriter
from tableside.state import TableState
from tableside.timers import Timers
from tests.support.rims import new_rim
from tests.support.situations import dealing

SHUFFLER = "shuffler"
SESSION, BOOT = 1, 1
DEADLINE_S = 30.0
LOOK_S = 0.000_2


def _in_mid_round() -> TableState:
    """Cards are being dealt; no notice of this boot is known yet, and no deadline stands (the clock is another)."""
    state = dealing().state
    levels = replace(state.devices.known[SHUFFLER], boot=BOOT, notice=0, serial=SERIAL, model=MODEL)
    known = {**state.devices.known, SHUFFLER: levels}
    house = replace(state.house, epoch=EPOCH)
    return replace(state, house=house, timers=Timers(), devices=replace(state.devices, known=known))


def _jam(number: int) -> bytes:
    body: dict[int, Value] = {
        NoticeKey.BOOT: BOOT,
        NoticeKey.NUMBER: number,
        NoticeKey.MS: number,
        PlaceKey.PLACE: int(Spot.EXIT),
    }
    return encode_stream(Frame(MessageType.NOTICE, NoticeKind.JAM, 0, SESSION, body))


class JammingTable:
    """Made by `jamming_table`; `jam` is one sample."""

    def __init__(self, journal: Journal, device: FarSide) -> None:
        self.journal = journal
        self.ready = asyncio.Event()
        self._device = device
        self._before = _in_mid_round()
        self._number = 0
        self._link: StampingLink | None = None
        self._published: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        around = Surroundings(
            report=lambda fact: self.hub.report(fact), connect=self._connect, next_session=lambda: SESSION, epoch=EPOCH
        )
        self.driver = TdlShuffler(TdlSettings(SHUFFLER, "serial://pty", SERIAL, MODEL), around)
        devices = {SHUFFLER: self.driver}
        self.hub = Hub(journal, self._before, SystemClock(), devices, [self._publish], rim=new_rim())

    async def jam(self) -> int:
        """Nanoseconds from the chunk to the published alert."""
        self._number += 1
        self._published = asyncio.get_running_loop().create_future()
        assert self._link is not None
        self._link.awaited = _jam(self._number)
        self._device.send(self._link.awaited)
        async with asyncio.timeout(DEADLINE_S):
            return await self._published - self._link.handed_ns

    async def settled(self, rest_s: float) -> None:
        """The device has answered everything; then so much rest."""
        while self.driver.line.has_orders:  # noqa: ASYNC110 - sessions announce no idleness
            await asyncio.sleep(LOOK_S)
        if rest_s:
            await asyncio.sleep(rest_s)

    async def _connect(self) -> Link:
        self._link = StampingLink(await open_serial(self._device.node))
        return self._link

    def _publish(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if isinstance(entry.what, AlertRaised):
                self._published.set_result(time.perf_counter_ns())
            elif isinstance(entry.what, DeviceReady):
                self.ready.set()
        self.hub.state = self._before  # for the next sample


@asynccontextmanager
async def jamming_table(folder: Path) -> AsyncIterator[JammingTable]:
    """Its journal lies in `folder`; the device has a process of its own."""
    writer = JournalWriter(SystemClock())
    journal = await writer.open(Place("bench", folder / "bench.db", folder / "bench.reserve"), epoch=EPOCH)
    with FarSide("tdl") as device:
        table = JammingTable(journal, device)
        running = [asyncio.create_task(table.hub.run()), asyncio.create_task(table.driver.run())]
        async with asyncio.timeout(DEADLINE_S):
            await table.ready.wait()
        yield table
        for task in running:
            task.cancel()
        await asyncio.wait(running)
    await writer.close()
