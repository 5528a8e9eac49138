"""Reading a journal: its file's rows, then the rows that still stand on the reserve.

No read transaction outlives a page of rows, so that no reader holds the log back, however slowly its own
caller goes on (BR-048). Rows never change: a reading without a transaction is as consistent as one within.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Set
from typing import Any

from tableside.journal.record import Record, RecordKind, record_of
from tableside.journal.schema import COLUMNS
from tableside.journal.store import JournalUnavailable

# Rows a page: 500 rows are read in about 3 ms, which the event loop can wait.
PAGE_ROWS = 500

_SELECT = f"SELECT {', '.join(COLUMNS)} FROM record"


class Rows:
    """The rows of one journal. `standing` tells the rows on the reserve, `connection` the open file.

    Everything raises `JournalUnavailable` where the file cannot be read.
    """

    def __init__(
        self, connection: Callable[[], sqlite3.Connection], standing: Callable[[], tuple[Record, ...]] = tuple
    ) -> None:
        self._connection = connection
        self._standing = standing

    def records(self, after: int = 0, kinds: Set[RecordKind] | None = None) -> Iterator[Record]:
        """Rows above `after` in order, up to the row that is last when the reading begins."""
        # The reserve first: what is carried over meanwhile is then met in the file, and not twice.
        standing = self._standing()
        end = self._last_seq()
        wanted = frozenset(RecordKind) if kinds is None else frozenset(kinds)
        only = "" if kinds is None else f"AND kind IN ({', '.join('?' * len(wanted))})"
        page = f"{_SELECT} WHERE seq > ? AND seq <= ? {only} ORDER BY seq LIMIT {PAGE_ROWS}"
        names = [] if kinds is None else [kind.value for kind in wanted]
        while True:
            rows = self._fetch(page, after, end, *names)
            for row in rows:
                yield record_of(row)
            if len(rows) < PAGE_ROWS:
                break
            if not rows[-1][0] > after:
                raise JournalUnavailable(f"the rows after {after} are out of order: the file is damaged")
            after = rows[-1][0]
        for record in standing:
            if record.seq > max(after, end) and record.kind in wanted:
                yield record

    def find_request(self, request: str) -> Record | None:
        """The input row with this request id."""
        standing = self._standing()
        # The index serves only where its own condition is repeated word for word.
        row = self._one(f"{_SELECT} WHERE request = ? AND kind = 'input'", request)
        if row is not None:
            return row
        for record in standing:
            if record.request == request and record.kind is RecordKind.INPUT:
                return record
        return None

    def decisions_of(self, row: Record) -> tuple[Record, ...]:
        """The decisions between this input's row and the next input's."""
        decisions: list[Record] = []
        for record in self.records(after=row.seq, kinds={RecordKind.INPUT, RecordKind.DECISION}):
            if record.kind is RecordKind.INPUT:
                break
            decisions.append(record)
        return tuple(decisions)

    def last_checkpoint(self) -> Record | None:
        """The newest checkpoint row."""
        standing = self._standing()
        for record in reversed(standing):
            if record.kind is RecordKind.CHECKPOINT:
                return record
        return self._one(f"{_SELECT} WHERE kind = 'checkpoint' ORDER BY seq DESC LIMIT 1")

    def row(self, seq: int) -> Record | None:
        """The row with this number, in the file only."""
        return self._one(f"{_SELECT} WHERE seq = ?", seq)

    def last(self) -> Record | None:
        """The last row of the file."""
        return self._one(f"{_SELECT} ORDER BY seq DESC LIMIT 1")

    def _last_seq(self) -> int:
        return int(self._fetch("SELECT coalesce(max(seq), 0) FROM record")[0][0])

    def _one(self, query: str, *values: object) -> Record | None:
        rows = self._fetch(query, *values)
        return record_of(rows[0]) if rows else None

    def _fetch(self, query: str, *values: object) -> list[Any]:
        try:
            return self._connection().execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise JournalUnavailable(f"the journal cannot be read: {error}") from error


def not_in_file(waiting: tuple[Record, ...], rows: Rows) -> tuple[Record, ...] | None:
    """Which of a reserve's rows the file has not; None where they are rows of another chain."""
    last = rows.last()
    if not waiting or last is None:
        return None if waiting else ()
    met = [record for record in waiting if record.seq <= last.seq]
    kept = waiting[len(met) :]
    if any((row := rows.row(record.seq)) is None or row.hash != record.hash for record in met):
        return None
    if kept and (kept[0].seq, kept[0].previous) != (last.seq + 1, last.hash):
        return None
    return kept
