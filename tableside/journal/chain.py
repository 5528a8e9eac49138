"""The hash chain over the rows: pure.

hash = SHA-256(previous ‖ for each column in declared order: u32 length, stored bytes). Integers are 8 bytes,
signed, big-endian; texts are UTF-8; a NULL is the length FFFFFFFFh and no bytes. `previous` and `hash` are no
columns of their own sum. An edit, a lost, added or moved row breaks the chain where it happened; a cut tail
is seen by comparing with an anchor kept in another file.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from tableside.journal.record import (
    EMPTY,
    FORMAT,
    GENESIS_SEQ,
    HASH_BYTES,
    Genesis,
    Record,
    RecordKind,
    Tail,
)

NULL_LENGTH = 0xFFFFFFFF
_LENGTH = struct.Struct(">I")
_TWO_INTEGERS = struct.Struct(">IqIq")
_INTEGER_BYTES = 8
_COLUMN_COUNT = 10
_NULL = _LENGTH.pack(NULL_LENGTH)

# A broken chain usually has one cause; the list is for a reader, the count beyond it is kept.
MOST_FINDINGS = 100


def stored_bytes(
    seq: int,
    format_: int,
    kind: str,
    type_: str,
    body: bytes,
    at_ns: int,
    wall_ns: int,
    quality: str,
    boot: str,
    request: str | None,
) -> bytes:
    """The length-prefixed columns of a row. Raises `struct.error`, `AttributeError`, `TypeError` or
    `UnicodeEncodeError` where a value cannot be stored as its column."""
    return b"".join(
        (
            _TWO_INTEGERS.pack(_INTEGER_BYTES, seq, _INTEGER_BYTES, format_),
            _word(kind),
            _word(type_),
            _LENGTH.pack(len(body)),
            body,
            _TWO_INTEGERS.pack(_INTEGER_BYTES, at_ns, _INTEGER_BYTES, wall_ns),
            _word(quality),
            _word(boot),
            _NULL if request is None else _text(request),
        )
    )


def chained(previous: bytes, stored: bytes) -> bytes:
    """The hash of a row that follows `previous`."""
    return hashlib.sha256(previous + stored).digest()


def _text(value: str) -> bytes:
    encoded = value.encode()
    return _LENGTH.pack(len(encoded)) + encoded


# Kinds, types, qualities and boots are a few dozen words that come again in every row.
_word = lru_cache(maxsize=1024)(_text)


def columns(record: Record) -> bytes:
    """The stored bytes of a record that was read back."""
    r = record
    return stored_bytes(r.seq, r.format, r.kind, r.type, r.body, r.at_ns, r.wall_ns, r.quality, r.boot, r.request)


def parse_columns(stored: bytes, *, previous: bytes, digest: bytes) -> Record:
    """The record of such bytes; raises `ValueError` where they are not one row's columns."""
    fields: list[bytes | None] = []
    offset = 0
    while offset < len(stored):
        if offset + _LENGTH.size > len(stored):
            raise ValueError("half a length at the end")
        (length,) = _LENGTH.unpack_from(stored, offset)
        offset += _LENGTH.size
        if length == NULL_LENGTH:
            fields.append(None)
            continue
        if offset + length > len(stored):
            raise ValueError("a column is longer than its row")
        fields.append(stored[offset : offset + length])
        offset += length
    if len(fields) != _COLUMN_COUNT:
        raise ValueError(f"{len(fields)} columns instead of {_COLUMN_COUNT}")
    seq, format_, kind, type_, body, at_ns, wall_ns, quality, boot, request = fields
    return Record(
        _integer(seq),
        _integer(format_),
        RecordKind(_string(kind)),
        _string(type_),
        _present(body),
        _integer(at_ns),
        _integer(wall_ns),
        _string(quality),
        _string(boot),
        None if request is None else request.decode(),
        previous,
        digest,
    )


def _present(field: bytes | None) -> bytes:
    if field is None:
        raise ValueError("an empty column that must not be empty")
    return field


def _integer(field: bytes | None) -> int:
    if len(_present(field)) != _INTEGER_BYTES:
        raise ValueError("an integer that is not 8 bytes")
    return int.from_bytes(_present(field), "big", signed=True)


def _string(field: bytes | None) -> str:
    return _present(field).decode()


class FindingKind(StrEnum):
    """What can be wrong with a chain."""

    CHANGED = "changed"  # the row's own hash does not cover its bytes
    BROKEN = "broken"  # the row does not follow the one before it
    GAP = "gap"  # a number is missing, repeated or goes back
    NO_GENESIS = "no-genesis"  # the first row is not the first row of a journal
    OTHER_TABLE = "other-table"  # the genesis row names another table
    FORMAT = "format"  # written by a version that this one cannot check
    CUT = "cut"  # the anchor has seen a later row
    REPLACED = "replaced"  # the anchor has seen another row under this number
    FILE = "file"  # SQLite finds the file itself damaged
    SCHEMA = "schema"  # the table's guards are not those that it was made with


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong, at which row, in words for the inspection service."""

    kind: FindingKind
    seq: int
    text: str


class Walker:
    """Checks rows one after the other, in the order of their numbers, in constant memory.

    Without `start` the first row must be a genesis row; with it the first row must follow that one.
    """

    def __init__(self, start: Tail = EMPTY, *, table: str | None = None, anchor: Tail | None = None) -> None:
        self.tail = start
        self.rows = 0
        self.findings: list[Finding] = []
        self.unlisted = 0
        self._table = table
        self._anchor = anchor

    def step(self, record: Record) -> bool:
        """Take the next row; True where it is what was hashed."""
        self.rows += 1
        self._check_place(record)
        is_whole = is_intact(record)
        if record.format != FORMAT:
            text = f"row {record.seq} has format {record.format}; this version checks format {FORMAT}"
            self.report(FindingKind.FORMAT, record.seq, text)
        elif not is_whole:
            self.report(FindingKind.CHANGED, record.seq, f"row {record.seq} is not what was hashed")
        if self._anchor is not None and record.seq == self._anchor.seq and record.hash != self._anchor.hash:
            text = f"row {record.seq} is another one than the anchor has seen"
            self.report(FindingKind.REPLACED, record.seq, text)
        self.tail = Tail(record.seq, record.hash)
        return is_whole

    def _check_place(self, record: Record) -> None:
        if record.seq != self.tail.seq + 1:
            self.report(FindingKind.GAP, record.seq, f"row {record.seq} comes after row {self.tail.seq}")
        if record.previous != self.tail.hash:
            self.report(FindingKind.BROKEN, record.seq, f"row {record.seq} does not follow row {self.tail.seq}")
        if (record.kind is RecordKind.GENESIS) != (record.seq == GENESIS_SEQ):
            self.report(FindingKind.NO_GENESIS, record.seq, f"row {record.seq} is of kind {record.kind}")
        elif record.seq == GENESIS_SEQ:
            self._check_table(record)

    def end(self) -> list[Finding]:
        """After the last row: what was found, the cut tail included."""
        if self.tail.seq == 0:
            self.report(FindingKind.NO_GENESIS, 0, "there is no row at all")
        if self._anchor is not None and self.tail.seq < self._anchor.seq:
            self.report(
                FindingKind.CUT,
                self.tail.seq,
                f"the last row is {self.tail.seq}; the anchor has seen row {self._anchor.seq}",
            )
        return self.findings

    def _check_table(self, record: Record) -> None:
        try:
            genesis = Genesis.of(record)
        except ValueError as error:
            self.report(FindingKind.NO_GENESIS, record.seq, f"the first row cannot be read: {error}")
            return
        if self._table is not None and genesis.table != self._table:
            self.report(
                FindingKind.OTHER_TABLE,
                record.seq,
                f"this is the journal of table {genesis.table}, not of {self._table}",
            )

    def report(self, kind: FindingKind, seq: int, text: str) -> None:
        """Add a finding."""
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(Finding(kind, seq, text))
        else:
            self.unlisted += 1


def is_intact(record: Record) -> bool:
    """True where the row's hash covers the row's bytes."""
    try:
        return len(record.previous) == HASH_BYTES and chained(record.previous, columns(record)) == record.hash
    except (struct.error, AttributeError, TypeError, UnicodeEncodeError):
        return False  # a damaged file may show rows of wrong types


def verify(records: Iterable[Record], *, table: str | None = None, anchor: Tail | None = None) -> list[Finding]:
    """Everything wrong with a whole journal's rows, at most `MOST_FINDINGS`; empty when all is well."""
    walker = Walker(table=table, anchor=anchor)
    for record in records:
        walker.step(record)
    return walker.end()
