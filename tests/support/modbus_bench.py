"""A plain shuffler behind a simulated I/O board, in virtual time: world, board, cable, and our end of it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from drivers.events import Fact
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.modbus import BusSettings, LineProfile, ModbusBus
from firmware_bridge.wire.modbus.codes import Function
from simulator.faces.modbus_board import ALL, ModbusBoardsFace
from simulator.line import FaultyLine
from simulator.runner import Outlet, Stage
from simulator.world.cards import Back
from simulator.world.hazards import NEVER
from simulator.world.io_board import IoBoard
from simulator.world.plain_machine import PlainMachine
from simulator.world.table import SPREAD, TRAY, TableWorld

T = TypeVar("T", bound=Fact)
DEADLINE_S = 60.0
SERIAL = "000777"
LAMP, LID, CARD_IN, CARD_OUT, TRAY_CONTACT = range(5)


@dataclass
class Bench:
    """Everything on both sides of one cable. `facts` are what drivers on `bus` told."""

    stage: Stage
    table: TableWorld
    plain: PlainMachine
    board: IoBoard
    face: ModbusBoardsFace
    outlet: Outlet
    bus: ModbusBus
    lines: list[FaultyLine] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    tasks: list[asyncio.Task[object]] = field(default_factory=list)

    async def report(self, fact: Fact) -> None:
        self.facts.append(fact)

    def start(self, part: Coroutine[object, object, object]) -> None:
        self.tasks.append(asyncio.create_task(part))  # type: ignore[arg-type]  # any coroutine makes a task

    def last(self, kind: type[T]) -> T | None:
        return next((fact for fact in reversed(self.facts) if isinstance(fact, kind)), None)

    def count(self, kind: type[Fact]) -> int:
        return len([fact for fact in self.facts if isinstance(fact, kind)])

    def act(self, act: Callable[[], object]) -> None:
        self.stage.act(act)

    def power(self, *, is_on: bool) -> None:
        act: Callable[[], None] = (lambda: self.face.boot(self.stage.now_ns)) if is_on else self.face.power_off
        self.stage.act(act)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the world's, which tells nobody that it changed
                await asyncio.sleep(0.005)

    def feed(self, cards: int) -> None:
        """Lay cards into the hopper."""

        def lay() -> None:
            for card in list(self.table.felt[SPREAD])[:cards]:
                card.move_to(self.plain.machine.carousel.hopper)

        self.act(lay)


@asynccontextmanager
async def bench(*, is_tcp: bool = False, functions: frozenset[Function] = ALL) -> AsyncIterator[Bench]:
    """A plain shuffler with two decks beside it, on; board 1 wired to it. The bus runs."""
    stage = Stage()
    table = TableWorld(3, serials=(SERIAL,), rates=NEVER)
    table.bring([Back.RED, Back.BLUE], to=SPREAD)
    plain = PlainMachine(table.machine)
    board = IoBoard(plain.wires(table.felt[TRAY]))
    for world in (table, plain, board):
        stage.add_world(world)
    face = ModbusBoardsFace({1: board}, is_tcp=is_tcp, functions=functions)
    outlet = stage.add_face(face)
    serving: list[asyncio.Task[None]] = []
    lines: list[FaultyLine] = []

    async def connect() -> Link:
        host, device = memory_pair("board")
        serving.append(asyncio.create_task(outlet.offer(device)))
        lines.append(FaultyLine(host, len(lines)))
        return lines[-1]

    settings = BusSettings("board", "memory://board", LineProfile(is_tcp, 115_200))
    bus = ModbusBus(settings, connect, random.Random(1))
    made = Bench(stage, table, plain, board, face, outlet, bus, lines)
    stage.act(plain.power_on)
    made.power(is_on=True)
    made.start(bus.run())
    try:
        yield made
    finally:
        for task in made.tasks:
            task.cancel()
        await asyncio.wait([*made.tasks, *serving])
        stage.close()
