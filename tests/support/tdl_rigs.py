"""TDL shufflers to hold to their contract: where they are reached, and the hands at them.

A rig is a device under test. What only hands can do (lay cards, draw them, crease one) is asked of the rig, so
that the same contract is tested on the simulated shuffler, on a stranger's device, and on a real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from firmware_bridge.links.address import open_link
from firmware_bridge.links.base import Link, LinkRefused
from simulator.cables import Cable
from simulator.faces.memory import Memory
from simulator.faces.tdl_shuffler import new_shuffler
from simulator.runner import Outlet, Stage
from simulator.world import hands
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.happenings import Spot
from simulator.world.hazards import NEVER, Hazards
from simulator.world.machine import ShufflerMachine
from tests.support.wires import Wire

T = TypeVar("T")
# A cable that was just put in is there within so long, also through a broker.
PLUGGING_S = 10.0
LOOK_AGAIN_S = 0.01


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

    async def open_lid(self) -> None:
        """Open the lid, with the service key where it is locked."""

    async def close_lid(self) -> None:
        """Shut it."""

    async def reset(self) -> None:
        """Press the reset button."""

    async def break_memory(self) -> None:
        """From now on it takes no write."""

    async def mend_memory(self) -> None:
        """It takes writes again."""

    async def inside(self) -> int:
        """Cards inside, counted by eye."""


class Rig(Protocol):
    """A shuffler under test."""

    address: str
    serial: str
    model: str
    hands: Hands | None  # None: nobody stands at it
    has_counted_feed: bool  # a feed permit with a number of cards is offered
    sees_cable: bool  # the device notices the end of a connection (tdl.md 2.1: all but serial)

    async def connect(self) -> Link:
        """A new cable; the one before is pulled."""

    async def cut(self) -> None:
        """Pull the cable."""


class SimulatedHands:
    """Hands in the simulated world."""

    def __init__(self, stage: Stage, outlet: Outlet, machine: ShufflerMachine, memory: Memory, felt: Pile) -> None:
        self._stage = stage
        self._outlet = outlet
        self._memory = memory
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

    async def open_lid(self) -> None:
        assert self._do(lambda: hands.open_lid(self._machine, with_key=True))

    async def close_lid(self) -> None:
        self._do(lambda: hands.close_lid(self._machine))

    async def reset(self) -> None:
        self._do(lambda: self._outlet.face.reset(self._stage.now_ns))  # type: ignore[attr-defined]

    async def break_memory(self) -> None:
        self._memory.is_broken = True

    async def mend_memory(self) -> None:
        self._memory.is_broken = False

    async def inside(self) -> int:
        return self._machine.cards_inside

    def _do(self, act: Callable[[], T]) -> T:
        return self._stage.act(act)


class SimulatedRig:
    """The simulated shuffler at the far end of a wire."""

    model = "CSM-SIM"
    serial = "000123"
    has_counted_feed = True

    def __init__(self, wire: Wire, *, pace: float = 1.0) -> None:
        self.address = wire.address
        self._wire = wire
        self._stage = Stage(pace=pace)
        felt = Pile("felt")
        for number in range(2):
            new_deck(number + 1, Back.RED if number else Back.BLUE, felt)
        machine = ShufflerMachine("rig", seed=1, hazards=Hazards(1, NEVER))
        carousel = machine.carousel
        for sensor in (carousel.in_sensor, carousel.out_sensor, carousel.look_sensor):
            sensor.misreads_per_card = 0.0
        memory = Memory()
        face = new_shuffler(machine, memory)
        self._stage.add_world(machine)
        socket = wire.plug(lambda: face.boot_number)
        self.sees_cable = socket.sees_cable
        self._outlet = self._stage.add_face(face, sees_cable=self.sees_cable)
        self._stage.act(lambda: face.boot(self._stage.now_ns))
        self._cable = Cable("rig", socket)
        self._served = asyncio.create_task(self._cable.run(self._outlet))
        self._host: Link | None = None
        self.hands = SimulatedHands(self._stage, self._outlet, machine, memory, felt)

    async def connect(self) -> Link:
        await self.cut()
        self._cable.plug_in()
        self._host = await self.open_another()
        return self._host

    async def open_another(self) -> Link:
        """A connection beside the one that stands; tried until the device is there to take it."""
        async with asyncio.timeout(PLUGGING_S):
            while True:
                try:
                    return await open_link(self.address, self._wire.surroundings)
                except LinkRefused:
                    await asyncio.sleep(LOOK_AGAIN_S)

    async def cut(self) -> None:
        if self._host is not None:
            await self._cable.pull()
            await self._host.close()
            self._host = None

    async def close(self) -> None:
        """Put everything away."""
        await self.cut()
        self._served.cancel()
        await asyncio.gather(self._served, return_exceptions=True)
        self._stage.close()


@asynccontextmanager
async def simulated_rig(wire: Wire, *, pace: float = 1.0) -> AsyncIterator[SimulatedRig]:
    """The simulated shuffler for one test."""
    rig = SimulatedRig(wire, pace=pace)
    try:
        yield rig
    finally:
        await rig.close()
