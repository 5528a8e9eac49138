"""TDL shufflers to hold to their contract: where they are reached, and the hands at them.

A rig is a device under test. What only hands can do (lay cards, draw them, crease one) is asked of the rig, so
that the same contract is tested on the simulated shuffler, on a stranger's device, and on a real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.links.pty import open_pty
from firmware_bridge.links.serial import open_serial
from simulator.faces.memory import Memory
from simulator.faces.tdl_shuffler import new_shuffler
from simulator.runner import Outlet, Stage
from simulator.world import hands
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.happenings import Spot
from simulator.world.hazards import NEVER, Hazards
from simulator.world.machine import ShufflerMachine

T = TypeVar("T")


class Hands(Protocol):
    """What a person at the machine can do. None of it goes over the wire."""

    async def lay(self, cards: int) -> None:
        """Lay cards into the hopper."""

    async def draw(self) -> int:
        """Draw at the exit; how many cards came."""

    async def crease_at_exit(self) -> None:
        """Fold the cards that wait at the exit: the next one will jam."""

    async def free_exit(self) -> int:
        """Lid open (it is released), the stuck cards out, lid shut; how many cards."""

    async def reset(self) -> None:
        """Press the reset button."""

    async def inside(self) -> int:
        """Cards inside, counted by eye."""


class Rig(Protocol):
    """A shuffler under test."""

    address: str
    serial: str
    model: str
    hands: Hands | None  # None: nobody stands at it
    has_counted_feed: bool  # a feed permit with a number of cards is offered

    async def connect(self) -> Link:
        """A new cable; the one before is pulled."""

    async def cut(self) -> None:
        """Pull the cable."""


class SimulatedHands:
    """Hands in the simulated world."""

    def __init__(self, stage: Stage, outlet: Outlet, machine: ShufflerMachine, felt: Pile) -> None:
        self._stage = stage
        self._outlet = outlet
        self._machine = machine
        self._felt = felt

    async def lay(self, cards: int) -> None:
        laid = self._do(lambda: hands.put_packet(self._machine, list(self._felt)[:cards]))
        assert laid == cards

    async def draw(self) -> int:
        return self._do(lambda: hands.draw(self._machine, self._felt))

    async def crease_at_exit(self) -> None:
        carousel = self._machine.carousel
        for card in (*carousel.buffer, *carousel.nose, *carousel.transfer):
            hands.crease(card)
        for compartment in carousel.compartments:
            for card in compartment:
                hands.crease(card)

    async def free_exit(self) -> int:
        assert self._do(lambda: hands.open_lid(self._machine))
        taken = self._do(lambda: hands.take_stuck(self._machine, Spot.EXIT, self._felt))
        self._do(lambda: hands.close_lid(self._machine))
        return taken

    async def reset(self) -> None:
        self._do(lambda: self._outlet.face.reset(self._stage.now_ns))  # type: ignore[attr-defined]

    async def inside(self) -> int:
        return self._machine.cards_inside

    def _do(self, act: Callable[[], T]) -> T:
        return self._stage.act(act)


class SimulatedRig:
    """The simulated shuffler on a memory cable, or on a pseudo-terminal under a name."""

    model = "CSM-SIM"
    serial = "000123"
    has_counted_feed = True

    def __init__(self, *, pace: float = 1.0, name: Path | None = None) -> None:
        self.address = "memory://rig" if name is None else f"serial://{name}"
        self._name = name
        self._stage = Stage(pace=pace)
        felt = Pile("felt")
        for number in range(2):
            new_deck(number + 1, Back.RED if number else Back.BLUE, felt)
        machine = ShufflerMachine("rig", seed=1, hazards=Hazards(1, NEVER))
        carousel = machine.carousel
        for sensor in (carousel.in_sensor, carousel.out_sensor, carousel.look_sensor):
            sensor.misreads_per_card = 0.0
        face = new_shuffler(machine, Memory())
        self._stage.add_world(machine)
        self._outlet = self._stage.add_face(face)
        self._stage.act(lambda: face.boot(self._stage.now_ns))
        self._served: asyncio.Task[None] | None = None
        self._host: Link | None = None
        self.hands = SimulatedHands(self._stage, self._outlet, machine, felt)

    async def connect(self) -> Link:
        await self.cut()
        if self._name is None:
            near, far = memory_pair("rig")
            self._served = asyncio.create_task(self._outlet.serve(far))
            self._host = near
        else:
            if self._served is None:
                self._served = asyncio.create_task(self._outlet.serve(open_pty(self._name).link))
            self._host = await open_serial(str(self._name))
        return self._host

    async def cut(self) -> None:
        if self._host is not None:
            await self._host.close()
            self._host = None
            if self._name is None and self._served is not None:
                await asyncio.wait([self._served])

    async def close(self) -> None:
        """Put everything away."""
        await self.cut()
        if self._served is not None:
            self._served.cancel()
            await asyncio.gather(self._served, return_exceptions=True)
        self._stage.close()


@asynccontextmanager
async def simulated_rig(*, pace: float = 1.0, name: Path | None = None) -> AsyncIterator[SimulatedRig]:
    """The simulated shuffler for one test."""
    rig = SimulatedRig(pace=pace, name=name)
    try:
        yield rig
    finally:
        await rig.close()
