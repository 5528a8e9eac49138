"""A USB device behind USB/IP on this machine, for pyusb: no kernel module, no rights, no libusb.

USB/IP has neither password nor encryption, so only a server on the loopback is spoken to.
"""

from __future__ import annotations

import contextlib
import itertools
import select
import socket
import threading
import time
from collections.abc import Callable, Sequence

import usb.core

from firmware_bridge.links import usbip_codec as usbip
from firmware_bridge.links.usb_descriptors import Setup
from firmware_bridge.links.usb_raw import RawBackend, busy, gone, raise_for, timed_out
from firmware_bridge.links.usbip_codec import (
    IN,
    OUT,
    AnswerReader,
    BadUsbip,
    ExportedDevice,
    ListReader,
    Submit,
    Submitted,
    Unlink,
    Unlinked,
)

# A server on this machine that does not answer within this time hangs.
CONNECT_TIMEOUT_S = 1.0
# Taking a request back needs no answer of the device, only of the server.
UNLINK_TIMEOUT_S = 1.0
CHUNK_BYTES = 65_536
_ENDPOINT_NUMBER = 0x0F


class UsbipBackend(RawBackend):
    """The devices of one kind that a server exports. Used for one opening, then `close`."""

    def __init__(self, host: str, port: int, vendor: int, product: int) -> None:
        self._where = host, port
        self._kind = vendor, product
        self._devices: list[RemoteDevice] = []
        super().__init__(self._list)

    def close(self) -> None:
        """Let go of every device that was taken."""
        for device in self._devices:
            device.close()

    def _list(self) -> Sequence[RemoteDevice]:
        self.close()
        exported = _exported(*self._where)
        self._devices = [
            RemoteDevice(*self._where, device) for device in exported if (device.vendor, device.product) == self._kind
        ]
        return self._devices


class RemoteDevice:
    """One device of a server's list; taken at the first question, as its own descriptors need that."""

    def __init__(self, host: str, port: int, exported: ExportedDevice) -> None:
        self.bus, self.address, self.speed = exported.bus, exported.address, int(exported.speed)
        ports = exported.busid.partition("-")[2]
        self.port_numbers = tuple(int(number) for number in ports.split(".") if number.isdigit())
        self._where = host, port
        self._exported = exported
        self._connection: UsbipConnection | None = None

    def open(self) -> UsbipConnection:
        """The one connection; a device that is taken by somebody else raises what libusb says of a busy one."""
        if self._connection is None or self._connection.is_over:
            self._connection = _taken(*self._where, self._exported)
        return self._connection

    def close(self) -> None:
        """Give it back."""
        if self._connection is not None:
            self._connection.close()


class UsbipConnection:
    """One imported device. Threads wait for their own answers; whichever waits first reads for all."""

    def __init__(self, stream: socket.socket, exported: ExportedDevice) -> None:
        self._stream = stream
        self._device = exported.bus << 16 | exported.address
        self._reader = AnswerReader()
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()  # guards what follows, and the sending
        self._answers: dict[int, Submitted | Unlinked | None] = {}
        self._is_read = False  # a thread sits in `_receive`
        self.is_over = False
        self._poll = select.poll()
        self._poll.register(stream, select.POLLIN)

    def control(self, setup: Setup, data: bytes, timeout_ms: int) -> bytes:
        direction = IN if setup.is_to_host else OUT
        return self._ask(0, direction, setup.length, data, timeout_ms, setup.encode()).data

    def read(self, endpoint: int, length: int, timeout_ms: int) -> bytes:
        return self._ask(endpoint & _ENDPOINT_NUMBER, IN, length, b"", timeout_ms).data

    def write(self, endpoint: int, data: bytes, timeout_ms: int) -> int:
        return self._ask(endpoint & _ENDPOINT_NUMBER, OUT, len(data), data, timeout_ms).length

    def claim(self, interface: int) -> None:
        """The import was the claim."""

    def release(self, interface: int) -> None:
        """See `claim`."""

    def close(self) -> None:
        """End the connection: the server has its device back."""
        with self._changed:
            if not self.is_over:
                self._over()
        self._stream.close()

    def _ask(
        self, endpoint: int, direction: int, length: int, data: bytes, timeout_ms: int, setup: bytes = bytes(8)
    ) -> Submitted:
        number = self._send(
            lambda number: Submit(number, self._device, direction, endpoint, length, setup, data), asks=True
        )
        answer = self._wait(number, timeout_ms / 1000)
        if answer is None:
            unlink = self._send(lambda own: Unlink(own, self._device, number))
            unlinked = self._wait(unlink, UNLINK_TIMEOUT_S)
            answer = self._late(number)
            if answer is None:
                if unlinked is None:
                    self.close()
                    raise gone()
                raise timed_out()
        assert isinstance(answer, Submitted)
        raise_for(answer.status)
        return answer

    def _send(self, make: Callable[[int], Submit | Unlink], *, asks: bool = False) -> int:
        with self._changed:
            number = next(self._numbers)
            message = make(number)
            if self.is_over:
                raise gone()
            self._answers[number] = None
            if asks and isinstance(message, Submit):
                self._reader.asked(message)
            try:
                self._stream.sendall(message.encode())
            except OSError:
                self._over()
                raise gone() from None
            return number

    def _wait(self, number: int, timeout_s: float) -> Submitted | Unlinked | None:
        """The answer; None: not within the time. Raises where the connection ended."""
        end_s = time.monotonic() + timeout_s
        while True:
            with self._changed:
                if (answer := self._answers[number]) is not None:
                    del self._answers[number]
                    return answer
                if self.is_over:
                    raise gone()
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    return None
                if self._is_read:
                    self._changed.wait(left_s)
                    continue
                self._is_read = True
            self._receive(left_s)

    def _late(self, number: int) -> Submitted | Unlinked | None:
        """An answer that crossed with its taking back."""
        with self._changed:
            self._reader.forget(number)
            return self._answers.pop(number, None)

    def _receive(self, timeout_s: float) -> None:
        """Take what is there, for whoever waits for it; then the next thread may read."""
        chunk: bytes | None = None
        try:
            if self._poll.poll(timeout_s * 1000):
                chunk = self._stream.recv(CHUNK_BYTES)
        except (OSError, ValueError):  # closed meanwhile by another thread
            chunk = b""
        with self._changed:
            self._is_read = False
            try:
                if chunk:
                    for answer in self._reader.feed(chunk):
                        if answer.number in self._answers:
                            self._answers[answer.number] = answer
                elif chunk is not None:
                    self._over()
            except BadUsbip:
                self._over()
            self._changed.notify_all()

    def _over(self) -> None:
        self.is_over = True
        self._changed.notify_all()
        with contextlib.suppress(OSError):  # the other side was first
            self._stream.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads


def _connect(host: str, port: int) -> socket.socket:
    try:
        stream = socket.create_connection((host, port), CONNECT_TIMEOUT_S)
    except OSError:
        raise gone() from None
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def _exported(host: str, port: int) -> list[ExportedDevice]:
    """What is listed there; a server that is not there lists nothing."""
    reader = ListReader()
    try:
        with _connect(host, port) as stream:
            stream.sendall(usbip.list_request())
            while chunk := stream.recv(CHUNK_BYTES):
                if (devices := reader.feed(chunk)) is not None:
                    return devices
    except (OSError, BadUsbip):
        return []
    return []


def _taken(host: str, port: int, exported: ExportedDevice) -> UsbipConnection:
    stream = _connect(host, port)
    try:
        stream.sendall(usbip.import_request(exported.busid))
        code, status = usbip.read_operation(_exactly(stream, usbip.OP_BYTES))
        if code != usbip.OP_REP_IMPORT:
            raise gone()
        if status:
            raise busy()
        device = usbip.read_device(_exactly(stream, usbip.DEVICE_BYTES))
    except (OSError, BadUsbip) as error:
        stream.close()
        if isinstance(error, usb.core.USBError):
            raise
        raise gone() from None
    return UsbipConnection(stream, device)


def _exactly(stream: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        chunk = stream.recv(count - len(data))
        if not chunk:
            raise gone()
        data += chunk
    return data
