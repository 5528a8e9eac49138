"""Frames on TCP: a header of seven bytes (transaction, protocol 0, length, unit) before the message. Pure.

TCP checks the bytes, so there is no CRC. A stream that is out of step (another protocol, a gateway that dropped a
part) is searched byte by byte for the next header.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.modbus.codes import MAX_PDU
from firmware_bridge.wire.modbus.frame import Frame

HEADER_BYTES = 7
# Unit and at least one byte of the function.
SHORTEST_LENGTH, LONGEST_LENGTH = 2, 1 + MAX_PDU
TRANSACTIONS = 0x1_0000


def encode_tcp(frame: Frame) -> bytes:
    """The bytes on the connection."""
    return struct.pack(">HHHB", frame.transaction, 0, len(frame.data) + 1, frame.unit) + frame.data


class TcpDecoder:
    """The only receive buffer of one connection."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._thrown = 0

    @property
    def pending(self) -> int:
        """Bytes held of a frame that has begun and has not ended."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[Frame | Garbage]:
        """What is whole now, in order. Never raises."""
        for start in range(0, len(chunk), LONGEST_LENGTH):
            self._buffer += chunk[start : start + LONGEST_LENGTH]
            yield from self._take()
        if not self._buffer or self._thrown > LONGEST_LENGTH:
            yield from self._give_thrown()

    def gap(self) -> Iterator[Frame | Garbage]:
        """The other side fell silent within a frame: what has come of it is thrown away."""
        self._thrown += len(self._buffer)
        self._buffer.clear()
        yield from self._give_thrown()

    def _take(self) -> Iterator[Frame | Garbage]:
        while len(self._buffer) >= HEADER_BYTES - 1:
            transaction, protocol, length = struct.unpack_from(">HHH", self._buffer)
            if protocol != 0 or not SHORTEST_LENGTH <= length <= LONGEST_LENGTH:
                del self._buffer[0]
                self._thrown += 1
                continue
            end = HEADER_BYTES - 1 + length
            if len(self._buffer) < end:
                return
            yield from self._give_thrown()
            frame = Frame(self._buffer[HEADER_BYTES - 1], bytes(self._buffer[HEADER_BYTES:end]), transaction)
            del self._buffer[:end]
            yield frame

    def _give_thrown(self) -> Iterator[Garbage]:
        if self._thrown:
            size, self._thrown = self._thrown, 0
            yield Garbage(GarbageReason.BAD_LENGTH, size)
