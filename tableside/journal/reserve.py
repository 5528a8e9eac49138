"""Where rows go while the journal cannot be written, and where its last number is kept beside it.

Layout: a head of 4,096 bytes, then rows. The head holds the name of the format, the process that has the file,
and two anchor slots that are written in turn (generation, number and hash of the last row, CRC-32), so that one
of them is whole whenever the power goes. A row is u32 length, u32 CRC-32, then previous hash, hash and the row's
columns as they are hashed. A length of 0 ends the rows. All numbers are big-endian.

Rows on the reserve are rows of the same chain: they have their final number and hash. They are carried over
once, whatever is killed in between, because the journal's own last number tells which of them it has.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence

from tableside.journal.chain import columns, is_intact, parse_columns
from tableside.journal.disk import Disk
from tableside.journal.record import HASH_BYTES, Record, Tail

# 1,000 rows of 4 kB: a day's rows are 200 to 600 bytes, and a round in progress ends within some hundred.
RESERVE_BYTES = 4_194_304
MAGIC = b"TSRESRV1"
HEAD_BYTES = 4_096
HOLDER_OFFSET = 64  # u64: the process that holds the file, for the message to a second one
_SLOT_OFFSETS = (512, 1_024)  # sectors of their own: a torn write hurts one slot
_SLOT = struct.Struct(">QQ32sI")
_SLOT_BODY = struct.Struct(">QQ32s")
_ROW_HEAD = struct.Struct(">II")
_END = bytes(_ROW_HEAD.size)


class ReserveFull(Exception):
    """The rows do not fit any more."""


class Reserve:
    """The rows that wait for the journal, and the anchor. Not thread-safe; `rows` may be read from anywhere."""

    def __init__(self, disk: Disk) -> None:
        """Read what a disk holds; raises `OSError`, and `ValueError` where the file is something else."""
        self._disk = disk
        magic = disk.read(0, len(MAGIC))
        if magic == bytes(len(MAGIC)):
            disk.write(0, MAGIC)
            disk.sync()
        elif magic != MAGIC:
            raise ValueError("the file is not a reserve of this version")
        self._generation, self.anchor = self._read_anchor()
        self.rows: tuple[Record, ...] = ()
        self.is_torn = False
        self._end = HEAD_BYTES
        self._read_rows()
        # True where bytes of rows may stand on the disk that are none of `rows`.
        self._is_dirty = self.is_torn

    @property
    def free_bytes(self) -> int:
        """Room for further rows."""
        return self._disk.size - self._end - len(_END)

    def append(self, records: Sequence[Record]) -> None:
        """Make rows durable; all of them or none. Raises `ReserveFull`, `OSError`."""
        data = b"".join(_packed(record) for record in records)
        if len(data) > self.free_bytes:
            raise ReserveFull(f"{len(data)} bytes do not fit into the {self.free_bytes} left")
        self._is_dirty = True
        self._disk.write(self._end, data + _END)
        self._disk.sync()
        self._end += len(data)
        self.rows += tuple(records)

    def release(self) -> None:
        """The journal has all rows: forget them. Raises `OSError` where the disk still shows them; call again."""
        self.rows = ()
        self._end = HEAD_BYTES
        if not self._is_dirty:
            return
        self._disk.write(HEAD_BYTES, _END)
        self._disk.sync()
        self._is_dirty = False

    def keep_only(self, rows: Iterable[Record]) -> None:
        """At opening: these of the rows the journal has not."""
        self.rows = tuple(rows)
        self._is_dirty = True

    def note(self, tail: Tail) -> None:
        """Move the anchor. Not synced by itself (see `sync`): it may be behind the journal, never before it."""
        generation = self._generation + 1
        body = _SLOT_BODY.pack(generation, tail.seq, tail.hash)
        offset = _SLOT_OFFSETS[generation % len(_SLOT_OFFSETS)]
        self._disk.write(offset, body + zlib.crc32(body).to_bytes(4, "big"))
        self._generation = generation
        self.anchor = tail

    def sync(self) -> None:
        """Make the anchor durable."""
        self._disk.sync()

    def close(self) -> None:
        """Give the file and its lock up; what was written stays."""
        self._disk.close()

    def _read_anchor(self) -> tuple[int, Tail | None]:
        newest: tuple[int, Tail | None] = (0, None)
        for offset in _SLOT_OFFSETS:
            slot = self._disk.read(offset, _SLOT.size)
            if len(slot) < _SLOT.size:
                continue
            generation, seq, digest, check = _SLOT.unpack(slot)
            if check == zlib.crc32(slot[: _SLOT_BODY.size]) and generation > newest[0]:
                newest = (generation, Tail(seq, digest))
        return newest

    def _read_rows(self) -> None:
        rows: list[Record] = []
        while True:
            head = self._disk.read(self._end, _ROW_HEAD.size)
            if len(head) < _ROW_HEAD.size or head == _END:
                break
            length, check = _ROW_HEAD.unpack(head)
            record = self._read_row(length, check)
            if record is None or (rows and not _follows(record, rows[-1])):
                self.is_torn = True
                break
            rows.append(record)
            self._end += _ROW_HEAD.size + length
        self.rows = tuple(rows)

    def _read_row(self, length: int, check: int) -> Record | None:
        if not 2 * HASH_BYTES < length <= self._disk.size - self._end:
            return None
        data = self._disk.read(self._end + _ROW_HEAD.size, length)
        if len(data) < length or zlib.crc32(data) != check:
            return None
        try:
            record = parse_columns(
                data[2 * HASH_BYTES :], previous=data[:HASH_BYTES], digest=data[HASH_BYTES : 2 * HASH_BYTES]
            )
        except ValueError:
            return None
        return record if is_intact(record) else None


def _packed(record: Record) -> bytes:
    data = record.previous + record.hash + columns(record)
    return _ROW_HEAD.pack(len(data), zlib.crc32(data)) + data


def _follows(record: Record, before: Record) -> bool:
    """False for rows of an earlier stay on the reserve that lie behind the present ones."""
    return record.seq == before.seq + 1 and record.previous == before.hash
