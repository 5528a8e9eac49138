"""Device addresses of a configuration: the links' own grammar, a relative serial path, and who shares a cable."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.links.address import AddressError, parse_address
from firmware_bridge.links.address_kinds import (
    TEST_IDS,
    Address,
    MemoryAddress,
    SerialAddress,
    TcpAddress,
    UsbAddress,
)
from firmware_bridge.links.mqtt_address import certificates_from

SERIAL = "serial://"
PSEUDO_TERMINALS = "/dev/pts/"


class AddressRefused(ValueError):
    """An address that no link of a table can open; says why."""


@dataclass(frozen=True, slots=True)
class DeviceAddress:
    """An address of a configuration, taken apart by the links."""

    scheme: str
    parsed: Address

    @property
    def cable(self) -> Hashable:
        """What two devices must not share, unless they are stations of one bus."""
        return self.parsed.node if isinstance(self.parsed, SerialAddress) else self.parsed

    @property
    def advice(self) -> str:
        """What is allowed but unwise, such as a name by order of plugging (BR-021)."""
        return self.parsed.advice or "" if isinstance(self.parsed, SerialAddress) else ""

    @property
    def is_simulated(self) -> bool:
        """Whether the address itself shows that no real device can be behind it (BR-070).

        An MQTT address is the broker's, which may well run on the table host; what is behind it says itself that
        it is simulated (TDL 4.3).
        """
        match self.parsed:
            case SerialAddress(node=node):
                return os.path.realpath(node).startswith(PSEUDO_TERMINALS)
            case UsbAddress(vendor=vendor, product=product, server=server):
                return (vendor, product) in TEST_IDS or server is not None
            case TcpAddress(host=host):
                return is_loopback(host)
            case _:
                return False


def absolute_address(text: str, folder: Path) -> str:
    """`text`, a relative serial path or folder of certificates counted from `folder`; the links know no folder.

    Not resolved further: a stable name may point to another node each time the device comes back (BR-021).
    """
    path = text.removeprefix(SERIAL)
    if path == text or path.startswith("/") or not path.partition("?")[0]:
        return certificates_from(text, folder)
    node, mark, query = path.partition("?")
    return f"{SERIAL}{os.path.abspath(folder / node)}{mark}{query}"


def read_address(text: str, folder: Path) -> DeviceAddress:
    """A device's address. Raises `AddressRefused` with everything that is wrong with it."""
    try:
        parsed = parse_address(absolute_address(text, folder))
    except AddressError as refused:
        raise AddressRefused(f'"{text}": {"; ".join(refused.mistakes)}') from refused
    if isinstance(parsed, MemoryAddress):
        raise AddressRefused(f'"{text}" is a cable within a test, no device')
    return DeviceAddress(text.partition("://")[0], parsed)


def is_loopback(host: str) -> bool:
    """Whether what goes there stays on this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
