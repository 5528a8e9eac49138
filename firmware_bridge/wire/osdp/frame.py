"""One OSDP frame: `53 address length(2) control [block] code data [mac(4)] check(2|1)`.

The length counts from 53 to the last check byte. A reply carries the address with the top bit set. The check is
CRC-16 (polynomial 1021, start 1D0F, not reflected, low byte first) or the two's complement of the byte sum.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass
from enum import Enum

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.osdp.codes import BlockType

START = 0x53
MARK = 0xFF  # sent by the panel before a frame, so that the line's drivers settle; belongs to no frame

REPLY_BIT = 0x80
CONFIGURATION_ADDRESS = 0x7F  # every peripheral listens to it, and answers with it
SEQUENCE_MASK = 0x03
CRC_BIT = 0x04
BLOCK_BIT = 0x08
RESERVED_BITS = 0xF0

HEADER_SIZE = 5  # start, address, length, control
MAC_SIZE = 4
FRAME_MAX = 1440  # the largest frame that OSDP v2 knows
_CRC_START = 0x1D0F
_LENGTH_END = 4
_MAC_TYPES = frozenset(range(BlockType.PANEL_MAC, BlockType.PERIPHERAL_ENCRYPTED + 1))


class Check(Enum):
    """How a frame is checked; the value is the size in bytes."""

    CRC = 2
    CHECKSUM = 1


@dataclass(frozen=True, slots=True)
class SecurityBlock:
    """`type` as on the wire (unknown ones are kept, for a peripheral must refuse them), `data` behind it."""

    type: int
    data: bytes = b""

    @property
    def has_mac(self) -> bool:
        return self.type in _MAC_TYPES


@dataclass(frozen=True, slots=True)
class Frame:
    """A checked frame. `data` is what follows the code: encrypted where the block's type says so."""

    address: int  # 0 … 7F, without the reply bit
    is_reply: bool
    sequence: int  # 0 … 3
    code: int
    data: bytes = b""
    block: SecurityBlock | None = None
    mac: bytes = b""  # four bytes where the block's type carries a MAC; a panel was seen to leave it out
    check: Check = Check.CRC

    @property
    def size(self) -> int:
        """Bytes on the wire, without a mark."""
        block = 2 + len(self.block.data) if self.block else 0
        return HEADER_SIZE + block + 1 + len(self.data) + len(self.mac) + self.check.value


def crc(data: bytes) -> int:
    """CRC-16 of OSDP (also known as AUG-CCITT, SPI-FUJITSU)."""
    return binascii.crc_hqx(data, _CRC_START)


def checksum(data: bytes) -> int:
    """Two's complement of the sum, so that all bytes with it add up to zero."""
    return -sum(data) & 0xFF


def authenticated(frame: Frame) -> bytes:
    """The bytes that a MAC covers: from 53 to the last data byte, the length already being the final one."""
    if not 0 <= frame.address <= CONFIGURATION_ADDRESS or not 0 <= frame.sequence <= SEQUENCE_MASK:
        raise ValueError(f"address {frame.address} or sequence number {frame.sequence} out of range")
    control = frame.sequence | (CRC_BIT if frame.check is Check.CRC else 0)
    block = b""
    if frame.block:
        control |= BLOCK_BIT
        block = bytes((2 + len(frame.block.data), frame.block.type)) + frame.block.data
    address = frame.address | (REPLY_BIT if frame.is_reply else 0)
    header = bytes((START, address)) + frame.size.to_bytes(2, "little") + bytes((control,))
    return header + block + bytes((frame.code,)) + frame.data


def encode_frame(frame: Frame) -> bytes:
    """The frame's bytes, without a mark. Raises ValueError for a value that has no place in it."""
    has_mac = frame.block is not None and frame.block.has_mac
    if frame.mac and (not has_mac or len(frame.mac) != MAC_SIZE):
        raise ValueError(f"a frame with this security block carries no MAC of {len(frame.mac)} bytes")
    if frame.size > FRAME_MAX:
        raise ValueError(f"{frame.size} bytes are more than the {FRAME_MAX} of a frame")
    body = authenticated(frame) + frame.mac
    if frame.check is Check.CRC:
        return body + crc(body).to_bytes(2, "little")
    return body + bytes((checksum(body),))


def judge_header(data: bytes | bytearray, frame_max: int = FRAME_MAX) -> int | GarbageReason | None:
    """How long the frame is that begins at the first byte of `data`; None while that cannot be told yet.

    Judges each field as soon as it is there, so that noise that looks like a start holds nothing up.
    """
    if data[:1] != bytes((START,)):
        return GarbageReason.NOISE if data else None
    if len(data) < HEADER_SIZE:
        return None if len(data) < _LENGTH_END else _judge_length(data, HEADER_SIZE + 1 + 1, frame_max)
    control = data[4]
    if control & RESERVED_BITS:
        return GarbageReason.BAD_FIELD
    shortest = HEADER_SIZE + 1 + (2 if control & CRC_BIT else 1)
    if control & BLOCK_BIT:
        if len(data) < HEADER_SIZE + 1:
            return _judge_length(data, shortest + 2, frame_max)
        if data[5] < 2:
            return GarbageReason.BAD_FIELD
        shortest += data[5]
    judged = _judge_length(data, shortest, frame_max)
    return int.from_bytes(data[2:4], "little") if judged is None else judged


def _judge_length(data: bytes | bytearray, shortest: int, frame_max: int) -> GarbageReason | None:
    length = int.from_bytes(data[2:4], "little")
    if length < shortest:
        return GarbageReason.BAD_LENGTH
    return GarbageReason.OVERSIZED if length > frame_max else None


def decode_frame(data: bytes, frame_max: int = FRAME_MAX) -> Frame | Garbage:
    """Read one whole frame without a mark; anything else comes back as garbage with its reason."""
    length = judge_header(data, frame_max)
    if length is None or (isinstance(length, int) and length > len(data)):
        return Garbage(GarbageReason.TRUNCATED, len(data))
    if isinstance(length, GarbageReason):
        return Garbage(length, len(data))
    if length < len(data):
        return Garbage(GarbageReason.BAD_LENGTH, len(data))
    return read_checked(data) or Garbage(GarbageReason.BAD_CHECK, len(data))


def read_checked(data: bytes) -> Frame | None:
    """The frame of exactly `data`, whose header has been judged; None where its check is wrong."""
    control = data[4]
    check = Check.CRC if control & CRC_BIT else Check.CHECKSUM
    body, found = data[: -check.value], int.from_bytes(data[-check.value :], "little")
    if found != (crc(body) if check is Check.CRC else checksum(body)):
        return None
    block, at = None, HEADER_SIZE
    if control & BLOCK_BIT:
        at += body[5]
        block = SecurityBlock(body[6], body[7:at])
    end = len(body)
    if block and block.has_mac and end - MAC_SIZE > at:
        end -= MAC_SIZE
    return Frame(
        address=body[1] & ~REPLY_BIT,
        is_reply=bool(body[1] & REPLY_BIT),
        sequence=control & SEQUENCE_MASK,
        code=body[at],
        data=body[at + 1 : end],
        block=block,
        mac=body[end:],
        check=check,
    )
