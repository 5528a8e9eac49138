"""The kinds of device addresses: what each is made of, what may stand in it, and which link it opens.

A link is imported when one is opened: who only checks a configuration, or has no MQTT, does not pay for it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import ClassVar, Protocol
from urllib.parse import SplitResult, parse_qsl, unquote

from firmware_bridge.links.base import Link, LinkAbsent
from firmware_bridge.links.usb_place import UsbPlace

BAUDS = (1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600)
FORMAT = re.compile(r"([78])([NEO])([12])")
USB_ID = re.compile(r"[0-9a-fA-F]{4}")
USB_PORT = re.compile(r"[1-9][0-9]*-[1-9][0-9]*(\.[1-9][0-9]*)*")
# pid.codes keeps these product numbers of its vendor number for tests: no device on sale has one.
TEST_IDS = {(0x1209, product) for product in range(0x01, 0x11)}


# The device's address, the topic on which a retained frame lies, and the frame (BR-037).
LeftBehind = Callable[[str, str, bytes], None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What links need beside their address.

    `memory`: who answers at a memory address, by name; `usb_backend`: pyusb's backend in place of libusb (both for
    tests and demo only). `left_behind` is told what somebody left at a broker for a device or as from one.
    """

    memory: Mapping[str, Callable[[], Link]] = field(default_factory=dict)
    usb_backend: object | None = None
    left_behind: LeftBehind = lambda _address, _topic, _payload: None


class Mistakes(list[str]):
    """Everything that is wrong with one address, each with what is allowed."""

    def unknown(self, what: str, given: str, allowed: Iterable[str]) -> None:
        """A word that is none of the allowed ones, with the nearest of them."""
        names = list(allowed)
        near = difflib.get_close_matches(given, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        self.append(f"{what} {given!r} is not known, allowed: {', '.join(names) or 'none'}{hint}")

    def query(self, parts: SplitResult, allowed: Iterable[str]) -> dict[str, str]:
        """The words after the question mark, each named once and known."""
        names, found = list(allowed), dict[str, str]()
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            if name not in names:
                self.unknown("setting", name, names)
            elif name in found:
                self.append(f"setting {name!r} is given twice")
            else:
                found[name] = value
        return found

    def host_and_port(self, parts: SplitResult, default_port: int | None = None) -> tuple[str, int]:
        """Host and port of a network address; 0 where the port is wrong."""
        if parts.username is not None or parts.password is not None:
            self.append("names and passwords do not stand in an address: put them into the host's file of secrets")
        if not parts.hostname:
            self.append("the host is missing")
        try:
            port = parts.port if parts.port is not None else default_port
        except ValueError:
            port = 0
        if port is None or not 1 <= port <= 65_535:
            self.append("the port must be a number from 1 to 65535")
        return parts.hostname or "", port or 0


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """How a port is set. `dtr` and `rts` are the levels held from the opening on (BR-023).

    The operating system itself raises both for a moment at the opening; where that resets a device, the device
    comes up with another boot number. At our end they stay as they are, so that a restart of ours resets nothing.
    """

    baud: int = 115_200
    data_bits: int = 8
    parity: str = "N"
    stop_bits: int = 1
    dtr: bool = True
    rts: bool = True

    @property
    def text(self) -> str:
        """As a technician says it: `9600 8N1`."""
        return f"{self.baud} {self.data_bits}{self.parity}{self.stop_bits}"


class Address(Hashable, Protocol):
    """One kind of address, taken apart. `form` shows how it is written; `open` raises LinkRefused and its kinds."""

    form: ClassVar[str]

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> Address:
        """What the parts of a URL say; every mistake in them is added to `mistakes`."""

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        """A new link to what the address names."""


@dataclass(frozen=True, slots=True)
class SerialAddress:
    """A serial port by its device node."""

    form: ClassVar[str] = "serial:///dev/serial/by-id/NAME?baud=115200&format=8N1&dtr=on&rts=on"
    node: str
    settings: SerialSettings = field(default_factory=SerialSettings)

    @property
    def advice(self) -> str | None:
        """What is allowed but unwise: a name that the system numbers in the order of plugging in (BR-021)."""
        if PurePosixPath(self.node).name.startswith(("ttyUSB", "ttyACM")):
            return (
                f"{self.node} is a number that changes with the order of plugging in: use a name of /dev/serial/by-id"
            )
        return None

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> SerialAddress:
        node = unquote(parts.path)
        if parts.netloc or len(node) < 2:
            mistakes.append("a serial address begins with three slashes and names a node: serial:///dev/…")
        found = mistakes.query(parts, ("baud", "format", "dtr", "rts"))
        baud = found.get("baud", "115200")
        if not baud.isdecimal() or int(baud) not in BAUDS:
            mistakes.append(f"baud {baud!r} is not a speed, allowed: {', '.join(map(str, BAUDS))}")
            baud = "115200"
        frame = FORMAT.fullmatch(found.get("format", "8N1"))
        if frame is None:
            mistakes.append(f"format {found['format']!r}: data bits 7 or 8, parity N, E or O, stop bits 1 or 2, as 8N1")
        bits, parity, stops = frame.groups() if frame else ("8", "N", "1")
        levels = {line: _level(line, found.get(line, "on"), mistakes) for line in ("dtr", "rts")}
        return cls(node, SerialSettings(int(baud), int(bits), parity, int(stops), levels["dtr"], levels["rts"]))

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        from firmware_bridge.links.serial import open_serial

        return await open_serial(self.node, self.settings, address=address)


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A device or a serial server by host and port."""

    form: ClassVar[str] = "tcp://HOST:PORT"
    host: str
    port: int

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> TcpAddress:
        host, port = mistakes.host_and_port(parts)
        mistakes.query(parts, ())
        if parts.path not in ("", "/"):
            mistakes.append(f"nothing follows the port, but {parts.path!r} does")
        return cls(host, port)

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        from firmware_bridge.links.tcp import open_tcp

        return await open_tcp(self.host, self.port, address=address)


@dataclass(frozen=True, slots=True)
class UsbAddress:
    """A USB device by vendor, product and serial number; one without a serial number by the socket it hangs on.

    `server`: host and port of a USB/IP server of this machine that has it, in place of the machine's own sockets.
    """

    form: ClassVar[str] = (
        "usb://VID:PID/SERIAL (VID and PID four hexadecimal digits each), usb://VID:PID/?port=1-1.4 for a device "
        "without a serial number, ?usbip=127.0.0.1:3240 behind either for one behind USB/IP"
    )
    vendor: int
    product: int
    serial: str
    port: str = ""
    server: tuple[str, int] | None = None

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> UsbAddress:
        vendor, _, product = parts.netloc.partition(":")
        if not (USB_ID.fullmatch(vendor) and USB_ID.fullmatch(product)):
            mistakes.append(f"{parts.netloc!r}: vendor and product are four hexadecimal digits each, as 1209:0001")
            vendor = product = "0"
        serial = unquote(parts.path.removeprefix("/"))
        found = mistakes.query(parts, ("port", "usbip"))
        port = found.get("port", "")
        if "/" in serial or not (serial or port):
            mistakes.append("the serial number is missing: two devices of a kind are told apart by nothing else")
        if serial and port:
            mistakes.append("a device with a serial number is found at every port: leave the port out")
        if port and not USB_PORT.fullmatch(port):
            mistakes.append(f"port {port!r}: as the kernel names it in /sys/bus/usb/devices, such as 1-1.4")
        server = _loopback(found["usbip"], mistakes) if "usbip" in found else None
        return cls(int(vendor, 16), int(product, 16), serial, port, server)

    @property
    def place(self) -> UsbPlace:
        """The device that is meant."""
        return UsbPlace(self.vendor, self.product, self.serial, self.port, self.server)

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        from firmware_bridge.links.usb import open_usb

        return await open_usb(self.place, backend=surroundings.usb_backend, address=address)


@dataclass(frozen=True, slots=True)
class MemoryAddress:
    """A cable within the process, by the name that a test or demo gave it."""

    form: ClassVar[str] = "memory://NAME"
    name: str

    @classmethod
    def parse(cls, parts: SplitResult, mistakes: Mistakes) -> MemoryAddress:
        if not parts.netloc or parts.path:
            mistakes.append("a memory address is one name")
        mistakes.query(parts, ())
        return cls(parts.netloc)

    async def open(self, address: str, surroundings: Surroundings) -> Link:
        answering = surroundings.memory.get(self.name)
        if answering is None:
            raise LinkAbsent(f"{address}: nobody answers there; names here: {', '.join(surroundings.memory) or 'none'}")
        return answering()


def _loopback(text: str, mistakes: Mistakes) -> tuple[str, int] | None:
    """USB/IP knows neither password nor encryption: it does not leave this machine."""
    host, _, port = text.rpartition(":")
    if host not in ("127.0.0.1", "localhost") or not port.isdigit() or not 1 <= int(port) <= 65_535:
        mistakes.append(f"usbip {text!r}: a server on this machine only, as 127.0.0.1:3240; USB/IP is not protected")
        return None
    return host, int(port)


def _level(line: str, given: str, mistakes: Mistakes) -> bool:
    if given not in ("on", "off"):
        mistakes.append(f"{line} {given!r} is not a level, allowed: on, off")
    return given == "on"
