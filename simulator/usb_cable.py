"""The device's side of a simulated USB cable: an ordinary link in the loop, two endpoints for the host's threads."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
import time
from collections.abc import Callable
from typing import NoReturn

import usb.core

from firmware_bridge.links.base import LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate

PACKET_SIZE = 64  # bulk at full speed
# What the device's controller takes before it answers "not now".
DEVICE_BUFFER_BYTES = 4096


class UsbDeviceLink:
    """The device's side of a simulated USB cable: a link in the loop, endpoints for pyusb's threads."""

    is_message_based = False
    is_simulated = True

    def __init__(self, address: str) -> None:
        self.address = address
        self._loop = asyncio.get_running_loop()
        self._ending = Ending(address)
        self._gate = Gate(self._ending.check)
        self._receiver: Receiver | None = None
        self._is_reading = True
        self._changed = threading.Condition()  # guards what follows
        self._to_host = bytearray()
        self._to_device = bytearray()
        self._is_due = False
        self._is_gone = False

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver what the host sends."""
        self._ending.started(receiver)
        self._receiver = receiver
        self._schedule()

    async def write(self, data: bytes) -> None:
        """Put bytes into the IN endpoint; waits while the host reads none. Raises `LinkClosed`."""
        self._ending.check()
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    def pause_reading(self) -> None:
        """Take no more from the OUT endpoint; the host's transfers time out when it is full."""
        self._is_reading = False

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._is_reading = True
        self._schedule()

    async def close(self) -> None:
        """Pull the cable."""
        with self._changed:
            self._is_gone = True
            self._changed.notify_all()
        if self._ending.end(LinkClosed(f"{self.address} unplugged")):
            self._gate.release()
        await self._ending.told()

    def _put(self, data: bytes) -> None:
        with self._changed:
            self._to_host += data
            self._gate.level(len(self._to_host))
            self._changed.notify_all()

    def _schedule(self) -> None:
        with self._changed:
            if self._to_device and not self._is_due:
                self._is_due = True
                self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        with self._changed:
            self._is_due = False
            if self._receiver is None or not self._is_reading or self._is_gone or not self._to_device:
                return
            chunk = bytes(self._to_device)
            self._to_device.clear()
            self._changed.notify_all()
        self._receiver.chunk_received(chunk)

    def _host_took(self) -> None:
        with self._changed:
            self._gate.level(len(self._to_host))

    # called from pyusb's threads

    @property
    def is_gone(self) -> bool:
        """True once the cable is pulled."""
        return self._is_gone

    def host_reads(self, size: int, timeout_ms: int) -> bytes:
        """One packet of the IN endpoint. Raises what libusb's errors become in pyusb."""
        with self._changed:
            self._wait(lambda: bool(self._to_host), timeout_ms)
            packet = bytes(self._to_host[: min(size, PACKET_SIZE)])
            del self._to_host[: len(packet)]
        self._post(self._host_took)
        return packet

    def host_writes(self, data: bytes, timeout_ms: int) -> int:
        """How much the OUT endpoint took within the time limit; at least a byte, else it raises."""
        end_s = time.monotonic() + timeout_ms / 1000
        taken = 0
        with self._changed:
            while taken < len(data):
                left_ms = max(0, round((end_s - time.monotonic()) * 1000))
                try:
                    self._wait(lambda: len(self._to_device) < DEVICE_BUFFER_BYTES, left_ms)
                except usb.core.USBTimeoutError:
                    if not taken:
                        raise
                    break
                packet = data[taken : taken + DEVICE_BUFFER_BYTES - len(self._to_device)]
                self._to_device += packet
                taken += len(packet)
                self._post(self._schedule)
        return taken

    def _wait(self, is_so: Callable[[], bool], timeout_ms: int) -> None:
        if not self._changed.wait_for(lambda: self._is_gone or is_so(), timeout_ms / 1000):
            raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
        if self._is_gone:
            raise_gone()

    def _post(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the simulator's loop is closed
            self._loop.call_soon_threadsafe(call)


def raise_gone() -> NoReturn:
    """What libusb says of a device that was pulled."""
    raise usb.core.USBError("No such device (it may have been disconnected)", -4, errno.ENODEV)
