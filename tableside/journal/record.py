"""What a journal row is: the draft that the table hands over, the record that was stored, the first row."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, cast

import msgspec

FORMAT = 1  # of the columns and their hashing; a later format gets its own encoder, old rows keep theirs
HASH_BYTES = 32
NO_PREVIOUS = bytes(HASH_BYTES)  # what the genesis row follows
GENESIS_SEQ = 1
GENESIS_TYPE = "Genesis"

Where = Literal["journal", "reserve"]


class RecordKind(StrEnum):
    """What a row is to replay: inputs are fed to the tables again, decisions are kept as they were taken."""

    INPUT = "input"
    DECISION = "decision"
    CHECKPOINT = "checkpoint"
    GENESIS = "genesis"


# Structs and not dataclasses: a frozen one is made six times faster, and a table's day makes a hundred thousand.
class Draft(msgspec.Struct, frozen=True, gc=False):
    """A row before it has a number.

    `type` names the body's struct, `body` is stored as it is. `at_ns` is monotonic and compares only within
    one boot of the clock, `wall_ns` is UTC since 1970 and an annotation only, `quality` says how far to
    believe it. `request` is the id of the person's or system's request: unique among the inputs of a journal;
    a decision may carry the same id. A decision follows the input that caused it, before the next input.
    """

    kind: RecordKind
    type: str
    body: bytes
    at_ns: int
    wall_ns: int
    quality: str
    request: str | None = None


class Record(msgspec.Struct, frozen=True, gc=False):
    """A stored row; the fields are the table's columns in declared order.

    `boot` is the boot of the host's clock in which `at_ns` counts; `previous` and `hash` are SHA-256 digests.
    """

    seq: int
    format: int
    kind: RecordKind
    type: str
    body: bytes
    at_ns: int
    wall_ns: int
    quality: str
    boot: str
    request: str | None
    previous: bytes
    hash: bytes


# The columns in declared order, as SQLite takes and gives them.
Row = tuple[int, int, str, str, bytes, int, int, str, str, str | None, bytes, bytes]
_KINDS: dict[str, RecordKind] = {kind.value: kind for kind in RecordKind}


def row_of(record: Record) -> Row:
    """A record as SQLite takes it."""
    return (
        record.seq,
        record.format,
        record.kind.value,
        record.type,
        record.body,
        record.at_ns,
        record.wall_ns,
        record.quality,
        record.boot,
        record.request,
        record.previous,
        record.hash,
    )


def record_of(row: Row) -> Record:
    """A row as a record. An unknown kind stays as it is: only a forged row has one, and the chain says so."""
    seq, format_, kind, *rest = row
    return Record(seq, format_, _KINDS.get(kind, cast(RecordKind, kind)), *rest)  # type: ignore[arg-type]  # a starred tuple loses its types


class Tail(msgspec.Struct, frozen=True, gc=False):
    """Number and hash of a last row."""

    seq: int
    hash: bytes


EMPTY = Tail(0, NO_PREVIOUS)


class CommitResult(msgspec.Struct, frozen=True, gc=False):
    """Rows that are durable now: their first and last number, seconds since `commit` was called, and where."""

    first_seq: int
    last_seq: int
    seconds: float
    where: Where


class Genesis(msgspec.Struct, frozen=True):
    """Body of a journal's first row: whose it is. `epoch` is the u32 that devices obey (never 0)."""

    table: str
    epoch: int
    format: int
    created_wall_ns: int

    def body(self) -> bytes:
        """The bytes that are stored."""
        return msgspec.json.encode(self)

    @classmethod
    def of(cls, record: Record) -> Genesis:
        """Read it from a first row; raises `ValueError` where the row is no genesis."""
        if record.kind is not RecordKind.GENESIS:
            raise ValueError(f"row {record.seq} is {record.kind}, not the genesis row of a journal")
        return msgspec.json.decode(record.body, type=cls)
