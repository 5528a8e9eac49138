"""Asking a device why it is away where no daemon holds its port: its own driver tries, then further questions.

What the driver's session says is an ordinary beginning: nothing moves by it, no permit is given, and a device that
obeys another host answers and obeys that one as before. Where not a byte comes, the same question is put at other
speeds, and on a bus to other addresses (`why_questions.py`).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from drivers.fact import Fact
from firmware_bridge.clock import Clock, SystemClock
from firmware_bridge.links.address import open_link
from firmware_bridge.session.osdp.profile import OFF_LINE_AFTER_S
from tableside.configuration import shape
from tableside.diagnosis.evidence import Evidence, evidence_of, of_last_connection
from tableside.diagnosis.speech import OSDP
from tableside.diagnosis.strangers import frames_of
from tableside.diagnosis.why_questions import other_speed, other_station, strange_epoch
from tableside.equipment import equip
from tableside.ground import Ground

# TDL waits ten seconds for an answer, OSDP eight for a station: after this long each driver has said what it knows.
LOOK_LIMIT_S = max(10.0, OFF_LINE_AFTER_S) + 3.0
_LOOK_AGAIN_S = 0.1
_REFUSED = ("absent", "forbidden", "busy", "refused")

Notice = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _One:
    """A table of one device, as far as its driver needs it."""

    devices: tuple[shape.Device, ...]
    languages: tuple[str, ...] = ("en",)
    tag_register: Path | None = None


async def ask(device: shape.Device, notice: Notice = lambda _text: None) -> Evidence:
    """What its own driver finds out, and what further questions do. `notice` is told what is being done."""
    evidence = await _by_driver(device, notice)
    if evidence.is_connected or evidence.ended_by in _REFUSED or frames_of(evidence.profile, evidence.heard):
        return evidence
    station = device.osdp_address or 0
    speed = await other_speed(device.address, evidence.profile, station, notice)
    if speed is None and evidence.profile == OSDP:
        return replace(evidence, other_station=await other_station(device.address, station, notice))
    return replace(evidence, other_speed=speed)


async def _by_driver(device: shape.Device, notice: Notice) -> Evidence:
    notice(f"asking {device.name} at {device.address}")
    clock = SystemClock()

    async def report(_fact: Fact) -> None:
        """Facts go nowhere: there is no table."""

    equipment = equip(_One((device,)), _ground(clock), report, strange_epoch(), {})
    tasks = [asyncio.create_task(run(), name=name) for name, run in equipment.running.items()]
    health = equipment.health[device.name]
    try:
        end_s = asyncio.get_running_loop().time() + LOOK_LIMIT_S
        while asyncio.get_running_loop().time() < end_s:
            if health()["is_connected"] or health()["ended_by"]:
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        seen = health()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    cable = equipment.cables[device.name]
    return evidence_of(device, seen, cable.profile, of_last_connection(cable.ring.entries(), clock.monotonic_ns()))


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
