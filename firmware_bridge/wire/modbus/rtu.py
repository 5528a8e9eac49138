"""RTU frames on a serial bus: unit, message, CRC; a silence of 3.5 characters between two of them. Pure.

The decoder reads no clock: its owner says `gap` when the line was silent. A whole frame is given at once, since its
length is known from its beginning; what a gap finds unfinished is thrown away. Adapters hand one frame over in pieces
with pauses between them, so the owner calls `gap` only after a silence that no adapter makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.modbus.codes import (
    BIT_READS,
    HIGHEST_UNIT,
    LOWEST_UNIT,
    MAX_PDU,
    REFUSED_BIT,
    WORD_READS,
    Function,
)
from firmware_bridge.wire.modbus.frame import Frame

CRC_BYTES = 2
MAX_FRAME = 1 + MAX_PDU + CRC_BYTES
SHORTEST = 1 + 2 + CRC_BYTES  # an exception
_POLYNOMIAL = 0xA001  # 8005h, reflected (Serial Line V1.02, 6.2.2)
_START = 0xFFFF


def _table() -> tuple[int, ...]:
    entries = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ _POLYNOMIAL if value & 1 else value >> 1
        entries.append(value)
    return tuple(entries)


_TABLE = _table()


def crc(data: bytes | bytearray) -> int:
    """CRC-16/MODBUS; of `123456789` it is 4B37h."""
    value = _START
    for byte in data:
        value = value >> 8 ^ _TABLE[(value ^ byte) & 0xFF]
    return value


def encode_rtu(frame: Frame) -> bytes:
    """The bytes on the bus; the CRC's low byte first."""
    body = bytes((frame.unit,)) + frame.data
    return body + crc(body).to_bytes(CRC_BYTES, "little")


class Side(Enum):
    """Whose frames a decoder takes."""

    QUESTIONS = "questions"
    ANSWERS = "answers"


Length = Callable[[bytes | bytearray], int | None]


def _question_length(head: bytes | bytearray) -> int | None:
    """Bytes of the message; 0: not known yet; None: no such question."""
    if head[0] == Function.WRITE_COILS:
        return 6 + head[5] if len(head) > 5 else 0
    return 5 if head[0] in _FIVE else None


def _answer_length(head: bytes | bytearray) -> int | None:
    function = head[0]
    if function & REFUSED_BIT:
        return 2
    if function in BIT_READS | WORD_READS:
        return 2 + head[1] if len(head) > 1 else 0
    return 5 if function in _FIVE or function == Function.WRITE_COILS else None


_FIVE = BIT_READS | WORD_READS | {Function.WRITE_COIL, Function.DIAGNOSTICS}
_LENGTHS: dict[Side, Length] = {Side.QUESTIONS: _question_length, Side.ANSWERS: _answer_length}
# A message that cannot be longer than this: a length beyond it is noise.
_MESSAGE_MAX = {Side.QUESTIONS: 6 + 246, Side.ANSWERS: MAX_PDU}


class RtuDecoder:
    """The only receive buffer of one bus: chunks of any size in, whole checked frames and counted garbage out.

    Resynchronises by sliding one byte; holds one frame at most. Bytes thrown away together make one `Garbage`.
    """

    def __init__(self, side: Side) -> None:
        self._side = side
        self._buffer = bytearray()
        self._thrown = 0
        self._reason = GarbageReason.NOISE

    @property
    def pending(self) -> int:
        """Bytes held of a frame that has begun and has not ended."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[Frame | Garbage]:
        """What is whole now, in order. Never raises."""
        for start in range(0, len(chunk), MAX_FRAME):  # so that the buffer stays small whatever is fed
            self._buffer += chunk[start : start + MAX_FRAME]
            yield from self._take()
        if not self._buffer or self._thrown > MAX_FRAME:
            yield from self._give_thrown()

    def gap(self) -> Iterator[Frame | Garbage]:
        """The line was silent: what is unfinished never ends; frames behind a false start are found all the same."""
        while self._buffer:
            self._throw(GarbageReason.TRUNCATED)
            yield from self._take()
        yield from self._give_thrown()

    def _take(self) -> Iterator[Frame | Garbage]:
        while len(self._buffer) > 1:
            length = self._length()
            if length is None:
                self._throw(GarbageReason.NOISE)
            elif length == 0 or len(self._buffer) < length:
                return
            elif crc(self._buffer[: length - CRC_BYTES]) != int.from_bytes(
                self._buffer[length - CRC_BYTES : length], "little"
            ):
                self._throw(GarbageReason.BAD_CHECK)
            else:
                yield from self._give_thrown()
                frame = Frame(self._buffer[0], bytes(self._buffer[1 : length - CRC_BYTES]))
                del self._buffer[:length]
                yield frame

    def _length(self) -> int | None:
        """Of the frame at the front; 0: not known yet; None: no frame begins there."""
        unit = self._buffer[0]
        if not (LOWEST_UNIT <= unit <= HIGHEST_UNIT or (unit == 0 and self._side is Side.QUESTIONS)):
            return None
        length = _LENGTHS[self._side](self._buffer[1:])
        if length is None or length > _MESSAGE_MAX[self._side]:
            return None
        return length and 1 + length + CRC_BYTES

    def _throw(self, reason: GarbageReason) -> None:
        """One byte less; a wrong check says more than what slides out behind it."""
        del self._buffer[0]
        self._thrown += 1
        if self._reason is GarbageReason.NOISE:
            self._reason = reason

    def _give_thrown(self) -> Iterator[Garbage]:
        if self._thrown:
            garbage = Garbage(self._reason, self._thrown)
            self._thrown, self._reason = 0, GarbageReason.NOISE
            yield garbage
