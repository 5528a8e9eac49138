"""From an address to an open link. A new kind of cable is one file and one line in `SCHEMES`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from firmware_bridge.links.address_kinds import (
    Address,
    MemoryAddress,
    Mistakes,
    SerialAddress,
    Surroundings,
    TcpAddress,
    UsbAddress,
)
from firmware_bridge.links.base import Link
from firmware_bridge.links.mqtt_address import MqttAddress, MqttsAddress

SCHEMES: dict[str, type[Address]] = {
    "serial": SerialAddress,
    "tcp": TcpAddress,
    "usb": UsbAddress,
    "mqtt": MqttAddress,
    "mqtts": MqttsAddress,
    "memory": MemoryAddress,
}


# A secret given by mistake is not repeated in a message.
NAME_AND_PASSWORD = re.compile(r"//[^/@]*@")


class AddressError(ValueError):
    """An address that is none; `mistakes` lists everything that is wrong with it and what is allowed."""

    def __init__(self, text: str, mistakes: list[str]) -> None:
        shown = NAME_AND_PASSWORD.sub("//…@", text)
        super().__init__(f"{shown!r} is not the address of a device: {'; '.join(mistakes)}")
        self.mistakes = tuple(mistakes)


def parse_address(text: str) -> Address:
    """The parts of an address. Raises `AddressError` with every mistake in it."""
    mistakes = Mistakes()
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise AddressError(text, [str(error)]) from None
    kind = SCHEMES.get(parts.scheme)
    if kind is None:
        mistakes.unknown("kind of link", parts.scheme, SCHEMES)
        raise AddressError(text, mistakes)
    if parts.fragment:
        mistakes.append(f"nothing follows a #, but {parts.fragment!r} does")
    address = kind.parse(parts, mistakes)
    if mistakes:
        raise AddressError(text, [*mistakes, f"its form is {kind.form}"])
    return address


async def open_link(address: str, surroundings: Surroundings | None = None) -> Link:
    """Open the cable behind an address. Raises `AddressError`, `LinkRefused` and its kinds."""
    return await parse_address(address).open(address, surroundings or Surroundings())
