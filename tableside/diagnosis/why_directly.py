"""Asking a device why it is away where no daemon holds its port: its own driver tries, then further questions.

Where not a byte comes, the same question is put at other speeds, and on a bus to other addresses (`why_questions.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from drivers.fact import Fact
from firmware_bridge.clock import SystemClock
from tableside.configuration import shape
from tableside.diagnosis.directly import driven, until_it_has_spoken
from tableside.diagnosis.evidence import Evidence, evidence_of, of_last_connection
from tableside.diagnosis.speech import OSDP
from tableside.diagnosis.strangers import frames_of
from tableside.diagnosis.why_questions import other_speed, other_station

_REFUSED = ("absent", "forbidden", "busy", "refused")

Notice = Callable[[str], None]


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

    async with driven(device, report, clock) as equipment:
        await until_it_has_spoken(equipment, device.name)
        seen = equipment.health[device.name]()
    cable = equipment.cables[device.name]
    return evidence_of(device, seen, cable.profile, of_last_connection(cable.ring.entries(), clock.monotonic_ns()))
