"""A whole room in virtual time: devices on memory cables, its side channel asked line by line."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from simulator.control import SideDesk
from simulator.faces.memory import Memory
from simulator.plan import DeckPlan, DevicePlan, Kind, Plan, Simulation
from simulator.room import Room
from simulator.world.cards import Back

PLAN = Plan(
    simulation=Simulation(seed=3, is_lab=True),
    decks=(DeckPlan(back=Back.RED, count=1, reserve=1), DeckPlan(back=Back.BLUE, count=1)),
    devices=(
        DevicePlan(name="shuffler", kind=Kind.SHUFFLER, serial_number="000123", address="memory://shuffler"),
        DevicePlan(name="spare", kind=Kind.SHUFFLER, serial_number="000124", address="memory://spare"),
        DevicePlan(name="switches", kind=Kind.SWITCH_BOX, serial_number="000777", address="memory://switches"),
        DevicePlan(name="badges", kind=Kind.BADGE_READER, serial_number="00000901", address="memory://badges"),
    ),
)


class RoomBench:
    """A room that runs, and its side desk."""

    def __init__(self, plan: Plan = PLAN, memories: Mapping[str, Memory] | None = None) -> None:
        self.room = Room(plan, memories=memories)
        self.desk = SideDesk(self.room)

    async def ask(self, act: str, **fields: object) -> dict[str, Any]:
        """One line of the side channel; the whole answer."""
        answer: dict[str, Any] = json.loads(
            await self.desk.answer(json.dumps({"id": "1", "act": act, **fields}).encode())
        )
        return answer

    async def person(self, does: str, **fields: object) -> Any:
        """A person's deed that must succeed; what was seen."""
        answer = await self.ask("person", deed={"does": does, **fields})
        assert answer["answer"] == "done", answer
        return answer["what"]

    async def world(self, does: str, **fields: object) -> None:
        """A deed of the world that must be carried out."""
        answer = await self.ask("world", deed={"does": does, **fields})
        assert answer["answer"] == "done", answer

    async def fired(self) -> list[bool]:
        """Which causes have had their effect."""
        return [each["fired"] for each in (await self.ask("proofs"))["what"]]


@contextlib.asynccontextmanager
async def running_room(plan: Plan = PLAN, memories: Mapping[str, Memory] | None = None) -> AsyncIterator[RoomBench]:
    """A room with power, its cables served."""
    bench = RoomBench(plan, memories)
    bench.room.power_up()
    running = asyncio.create_task(bench.room.run())
    await asyncio.sleep(0.1)
    try:
        yield bench
    finally:
        running.cancel()
        await asyncio.wait([running])
