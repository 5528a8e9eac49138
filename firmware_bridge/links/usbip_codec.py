"""USB/IP 1.1.1: USB requests of one device over a TCP stream, as Linux speaks it.

Source: the kernel's `Documentation/usb/usbip_protocol.rst`. All numbers are big-endian; the setup packet inside is
little-endian, as on USB. A connection first asks for the list of devices, or takes one of them (*import*); after an
import it carries URBs until it ends.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

VERSION = 0x0111
PORT = 3240  # registered with IANA for USB/IP

OP_REQ_DEVLIST, OP_REP_DEVLIST = 0x8005, 0x0005
OP_REQ_IMPORT, OP_REP_IMPORT = 0x8003, 0x0003
CMD_SUBMIT, CMD_UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
OUT, IN = 0, 1

# Linux' numbers of the errors, whatever system is at either end.
STALLED = -32  # EPIPE
UNLINKED = -104  # ECONNRESET
GONE = -19  # ENODEV
IMPORT_DONE, IMPORT_REFUSED = 0, 1

_OP = struct.Struct(">HHI")
_DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
_INTERFACE = struct.Struct(">BBBx")
_COUNT = struct.Struct(">I")
_URB = struct.Struct(">IIIIIiiiii8s")
_BUSID_BYTES = 32
OP_BYTES, DEVICE_BYTES, URB_BYTES = _OP.size, _DEVICE.size, _URB.size
IMPORT_BYTES = OP_BYTES + _BUSID_BYTES
_NOT_ISOCHRONOUS = -1
# More than any transfer of a table device; a length beyond it is a broken stream and not worth its memory.
TRANSFER_MAX_BYTES = 1 << 20
# A bus has 127 addresses; a list that says more of them is none, and not worth its memory.
DEVICES_MAX = 127
_INTERFACES_MAX = 0xFF  # one byte tells how many
LIST_MAX_BYTES = OP_BYTES + _COUNT.size + DEVICES_MAX * (DEVICE_BYTES + _INTERFACES_MAX * _INTERFACE.size)


class BadUsbip(ValueError):
    """Not USB/IP, or a version or message that is not spoken here: the stream cannot be followed any further."""


class Speed(IntEnum):
    """Of a device, as the kernel numbers it."""

    UNKNOWN = 0
    LOW = 1
    FULL = 2
    HIGH = 3
    SUPER = 5


@dataclass(frozen=True, slots=True)
class ExportedDevice:
    """One device of a list. `interfaces`: class, subclass and protocol of each, told in a list only."""

    busid: str
    bus: int
    address: int
    vendor: int
    product: int
    release: int = 0x0100
    speed: Speed = Speed.FULL
    device_class: tuple[int, int, int] = (0, 0, 0)
    configuration: int = 0
    configurations: int = 1
    interfaces: tuple[tuple[int, int, int], ...] = ()
    path: str = "/simulated"

    def encode(self) -> bytes:
        """Without its interfaces."""
        return _DEVICE.pack(
            self.path.encode(),
            self.busid.encode(),
            self.bus,
            self.address,
            self.speed,
            self.vendor,
            self.product,
            self.release,
            *self.device_class,
            self.configuration,
            self.configurations,
            len(self.interfaces),
        )


@dataclass(frozen=True, slots=True)
class Submit:
    """A request to one endpoint. OUT: `data` goes with it; IN: `length` is what is asked for."""

    number: int
    device: int  # bus << 16 | address
    direction: int
    endpoint: int
    length: int
    setup: bytes = bytes(8)
    data: bytes = b""

    def encode(self) -> bytes:
        fields = (CMD_SUBMIT, self.number, self.device, self.direction, self.endpoint, 0, self.length, 0)
        return _URB.pack(*fields, _NOT_ISOCHRONOUS, 0, self.setup) + self.data


@dataclass(frozen=True, slots=True)
class Unlink:
    """Take a request back, if it is not done yet."""

    number: int
    device: int
    victim: int

    def encode(self) -> bytes:
        return _URB.pack(CMD_UNLINK, self.number, self.device, 0, 0, self.victim, 0, 0, 0, 0, bytes(8))


@dataclass(frozen=True, slots=True)
class Submitted:
    """A request is done: 0, or a Linux error below 0. OUT: `length` is what was taken; IN: `data` is what came."""

    number: int
    status: int = 0
    length: int = 0
    data: bytes = b""

    def encode(self) -> bytes:
        fields = (RET_SUBMIT, self.number, 0, 0, 0, self.status, self.length, 0)
        return _URB.pack(*fields, _NOT_ISOCHRONOUS, 0, bytes(8)) + self.data


@dataclass(frozen=True, slots=True)
class Unlinked:
    """The answer to an `Unlink`: `UNLINKED` where it was taken back, 0 where it had been done."""

    number: int
    status: int

    def encode(self) -> bytes:
        return _URB.pack(RET_UNLINK, self.number, 0, 0, 0, self.status, 0, 0, 0, 0, bytes(8))


def list_request() -> bytes:
    """Which devices are there?"""
    return _OP.pack(VERSION, OP_REQ_DEVLIST, 0)


def list_reply(devices: list[ExportedDevice]) -> bytes:
    """These."""
    told = [device.encode() + b"".join(_INTERFACE.pack(*each) for each in device.interfaces) for device in devices]
    return _OP.pack(VERSION, OP_REP_DEVLIST, 0) + _COUNT.pack(len(devices)) + b"".join(told)


def import_request(busid: str) -> bytes:
    """I take this one."""
    return _OP.pack(VERSION, OP_REQ_IMPORT, 0) + busid.encode().ljust(_BUSID_BYTES, b"\0")


def import_reply(device: ExportedDevice | None) -> bytes:
    """It is yours; or it is not there, or somebody else's."""
    if device is None:
        return _OP.pack(VERSION, OP_REP_IMPORT, IMPORT_REFUSED)
    return _OP.pack(VERSION, OP_REP_IMPORT, IMPORT_DONE) + device.encode()


def read_operation(head: bytes) -> tuple[int, int]:
    """Code and status of an operation's first eight bytes. Raises `BadUsbip`."""
    version, code, status = _OP.unpack(head)
    if version != VERSION:
        raise BadUsbip(f"version {version:04x} is spoken there, {VERSION:04x} here")
    return code, status


def read_busid(field: bytes) -> str:
    """The device that an import names."""
    return field.split(b"\0", 1)[0].decode("ascii", "replace")


def read_device(body: bytes) -> ExportedDevice:
    """One device, its interfaces aside."""
    path, busid, bus, address, speed, vendor, product, release, *rest = _DEVICE.unpack(body)
    return ExportedDevice(
        busid=read_busid(busid),
        bus=bus,
        address=address,
        vendor=vendor,
        product=product,
        release=release,
        speed=Speed(speed) if speed in set(Speed) else Speed.UNKNOWN,
        device_class=(rest[0], rest[1], rest[2]),
        configuration=rest[3],
        configurations=rest[4],
        interfaces=((0, 0, 0),) * rest[5],
        path=path.split(b"\0", 1)[0].decode("utf-8", "replace"),
    )


class ListReader:
    """The reply to a list request, as its bytes come in."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes held."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> list[ExportedDevice] | None:
        """The devices once all of them are here. Raises `BadUsbip`."""
        self._buffer += chunk
        data = bytes(self._buffer)
        if len(data) < OP_BYTES + _COUNT.size:
            return None
        code, status = read_operation(data[:OP_BYTES])
        if code != OP_REP_DEVLIST or status:
            raise BadUsbip(f"a list was asked for, and operation {code:04x} with status {status} came")
        (count,) = _COUNT.unpack_from(data, OP_BYTES)
        if count > DEVICES_MAX:
            raise BadUsbip(f"a list of {count} devices, {DEVICES_MAX} have addresses")
        at, devices = OP_BYTES + _COUNT.size, []
        for _ in range(count):
            if len(data) < at + DEVICE_BYTES:
                return None
            device = read_device(data[at : at + DEVICE_BYTES])
            devices.append(device)
            at += DEVICE_BYTES + _INTERFACE.size * len(device.interfaces)
        return devices if len(data) >= at else None


class CommandReader:
    """The device's side of an imported connection: bytes in, commands out."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a command that is not whole yet."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[Submit | Unlink]:
        """Whole commands. Raises `BadUsbip`."""
        self._buffer += chunk
        while len(self._buffer) >= URB_BYTES:
            code, number, device, direction, endpoint, flags, length, *_, setup = _URB.unpack_from(self._buffer)
            if code not in (CMD_SUBMIT, CMD_UNLINK) or not 0 <= length <= TRANSFER_MAX_BYTES:
                raise BadUsbip(f"command {code} with {length} bytes is none")
            size = URB_BYTES + (length if code == CMD_SUBMIT and direction == OUT else 0)
            if len(self._buffer) < size:
                return
            data = bytes(self._buffer[URB_BYTES:size])
            del self._buffer[:size]
            if code == CMD_UNLINK:
                yield Unlink(number, device, flags)
            else:
                yield Submit(number, device, direction, endpoint, length, setup, data)


class AnswerReader:
    """The host's side of an imported connection: bytes in, answers out."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._is_in: dict[int, bool] = {}

    @property
    def pending(self) -> int:
        """Bytes of an answer that is not whole yet."""
        return len(self._buffer)

    def asked(self, submit: Submit) -> None:
        """This went out: an answer does not say again whether bytes follow it."""
        self._is_in[submit.number] = submit.direction == IN

    def feed(self, chunk: bytes) -> Iterator[Submitted | Unlinked]:
        """Whole answers. Raises `BadUsbip`."""
        self._buffer += chunk
        while len(self._buffer) >= URB_BYTES:
            code, number, _, _, _, status, length, *_ = _URB.unpack_from(self._buffer)
            if code not in (RET_SUBMIT, RET_UNLINK) or not 0 <= length <= TRANSFER_MAX_BYTES:
                raise BadUsbip(f"answer {code} with {length} bytes is none")
            has_data = code == RET_SUBMIT and self._is_in.get(number, False)
            size = URB_BYTES + (length if has_data else 0)
            if len(self._buffer) < size:
                return
            data = bytes(self._buffer[URB_BYTES:size])
            del self._buffer[:size]
            if code == RET_UNLINK:
                yield Unlinked(number, status)
            else:
                self._is_in.pop(number, None)
                yield Submitted(number, status, length, data)

    def forget(self, number: int) -> None:
        """This one was taken back: no answer comes."""
        self._is_in.pop(number, None)
