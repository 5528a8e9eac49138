"""A ccTalk bus of two simulated acceptors with their slots, for tests in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from drivers.events import (
    DeviceReady,
    Fact,
    LevelsRead,
    PermitKind,
)
from drivers.slots.cctalk_slots import CctalkSlot, CctalkSlotSettings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.cctalk import BusSettings, CctalkBus
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.cctalk.frame import Check
from simulator.faces.cctalk import CctalkFace
from simulator.line import FaultyLine
from simulator.runner import Stage
from simulator.world.coin_acceptor import CoinAcceptor

CHIP, OTHER = 3, 5  # coin positions
DEADLINE_S = 60.0
EPOCH = 0x7E57_0002
F = TypeVar("F", bound=Fact)


@dataclass
class Bench:
    """A bus with two acceptors, the facts of both, and hands."""

    stage: Stage
    face: CctalkFace
    bus: CctalkBus
    acceptors: dict[int, CoinAcceptor]
    slots: dict[int, CctalkSlot] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    lines: list[FaultyLine] = field(default_factory=list)

    def told(self, kind: type[F], seat: int = 1) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kind) and fact.device == f"slot {seat}"]

    def drop(self, seat: int = 1, coin: int = CHIP) -> None:
        self.stage.act(lambda: self.acceptors[seat].drop(coin))

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the device's, which tells nobody that it changed
                await asyncio.sleep(0.005)

    async def open(self, seat: int = 1, ms: int = 60_000) -> None:
        self.slots[seat].permit(PermitKind.SLOTS, ms, None)
        await self.until(lambda: self.acceptors[seat].accepts and CHIP in self.acceptors[seat].coins)

    async def shut(self, seat: int = 1) -> LevelsRead:
        before = len(self.told(LevelsRead, seat))
        self.slots[seat].revoke(PermitKind.SLOTS)
        self.slots[seat].read_levels()
        await self.until(lambda: len(self.told(LevelsRead, seat)) > before)
        return self.told(LevelsRead, seat)[-1]


@asynccontextmanager
async def bench(
    *,
    has_echo: bool = True,
    check: Check = Check.SUM,
    serial: str = "",
    is_on: bool = True,
    twin: CoinAcceptor | None = None,
) -> AsyncIterator[Bench]:
    stage = Stage()
    acceptors = {seat: CoinAcceptor(f"slot {seat}", serial=seat) for seat in (1, 2)}
    for acceptor in acceptors.values():
        stage.add_world(acceptor)
    face = CctalkFace({10 + seat: acceptor for seat, acceptor in acceptors.items()}, has_echo=has_echo, check=check)
    if twin is not None:
        face.twins[11] = twin
    outlet = stage.add_face(face)
    if is_on:
        stage.act(lambda: face.boot(stage.now_ns))
    serving: list[asyncio.Task[None]] = []

    async def connect() -> Link:
        host, device = memory_pair("bus")
        serving.append(asyncio.create_task(outlet.serve(device)))
        line = FaultyLine(host, seed=1)
        made.lines.append(line)
        return line

    async def report(fact: Fact) -> None:
        made.facts.append(fact)

    bus = CctalkBus(BusSettings("bus", "memory://bus", check=check), connect)
    made = Bench(stage, face, bus, acceptors)
    boots = iter(range(1, 1_000)).__next__
    for seat in acceptors:
        settings = CctalkSlotSettings(f"slot {seat}", seat, 10 + seat, CHIP, serial)
        made.slots[seat] = CctalkSlot(settings, bus, report, next_boot=boots, epoch=EPOCH)
    running = asyncio.create_task(run_together(bus.run(), *(slot.run() for slot in made.slots.values())))
    try:
        if is_on and twin is None and serial in ("", "1"):
            await made.until(lambda: made.told(DeviceReady))
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running, *serving])
        stage.close()
