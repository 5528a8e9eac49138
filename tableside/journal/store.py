"""What a journal offers to the table, whether a thread writes it (`writer`) or the loop itself (`in_loop`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from tableside.journal.chain import Finding
from tableside.journal.record import CommitResult, Draft, Genesis, Record, RecordKind, Tail


class JournalRefused(Exception):
    """A journal cannot be opened: says what, why, and what to do next."""


class JournalUnavailable(Exception):
    """Nothing was written, neither to the journal nor to the reserve; its text says why for both.

    The caller keeps its old state and its inputs, and tries again (semantics: again each second).
    """


class JournalBusy(Exception):
    """Another process holds the file's write lock; nothing was written yet."""


class DraftRefused(ValueError):
    """These drafts can never be stored: a fault of the caller. Nothing of their commit was written."""


class RequestRepeated(DraftRefused):
    """An input carries a request id that the journal already holds: `find_request` has the answer given then."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What was met when the journal was opened.

    `findings` are faults of the chain since the last checkpoint, a cut tail included: the daemon locks the
    table on them. `carried_rows` stood on the reserve and are in the journal now; `is_torn` tells that the
    reserve ended in half a row, which nobody was told was written; `set_aside` names a reserve file whose
    rows do not belong to this journal, kept as evidence.
    """

    is_new: bool
    findings: tuple[Finding, ...] = ()
    carried_rows: int = 0
    is_torn: bool = False
    set_aside: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """How the journal stands now: sizes in bytes, rows waiting on the reserve, troubles that lost no row."""

    last_seq: int
    journal_bytes: int
    log_bytes: int
    reserve_rows: int
    reserve_free_bytes: int
    troubles: tuple[str, ...]


class Journal(Protocol):
    """The record of one table. Reading never waits for the writer and sees every acknowledged row."""

    @property
    def genesis(self) -> Genesis:
        """The first row: table, epoch, format, creation."""

    @property
    def opening(self) -> Opening:
        """What was met at opening."""

    @property
    def tail(self) -> Tail:
        """The last row, wherever it stands."""

    async def commit(self, drafts: Sequence[Draft]) -> CommitResult:
        """Make these rows durable in one transaction, in this order, numbered without a gap.

        Raises `JournalUnavailable` when neither the journal nor the reserve took them, `RequestRepeated` or
        `DraftRefused` when they never can be stored. Cancelling the wait does not withdraw the rows.
        """

    async def carry_over(self) -> bool:
        """Try to bring what stands on the reserve into the journal; True where nothing stands there (any more).

        For the table's timer while it lives on the reserve; a commit that reaches the journal does it as well.
        """

    def find_request(self, request: str) -> Record | None:
        """The input row that carries this request id. All reading raises `JournalUnavailable` where it cannot be."""

    def decisions_of(self, row: Record) -> tuple[Record, ...]:
        """The decisions that were taken on this input: those between its row and the next input's."""

    def records(self, after: int = 0, kinds: Set[RecordKind] | None = None) -> Iterator[Record]:
        """Rows with a number above `after`, in order, up to the one that is last when the reading begins."""

    def last_checkpoint(self) -> Record | None:
        """The newest checkpoint row."""

    def condition(self) -> Condition:
        """Sizes and troubles, for the space check and the technician."""

    async def close(self) -> None:
        """Leave one file: the write-ahead log is emptied into it. A second call does nothing."""
