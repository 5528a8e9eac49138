"""Endpoints of a simulated USB device: requests of the host wait here until the device has an answer for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.links.usbip_codec import GONE

# What the device's controller takes before it answers "not now".
DEVICE_BUFFER_BYTES = 4096


@dataclass(eq=False, slots=True)
class Transfer:
    """One request of the host. `done(status, data)` is called once: 0 or a Linux error, and what came (IN)."""

    endpoint: int
    length: int
    data: bytes
    done: Callable[[int, bytes], None]


@dataclass(slots=True)
class InPipe:
    """From the device to the host. `packet_bytes` None: each message is a packet of its own, else it is a stream."""

    packet_bytes: int | None
    held_bytes: int = 0
    _stream: bytearray = field(default_factory=bytearray)
    _packets: deque[bytes] = field(default_factory=deque)
    _waiting: deque[Transfer] = field(default_factory=deque)

    def put(self, data: bytes) -> None:
        """The device has something to say."""
        if self.packet_bytes is None:
            self._packets.append(data)
        else:
            self._stream += data
        self.held_bytes += len(data)
        self._serve()

    def submit(self, transfer: Transfer) -> None:
        """The host asks."""
        self._waiting.append(transfer)
        self._serve()

    def cancel(self, transfer: Transfer) -> bool:
        """The host asks no longer; False: it has its answer already."""
        if transfer in self._waiting:
            self._waiting.remove(transfer)
            return True
        return False

    def end(self) -> None:
        """The cable is out."""
        while self._waiting:
            self._waiting.popleft().done(GONE, b"")

    def _serve(self) -> None:
        while self._waiting and self.held_bytes:
            transfer = self._waiting.popleft()
            packet = self._next(transfer.length)
            self.held_bytes -= len(packet)
            transfer.done(0, packet)

    def _next(self, length: int) -> bytes:
        if self.packet_bytes is None:
            packet = self._packets.popleft()
            if len(packet) > length:  # the host asks packet by packet
                self._packets.appendleft(packet[length:])
            return packet[:length]
        packet = bytes(self._stream[: min(length, self.packet_bytes)])
        del self._stream[: len(packet)]
        return packet


@dataclass(slots=True)
class OutPipe:
    """From the host to the device: taken whole while there is room, else it waits."""

    taken: Callable[[], None]  # called when there is something to take
    _held: bytearray = field(default_factory=bytearray)
    _waiting: deque[Transfer] = field(default_factory=deque)

    def submit(self, transfer: Transfer) -> None:
        """The host sends."""
        self._waiting.append(transfer)
        self._serve()

    def take(self) -> bytes:
        """All that lies here; makes room for what waits."""
        data = bytes(self._held)
        self._held.clear()
        self._serve()
        return data

    def cancel(self, transfer: Transfer) -> bool:
        """The host takes it back; False: it was taken already."""
        if transfer in self._waiting:
            self._waiting.remove(transfer)
            return True
        return False

    def end(self) -> None:
        """The cable is out."""
        while self._waiting:
            self._waiting.popleft().done(GONE, b"")

    def _serve(self) -> None:
        while self._waiting and len(self._held) < DEVICE_BUFFER_BYTES:
            transfer = self._waiting.popleft()
            self._held += transfer.data
            transfer.done(0, b"")
            self.taken()
