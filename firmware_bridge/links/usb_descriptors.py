"""USB descriptors: what a device tells of itself (USB 2.0 §9.6), both ways, and the standard requests for them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

# Descriptor types (USB 2.0 table 9-5; HID 1.11 §7.1).
DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT = 1, 2, 3, 4, 5
HID, HID_REPORT = 0x21, 0x22
# Standard requests (table 9-4).
GET_STATUS, CLEAR_FEATURE, GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION, SET_INTERFACE = 0, 1, 6, 8, 9, 11
# bmRequestType: direction, kind and who is asked.
TO_HOST = 0x80
CLASS_REQUEST, VENDOR_REQUEST = 0x20, 0x40
OF_INTERFACE = 0x01

CONTROL, BULK, INTERRUPT = 0, 2, 3  # endpoint types that table devices have
VENDOR_CLASS, HID_CLASS, CDC_CLASS, CDC_DATA_CLASS = 0xFF, 0x03, 0x02, 0x0A
US_ENGLISH = 0x0409

_SETUP = struct.Struct("<BBHHH")
_DEVICE = struct.Struct("<BBHBBBBHHHBBBB")
_CONFIGURATION = struct.Struct("<BBHBBBBB")
_INTERFACE = struct.Struct("<BBBBBBBBB")
_ENDPOINT = struct.Struct("<BBBBHB")
_SHORTEST = {INTERFACE: _INTERFACE.size, ENDPOINT: _ENDPOINT.size}
_BUS_POWERED, _POWER_2MA = 0x80, 50


@dataclass(frozen=True, slots=True)
class Setup:
    """The eight bytes that begin a control transfer."""

    request_type: int
    request: int
    value: int
    index: int
    length: int

    @classmethod
    def parse(cls, data: bytes) -> Setup:
        return cls(*_SETUP.unpack(data))

    def encode(self) -> bytes:
        return _SETUP.pack(self.request_type, self.request, self.value, self.index, self.length)

    @property
    def is_to_host(self) -> bool:
        return bool(self.request_type & TO_HOST)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`address` has bit 7 set towards the host; `interval` in ms, of interrupt endpoints."""

    address: int
    kind: int
    packet_bytes: int
    interval: int = 0

    def encode(self) -> bytes:
        return _ENDPOINT.pack(_ENDPOINT.size, ENDPOINT, self.address, self.kind, self.packet_bytes, self.interval)

    @classmethod
    def parse(cls, data: bytes) -> Endpoint:
        _, _, address, kind, packet_bytes, interval = _ENDPOINT.unpack_from(data)
        return cls(address, kind & 3, packet_bytes, interval)


@dataclass(frozen=True, slots=True)
class Interface:
    """`extra`: the descriptors of its class, which stand between it and its endpoints."""

    number: int
    kind: tuple[int, int, int]
    endpoints: tuple[Endpoint, ...]
    extra: bytes = b""

    def encode(self) -> bytes:
        head = _INTERFACE.pack(_INTERFACE.size, INTERFACE, self.number, 0, len(self.endpoints), *self.kind, 0)
        return head + self.extra + b"".join(endpoint.encode() for endpoint in self.endpoints)


@dataclass(frozen=True, slots=True)
class Texts:
    """The strings of a device; a device may have no serial number (empty)."""

    maker: str
    name: str
    serial: str

    def descriptor(self, index: int) -> bytes | None:
        """The string descriptor of an index; None: there is none."""
        if index == 0:
            body = US_ENGLISH.to_bytes(2, "little")
        elif 1 <= index <= 3 and (text := (self.maker, self.name, self.serial)[index - 1]):
            body = text.encode("utf-16-le")
        else:
            return None
        return bytes([len(body) + 2, STRING]) + body


@dataclass(frozen=True, slots=True)
class DeviceDescription:
    """A device of one configuration."""

    vendor: int
    product: int
    texts: Texts
    interfaces: tuple[Interface, ...]
    kind: tuple[int, int, int] = (0, 0, 0)
    release: int = 0x0100
    control_packet_bytes: int = 64

    def device(self) -> bytes:
        """The device descriptor."""
        serial_index = 3 if self.texts.serial else 0
        kind = (*self.kind, self.control_packet_bytes)
        numbers = (self.vendor, self.product, self.release, 1, 2, serial_index, 1)
        return _DEVICE.pack(_DEVICE.size, DEVICE, 0x0200, *kind, *numbers)

    def configuration(self) -> bytes:
        """The configuration descriptor with all that belongs to it."""
        body = b"".join(interface.encode() for interface in self.interfaces)
        total = _CONFIGURATION.size + len(body)
        numbers = (total, len(self.interfaces), 1, 0, _BUS_POWERED, _POWER_2MA)
        return _CONFIGURATION.pack(_CONFIGURATION.size, CONFIGURATION, *numbers) + body

    def answer(self, kind: int, index: int) -> bytes | None:
        """A descriptor that GET_DESCRIPTOR asks for; None: stall."""
        if kind == DEVICE:
            return self.device()
        if kind == CONFIGURATION and index == 0:
            return self.configuration()
        if kind == STRING:
            return self.texts.descriptor(index)
        return None


def walk(configuration: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and bytes of each descriptor in a row. What is cut off at the end is left out."""
    at = 0
    while at + 2 <= len(configuration):
        size = configuration[at]
        if size < 2 or at + size > len(configuration):
            return
        yield configuration[at + 1], configuration[at : at + size]
        at += size


def interfaces_of(configuration: bytes) -> list[Interface]:
    """The interfaces of a configuration descriptor, alternate settings left out.

    An interface or endpoint descriptor that is too short to say what it is counts as none: a device may be broken.
    """
    found: list[tuple[bytes, bytearray, list[Endpoint]]] = []
    is_alternate = False
    for kind, data in walk(configuration):
        if len(data) < _SHORTEST.get(kind, 0):
            continue
        if kind == INTERFACE:
            is_alternate = data[3] != 0
            if not is_alternate:
                found.append((data, bytearray(), []))
        elif is_alternate or not found:
            continue
        elif kind == ENDPOINT:
            found[-1][2].append(Endpoint.parse(data))
        else:
            found[-1][1].extend(data)
    return [Interface(head[2], (head[5], head[6], head[7]), tuple(ends), bytes(extra)) for head, extra, ends in found]
