"""The bytes of a reserve file: pure.

Layout: a head of 4,096 bytes, then rows. The head holds the name of the format, the process that has the file,
and two anchor slots that are written in turn (generation, number and hash of the last row, CRC-32), so that one
of them is whole whenever the power goes. A row is u32 length, u32 CRC-32, then previous hash, hash and the row's
columns as they are hashed. A length of 0 ends the rows. All numbers are big-endian.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from tableside.journal.chain import columns, is_intact, parse_columns
from tableside.journal.record import HASH_BYTES, Record, Tail

MAGIC = b"TSRESRV1"
HOLDER_OFFSET = 64  # u64: the process that holds the file, for the message to a second one
HOLDER_BYTES = 8
HEAD_BYTES = 4_096
SLOT_OFFSETS = (512, 1_024)  # sectors of their own: a torn write hurts one slot

_SLOT = struct.Struct(">QQ32s")
_CHECK = struct.Struct(">I")
_ROW_HEAD = struct.Struct(">II")
END = bytes(_ROW_HEAD.size)


@dataclass(frozen=True, slots=True)
class Content:
    """What a reserve file holds: its rows in order, where they end, and the newest whole anchor.

    `is_torn` says that bytes behind the last row are no row: one that was cut short, or damage.
    """

    rows: tuple[Record, ...]
    end: int
    is_torn: bool
    anchor: Tail | None
    generation: int


def read_content(data: bytes) -> Content:
    """Take a whole file apart. Raises `ValueError` where it is something else; zeros are an empty reserve."""
    if data[: len(MAGIC)] not in (MAGIC, bytes(len(MAGIC))):
        raise ValueError("the file is not a reserve of this version")
    generation, anchor = _newest_anchor(data)
    rows: list[Record] = []
    end = HEAD_BYTES
    is_torn = False
    while data[end : end + _ROW_HEAD.size].rstrip(b"\0"):
        record, after = _row_at(data, end)
        if record is None or (rows and not _follows(record, rows[-1])):
            is_torn = True
            break
        rows.append(record)
        end = after
    return Content(tuple(rows), end, is_torn, anchor, generation)


def packed_row(record: Record) -> bytes:
    """The bytes of one row."""
    data = record.previous + record.hash + columns(record)
    return _ROW_HEAD.pack(len(data), zlib.crc32(data)) + data


def packed_anchor(generation: int, tail: Tail) -> tuple[int, bytes]:
    """Where the anchor of this generation stands, and its bytes."""
    data = _SLOT.pack(generation, tail.seq, tail.hash)
    return SLOT_OFFSETS[generation % len(SLOT_OFFSETS)], data + _CHECK.pack(zlib.crc32(data))


def _newest_anchor(data: bytes) -> tuple[int, Tail | None]:
    newest: tuple[int, Tail | None] = (0, None)
    for offset in SLOT_OFFSETS:
        slot = data[offset : offset + _SLOT.size]
        check = data[offset + _SLOT.size : offset + _SLOT.size + _CHECK.size]
        if len(slot) < _SLOT.size or check != _CHECK.pack(zlib.crc32(slot)):
            continue
        generation, seq, digest = _SLOT.unpack(slot)
        if generation > newest[0]:
            newest = (generation, Tail(seq, digest))
    return newest


def _row_at(data: bytes, offset: int) -> tuple[Record | None, int]:
    start = offset + _ROW_HEAD.size
    if start > len(data):
        return None, start
    length, check = _ROW_HEAD.unpack_from(data, offset)
    row = data[start : start + length]
    if not 2 * HASH_BYTES < length == len(row) or zlib.crc32(row) != check:
        return None, start
    previous, digest, stored = row[:HASH_BYTES], row[HASH_BYTES : 2 * HASH_BYTES], row[2 * HASH_BYTES :]
    try:
        record = parse_columns(stored, previous=previous, digest=digest)
    except ValueError:
        return None, start
    return (record if is_intact(record) else None), start + length


def _follows(record: Record, before: Record) -> bool:
    """False for rows of an earlier stay on the reserve that lie behind the present ones."""
    return record.seq == before.seq + 1 and record.previous == before.hash
