"""The journal without a thread, for virtual time: the same file, chain and reserve, written by the loop itself."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge.clock import NS_PER_S, Clock
from tableside.journal.file import JournalFile
from tableside.journal.open_journal import OpenJournal
from tableside.journal.opening import Place, open_file
from tableside.journal.record import CommitResult, Draft
from tableside.journal.schema import Synchronous
from tableside.journal.store import Opening


class InLoopJournal(OpenJournal):
    """A `Journal` in a temporary file or in memory. Its rows survive the process, not the power."""

    def __init__(self, file: JournalFile, opening: Opening, clock: Clock) -> None:
        super().__init__(file, opening, file.rows)
        self._clock = clock

    @classmethod
    def open(cls, place: Place, clock: Clock, *, epoch: int | None = None) -> InLoopJournal:
        """Open or make it. Raises `JournalRefused`."""
        file, opening = open_file(place, clock=clock, synchronous=Synchronous.OFF, epoch=epoch)
        return cls(file, opening, clock)

    async def commit(self, drafts: Sequence[Draft]) -> CommitResult:
        """See `Journal.commit`."""
        called_ns = self._clock.monotonic_ns()
        (outcome,) = self._file.write([drafts])
        if isinstance(outcome, Exception):
            raise outcome
        seconds = (self._clock.monotonic_ns() - called_ns) / NS_PER_S
        return CommitResult(outcome.first_seq, outcome.last_seq, seconds, outcome.where)

    async def carry_over(self) -> bool:
        """See `Journal.carry_over`."""
        return self._file.carry_over()

    async def close(self) -> None:
        """See `Journal.close`."""
        self._file.close()
