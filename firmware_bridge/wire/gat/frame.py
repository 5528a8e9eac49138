"""Frames of GAT 3.50, both ways: encoded, and taken out of any stream of chunks. Pure.

    command  length  payload  CRC high  CRC low

*Length* counts the whole frame. The CRC is that of Modbus (reflected polynomial A001h, seed FFFFh) with its high byte
first. There is no mark between frames: a decoder finds one by its command, a length that this command can have, and
its CRC; where these do not fit it slides by one byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.gat.codes import LENGTHS, Command
from firmware_bridge.wire.modbus.rtu import crc

CRC_BYTES = 2
HEAD_BYTES = 2
OVERHEAD_BYTES = HEAD_BYTES + CRC_BYTES
MAX_FRAME_BYTES = 255


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole frame whose CRC is right; `payload` 0 to 251 bytes."""

    command: Command
    payload: bytes = b""


def encode_frame(frame: Frame) -> bytes:
    """The bytes of a frame. Raises ValueError where its payload cannot belong to its command."""
    length = len(frame.payload) + OVERHEAD_BYTES
    if length not in LENGTHS[frame.command]:
        raise ValueError(f"{frame.command.name} of {length} bytes: {_span(LENGTHS[frame.command])} are allowed")
    data = bytes((frame.command, length)) + frame.payload
    return data + crc(data).to_bytes(CRC_BYTES, "big")


class FrameDecoder:
    """The only receive buffer of a link; holds one frame at most. `commands`: those that the other side can say."""

    def __init__(self, commands: frozenset[Command]) -> None:
        self._commands = commands
        self._buffer = bytearray()
        self._noise = 0  # bytes that begin no frame
        self._has_broken = False  # among them was what looked like a frame and was none

    @property
    def is_within(self) -> bool:
        """True while something has begun and not ended."""
        return bool(self._buffer)

    @property
    def pending(self) -> int:
        """Bytes that are held until more come."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[Frame | Garbage]:
        """What is whole now, in order."""
        for byte in chunk:
            self._buffer.append(byte)
            yield from self._settle()

    def abandon(self) -> Iterator[Frame | Garbage]:
        """The sender has fallen silent: what has come and is no frame never will be one."""
        while self._buffer:
            self._slide()
            yield from self._settle()
        yield from self._thrown_away()

    def _settle(self) -> Iterator[Frame | Garbage]:
        while self._buffer and (is_frame := self._is_frame()) is not None:
            if not is_frame:
                self._slide()
                continue
            yield from self._thrown_away()
            length = self._buffer[1]
            yield Frame(Command(self._buffer[0]), bytes(self._buffer[HEAD_BYTES : length - CRC_BYTES]))
            del self._buffer[:length]

    def _is_frame(self) -> bool | None:
        """Whether a frame stands at the head of the buffer; None: it may become one."""
        buffer = self._buffer
        if buffer[0] not in self._commands:
            return False
        if len(buffer) < HEAD_BYTES:
            return None
        length = buffer[1]
        if length not in LENGTHS[Command(buffer[0])]:
            return False
        if len(buffer) < length:
            return None
        is_right = crc(bytes(buffer[: length - CRC_BYTES])) == int.from_bytes(
            buffer[length - CRC_BYTES : length], "big"
        )
        self._has_broken |= not is_right
        return is_right

    def _slide(self) -> None:
        del self._buffer[0]
        self._noise += 1

    def _thrown_away(self) -> Iterator[Garbage]:
        """Told once for all bytes between two frames: a broken frame is one fault, however many bytes it had."""
        if self._noise:
            reason = GarbageReason.BAD_CHECK if self._has_broken else GarbageReason.NOISE
            size, self._noise, self._has_broken = self._noise, 0, False
            yield Garbage(reason, size)


def _span(lengths: range) -> str:
    return f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
