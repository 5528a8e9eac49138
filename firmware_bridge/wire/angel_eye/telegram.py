"""Frames of the Angel Eye protocol, both ways: made, and taken out of any stream of chunks. Pure.

    shoe to host   ENQ seq data… ETX check check      check: XOR of seq to ETX, two upper-case hex digits
    host to shoe   STX 'O' 'P' type type d d ETX check check
    answers        ACK · NAK code · STX data… ETX check check

The bytes of parameters have bit 7 set, so ENQ always begins anew. One decoder is the only receive buffer of its side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor

from firmware_bridge.wire.angel_eye.codes import ACK, ENQ, ETX, NAK, STX
from firmware_bridge.wire.garbage import Garbage, GarbageReason

CHECK_DIGITS = 2
# The longest telegram that is known has 12 bytes. Where no ETX comes for so long, what is there is thrown away: one
# public decoder allows 64 bytes, the other 128.
MAX_TELEGRAM_BYTES = 128
_HEX = frozenset(b"0123456789ABCDEF")


@dataclass(frozen=True, slots=True)
class Telegram:
    """What the shoe tells by itself: `seq` as its one character, `data` from the letter on."""

    seq: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Block:
    """STX … ETX: a command on its way to the shoe, or what the shoe answers to one. Data without the frame."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The shoe takes a command."""


@dataclass(frozen=True, slots=True)
class NotAcknowledged:
    """The shoe does not take a command; `code` as in `codes.Refusal`, any byte where it is another."""

    code: int


Piece = Telegram | Block | Acknowledged | NotAcknowledged | Garbage


def check_of(covered: bytes) -> bytes:
    """The two digits over these bytes."""
    return b"%02X" % reduce(xor, covered, 0)


def encode_telegram(telegram: Telegram) -> bytes:
    """The bytes of one copy."""
    covered = bytes((telegram.seq, *telegram.data, ETX))
    return bytes((ENQ,)) + covered + check_of(covered)


def encode_block(block: Block, *, bcc_includes_stx: bool) -> bytes:
    """The bytes of a command. Whether its check covers STX differs between sources: the owner of the shoe knows."""
    covered = block.data + bytes((ETX,))
    return bytes((STX,)) + covered + check_of(bytes((STX,)) + covered if bcc_includes_stx else covered)


def encode_answer(answer: Acknowledged | NotAcknowledged) -> bytes:
    """The bytes of an ACK or NAK."""
    return bytes((ACK,)) if isinstance(answer, Acknowledged) else bytes((NAK, answer.code))


class TelegramDecoder:
    """Takes chunks of any size; gives whole checked frames and counted garbage, in bounded memory. Either side's.

    A block's check may cover STX or not (`bcc_includes_stx`); None takes it either way, for a simulated shoe's ear.
    """

    def __init__(self, *, bcc_includes_stx: bool | None = True, max_bytes: int = MAX_TELEGRAM_BYTES) -> None:
        self._includes_stx = bcc_includes_stx
        self._max_bytes = max_bytes
        self._frame = bytearray()  # from ENQ or STX on; empty between frames
        self._etx_at: int | None = None
        self._noise = 0
        self._is_refusal = False  # a NAK came: its code is next
        self._digit: int | None = None  # the first of two digits, where the code is written so

    @property
    def pending(self) -> int:
        """Bytes of a frame that has begun and not ended."""
        return len(self._frame)

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """What is whole now, in order."""
        for byte in chunk:
            yield from self._take(byte)
        yield from self._told_noise()

    def abandon(self) -> Iterator[Garbage]:
        """The sender has fallen silent, or is gone, within a frame: what has come is none."""
        yield from self._cut(GarbageReason.TRUNCATED)
        yield from self._settled_refusal()

    def _take(self, byte: int) -> Iterator[Piece]:
        if byte == ENQ or (byte == STX and not self._frame and not self._is_refusal):
            yield from self._cut(GarbageReason.TRUNCATED)
            yield from self._settled_refusal()
            yield from self._told_noise()
            self._frame, self._etx_at = bytearray((byte,)), None
        elif self._frame:
            yield from self._within(byte)
        elif self._is_refusal:
            yield from self._code(byte)
        elif byte == ACK:
            yield from self._told_noise()
            yield Acknowledged()
        elif byte == NAK:
            yield from self._told_noise()
            self._is_refusal = True
        else:
            self._noise += 1

    def _within(self, byte: int) -> Iterator[Piece]:
        self._frame.append(byte)
        if self._etx_at is None:
            if byte == ETX:
                self._etx_at = len(self._frame) - 1
            elif len(self._frame) >= self._max_bytes:
                yield from self._cut(GarbageReason.OVERSIZED)
        elif len(self._frame) == self._etx_at + 1 + CHECK_DIGITS:
            raw, self._frame = bytes(self._frame), bytearray()
            yield self._decoded(raw, self._etx_at)

    def _decoded(self, raw: bytes, etx_at: int) -> Piece:
        covered, check = raw[1 : etx_at + 1], raw[etx_at + 1 :]
        if raw[0] == ENQ:
            if check != check_of(covered):
                return Garbage(GarbageReason.BAD_CHECK, len(raw))
            if len(covered) < 3:  # seq, a letter, ETX
                return Garbage(GarbageReason.BAD_LENGTH, len(raw))
            return Telegram(covered[0], covered[1:-1])
        spans = {True: (raw[: etx_at + 1],), False: (covered,), None: (raw[: etx_at + 1], covered)}[self._includes_stx]
        if all(check != check_of(span) for span in spans):
            return Garbage(GarbageReason.BAD_CHECK, len(raw))
        return Block(covered[:-1])

    def _code(self, byte: int) -> Iterator[Piece]:
        """One byte, or two digits: no code of one byte is a digit, so both can be taken."""
        if self._digit is not None:
            first, self._digit, self._is_refusal = self._digit, None, False
            if byte in _HEX:
                yield NotAcknowledged(int(bytes((first, byte)), 16))
            else:
                yield Garbage(GarbageReason.BAD_FIELD, 3)
        elif byte in _HEX:
            self._digit = byte
        else:
            self._is_refusal = False
            yield NotAcknowledged(byte)

    def _settled_refusal(self) -> Iterator[Garbage]:
        """A NAK whose code did not come before something else began."""
        if self._is_refusal:
            size = 1 if self._digit is None else 2
            self._is_refusal, self._digit = False, None
            yield Garbage(GarbageReason.TRUNCATED, size)

    def _cut(self, reason: GarbageReason) -> Iterator[Garbage]:
        if self._frame:
            size, self._frame = len(self._frame), bytearray()
            yield Garbage(reason, size)

    def _told_noise(self) -> Iterator[Garbage]:
        if self._noise:
            size, self._noise = self._noise, 0
            yield Garbage(GarbageReason.NOISE, size)
