"""What devices at Modbus I/O boards must keep together: their wiring, and the bus that they share."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drivers import registry
from drivers.lamps.modbus_lamp import LampCoils
from drivers.shufflers.wiring import Wiring, wiring_objection
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import MISSING, Finding

_PARTS = {registry.RETROFIT_SHUFFLER.name: "wiring", registry.MODBUS_LAMP.name: "coils"}
_ALLOWED = {
    "wiring": "[devices.wiring] with jam_lamp, lid, card_in and card_out",
    "coils": "[devices.coils] with red, amber and blue",
}


def is_at_board(device: Draft) -> bool:
    """Whether the device is wired to an I/O board: others may be at the same one, or on its bus."""
    return device.text("driver") in registry.MODBUS_DRIVERS


def board_findings(device: Draft) -> Iterator[Finding]:
    """What is wrong with the wiring of one device."""
    driver = device.text("driver") or ""
    for owner, part in _PARTS.items():
        if driver == owner and not device.has(part):
            yield Finding(device.at(part), MISSING, _ALLOWED[part])
        elif driver and driver != owner and device.has(part):
            yield Finding(device.at(part), f'means nothing for "{driver}"', f"only for {owner}")
    if driver == registry.RETROFIT_SHUFFLER.name and device.has("wiring"):
        yield from _wiring(device.part("wiring"))
    if driver == registry.MODBUS_LAMP.name and device.has("coils"):
        yield from _coils(device.part("coils"))


def _wiring(part: Draft) -> Iterator[Finding]:
    try:
        wiring = msgspec.convert(part.values, Wiring)
    except msgspec.ValidationError:
        return  # told by its shape
    objection = wiring_objection(wiring)
    if objection is not None:
        yield Finding(part.at(objection[0]), objection[1], "as the wires are")


def _coils(part: Draft) -> Iterator[Finding]:
    try:
        coils = msgspec.convert(part.values, LampCoils)
    except msgspec.ValidationError:
        return  # told by its shape
    if len(set(coils.all)) != len(coils.all):
        yield Finding(part.path, "has one coil for two colours", "a coil for each")
