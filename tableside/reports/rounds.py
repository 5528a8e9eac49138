"""Which rows belong to a round that is still open: their cards are secret. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from tableside.control.curtain import names_card
from tableside.happenings import RoundEnded, RoundStarted
from tableside.journal.reading import Rows
from tableside.journal.record import Record, RecordKind
from tableside.rows import what_of


def open_round_since(records: Iterable[Record]) -> int | None:
    """The row with which the open round began; None where none is open."""
    since: int | None = None
    for record in records:
        if record.type == RoundStarted.__name__:
            since = record.seq
        elif record.type == RoundEnded.__name__:
            since = None
    return since


class BeforeSecrets:
    """Rows up to the first one that names a card of the open round; `stopped_at` tells where that was."""

    def __init__(self, rows: Rows) -> None:
        self.stopped_at: int | None = None
        self._rows = rows
        self._since = open_round_since(rows.records(0, {RecordKind.DECISION}))

    def __iter__(self) -> Iterator[Record]:
        for record in self._rows.records():
            if self._since is not None and record.seq >= self._since and _is_secret(record):
                self.stopped_at = record.seq
                return
            yield record


def _is_secret(record: Record) -> bool:
    if record.kind is RecordKind.CHECKPOINT:
        return True  # the whole state, its cards with it
    try:
        return names_card(what_of(record))
    except msgspec.MsgspecError:
        return True  # what cannot be read may name one
