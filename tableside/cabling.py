"""What carries a table's devices: cables, buses that several share, and how each of them is, for the technician."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, fields
from typing import NoReturn, Protocol

from drivers.badges.keyboard_reader import ScanCounts
from drivers.device import Device
from drivers.firmware.gat_port import GatPort
from firmware_bridge.links.address import parse_address
from firmware_bridge.links.address_kinds import SerialAddress
from firmware_bridge.links.base import Link
from firmware_bridge.session.cctalk import CctalkBus
from firmware_bridge.session.cctalk.acceptor import StationCounts as AcceptorCounts
from firmware_bridge.session.cctalk.bus import BusCounts as CctalkCounts
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.keeper import Keeper
from firmware_bridge.session.modbus import ModbusBus
from firmware_bridge.session.osdp import OsdpBus
from firmware_bridge.session.osdp.counts import BusCounts, StationCounts
from firmware_bridge.session.osdp.profile import LineProfile
from tableside.configuration import shape
from tableside.diagnosis.traces import Cable
from tableside.ground import Ground

Run = Callable[[], Coroutine[None, None, NoReturn]]
Tell = Callable[[], Awaitable[None]]
Health = Callable[[], dict[str, object]]
Counts = LinkCounts | BusCounts | StationCounts | ScanCounts | CctalkCounts | AcceptorCounts
MS_PER_S = 1_000
BROKEN = "its driver's task broke and is made anew"
# A bus stands while one of its readers is silent.
NOT_ON_CABLE = "its cable stands, and it does not answer there: see its power and its address on the bus"


@dataclass(frozen=True, slots=True)
class SharedBus:
    """A bus, and who is told when its task breaks: devices of other tables may be on it."""

    bus: OsdpBus | ModbusBus | CctalkBus
    behind: list[Tell] = field(default_factory=list)


class Ordered(Protocol):
    """What may still have something to tell its device when the daemon stops."""

    @property
    def has_orders(self) -> bool:
        """Orders are on their way to the device."""


@dataclass(slots=True)
class Equipment:
    """Of one table, by device name. `running` has the buses too."""

    devices: dict[str, Device] = field(default_factory=dict)
    running: dict[str, Run] = field(default_factory=dict)
    health: dict[str, Health] = field(default_factory=dict)
    lines: list[Ordered] = field(default_factory=list)
    firmware_ports: dict[str, GatPort] = field(default_factory=dict)
    cables: dict[str, Cable] = field(default_factory=dict)  # by the device that names the cable first
    behind: dict[str, list[Tell]] = field(default_factory=dict)  # who is told when the task of that name breaks

    @property
    def has_orders(self) -> bool:
        """Orders are on their way to a device."""
        return any(line.has_orders for line in self.lines)


def bus_name(device: shape.Device) -> str:
    return f"bus of {device.name}"


def share(
    equipment: Equipment, device: shape.Device, shared: SharedBus, cable: Cable, buses: dict[str, SharedBus]
) -> SharedBus:
    """A bus runs with the table, and stands under the device, that names it first."""
    buses[device.address] = shared
    equipment.cables[device.name] = cable
    equipment.running[bus_name(device)] = shared.bus.run
    equipment.behind[bus_name(device)] = shared.behind
    return shared


async def connected(ground: Ground, address: str, cable: Cable) -> Link:
    return cable.tapped(await ground.connect(address))


def line_profile(address: str) -> LineProfile:
    parsed = parse_address(address)
    return LineProfile(parsed.settings.baud) if isinstance(parsed, SerialAddress) else LineProfile()


def health_of(
    keeper: Keeper, *counts: Counts, is_connected: bool, why_away: str = "", ended_by: str = ""
) -> dict[str, object]:
    """What the technician sees of one cable: counters that are not zero, those of a kind by its name."""
    named = ((each.name, getattr(count, each.name)) for count in counts for each in fields(count))
    counted = {name: _by_name(value) for name, value in named if value}
    return {
        "is_connected": is_connected,
        "losses": keeper.losses,
        "attempts": keeper.attempts_since_up,
        "why_away": "" if is_connected else keeper.why_away or why_away or NOT_ON_CABLE,
        "ended_by": "" if is_connected else keeper.ended_by or ended_by,
        "counts": counted,
    }


def silence_since(answered_s: float | None) -> dict[str, object]:
    """Of a station of a bus: ms since its own last good answer (in loop time); None: it never gave one.

    Its cable's last byte is anybody's, and on some cables our own (BR-005).
    """
    if answered_s is None:
        return {"silent_ms": None}
    return {"silent_ms": round((asyncio.get_running_loop().time() - answered_s) * MS_PER_S)}


def _by_name(value: object) -> object:
    """A counter's kinds as text: `asdict` makes keys of a Counter's pairs, and of those no answer can be made."""
    return {str(kind): number for kind, number in value.items()} if isinstance(value, Mapping) else value
