"""Opening a journal that somebody else writes, or that nobody does: a copy, a finished day, what a kill left."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from tableside.journal.reading import Rows, not_in_file
from tableside.journal.record import Record, Tail
from tableside.journal.reserve_layout import read_content
from tableside.journal.schema import is_journal, open_for_reading
from tableside.journal.store import JournalRefused, JournalUnavailable


class JournalReader:
    """Read only: changes nothing in the file and makes nothing beside it. A context manager.

    `reserve` is the reserve file where one is at hand: its rows come last, its `anchor` tells a cut tail;
    `is_reserve_foreign` that its rows belong to another chain (they are left out).
    """

    def __init__(self, path: Path, reserve: Path | None = None) -> None:
        """Raises `JournalRefused` where this is no journal or cannot be read."""
        self.path = path
        self.anchor: Tail | None = None
        self.is_reserve_foreign = False
        self._standing: tuple[Record, ...] = ()
        with ExitStack() as stack:
            try:
                waiting = self._read_reserve(reserve)  # before the file: what is carried over meanwhile is met there
                self.connection = _open(path, stack)
                stack.callback(self.connection.close)
                if not is_journal(self.connection):
                    raise JournalRefused(f"{path} is not a journal")
                self.rows = Rows(lambda: self.connection, lambda: self._standing)
                self._take_in(waiting)
            except (sqlite3.Error, OSError, ValueError, JournalUnavailable) as error:
                raise JournalRefused(f"{path} cannot be read as a journal: {error}") from error
            self._stack = stack.pop_all()

    def _read_reserve(self, reserve: Path | None) -> tuple[Record, ...]:
        if reserve is None:
            return ()
        content = read_content(reserve.read_bytes())
        self.anchor = content.anchor
        return content.rows

    def _take_in(self, waiting: tuple[Record, ...]) -> None:
        standing = not_in_file(waiting, self.rows)
        self.is_reserve_foreign = standing is None
        self._standing = standing or ()

    @property
    def standing(self) -> tuple[Record, ...]:
        """Rows that only the reserve has."""
        return self._standing

    def close(self) -> None:
        """Let it go."""
        self._stack.close()

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _open(path: Path, stack: ExitStack) -> sqlite3.Connection:
    log, index = path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
    if not path.exists():
        raise JournalRefused(f"there is no journal {path}")
    if not log.exists():
        return open_for_reading(path, is_finished=True)
    if index.exists():  # a daemon writes it, or was killed: SQLite reads beside it
        return open_for_reading(path)
    # Copied off with its log: reading would make an index beside it, so it is read elsewhere.
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="journal-")))
    for file in (path, log):
        shutil.copyfile(file, folder / file.name)
    return open_for_reading(folder / path.name)
