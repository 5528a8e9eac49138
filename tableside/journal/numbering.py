"""Drafts become rows: numbered without a gap, chained, checked. Pure but for the question about request ids."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from tableside.journal.chain import chained, stored_bytes
from tableside.journal.record import EMPTY, FORMAT, Draft, RecordKind, Row, Tail
from tableside.journal.store import DraftRefused, RequestRepeated

# An enumeration's members are looked up slowly, and this runs for every row.
_GENESIS, _INPUT = RecordKind.GENESIS, RecordKind.INPUT


def number(
    drafts: Sequence[Draft], tail: Tail, *, boot: str, is_taken: Callable[[str], bool], claimed: set[str]
) -> list[Row]:
    """The rows of one commit, after `tail`. `claimed` holds the request ids of the commits before it in the same
    transaction and takes up those of this one. Raises `DraftRefused`, `RequestRepeated`; then nothing is taken up."""
    if not drafts:
        raise DraftRefused("an empty commit: there is nothing to make durable")
    rows: list[Row] = []
    requests: set[str] = set()
    seq, previous = tail.seq, tail.hash
    for draft in drafts:
        seq += 1
        kind, request = draft.kind, draft.request
        if kind is _GENESIS:
            raise DraftRefused("a genesis row is the first of a journal and written by the journal alone")
        if request is not None and kind is _INPUT:
            if request in requests or request in claimed or is_taken(request):
                raise RequestRepeated(f"request {request} stands in the journal already: answer as it was answered")
            requests.add(request)
        row = _chain(draft, kind.value, seq, boot, previous)
        rows.append(row)
        previous = row[-1]
    claimed |= requests
    return rows


def genesis_row(draft: Draft, *, boot: str) -> Row:
    """The first row of a new journal."""
    return _chain(draft, RecordKind.GENESIS.value, 1, boot, EMPTY.hash)


def _chain(draft: Draft, kind: str, seq: int, boot: str, previous: bytes) -> Row:
    d = draft
    try:
        # A plain text is what SQLite and the hash take fastest; a StrEnum's member is one in disguise.
        quality = d.quality if type(d.quality) is str else str(d.quality)
        stored = stored_bytes(seq, FORMAT, kind, d.type, d.body, d.at_ns, d.wall_ns, quality, boot, d.request)
    except (struct.error, AttributeError, TypeError, UnicodeEncodeError) as error:
        raise DraftRefused(f"draft {d.type} cannot be stored: {error}; its maker must be mended") from error
    digest = chained(previous, stored)
    return (seq, FORMAT, kind, d.type, d.body, d.at_ns, d.wall_ns, quality, boot, d.request, previous, digest)
