"""32 ccTalk acceptors on one wire at 9,600 baud, in real time: a round over all of them against what the line allows.

The line allows, for each acceptor: five bytes of *read credit*, sixteen of its answer, and the 2 ms that the simulated
acceptor takes to answer. Beside it a dead station: how often its neighbours are read over ten seconds, from the moment
in which it falls silent, against ten seconds with all of them alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog.testing

from benchmarks.compare import Reach, Row, rows
from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.base import Link
from firmware_bridge.session.cctalk import Acceptor, AcceptorNotice, AcceptorProfile, BusSettings, CctalkBus
from simulator.faces.cctalk import ANSWER_NS, CctalkFace
from simulator.paced_wire import PacedWire
from simulator.world.coin_acceptor import CoinAcceptor

SLOTS = 32
BAUD = 9_600
FIRST_ADDRESS = 2
ASKED_BYTES, ANSWERED_BYTES = 5, 16
WINDOW_S = 10.0
ROUNDS = 3  # each takes two windows, and the dead one is waited for to come back
SETTLE_LIMIT_S = 90.0
OURS, FLOOR = "a round over 32 ccTalk slots", "what 9,600 baud allow"
DEAD, ALIVE = "with a dead station", "without one"
FLOOR_S = SLOTS * ((ASKED_BYTES + ANSWERED_BYTES) * 10 / BAUD + ANSWER_NS / NS_PER_S)
REACHES = (Reach(FLOOR, 1.15),)
DEAD_REACHES = (Reach(ALIVE, 1.2),)


class Bus:
    """The bus, its acceptors, and how often each was read."""

    def __init__(self) -> None:
        self.face = CctalkFace({FIRST_ADDRESS + at: CoinAcceptor(f"slot {at}", at) for at in range(SLOTS)})
        self.face.boot(0)
        self.acceptors = [Acceptor(AcceptorProfile(address, frozenset({1}))) for address in self.face.acceptors]
        self.bus = CctalkBus(BusSettings("bench", "memory://paced", BAUD), self._connect)
        for acceptor in self.acceptors:
            self.bus.add(acceptor, self._listen)

    async def _connect(self) -> Link:
        return PacedWire(self.face, BAUD)

    async def _listen(self, _notice: AcceptorNotice) -> None:
        """The table would hear it."""

    async def until_all_answer(self) -> None:
        """All set up."""
        async with asyncio.timeout(SETTLE_LIMIT_S):
            while not all(acceptor.is_ready for acceptor in self.acceptors):  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.05)

    async def period_s(self, watched: list[Acceptor]) -> float:
        """Mean time between two readings of one acceptor, over the window."""
        loop = asyncio.get_running_loop()
        before, begun_s = sum(one.counts.answers for one in watched), loop.time()
        await asyncio.sleep(WINDOW_S)
        readings = sum(one.counts.answers for one in watched) - before
        return (loop.time() - begun_s) * len(watched) / readings


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
            await bench.until_all_answer()
            await _window(alive, lambda: bench.period_s(bench.acceptors))
            victim = bench.acceptors[number * 7 % SLOTS]
            bench.face.dead.add(victim.profile.address)
            others = [one for one in bench.acceptors if one is not victim]
            await _window(dead, lambda others=others: bench.period_s(others))  # type: ignore[misc]  # bound now
            bench.face.dead.clear()
    finally:
        running.cancel()
        await asyncio.wait([running])
    figures = {OURS: alive, FLOOR: [FLOOR_S] * rounds, DEAD: dead, ALIVE: alive}
    return [*rows(OURS, OURS, figures, REACHES, "s"), *rows(DEAD, DEAD, figures, DEAD_REACHES, "s")]


async def _window(into: list[float], take: Callable[[], Awaitable[float]]) -> None:
    into.append(await take())
