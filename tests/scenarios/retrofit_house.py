"""The house of the scenarios with a shuffler that has no data link: an I/O board is wired to it, and lights a lamp."""

from __future__ import annotations

import dataclasses

import msgspec

from drivers.lamps.modbus_lamp import LampCoils
from drivers.shufflers.wiring import Contact, Gate, JamLight, Lamp, Wiring
from simulator.plan import Kind, Plan
from tableside.config import HostConfig
from tableside.configuration.shape import Device, DeviceRole

SPARE = "spare"
BOARD = "serial:///dev/serial/by-id/board?baud=19200"
# As the simulated electrician puts the wires (simulator/world/plain_machine.py). Counters of the board miss nothing
# between two polls, so a few polls a second are enough.
WIRING = Wiring(
    poll_ms=200,
    jam_lamp=Lamp(input=0, jam=JamLight.BLINKING),
    lid=Contact(input=1, is_active_low=True),
    card_in=Gate(counter=2),
    card_out=Gate(counter=3),
    tray=Contact(input=4, debounce_ms=400),
)
LAMP = Device(
    name="lamp",
    role=DeviceRole.LAMP,
    driver="modbus-lamp",
    address=BOARD,
    serial_number="R-1",
    model="relays",
    coils=LampCoils(red=0, amber=1, blue=2),
)


def retrofit(plan: Plan, config: HostConfig) -> tuple[Plan, HostConfig]:
    """No spare beside it: the house has this one machine."""
    machines = tuple(
        msgspec.structs.replace(device, kind=Kind.PLAIN_SHUFFLER) if device.kind is Kind.SHUFFLER else device
        for device in plan.devices
        if device.name != SPARE
    )
    table = config.tables[0]
    devices = tuple(
        msgspec.structs.replace(device, driver="retrofit-shuffler", address=BOARD, wiring=WIRING)
        if device.role is DeviceRole.SHUFFLER
        else device
        for device in table.devices
        if device.name != SPARE
    )
    tables = (dataclasses.replace(table, devices=(*devices, LAMP)),)
    return msgspec.structs.replace(plan, devices=machines), dataclasses.replace(config, tables=tables)
