"""A device of the configuration with its own driver and no table: where nobody holds its port, for a moment.

What the driver's session says is an ordinary beginning: nothing moves by it, no permit is given, and a device that
obeys another host answers and obeys that one as before.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from drivers.fact import Fact
from firmware_bridge.clock import Clock, SystemClock
from firmware_bridge.links.address import open_link
from firmware_bridge.session.osdp.profile import OFF_LINE_AFTER_S
from tableside.cabling import Equipment
from tableside.configuration import shape
from tableside.diagnosis.why_questions import strange_epoch
from tableside.equipment import equip
from tableside.ground import Ground

# TDL waits ten seconds for an answer, OSDP eight for a station: after this long each driver has said what it knows.
LOOK_LIMIT_S = max(10.0, OFF_LINE_AFTER_S) + 3.0
_LOOK_AGAIN_S = 0.1

Report = Callable[[Fact], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _One:
    """A table of one device, as far as its driver needs it."""

    devices: tuple[shape.Device, ...]
    languages: tuple[str, ...] = ("en",)
    tag_register: Path | None = None


@asynccontextmanager
async def driven(device: shape.Device, report: Report, clock: Clock) -> AsyncIterator[Equipment]:
    """The device's driver at work, from whatever it says until the block ends."""
    equipment = equip(_One((device,)), _ground(clock), report, strange_epoch(), {})
    tasks = [asyncio.create_task(run(), name=name) for name, run in equipment.running.items()]
    try:
        yield equipment
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def until_it_has_spoken(equipment: Equipment, device: str) -> None:
    """Until it answers, or its driver says why it does not; or for as long as that may take."""
    health = equipment.health[device]
    loop = asyncio.get_running_loop()
    end_s = loop.time() + LOOK_LIMIT_S
    while loop.time() < end_s and not (health()["is_connected"] or health()["ended_by"]):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(_LOOK_AGAIN_S)


async def facts_directly(device: shape.Device, notice: Callable[[str], None]) -> list[tuple[int, Fact]]:
    """What its driver tells of it when it comes, each with UTC ns. Nothing goes on record."""
    notice(f"asking {device.name} at {device.address}")
    clock = SystemClock()
    facts: list[tuple[int, Fact]] = []

    async def report(fact: Fact) -> None:
        facts.append((clock.now().wall_ns, fact))

    async with driven(device, report, clock) as equipment:
        await until_it_has_spoken(equipment, device.name)
    return facts


def _ground(clock: Clock) -> Ground:
    """Only cables, clock and chance: of the rest a driver needs nothing."""

    async def none_here(*_arguments: object) -> NoReturn:
        raise RuntimeError("a device that is asked directly has no journal, no people and no other systems")

    numbers = random.SystemRandom()
    return Ground(
        clock=clock,
        open_journal=none_here,
        connect=open_link,
        next_session=lambda: numbers.randrange(1, 0x10000),
        compare_pin=none_here,
        digest_key=bytes(32),
        seal_key=bytes(32),
        open_broker=none_here,
        write_file=none_here,
        post=none_here,
    )
