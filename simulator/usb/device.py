"""One simulated USB device: plugged in or not; while it is in, its side of the cable is an ordinary link.

The host's requests come from pyusb's threads (in the process) or from the loop (USB/IP): one lock guards the pipes.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

from firmware_bridge.links.base import LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate
from firmware_bridge.links.usb_descriptors import (
    CLEAR_FEATURE,
    GET_CONFIGURATION,
    GET_DESCRIPTOR,
    GET_STATUS,
    SET_CONFIGURATION,
    SET_INTERFACE,
    TO_HOST,
    Setup,
)
from firmware_bridge.links.usbip_codec import GONE, STALLED

from .pipes import InPipe, OutPipe, Transfer
from .shapes import OUTPUT, PACKET_BYTES, VENDOR_STREAM, Shape, UsbIdentity


class UsbDevice:
    """One device, plugged in or not; each time it comes under another address."""

    def __init__(self, identity: UsbIdentity, shape: Shape = VENDOR_STREAM) -> None:
        self.identity = identity
        self.shape = shape
        self.description = shape.description(identity)
        self.link: UsbDeviceLink | None = None
        self.bus_address = 0

    def plug_in(self) -> UsbDeviceLink:
        """Plug it in anew: a new cable, whose link the simulated device holds. Needs a running loop."""
        self.bus_address = self.bus_address % 127 + 1
        self.link = UsbDeviceLink(self)
        return self.link

    @property
    def is_plugged_in(self) -> bool:
        """True while the host's system would list it."""
        return self.link is not None and not self.link.is_gone

    @property
    def address(self) -> str:
        """Where a host finds it."""
        return f"usb://{self.identity.vendor:04x}:{self.identity.product:04x}/{self.identity.serial}"


class UsbDeviceLink:
    """The device's side of a simulated USB cable: a link in the loop, endpoints for the host."""

    is_simulated = True

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self.address = device.address
        self.is_message_based = device.shape.is_message_based
        self.configuration = 0
        self.claimed_by: object | None = None
        self.memory: dict[str, bytes] = {}
        self._loop = asyncio.get_running_loop()
        self._ending = Ending(self.address)
        self._gate = Gate(self._ending.check)
        self._receiver: Receiver | None = None
        self._is_reading = True
        self._lock = threading.RLock()  # guards what follows
        self._incoming = InPipe(None if self.is_message_based else PACKET_BYTES)
        self._outgoing = OutPipe(lambda: self._post(self._schedule))
        self._silent = InPipe(None)  # endpoints on which nothing is ever said
        self._is_due = False
        self.is_gone = False
        self.when_unplugged: Callable[[], None] = lambda: None

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
        """Take no more from the OUT endpoint; the host's transfers wait when it is full."""
        self._is_reading = False

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._is_reading = True
        self._schedule()

    async def close(self) -> None:
        """Pull the cable."""
        with self._lock:
            self.is_gone = True
            for pipe in (self._incoming, self._outgoing, self._silent):
                pipe.end()
        if self._ending.end(LinkClosed(f"{self.address} unplugged")):
            self._gate.release()
            self.when_unplugged()
        await self._ending.told()

    # what the host does

    def submit(self, transfer: Transfer) -> None:
        """A request to an endpoint above 0."""
        with self._lock:
            if self.is_gone:
                transfer.done(GONE, b"")
            else:
                self._pipe(transfer.endpoint).submit(transfer)
                if transfer.endpoint & TO_HOST:
                    self._post(self._host_took)

    def cancel(self, transfer: Transfer) -> bool:
        """Take a request back; False: it is done."""
        with self._lock:
            return self._pipe(transfer.endpoint).cancel(transfer)

    def control(self, setup: Setup, data: bytes) -> tuple[int, bytes]:
        """A request to endpoint 0: status and, where the host asked for it, what the device says."""
        with self._lock:
            if self.is_gone:
                return GONE, b""
            answer = self._standard(setup)
            if answer is None:
                answer = self.device.shape.answer(self.memory, setup, data)
                if (output := self.memory.pop(OUTPUT, None)) is not None:
                    self._outgoing.submit(Transfer(0, len(output), output, lambda status, taken: None))
            return (STALLED, b"") if answer is None else (0, answer[: setup.length])

    def _standard(self, setup: Setup) -> bytes | None:
        kind, request = setup.request_type, setup.request
        if (kind, request) == (TO_HOST, GET_DESCRIPTOR):
            return self.device.description.answer(setup.value >> 8, setup.value & 0xFF)
        if (kind & ~3, request) == (TO_HOST, GET_STATUS):
            return b"\0\0"
        if (kind, request) == (TO_HOST, GET_CONFIGURATION):
            return bytes([self.configuration])
        if (kind, request) == (0, SET_CONFIGURATION):
            self.configuration = setup.value
            return b""
        return b"" if kind in (0, 1, 2) and request in (CLEAR_FEATURE, SET_INTERFACE) else None

    def _pipe(self, endpoint: int) -> InPipe | OutPipe:
        shape = self.device.shape
        if endpoint == shape.incoming:
            return self._incoming
        return self._outgoing if endpoint == shape.outgoing else self._silent

    # in the loop

    def _put(self, data: bytes) -> None:
        with self._lock:
            self._incoming.put(data)
            self._gate.level(self._incoming.held_bytes)

    def _schedule(self) -> None:
        with self._lock:
            if not self._is_due:
                self._is_due = True
                self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            self._is_due = False
            if self._receiver is None or not self._is_reading or self.is_gone:
                return
            chunk = self._outgoing.take()
        if chunk:
            self._receiver.chunk_received(chunk)

    def _host_took(self) -> None:
        with self._lock:
            self._gate.level(self._incoming.held_bytes)

    def _post(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the simulator's loop is closed
            self._loop.call_soon_threadsafe(call)
