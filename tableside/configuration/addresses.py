"""Device addresses as a configuration may write them: `serial://`, `tcp://`, `usb://`, `mqtt://`."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

EXAMPLES = {
    "serial": "serial:///dev/serial/by-id/…?baud=115200",
    "tcp": "tcp://host:port",
    "usb": "usb://vid:pid/serial",
    "mqtt": "mqtt://host:port/<prefix>/<device>",
}
STANDARD_BAUDS = (9_600, 19_200, 38_400, 57_600, 115_200, 230_400)
# Ids for testing only, never sold (pid.codes gives 1209:0001 to 1209:0010 to such): an emulator's.
TEST_USB_IDS = frozenset(f"1209:{number:04x}" for number in range(1, 0x11))
# Numbered in the order of plugging: another device may have the name tomorrow (BR-021).
_INDEX_NAME = re.compile(r"^/dev/(?:tty(?:USB|ACM|S|AMA|XRUSB)|cu\.usbserial-?|rfcomm)\d+$")
_USB = re.compile(r"^[0-9a-f]{4}:[0-9a-f]{4}$")


class AddressRefused(ValueError):
    """An address that no link can open; says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address taken apart. `where` is what two devices must not share."""

    scheme: str
    where: str
    host: str = ""
    query: str = ""

    @property
    def is_index_name(self) -> bool:
        """Whether the port is named by the order of plugging instead of by what is plugged in."""
        return self.scheme == "serial" and _INDEX_NAME.match(self.where) is not None

    @property
    def is_simulated(self) -> bool:
        """Whether the address itself shows that no real device can be behind it (pty, loopback, emulator id)."""
        match self.scheme:
            case "serial":
                return os.path.realpath(self.where).startswith("/dev/pts/") or not self.where.startswith("/dev/")
            case "usb":
                return self.where.rpartition("/")[0] in TEST_USB_IDS
            case _:
                return _is_loopback(self.host)


def parse_address(text: str, folder: Path) -> Address:
    """`text` taken apart, a relative serial path counted from `folder`. Raises `AddressRefused`."""
    scheme, separator, _ = text.partition("://")
    if not separator or scheme not in EXAMPLES:
        raise AddressRefused(f'"{text}" is no device address')
    try:
        parts = urlsplit(text)
        port = parts.port if scheme in ("tcp", "mqtt") else None
    except ValueError as problem:
        raise AddressRefused(f'"{text}" is no device address: {problem}') from problem
    if scheme == "serial":
        return _serial(text, parts.netloc + parts.path, parts.query, folder)
    if scheme == "usb":
        where = (parts.netloc + parts.path).lower()
        if not _USB.match(where.partition("/")[0]) or not where.partition("/")[2]:
            raise AddressRefused(f'"{text}" does not name vendor, product and serial number')
        return Address(scheme, where)
    if not parts.hostname or port is None:
        raise AddressRefused(f'"{text}" lacks host or port')
    topic = parts.path.strip("/")
    if scheme == "mqtt" and ("/" not in topic or any(mark in topic for mark in "+#")):
        raise AddressRefused(f'"{text}" does not name prefix and device')
    return Address(scheme, f"{parts.hostname}:{port}/{topic if scheme == 'mqtt' else ''}", host=parts.hostname)


def _serial(text: str, path: str, query: str, folder: Path) -> Address:
    if not path.strip("/"):
        raise AddressRefused(f'"{text}" names no port')
    baud = parse_qs(query).get("baud", ["115200"])[-1]
    if not baud.isdecimal() or int(baud) not in STANDARD_BAUDS:
        raise AddressRefused(f'"{text}" has baud={baud}; speeds are {", ".join(map(str, STANDARD_BAUDS))}')
    return Address("serial", os.path.normpath(folder / path), query=query)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
