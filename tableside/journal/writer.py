"""The one thread that writes all journals of this process, and the journal that hands its rows to it.

What waits for one file becomes one transaction (group commit); the answers go back to the loop together. A
file that another process has locked is put by and tried again, while the other tables' files go on.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from firmware_bridge.clock import NS_PER_S, Clock
from tableside.journal.file import JournalFile, Outcome
from tableside.journal.open_journal import OpenJournal
from tableside.journal.opening import Place, open_file
from tableside.journal.reading import Rows
from tableside.journal.record import CommitResult, Draft
from tableside.journal.schema import Synchronous, open_for_reading
from tableside.journal.store import JournalBusy, JournalRefused, JournalUnavailable, Opening

# A lock held for 3 s by another process is waited out (BR-048); a commit of 5 s locks the table (semantics 1.1).
BUSY_PATIENCE_S = 4.0
BUSY_RETRY_S = 0.01
# Time without a row after which the log is moved into the file: a table's turn takes far less.
IDLE_S = 0.05

T = TypeVar("T")


@dataclass(slots=True)
class _Commit:
    file: JournalFile
    drafts: Sequence[Draft]
    called_ns: int
    future: asyncio.Future[CommitResult]


@dataclass(slots=True)
class _Call:
    act: Callable[[], object]
    future: asyncio.Future[Any]
    file: JournalFile | None = None  # whose waiting commits come first


class JournalWriter:
    """Owns the thread. Used from one event loop: `open` the tables' journals, at the end `close`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._jobs: queue.SimpleQueue[_Commit | _Call | None] = queue.SimpleQueue()
        self._waiting: dict[JournalFile, list[_Commit]] = {}
        self._files: list[JournalFile] = []
        self._journals: list[StoredJournal] = []
        # A daemon thread: at the end of the process a journal that nobody closed is as safe as after a power cut.
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._is_closed = False

    async def open(
        self, place: Place, *, epoch: int | None = None, synchronous: Synchronous = Synchronous.FULL
    ) -> StoredJournal:
        """Open or make a table's journal. Raises `JournalRefused`, also for settings below FULL (BR-048)."""
        if synchronous < Synchronous.FULL:
            raise JournalRefused(
                f"synchronous = {synchronous.name} loses acknowledged rows in a power cut: the journal needs FULL"
            )
        if place.path is None or place.reserve is None:
            raise JournalRefused(f"the journal of table {place.table} needs a file and a reserve")
        if not self._thread.is_alive():
            self._thread.start()
        act = partial(open_file, place, clock=self._clock, synchronous=synchronous, epoch=epoch)
        file, opening = await self._call(act)
        try:
            journal = StoredJournal(self, file, opening, place.path)
        except sqlite3.Error as error:
            await self._call(file.close)
            raise JournalRefused(f"the journal {place.path} cannot be read: {error}") from error
        self._files.append(file)
        self._journals.append(journal)
        return journal

    async def close(self) -> None:
        """Close every journal, then end the thread."""
        for journal in tuple(self._journals):
            await journal.close()
        self._is_closed = True
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()  # its queue is empty: it ends at once

    def commit(self, file: JournalFile, drafts: Sequence[Draft]) -> asyncio.Future[CommitResult]:
        """For `StoredJournal`: see `Journal.commit`."""
        if self._is_closed:
            raise JournalUnavailable("the journal is closed")
        future: asyncio.Future[CommitResult] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Commit(file, drafts, self._clock.monotonic_ns(), future))
        return future

    async def carry_over(self, file: JournalFile) -> bool:
        """For `StoredJournal`: see `Journal.carry_over`."""
        return await self._call(file.carry_over)

    async def release(self, journal: StoredJournal, file: JournalFile) -> None:
        """For `StoredJournal`: write what waits, then close the file."""
        await self._call(file.close, file)
        self._files.remove(file)
        self._journals.remove(journal)

    async def _call(self, act: Callable[[], T], file: JournalFile | None = None) -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Call(act, future, file))
        return await future

    # From here on in the thread.

    def _run(self) -> None:
        while True:
            jobs = self._take()
            for job in jobs:
                if job is None:
                    return
                if isinstance(job, _Commit):
                    self._waiting.setdefault(job.file, []).append(job)
                    continue
                if job.file in self._waiting:
                    self._flush(job.file, is_patient=False)
                _answer([(job.future, _outcome_of(job.act))])
            for file in tuple(self._waiting):
                self._flush(file, is_patient=True)
            if not jobs and not self._waiting:
                for file in tuple(self._files):
                    if file.needs_tending():
                        file.tend()

    def _take(self) -> list[_Commit | _Call | None]:
        timeout = None
        if self._waiting:
            timeout = BUSY_RETRY_S
        elif any(file.needs_tending() for file in tuple(self._files)):
            timeout = IDLE_S
        jobs: list[_Commit | _Call | None] = []
        with suppress(queue.Empty):
            jobs.append(self._jobs.get(timeout=timeout))
            while True:
                jobs.append(self._jobs.get_nowait())
        return jobs

    def _flush(self, file: JournalFile, *, is_patient: bool) -> None:
        commits = self._waiting[file]
        waited_s = (self._clock.monotonic_ns() - commits[0].called_ns) / NS_PER_S
        outcomes: Sequence[Outcome | Exception]
        try:
            drafts = [commit.drafts for commit in commits]
            outcomes = file.write(drafts, is_patient=is_patient and waited_s < BUSY_PATIENCE_S)
        except JournalBusy:
            return
        except Exception as error:  # whatever it is, nobody may wait for ever and the thread goes on
            outcomes = [error] * len(commits)
        del self._waiting[file]
        now_ns = self._clock.monotonic_ns()
        _answer(
            [
                (commit.future, _result_of(outcome, (now_ns - commit.called_ns) / NS_PER_S))
                for commit, outcome in zip(commits, outcomes, strict=True)
            ]
        )


def _result_of(outcome: Outcome | Exception, seconds: float) -> CommitResult | Exception:
    if isinstance(outcome, Exception):
        return outcome
    return CommitResult(outcome.first_seq, outcome.last_seq, seconds, outcome.where)


def _outcome_of(act: Callable[[], object]) -> object:
    try:
        return act()
    except Exception as error:  # it belongs to whoever asked
        return error


def _answer(answers: Sequence[tuple[asyncio.Future[Any], object]]) -> None:
    loop = answers[0][0].get_loop()
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(_settle, answers)


def _settle(answers: Sequence[tuple[asyncio.Future[Any], object]]) -> None:
    for future, outcome in answers:
        if future.done():  # the wait was cancelled; the rows are written all the same
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


class StoredJournal(OpenJournal):
    """A `Journal` on the disk, FULL, written by the thread and read by the loop over a connection of its own."""

    def __init__(self, writer: JournalWriter, file: JournalFile, opening: Opening, path: Path) -> None:
        connection = open_for_reading(path)
        super().__init__(file, opening, Rows(lambda: connection, file.standing))
        self._connection = connection
        self._writer = writer
        self._is_closed = False

    async def commit(self, drafts: Sequence[Draft]) -> CommitResult:
        """See `Journal.commit`."""
        return await self._writer.commit(self._file, drafts)

    async def carry_over(self) -> bool:
        """See `Journal.carry_over`."""
        return await self._writer.carry_over(self._file)

    async def close(self) -> None:
        """See `Journal.close`."""
        if self._is_closed:
            return
        self._is_closed = True
        self._connection.close()  # before the writer's: the last one to close removes the log
        await self._writer.release(self, self._file)
