"""A journal as JSON lines, every column of every row, so that others can read and check it without our code."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from tableside.journal.disk import FILE_MODE, sync_directory
from tableside.journal.record import Record

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NS_PER_US = 1_000


def export_lines(records: Iterable[Record]) -> Iterator[bytes]:
    """One line a row, each ending in a line feed.

    Keys are the columns' names; hashes are hex. The body is `body_text` where its bytes are UTF-8, else
    `body_base64`: either gives the very bytes that were hashed. `wall` repeats `wall_ns` for people, in UTC.
    Integers go up to 64 bits: a reader that keeps numbers as floats must take them as text.
    """
    for record in records:
        yield msgspec.json.encode(_fields(record)) + b"\n"


def export_journal(records: Iterable[Record], target: Path) -> int:
    """Write them to a file that appears whole or not at all; returns the number of rows. Raises `OSError`."""
    partial = target.with_name(target.name + ".partial")
    rows = 0
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        with os.fdopen(descriptor, "wb") as file:
            for line in export_lines(records):
                file.write(line)
                rows += 1
            file.flush()
            os.fsync(file.fileno())
        partial.rename(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_directory(target.parent)
    return rows


def utc_text(wall_ns: int) -> str:
    """UTC with microseconds. Every 64-bit number of ns is a date between 1677 and 2262."""
    return (_EPOCH + timedelta(microseconds=wall_ns // _NS_PER_US)).isoformat().replace("+00:00", "Z")


def _fields(record: Record) -> dict[str, object]:
    return {
        "seq": record.seq,
        "format": record.format,
        "kind": record.kind,
        "type": record.type,
        **_body(record.body),
        "at_ns": record.at_ns,
        "wall_ns": record.wall_ns,
        "wall": utc_text(record.wall_ns),
        "quality": record.quality,
        "boot": record.boot,
        "request": record.request,
        "previous": record.previous.hex(),
        "hash": record.hash.hex(),
    }


def _body(body: bytes) -> dict[str, str]:
    try:
        return {"body_text": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}
