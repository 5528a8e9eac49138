"""ccTalk frames, both forms: encoded, and taken out of any stream of chunks. Pure.

    checksum:  destination  length  source   header  data…  check     all bytes add up to 0 modulo 256
    CRC:       destination  length  CRC low  header  data…  CRC high  CRC-16 (1021h, from 0) over all but itself

There is no start mark: a frame that does not check is left byte by byte, and a silence of 50 ms ends what had begun.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from firmware_bridge.wire.cctalk.codes import MAX_ADDRESS, MAX_DATA
from firmware_bridge.wire.garbage import Garbage, GarbageReason

_HEAD = 4  # destination, length, source or CRC low, header
OVERHEAD = _HEAD + 1
FRAME_MAX = OVERHEAD + MAX_DATA


class Check(Enum):
    """How a bus protects its frames; all its stations do it alike."""

    SUM = "checksum"
    CRC = "crc"


@dataclass(frozen=True, slots=True)
class Frame:
    """One message. `source` is None on a bus with CRC, which has no place for it."""

    destination: int
    source: int | None
    header: int
    data: bytes = b""


def crc16(data: bytes) -> int:
    """CRC-16 with polynomial 1021h from 0, most significant bit first (XMODEM)."""
    return binascii.crc_hqx(data, 0)


def encode(frame: Frame, check: Check = Check.SUM) -> bytes:
    """The bytes of a frame. Raises ValueError for what a byte cannot hold."""
    if len(frame.data) > MAX_DATA:
        raise ValueError(f"{len(frame.data)} bytes of data: ccTalk takes {MAX_DATA}")
    numbers = (frame.destination, frame.source or 0, frame.header)
    if not all(0 <= number <= MAX_ADDRESS for number in numbers):
        raise ValueError(f"destination, source, header {numbers}: each is a byte")
    head = bytes((frame.destination, len(frame.data)))
    tail = bytes((frame.header,)) + frame.data
    if check is Check.CRC:
        crc = crc16(head + tail)
        return head + bytes((crc & 0xFF,)) + tail + bytes((crc >> 8,))
    body = head + bytes((frame.source or 0,)) + tail
    return body + bytes((-sum(body) & 0xFF,))


class FrameDecoder:
    """The only receive buffer of one side. `destination`: whose frames are wanted; None: everybody's (a trace)."""

    def __init__(self, check: Check = Check.SUM, destination: int | None = None) -> None:
        self._check = check
        self._destination = destination
        self._buffer = bytearray()
        self._noise = 0
        self._misses = 0

    @property
    def waiting(self) -> int:
        """Bytes of a frame that is not whole yet."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[Frame | Garbage]:
        """What is whole now; any bytes in any pieces, in bounded memory."""
        self._buffer += chunk
        start = 0
        while (size := self._size_at(start)) is not None and len(self._buffer) - start >= size:
            raw = bytes(self._buffer[start : start + size])
            frame = self._decoded(raw) if size > 1 else None
            if frame is None:
                self._slide(is_wrong_check=size > 1)
                start += 1
                continue
            yield from self._told()
            yield frame
            start += size
        del self._buffer[:start]
        if not self._buffer:
            yield from self._told()

    def silence(self) -> Iterator[Garbage]:
        """50 ms without a byte: what had begun is over (specification: the receiver gives up)."""
        yield from self._told()
        if self._buffer:
            size = len(self._buffer)
            self._buffer.clear()
            yield Garbage(GarbageReason.TRUNCATED, size)

    def _size_at(self, start: int) -> int | None:
        """How long what begins there is said to be, 1: it is no beginning; None: too few bytes to know."""
        left = len(self._buffer) - start
        if left and self._destination is not None and self._buffer[start] != self._destination:
            return 1
        if left < _HEAD - 2:
            return None
        length = self._buffer[start + 1]
        return OVERHEAD + length if length <= MAX_DATA else 1

    def _decoded(self, raw: bytes) -> Frame | None:
        if self._check is Check.SUM:
            return Frame(raw[0], raw[2], raw[3], raw[_HEAD:-1]) if not sum(raw) & 0xFF else None
        crc = crc16(raw[:2] + raw[3:-1])
        return Frame(raw[0], None, raw[3], raw[_HEAD:-1]) if (raw[2], raw[-1]) == (crc & 0xFF, crc >> 8) else None

    def _slide(self, *, is_wrong_check: bool) -> None:
        self._noise += 1
        self._misses += is_wrong_check

    def _told(self) -> Iterator[Garbage]:
        """One record for each run of bytes that were left."""
        if self._noise:
            reason = GarbageReason.BAD_CHECK if self._misses else GarbageReason.NOISE
            size, self._noise, self._misses = self._noise, 0, 0
            yield Garbage(reason, size)
