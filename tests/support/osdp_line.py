"""One pair of wires between a control panel and simulated readers, in virtual time: speed, echo, damage, loss."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from firmware_bridge.links.base import Link, LinkClosed, LinkRefused
from firmware_bridge.links.memory import MemoryLink, memory_pair
from firmware_bridge.session.osdp import BusSettings, LineProfile, OsdpBus, StationNotice, StationProfile
from firmware_bridge.wire.osdp.frame import Frame
from firmware_bridge.wire.osdp.stream import StreamDecoder
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.faces.osdp_bus import OsdpReaders
from simulator.faces.osdp_security import Security
from simulator.world.badges import Badge, BadgeHead

BAUD = 9_600
NS = 1_000_000_000
DEADLINE_S = 150.0  # virtual
TEST_KEY = bytes(range(0x10, 0x20))
CARD = Badge.printed("26:00C0FFE1")

# What the wires make of a command or a reply: the pieces that arrive, each with a delay in s.
Passage = Callable[[bytes], list[tuple[float, bytes]]]
T = TypeVar("T", bound=StationNotice)


def as_it_is(data: bytes) -> list[tuple[float, bytes]]:
    """A good line."""
    return [(0.0, data)]


def seeded_bytes(seed: int) -> Callable[[int], bytes]:
    """Random bytes that are the same in each run."""
    return random.Random(seed).randbytes


def reader(
    address: int = 1, *, key: bytes | None = None, model: ReaderModel | None = None, head: BadgeHead | None = None
) -> OsdpReader:
    """A reader with its own housing; its serial number is its address."""
    security = Security(seeded_bytes(1000 + address), key=key)
    return OsdpReader(head or BadgeHead(address), address, model or ReaderModel(serial=address), security)


def wire_s(data: bytes) -> float:
    return len(data) * 10 / BAUD


@dataclass(slots=True)
class Heard:
    """A command as it went over the wires: when its last byte had gone, and its bytes."""

    at_s: float
    frame: Frame


class Wires:
    """Both directions. `on_command`, `on_reply` and `on_echo` may delay, damage, split or swallow."""

    def __init__(self, *readers: OsdpReader) -> None:
        self.face = OsdpReaders(readers)
        self.has_echo = False
        self.on_command: Passage = as_it_is
        self.on_reply: Passage = as_it_is
        self.on_echo: Passage = as_it_is
        self.commands: list[Heard] = []
        self.replies = 0  # sent by readers, whatever became of them
        self.cables = 0
        self.is_plugged = True
        self._link: MemoryLink | None = None
        self._writer: asyncio.Task[None] | None = None
        self._to_panel: asyncio.Queue[bytes] = asyncio.Queue()
        self._wake: asyncio.TimerHandle | None = None
        self._decoder = StreamDecoder()
        self.face.boot(self.now_ns())

    async def connect(self) -> Link:
        """A new cable, as a keeper opens it."""
        if not self.is_plugged:
            raise LinkRefused("memory://bus: unplugged")
        self.cables += 1
        near, self._link = memory_pair("bus")
        self._to_panel = asyncio.Queue()
        self._link.start(self)
        self._writer = asyncio.create_task(self._write(self._link, self._to_panel))
        self.face.connected(is_message_based=False)
        return near

    async def unplug(self) -> None:
        """Pull the cable, and leave it so until `is_plugged`."""
        self.is_plugged = False
        if self._link is not None:
            await self._link.close()

    def chunk_received(self, chunk: bytes) -> None:
        loop = asyncio.get_running_loop()
        gone_s = wire_s(chunk)
        if self.has_echo:
            for delay_s, piece in self.on_echo(chunk):
                loop.call_later(gone_s + delay_s, self._to_panel.put_nowait, piece)
        loop.call_later(gone_s, self._note, chunk)
        for delay_s, piece in self.on_command(chunk):
            loop.call_later(gone_s + delay_s, self._to_readers, piece)

    def link_lost(self, reason: Exception) -> None:
        self.face.disconnected()
        if self._writer is not None:
            self._writer.cancel()

    def sent_to(self, address: int) -> list[Heard]:
        """Commands to one station."""
        return [heard for heard in self.commands if heard.frame.address == address]

    def inject(self, data: bytes) -> None:
        """Bytes that nobody of ours sent."""
        self._to_panel.put_nowait(data)

    @staticmethod
    def now_ns() -> int:
        return round(asyncio.get_running_loop().time() * NS)

    def _note(self, chunk: bytes) -> None:
        now_s = asyncio.get_running_loop().time()
        self.commands += [Heard(now_s, item) for item in self._decoder.feed(chunk) if isinstance(item, Frame)]

    def _to_readers(self, piece: bytes) -> None:
        self.face.receive(piece, self.now_ns())
        self._pump()

    def _pump(self) -> None:
        wake_ns = self.face.update(self.now_ns())
        for data in self.face.take_output():
            self.replies += 1
            for delay_s, piece in self.on_reply(data):
                asyncio.get_running_loop().call_later(wire_s(piece) + delay_s, self._to_panel.put_nowait, piece)
            wake_ns = self.face.update(self.now_ns())
        if self._wake is not None:
            self._wake.cancel()
        if wake_ns is not None:
            self._wake = asyncio.get_running_loop().call_at(wake_ns / NS + 1e-9, self._pump)

    @staticmethod
    async def _write(link: MemoryLink, pieces: asyncio.Queue[bytes]) -> None:
        with suppress(LinkClosed):
            while True:
                await link.write(await pieces.get())


class Panel:
    """A bus on those wires, and what its stations said, with the time."""

    def __init__(self, wires: Wires, *profiles: StationProfile, latency_s: float = 0.0) -> None:
        self.said: list[tuple[float, StationNotice]] = []
        self.gate = asyncio.Event()  # the listeners wait while it is clear
        self.gate.set()
        self.shut: dict[int, asyncio.Event] = {}  # by station: until when its listener alone waits
        settings = BusSettings("bus", "memory://bus", LineProfile(BAUD, latency_s))
        self.bus = OsdpBus(settings, wires.connect, random_bytes=seeded_bytes(7), jitter=random.Random(7))
        for profile in profiles:
            self.bus.add(profile, self._hear)

    async def _hear(self, notice: StationNotice) -> None:
        await self.gate.wait()
        if notice.address in self.shut:
            await self.shut[notice.address].wait()
        self.said.append((asyncio.get_running_loop().time(), notice))

    def of(self, kind: type[T], address: int | None = None) -> list[T]:
        """What was said of one kind, of one station or of all."""
        said = [notice for _, notice in self.said if isinstance(notice, kind)]
        return [notice for notice in said if address in (None, notice.address)]

    def when(self, kind: type[T]) -> list[float]:
        """When it was said."""
        return [at_s for at_s, notice in self.said if isinstance(notice, kind)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Task[NoReturn]]:
        """The bus as a task, cancelled at the end."""
        task: asyncio.Task[NoReturn] = asyncio.create_task(self.bus.run())
        try:
            yield task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def until(is_so: Callable[[], bool], *, within_s: float = DEADLINE_S) -> float:
    """Wait for a named state in virtual time; gives back when it was so."""
    async with asyncio.timeout(within_s):
        while not is_so():  # noqa: ASYNC110 - the state may be the world's, which tells nobody that it changed
            await asyncio.sleep(0.001)
    return asyncio.get_running_loop().time()
