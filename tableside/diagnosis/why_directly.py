"""Asking a device why it is away where no daemon holds its port: its own driver tries, then further questions.

Where not a byte comes, the same question is put at other speeds, and on a bus to other addresses (`why_questions.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

from drivers.fact import Fact
from firmware_bridge.clock import SystemClock
from tableside.configuration import shape
from tableside.diagnosis.directly import driven, until_it_has_spoken
from tableside.diagnosis.evidence import Evidence, evidence_of, of_last_connection
from tableside.diagnosis.strangers import frames_of
from tableside.diagnosis.traces import Cable
from tableside.diagnosis.why import ONLY_LISTENED_TO
from tableside.diagnosis.why_questions import other_speed, other_station

# Whoever talks by itself does so every few seconds as a rule.
LISTEN_S = 5.0
_LOOK_AGAIN_S = 0.1
_REFUSED = ("absent", "forbidden", "busy", "refused")

Notice = Callable[[str], None]


async def ask(device: shape.Device, notice: Notice = lambda _text: None) -> Evidence:
    """What its own driver finds out, and what further questions do. `notice` is told what is being done."""
    evidence = await _by_driver(device, notice)
    if evidence.is_connected or evidence.ended_by in _REFUSED or frames_of(evidence.profile, evidence.theirs):
        return evidence
    station = evidence.station or 0
    speed = await other_speed(device.address, evidence.profile, station, notice)
    if speed is None and not evidence.theirs:
        found = await other_station(device.address, evidence.profile, station, notice)
        return replace(evidence, other_station=found)
    return replace(evidence, other_speed=speed)


async def _listening(cable: Cable) -> None:
    """Who is not asked is given time to speak by itself."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LISTEN_S if cable.profile in ONLY_LISTENED_TO else 0):
            while cable.heard_ns is None:  # noqa: ASYNC110 - bytes come without a word
                await asyncio.sleep(_LOOK_AGAIN_S)


async def _by_driver(device: shape.Device, notice: Notice) -> Evidence:
    notice(f"asking {device.name} at {device.address}")
    clock = SystemClock()

    async def report(_fact: Fact) -> None:
        """Facts go nowhere: there is no table."""

    async with driven(device, report, clock) as equipment:
        await until_it_has_spoken(equipment, device.name)
        await _listening(equipment.cables[device.name])
        seen = equipment.health[device.name]()
    cable = equipment.cables[device.name]
    return evidence_of(device, seen, cable.profile, of_last_connection(cable.ring.entries(), clock.monotonic_ns()))
