"""What jackpot chip slots must keep together: seats of the table, each with one slot, and what a chip is worth."""

from __future__ import annotations

from collections.abc import Iterator

from drivers.displays.money import CURRENCIES
from drivers.registry import CCTALK_SLOT
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import MISSING, Finding, listed

# What one chip is worth is the inspection service's to approve (JP-2).
_OF_ACCEPTORS = (
    ("cctalk_address", "its address on the bus, 2 to 255"),
    ("chip_position", "the coin position, 1 to 16, that the chip was taught to"),
)
_SETTINGS = (
    ("jackpot_chip_value", "what one jackpot chip is worth, in the smallest unit of its currency (JP-10)"),
    ("jackpot_chip_currency", "three letters of ISO 4217"),
    ("jackpot_approved_by", "who approved the value of a jackpot chip (JP-2)"),
    ("jackpot_approved_on", "the date of that"),
)


def slot_findings(file: Draft) -> Iterator[Finding]:
    """Everything across keys that is wrong with the chip slots of a table's file."""
    slots = [device for device in file.parts("devices") if device.text("role") == "chip_slots"]
    seats = file.part("table").number("seats")
    taken: dict[int, str] = {}
    for device in slots:
        if not device.has("seats"):
            yield Finding(device.at("seats"), MISSING, "the seats that have a slot, such as [1, 2, 3]")
        for seat in device.part("seats").values.values():
            if not isinstance(seat, int):
                continue  # told by its shape
            if seats is not None and seat > seats:
                yield Finding(device.at("seats"), f"names seat {seat}", f"seats 1 to {seats}")
            if seat in taken:
                yield Finding(
                    device.at("seats"), f'names seat {seat}, as "{taken[seat]}" does', "one slot a seat (JP-3)"
                )
            taken[seat] = device.text("name") or "?"
    for device in slots:
        yield from _acceptor(device)
    if slots:
        yield from _chip(file.part("settings"))


def _acceptor(device: Draft) -> Iterator[Finding]:
    """A coin acceptor is one seat's, has its address on the bus, and knows the chip by a position."""
    is_acceptor = device.text("driver") == CCTALK_SLOT.name
    for key, allowed in _OF_ACCEPTORS:
        if is_acceptor and not device.has(key):
            yield Finding(device.at(key), MISSING, allowed)
        elif not is_acceptor and device.has(key):
            yield Finding(device.at(key), "means nothing for this driver", f"only for {CCTALK_SLOT.name}")
    if is_acceptor and len(device.part("seats").values) > 1:
        yield Finding(device.at("seats"), "names several seats", "one: each seat has an acceptor of its own")
    serial = device.text("serial_number") or "0"
    if is_acceptor and not (serial.isascii() and serial.isdigit()):
        yield Finding(device.at("serial_number"), f'is "{serial}"', "the number that the acceptor tells, in decimals")


def _chip(settings: Draft) -> Iterator[Finding]:
    for key, allowed in _SETTINGS:
        if not settings.has(key):
            yield Finding(settings.at(key), MISSING, allowed)
    currency = settings.text("jackpot_chip_currency")
    if currency is not None and currency not in CURRENCIES:
        yield Finding(settings.at("jackpot_chip_currency"), f'is "{currency}"', listed(CURRENCIES))
