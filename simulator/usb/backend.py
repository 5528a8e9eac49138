"""Simulated USB devices for pyusb, in the host's process: in the place of libusb."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import usb.util

from firmware_bridge.links.usb_descriptors import Setup
from firmware_bridge.links.usb_raw import RawBackend, busy, gone, raise_for, timed_out

from .device import UsbDevice, UsbDeviceLink
from .pipes import Transfer


class UsbBackend(RawBackend):
    """What pyusb asks of libusb, answered by simulated devices."""

    def __init__(self, devices: Iterable[UsbDevice]) -> None:
        listed = list(devices)
        super().__init__(
            lambda: [InProcess(device, port) for port, device in enumerate(listed, start=1) if device.is_plugged_in]
        )


class InProcess:
    """One device that is plugged in, as a host sees it."""

    bus = 1
    speed = usb.util.SPEED_FULL

    def __init__(self, device: UsbDevice, port: int) -> None:
        if device.link is None:
            raise gone()
        self.link: UsbDeviceLink = device.link
        self.address = device.bus_address
        self.port_numbers = (port,)

    def open(self) -> InProcess:
        """Nothing to open."""
        if self.link.is_gone:
            raise gone()
        return self

    def close(self) -> None:
        """A host that closes a device has let go of it."""
        if self.link.claimed_by is self:
            self.link.claimed_by = None

    def claim(self, interface: int) -> None:
        """For one host only."""
        if self.link.claimed_by not in (None, self):
            raise busy()
        self.link.claimed_by = self

    def release(self, interface: int) -> None:
        self.close()

    def control(self, setup: Setup, data: bytes, timeout_ms: int) -> bytes:
        status, answer = self.link.control(setup, data)
        raise_for(status)
        return answer

    def read(self, endpoint: int, length: int, timeout_ms: int) -> bytes:
        return self._wait(Waited(endpoint, length, b""), timeout_ms)

    def write(self, endpoint: int, data: bytes, timeout_ms: int) -> int:
        self._wait(Waited(endpoint, len(data), data), timeout_ms)
        return len(data)

    def _wait(self, waited: Waited, timeout_ms: int) -> bytes:
        self.link.submit(waited.transfer)
        if not waited.is_done.wait(timeout_ms / 1000) and self.link.cancel(waited.transfer):
            raise timed_out()
        waited.is_done.wait()
        raise_for(waited.status)
        return waited.data


class Waited:
    """A request and, once it is done, its answer."""

    def __init__(self, endpoint: int, length: int, data: bytes) -> None:
        self.transfer = Transfer(endpoint, length, data, self._done)
        self.is_done = threading.Event()
        self.status = 0
        self.data = b""

    def _done(self, status: int, data: bytes) -> None:
        self.status, self.data = status, data
        self.is_done.set()
