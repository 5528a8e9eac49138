"""One journal as its writer sees it: the file, the reserve behind it, and the chain through both.

Everything here blocks and belongs to one thread at a time; `writer` and `in_loop` put it behind `Journal`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tableside.journal.identity import FileIdentity, LogOutOfPlace, OutOfPlace
from tableside.journal.numbering import number
from tableside.journal.reading import Rows
from tableside.journal.record import (
    GENESIS_SEQ,
    Draft,
    Genesis,
    Record,
    RecordKind,
    Row,
    Tail,
    Where,
    record_of,
    row_of,
)
from tableside.journal.reserve import Reserve, ReserveFull
from tableside.journal.schema import INSERT, PAGE_BYTES, Synchronous, open_for_writing
from tableside.journal.store import Condition, DraftRefused, JournalBusy, JournalRefused, JournalUnavailable

# Pages in the log at which it is moved into the file: at IDLE when nobody waits, at FULL in any case. The count is an
# estimate, up to 1.65 times too low (commits of three rows), and with FULL the log still stays below LOG_KEPT_BYTES:
# a log that is cut and grown again makes each commit a third slower.
IDLE_LOG_PAGES = 256
FULL_LOG_PAGES = 2_500
PAGES_BEFORE_AGAIN = 32
LOG_ALARM_BYTES = 33_554_432  # half of what BR-048 allows
_PAGES_A_COMMIT = 2  # a leaf, and now and then its parent, the next leaf or an index page
_ROW_BYTES = 250  # of a row beside its body

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE = 0xFF  # SQLite's extended codes carry the plain one in the low byte
_LAST = "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1"
_TAKEN = "SELECT 1 FROM record WHERE request = ? AND kind = 'input'"


class Written(msgspec.Struct, frozen=True, gc=False):
    """One commit's rows, and where they are durable."""

    first_seq: int
    last_seq: int
    where: Where


Outcome = Written | DraftRefused


class JournalFile:
    """An open journal, one for each file and process; made and checked by `opening.open_file`."""

    def __init__(
        self,
        path: Path | None,
        connection: sqlite3.Connection,
        *,
        identity: FileIdentity,
        synchronous: Synchronous,
        boot: str,
        reserve: Reserve | None,
    ) -> None:
        self.path = path
        self.reserve = reserve
        self.rows = Rows(self.connection, self.standing)
        self.is_closed = False
        self._connection: sqlite3.Connection | None = connection
        self._synchronous = synchronous
        self._boot = boot
        self._identity = identity
        self._log_pages = 0
        self._fork: str | None = None
        self._troubles: dict[str, str] = {}
        first, last = self.rows.row(GENESIS_SEQ), self.rows.last()
        if first is None or last is None:
            raise JournalRefused(f"{path} has lost its first row: put a copy of it back")
        try:
            self.genesis = Genesis.of(first)
        except ValueError as error:
            raise JournalRefused(f"the first row of {path} cannot be read: {error}; put a copy back") from error
        self._file_tail = Tail(last.seq, last.hash)
        standing = self.standing()
        self.tail = Tail(standing[-1].seq, standing[-1].hash) if standing else self._file_tail

    def standing(self) -> tuple[Record, ...]:
        """The rows on the reserve; safe from any thread."""
        return () if self.reserve is None else self.reserve.rows

    def connection(self) -> sqlite3.Connection:
        """The open connection, made anew where the last one broke. Raises `sqlite3.Error`, `JournalRefused`."""
        if self._connection is None:
            connection = open_for_writing(self.path, self._synchronous)
            try:
                self._identity.note_log()
            except OSError as error:
                connection.close()
                raise JournalRefused(f"the log of {self.path} cannot be watched: {error}") from error
            self._connection = connection
        return self._connection

    def write(self, commits: Sequence[Sequence[Draft]], *, is_patient: bool = False) -> list[Outcome]:
        """Several commits in one transaction: one outcome each, in order.

        Raises `JournalUnavailable`, and `JournalBusy` if `is_patient`; nothing of any commit is written then.
        """
        if self.is_closed:
            raise JournalUnavailable("the journal is closed")
        if self._fork is not None:
            raise JournalUnavailable(self._fork)
        spans: list[tuple[int, int] | DraftRefused] = []
        rows: list[Row] = []
        claimed: set[str] = set()
        tail = self.tail
        for drafts in commits:
            try:
                new = number(drafts, tail, boot=self._boot, is_taken=self._is_taken, claimed=claimed)
            except DraftRefused as refused:
                spans.append(refused)
                continue
            rows += new
            tail = Tail(new[-1][0], new[-1][-1])
            spans.append((new[0][0], tail.seq))
        where = self._store(rows, tail, is_patient=is_patient) if rows else "journal"
        return [span if isinstance(span, DraftRefused) else Written(*span, where) for span in spans]

    def carry_over(self) -> bool:
        """Bring the rows on the reserve into the file; True where none is left there and the file takes rows."""
        if self.is_closed or self._fork is not None:
            return False
        if not self.standing():
            return True
        try:
            self._transact([])
        except (OutOfPlace, JournalRefused, JournalUnavailable):
            return False
        except sqlite3.Error as error:
            self._drop_broken(error)
            return False
        return True

    def needs_tending(self) -> bool:
        """True where `tend` has something to do once nobody waits."""
        return self._log_pages >= IDLE_LOG_PAGES and not self.is_closed

    def tend(self) -> None:
        """Move the log into the file and make the anchor durable. What a reader still needs stays for later."""
        self._log_pages = 0
        try:
            _, pages, moved = self.connection().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._tell_log(pages * PAGE_BYTES)
            if moved < pages:  # a reader holds the rest; looking for it costs more the longer the log is
                self._log_pages = IDLE_LOG_PAGES - PAGES_BEFORE_AGAIN
        except (sqlite3.Error, JournalRefused) as error:
            self._troubles["log"] = f"the log could not be moved into the journal: {error}"
        if self.reserve is not None:
            self._with_reserve("anchor", self.reserve.sync)

    def _tell_log(self, log_bytes: int) -> None:
        self._troubles.pop("log", None)
        if log_bytes > LOG_ALARM_BYTES:
            self._troubles["log"] = f"a reader has held {log_bytes} bytes of log back: end that reader"

    def condition(self) -> Condition:
        """Sizes and troubles."""
        journal_bytes, log_bytes = self._identity.sizes()
        return Condition(
            last_seq=self.tail.seq,
            journal_bytes=journal_bytes,
            log_bytes=log_bytes,
            reserve_rows=len(self.standing()),
            reserve_free_bytes=0 if self.reserve is None else self.reserve.free_bytes,
            troubles=tuple(self._troubles.values()),
        )

    def close(self) -> None:
        """Carry over what can be, empty the log into the file, let both files go. Loses nothing where it fails."""
        if self.is_closed:
            return
        self.carry_over()
        self.is_closed = True
        if self._connection is not None:
            # What cannot be moved now stands in the log, where the next opening finds it.
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            with suppress(sqlite3.Error):
                self._connection.close()
        self._identity.close()
        if self.reserve is not None:
            self._with_reserve("anchor", self.reserve.sync)
            self.reserve.close()

    def _store(self, rows: list[Row], tail: Tail, *, is_patient: bool) -> Where:
        where: Where = "journal"
        try:
            self._transact(rows)
        except (OutOfPlace, JournalRefused) as error:
            where = self._reserve(rows, str(error))
        except sqlite3.Error as error:
            if is_patient and _code(error) in _BUSY:
                raise JournalBusy(str(error)) from error
            self._drop_broken(error)
            where = self._reserve(rows, _explained(error))
        self.tail = tail
        if self.reserve is not None:
            reserve = self.reserve
            self._with_reserve("anchor", lambda: reserve.note(tail))
        return where

    def _transact(self, rows: list[Row]) -> None:
        self._check_place()
        connection = self.connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            carried = self._not_carried(connection)
            if carried:
                connection.executemany(INSERT, [row_of(record) for record in carried])
            if rows:
                connection.executemany(INSERT, rows)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with suppress(sqlite3.Error):  # the first error is the one to tell
                    connection.execute("ROLLBACK")
            raise
        if rows:
            self._file_tail = Tail(rows[-1][0], rows[-1][-1])
        elif carried:
            self._file_tail = Tail(carried[-1].seq, carried[-1].hash)
        self._troubles.pop("journal", None)
        if self.reserve is not None:
            self._with_reserve("reserve", self.reserve.release)
        self._log_pages += _PAGES_A_COMMIT + sum(len(row[4]) + _ROW_BYTES for row in rows) // PAGE_BYTES
        if self._log_pages >= FULL_LOG_PAGES:
            self.tend()

    def _not_carried(self, connection: sqlite3.Connection) -> tuple[Record, ...]:
        """The rows on the reserve that the file lacks. A commit that failed may have reached the file all the same."""
        tail = Tail(*connection.execute(_LAST).fetchone())
        standing = self.standing()
        if tail != self._file_tail:
            met = [record for record in standing if Tail(record.seq, record.hash) == tail]
            if not met:
                # Rows that nobody was told of: only a replay from the file knows what follows from them.
                self._fork = f"the journal ends with row {tail.seq}, which this process did not write: restart it"
                raise JournalUnavailable(self._fork)
            self._file_tail = tail
        return tuple(record for record in standing if record.seq > tail.seq)

    def _reserve(self, rows: list[Row], reason: str) -> Where:
        if self.reserve is None:
            raise JournalUnavailable(f"the journal cannot be written ({reason}) and there is no reserve")
        self._troubles["journal"] = f"the journal cannot be written: {reason}"
        try:
            self.reserve.append([record_of(row) for row in rows])
        except (OSError, ReserveFull) as error:
            raise JournalUnavailable(f"the journal cannot be written ({reason}), nor the reserve ({error})") from error
        return "reserve"

    def _is_taken(self, request: str) -> bool:
        if any(record.request == request and record.kind is RecordKind.INPUT for record in self.standing()):
            return True
        try:
            return self.connection().execute(_TAKEN, (request,)).fetchone() is not None
        except sqlite3.Error as error:
            self._drop_broken(error)
            text = f"request {request} cannot be compared with the journal: {_explained(error)}"
            raise JournalUnavailable(text) from error

    def _check_place(self) -> None:
        try:
            self._identity.check(has_log=self._connection is not None)
        except LogOutOfPlace:
            self.tend()  # what stands in the removed log is still in our hands: bring it home at once
            raise

    def _drop_broken(self, error: sqlite3.Error) -> None:
        """After anything but a full disk or a lock the connection is made anew, as its state cannot be known."""
        if self.path is None or self._connection is None or _code(error) in _BUSY | {sqlite3.SQLITE_FULL}:
            return
        with suppress(sqlite3.Error):
            self._connection.close()
        self._connection = None

    def _with_reserve(self, what: str, act: Callable[[], None]) -> None:
        """The rows are safe in the journal whatever becomes of this: a failure is a trouble to report."""
        try:
            act()
            self._troubles.pop(what, None)
        except OSError as error:
            self._troubles[what] = f"the {what} could not be written: {error}"


def _code(error: sqlite3.Error) -> int:
    # Errors of the module itself, such as a closed connection, have no code.
    return int(getattr(error, "sqlite_errorcode", 0)) & _PRIMARY_CODE


def _explained(error: sqlite3.Error) -> str:
    return f"{error}, {getattr(error, 'sqlite_errorname', type(error).__name__)}"
