"""A journal in virtual time that is slow, fails, or ends with its process, as the story says."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from firmware_bridge.clock import NS_PER_S, Clock
from tableside.journal.file import JournalFile
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.record import CommitResult, Draft, Row
from tableside.journal.store import Opening


@dataclass(slots=True)
class DiskTrouble:
    """What the disk is like now. `before_s` and `after_s`: how long a commit waits on each side of its write."""

    before_s: float = 0.0
    after_s: float = 0.0
    journal_fails: bool = False
    reserve_fails: bool = False


class TroubledJournal(InLoopJournal):
    """As `InLoopJournal`, on a disk with troubles."""

    def __init__(self, file: JournalFile, opening: Opening, clock: Clock, trouble: DiskTrouble) -> None:
        super().__init__(file, opening, clock)
        self._trouble = trouble
        self._break(file)

    def _break(self, file: JournalFile) -> None:
        """The errors come from where SQLite and the disk raise theirs."""
        transact, reserve = file._transact, file.reserve
        assert reserve is not None
        append = reserve.append

        def transacted(rows: list[Row]) -> None:
            if self._trouble.journal_fails:
                raise sqlite3.OperationalError("disk I/O error")
            transact(rows)

        def appended(records: Sequence[object]) -> None:
            if self._trouble.reserve_fails:
                raise OSError("Input/output error")
            append(records)  # type: ignore[arg-type]  # records, as the reserve takes them

        file._transact = transacted  # type: ignore[method-assign]  # the disk is this test's
        reserve.append = appended  # type: ignore[method-assign]

    async def commit(self, drafts: Sequence[Draft]) -> CommitResult:
        """See `Journal.commit`; a crash may come on either side of the write."""
        called_ns = self._clock.monotonic_ns()
        if self._trouble.before_s:
            await asyncio.sleep(self._trouble.before_s)
        result = await super().commit(drafts)
        if self._trouble.after_s:
            await asyncio.sleep(self._trouble.after_s)
        seconds = (self._clock.monotonic_ns() - called_ns) / NS_PER_S
        return CommitResult(result.first_seq, result.last_seq, seconds, result.where)

    def abandon(self) -> None:
        """The process is gone: the operating system closes its files, nothing is carried over or tidied."""
        self._file.is_closed = True
        with suppress(sqlite3.Error):
            self._file.connection().close()
        if self._file.reserve is not None:
            self._file.reserve.close()
