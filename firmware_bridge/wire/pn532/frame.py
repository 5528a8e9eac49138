"""Frames of the PN532, both ways: encoded, and taken out of any stream of chunks. Pure.

    00 00 FF  LEN LCS  TFI data…  DCS 00        LEN + LCS = 0, TFI + data + DCS = 0 (modulo 256)
    00 00 FF  FF FF  LENM LENL LCS  TFI data…  DCS 00        the same, for more than 254 bytes
    00 00 FF 00 FF 00    ACK        00 00 FF FF 00 00    NACK        00 00 FF 01 FF 7F 81 00    syntax error

Zeros before and after a frame are filler. A frame that does not check is left byte by byte, so that a whole one
behind a torn one is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.pn532.codes import CHIP_TO_HOST, ERROR_MARK, HOST_TO_CHIP, MAX_LENGTH, START

_FILLER = 0x00
_SHORT_MAX = 254  # of 255 the head would be FF 01, and firmware and peers go over to the long form there
_EXTENDED = b"\xff\xff"
# Start code, then the shortest head (LEN, LCS) and the longest (FF, FF, LENM, LENL, LCS).
_HEAD_BYTES = 4
_EXTENDED_HEAD_BYTES = 7
# Start code to data check.
FRAME_MAX = _EXTENDED_HEAD_BYTES + MAX_LENGTH + 1


class Mark(Enum):
    """Frames without data; the values are what stands between start code and postamble."""

    ACK = b"\x00\xff"
    NACK = b"\xff\x00"
    SYNTAX_ERROR = b"\x01\xff\x7f\x81"


@dataclass(frozen=True, slots=True)
class Message:
    """A command (from the host) or a reply (from the chip). `data` without direction and code."""

    code: int
    data: bytes = b""
    is_reply: bool = False


Heard = Message | Mark | Garbage


def encode(said: Message | Mark) -> bytes:
    """The bytes of one frame, with one zero before and one behind. Raises ValueError above `MAX_LENGTH`."""
    if isinstance(said, Mark):
        return b"\x00" + START + said.value + b"\x00"
    body = bytes((CHIP_TO_HOST if said.is_reply else HOST_TO_CHIP, said.code)) + said.data
    if len(body) > MAX_LENGTH:
        raise ValueError(f"a frame of {len(body)} bytes: the chip takes {MAX_LENGTH}")
    if len(body) <= _SHORT_MAX:
        head = bytes((len(body), -len(body) & 0xFF))
    else:
        length = len(body).to_bytes(2, "big")
        head = _EXTENDED + length + bytes((-sum(length) & 0xFF,))
    return b"\x00" + START + head + body + bytes((-sum(body) & 0xFF, 0))


class FrameDecoder:
    """The only receive buffer of a link. `filler`: bytes between frames that mean nothing (the chip's side: the
    host's wake-up too)."""

    def __init__(self, filler: bytes = b"\x00") -> None:
        self._filler = frozenset(filler)
        self._buffer = bytearray()
        self._noise = 0

    @property
    def pending(self) -> int:
        """Bytes that are kept: one frame at most, and perhaps a zero before it."""
        return len(self._buffer)

    @property
    def is_within(self) -> bool:
        """True while a frame has begun and not ended."""
        return len(self._buffer) > 1

    def feed(self, chunk: bytes) -> Iterator[Heard]:
        """What is whole now, in order."""
        self._buffer += chunk
        at = 0
        while True:
            start = self._buffer.find(START, at)
            if start < 0:
                # A zero at the end may be half a start code.
                end = len(self._buffer) - (1 if self._buffer[at:].endswith(START[:1]) else 0)
                self._loose(self._buffer[at:end])
                at = end
                break
            self._loose(self._buffer[at:start])
            found = _frame_at(self._buffer, start)
            if found is None:
                at = start
                break
            said, size = found
            yield from self._told_noise()
            yield said
            at = start + size
        del self._buffer[:at]
        yield from self._told_noise()

    def abandon(self) -> Iterator[Heard]:
        """The other side fell silent within a frame: what has come of it is none."""
        if self.is_within:
            size = len(self._buffer)
            self._buffer.clear()
            yield Garbage(GarbageReason.TRUNCATED, size)

    def _loose(self, between: bytes | bytearray) -> None:
        self._noise += sum(1 for byte in between if byte not in self._filler)

    def _told_noise(self) -> Iterator[Heard]:
        if self._noise:
            size, self._noise = self._noise, 0
            yield Garbage(GarbageReason.NOISE, size)


def _frame_at(buffer: bytearray, start: int) -> tuple[Heard, int] | None:
    """What begins with the start code there, and its size up to before the postamble; None: not whole yet."""
    head = bytes(buffer[start + len(START) : start + _EXTENDED_HEAD_BYTES])
    if len(head) < _HEAD_BYTES - len(START):
        return None
    for mark in (Mark.ACK, Mark.NACK):
        if head.startswith(mark.value):
            return mark, len(START) + len(mark.value)
    if not head.startswith(_EXTENDED):
        return _body_at(buffer, start, _HEAD_BYTES, head[0], is_length_right=not (head[0] + head[1]) & 0xFF)
    if len(head) < _EXTENDED_HEAD_BYTES - len(START):
        return None
    length = int.from_bytes(head[2:4], "big")
    return _body_at(buffer, start, _EXTENDED_HEAD_BYTES, length, is_length_right=not sum(head[2:5]) & 0xFF)


def _body_at(
    buffer: bytearray, start: int, head_bytes: int, length: int, *, is_length_right: bool
) -> tuple[Heard, int] | None:
    if not is_length_right or not length:
        return Garbage(GarbageReason.BAD_LENGTH, len(START)), len(START)
    if length > MAX_LENGTH:
        return Garbage(GarbageReason.OVERSIZED, len(START)), len(START)
    begin = start + head_bytes
    body = bytes(buffer[begin : begin + length + 1])
    if len(body) < length + 1:
        return None
    if sum(body) & 0xFF:
        return Garbage(GarbageReason.BAD_CHECK, len(START)), len(START)
    size = head_bytes + length + 1
    return _said(body[:-1], size), size


def _said(body: bytes, size: int) -> Heard:
    """A checked body, from its direction byte on, of a frame of so many bytes."""
    if body == bytes((ERROR_MARK,)):
        return Mark.SYNTAX_ERROR
    if body[0] not in (HOST_TO_CHIP, CHIP_TO_HOST):
        return Garbage(GarbageReason.BAD_TYPE, size)
    if len(body) == 1:
        return Garbage(GarbageReason.BAD_BODY, size)
    return Message(body[1], body[2:], is_reply=body[0] == CHIP_TO_HOST)
