"""The half of a `Journal` that does not depend on who writes it."""

from __future__ import annotations

from collections.abc import Iterator, Set

from tableside.journal.file import JournalFile
from tableside.journal.reading import Rows
from tableside.journal.record import Genesis, Record, RecordKind, Tail
from tableside.journal.store import Condition, Opening


class OpenJournal:
    """Reads what a `JournalFile` holds, through `rows`: its own connection, or one for another thread."""

    def __init__(self, file: JournalFile, opening: Opening, rows: Rows) -> None:
        self.opening = opening
        self._file = file
        self._rows = rows

    @property
    def genesis(self) -> Genesis:
        """The first row: table, epoch, format, creation."""
        return self._file.genesis

    @property
    def tail(self) -> Tail:
        """The last row, wherever it stands."""
        return self._file.tail

    def find_request(self, request: str) -> Record | None:
        """The input row that carries this request id."""
        return self._rows.find_request(request)

    def decisions_of(self, row: Record) -> tuple[Record, ...]:
        """The decisions that were taken on this input."""
        return self._rows.decisions_of(row)

    def records(self, after: int = 0, kinds: Set[RecordKind] | None = None) -> Iterator[Record]:
        """Rows above `after`, up to the one that is last when the reading begins."""
        return self._rows.records(after, kinds)

    def last_checkpoint(self) -> Record | None:
        """The newest checkpoint row."""
        return self._rows.last_checkpoint()

    def condition(self) -> Condition:
        """Sizes and troubles."""
        return self._file.condition()
