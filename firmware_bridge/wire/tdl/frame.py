"""One TDL frame from header to check (docs/protocols/tdl.md section 3): what one MQTT message carries."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.tdl.cbor import BadBody, Value, decode_map, encode_map
from firmware_bridge.wire.tdl.codes import CHECK_SIZE, HEADER_SIZE, MAJOR, MAX_RX_MAX, MessageType

_HEADER = struct.Struct("<BBBBHH")  # magic, type, code, seq, session, length
_CHECK = struct.Struct("<I")
_MAX_CODE = 0xFE
_MAX_SEQ = 0xFF
_MAX_SESSION = 0xFFFF
OVERHEAD = HEADER_SIZE + CHECK_SIZE

# which header fields a type uses (tdl.md 3.2): a field that it does not use is 0, one that it uses never is
_HAS_CODE = {MessageType.REQUEST, MessageType.REPLY, MessageType.NOTICE, MessageType.PROGRESS}
_HAS_SEQ = {MessageType.HELLO, MessageType.HELLO_REPLY, MessageType.REQUEST, MessageType.REPLY}
# by number: least and greatest code and seq (a look-up by number costs less than one by the member's name)
_FIELDS = {
    int(kind): ((1, _MAX_CODE) if kind in _HAS_CODE else (0, 0)) + ((1, _MAX_SEQ) if kind in _HAS_SEQ else (0, 0))
    for kind in MessageType
}
_TYPES = {int(kind): kind for kind in MessageType}


@dataclass(frozen=True, slots=True)
class Frame:
    """A checked message. `code` is an operation, a notice kind or 0, by type; unknown codes pass through."""

    type: MessageType
    code: int
    seq: int
    session: int
    body: Mapping[int, Value]


def encode_frame(frame: Frame) -> bytes:
    """Header, CBOR body, CRC-32. Raises ValueError for a field or body that the specification forbids."""
    if frame.type is MessageType.SEALED:
        raise ValueError("SEALED is not offered: no keys are built (tdl.md 13)")
    wrong = _wrong_field(int(frame.type), frame.code, frame.seq, frame.session)
    if wrong:
        raise ValueError(f"{frame.type.name} refused: {wrong} (tdl.md 3.2)")
    body = encode_map(frame.body)
    if len(body) > MAX_RX_MAX:
        raise ValueError(f"{frame.type.name} refused: body of {len(body)} bytes, {MAX_RX_MAX} at most (tdl.md 3.4)")
    head = _HEADER.pack(MAJOR, frame.type, frame.code, frame.seq, frame.session, len(body)) + body
    return head + _CHECK.pack(zlib.crc32(head))


def decode_frame(data: bytes, rx_max: int = MAX_RX_MAX) -> Frame | Garbage:
    """The message in one bare frame, or the first reason (in the order of tdl.md 3.5) why it is none."""
    size = len(data)
    if size > rx_max + OVERHEAD:
        return Garbage(GarbageReason.OVERSIZED, size)
    if size and data[0] != MAJOR:
        return Garbage(GarbageReason.NOT_TDL, size)
    if size < OVERHEAD:
        return Garbage(GarbageReason.TRUNCATED, size)
    _, number, code, seq, session, length = _HEADER.unpack_from(data)
    if length != size - OVERHEAD:
        return Garbage(GarbageReason.BAD_LENGTH, size)
    if zlib.crc32(data[:-CHECK_SIZE]) != _CHECK.unpack_from(data, size - CHECK_SIZE)[0]:
        return Garbage(GarbageReason.BAD_CHECK, size)
    return _decode_checked(data, number, code, seq, session)


def _decode_checked(data: bytes, number: int, code: int, seq: int, session: int) -> Frame | Garbage:
    size = len(data)
    kind = _TYPES.get(number)
    if kind is None:
        return Garbage(GarbageReason.BAD_TYPE, size)
    if kind is MessageType.SEALED:
        return Garbage(GarbageReason.SEALED, size)
    if _wrong_field(number, code, seq, session):
        return Garbage(GarbageReason.BAD_FIELD, size)
    try:
        body = decode_map(data[HEADER_SIZE:-CHECK_SIZE])
    except BadBody:
        return Garbage(GarbageReason.BAD_BODY, size)
    return Frame(kind, code, seq, session, body)


def _wrong_field(number: int, code: int, seq: int, session: int) -> str:
    """What is wrong with the header fields of this type, or an empty text."""
    least_code, most_code, least_seq, most_seq = _FIELDS[number]
    if not 1 <= session <= _MAX_SESSION:
        return f"session {session}"
    if not least_code <= code <= most_code:
        return f"code {code}"
    if not least_seq <= seq <= most_seq:
        return f"seq {seq}"
    return ""
