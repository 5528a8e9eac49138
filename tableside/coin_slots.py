"""Coin acceptors as chip slots, from the configuration to a driver on the bus of its address."""

from __future__ import annotations

from functools import partial

from drivers.device import Report
from drivers.events import DeviceLost
from drivers.registry import build_coin_slot
from drivers.slots.cctalk_slots import CctalkSlotSettings
from firmware_bridge.session.cctalk import BusSettings, CctalkBus
from tableside.cabling import (
    BROKEN,
    Equipment,
    SharedBus,
    bus_name,
    connected,
    health_of,
    line_profile,
    share,
    silence_since,
)
from tableside.configuration import shape
from tableside.diagnosis.speech import CCTALK
from tableside.diagnosis.traces import Cable
from tableside.ground import Ground


def add_coin_slot(
    equipment: Equipment,
    device: shape.Device,
    ground: Ground,
    report: Report,
    epoch: int,
    buses: dict[str, SharedBus],
) -> None:
    """Acceptors at one address share its bus, which runs as a task of its own."""
    shared = buses.get(device.address)
    if shared is None:
        settings = BusSettings(bus_name(device), device.address, line_profile(device.address).baud)
        cable = Cable(CCTALK, ground.clock)
        made = CctalkBus(settings, lambda: connected(ground, device.address, cable), ground.jitter())
        shared = share(equipment, device, SharedBus(made), cable, buses)
    bus, lost = shared.bus, partial(report, DeviceLost(device=device.name, why=BROKEN))
    assert isinstance(bus, CctalkBus), "the check lets one protocol speak at an address"
    shared.behind.append(lost)
    equipment.behind[device.name] = [lost]
    slot = build_coin_slot(_slot_settings(device), bus, report, ground.next_session, epoch)
    equipment.devices[device.name] = slot
    equipment.lines.append(slot)  # whoever stops waits until it is shut: it has no lease that would end
    equipment.running[device.name] = slot.run
    equipment.health[device.name] = lambda: (
        health_of(
            bus.keeper,
            bus.counts,
            slot.counts,
            is_connected=slot.is_connected,
            why_away=slot.why_away,
            ended_by=slot.ended_by,
        )
        | silence_since(slot.acceptor.answered_s)
    )


def _slot_settings(device: shape.Device) -> CctalkSlotSettings:
    assert device.seats is not None, "the check demands seat, address and position of an acceptor"
    return CctalkSlotSettings(
        device.name,
        seat=device.seats[0],
        address=device.cctalk_address or 0,
        position=device.chip_position or 0,
        serial=device.serial_number,
        model=device.model,
        is_simulated=device.is_simulated,
    )
