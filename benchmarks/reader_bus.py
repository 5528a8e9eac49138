"""32 OSDP badge readers on one pair of wires at 9,600 baud, in real time: a round against what the line allows.

The line allows, for each reader: eight bytes of POLL, eight of its ACK, the 3 ms that the simulated reader takes to
answer, and the two characters of silence that the standard has between two frames. (At 200 ms a reader no line of this
speed polls 32 of them: they are all due all the time.) Beside it a reader that has just fallen silent: how often its
neighbours are polled over ten seconds from that moment, against ten seconds with all of them alive.
"""

from __future__ import annotations

import asyncio

import structlog.testing

from benchmarks.compare import Reach, Row, rows
from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.base import Link
from firmware_bridge.session.osdp import BusSettings, LineProfile, OsdpBus, StationNotice, StationProfile
from firmware_bridge.session.osdp.profile import TURNAROUND_CHARACTERS
from simulator.faces.osdp import ANSWER_NS, OsdpReader, ReaderModel
from simulator.faces.osdp_security import Security
from simulator.paced_wire import PacedWire
from simulator.world.badges import BadgeHead

READERS = 32
BAUD = 9_600
ASKED_BYTES, ANSWERED_BYTES = 8, 8
WINDOW_S = 10.0
ROUNDS = 3  # each takes two windows, and the dead one is waited for to come back
SETTLE_LIMIT_S = 90.0
OURS, FLOOR = "a round over 32 OSDP readers", "what 9,600 baud allow"
DEAD, ALIVE = "with a dead reader", "without one"
FLOOR_S = READERS * ((ASKED_BYTES + ANSWERED_BYTES + TURNAROUND_CHARACTERS) * 10 / BAUD + ANSWER_NS / NS_PER_S)
REACHES = (Reach(FLOOR, 1.15),)
DEAD_REACHES = (Reach(ALIVE, 1.2),)
_ADDRESS_AT = 1  # in a frame, after its start
_ADDRESS_BITS = 0x7F


class Wire:
    """All readers as the paced wire's station. Each hears what is for it: what 31 others throw away costs no host."""

    def __init__(self, readers: list[OsdpReader]) -> None:
        self._by_address = {reader.address: reader for reader in readers}
        self._asked: OsdpReader | None = None
        self._wake_ns: int | None = None

    @property
    def next_wake_ns(self) -> int | None:
        return self._wake_ns

    def receive(self, chunk: bytes, now_ns: int) -> None:
        """One command of the panel, whole: the wire hands on what was written."""
        start = chunk.index(0x53)  # what stands before a frame's start is a mark
        self._asked = self._by_address[chunk[start + _ADDRESS_AT] & _ADDRESS_BITS]
        self._asked.receive(chunk, now_ns)
        self._wake_ns = self._asked.update(now_ns)

    def update(self, now_ns: int) -> None:
        """The one that was asked may answer by now."""
        if self._asked is not None:
            self._asked.update(now_ns)

    def take_output(self) -> list[bytes]:
        """Its answer, once due: then it waits for the next question."""
        if self._asked is None:
            return []
        answers = self._asked.take_output()
        if answers:
            self._wake_ns = None
        return answers


class Bus:
    """The bus and its readers, none with a key: plain polls, as short as they get."""

    def __init__(self) -> None:
        self.readers = [self._reader(address) for address in range(READERS)]
        self.bus = OsdpBus(BusSettings("bench", "memory://paced", LineProfile(BAUD)), self._connect)
        for reader in self.readers:
            self.bus.add(StationProfile(reader.address), self._listen)

    @staticmethod
    def _reader(address: int) -> OsdpReader:
        made = OsdpReader(BadgeHead(address), address, ReaderModel(serial=address), Security(bytes))
        made.boot(0)
        return made

    async def _connect(self) -> Link:
        return PacedWire(Wire(self.readers), BAUD)

    async def _listen(self, _notice: StationNotice) -> None:
        """The table would hear it."""

    async def until_all_answer(self) -> None:
        """All set up, and polled since."""
        async with asyncio.timeout(SETTLE_LIMIT_S):
            before = self._polls()
            while min(now - then for now, then in zip(self._polls(), before, strict=True)) < 1:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # nobody announces it

    def _polls(self) -> list[int]:
        return [self.bus.station_counts(reader.address).clean_polls for reader in self.readers]

    async def period_s(self, watched: list[OsdpReader]) -> float:
        """Mean time between two polls of one reader, over the window."""
        loop = asyncio.get_running_loop()
        before, begun_s = self._polls(), loop.time()
        await asyncio.sleep(WINDOW_S)
        each = zip(self._polls(), before, self.readers, strict=True)
        polls = sum(now - then for now, then, reader in each if reader in watched)
        return (loop.time() - begun_s) * len(watched) / polls


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Both rows."""
    with structlog.testing.capture_logs():  # who came and went is no figure
        return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> list[Row]:
    bench = Bus()
    running = asyncio.create_task(bench.bus.run())
    alive: list[float] = []
    dead: list[float] = []
    try:
        for number in range(rounds):
            await asyncio.sleep(0.1)
            await bench.until_all_answer()
            alive.append(await bench.period_s(bench.readers))
            victim = bench.readers[number * 7 % READERS]
            victim.power_off()
            dead.append(await bench.period_s([one for one in bench.readers if one is not victim]))
            victim.boot(0)
    finally:
        running.cancel()
        await asyncio.wait([running])
    figures = {OURS: alive, FLOOR: [FLOOR_S] * rounds, DEAD: dead, ALIVE: alive}
    return [*rows(OURS, OURS, figures, REACHES, "s"), *rows(DEAD, DEAD, figures, DEAD_REACHES, "s")]
