"""The SQLite file: its table, its settings, and how it is opened for writing and for reading."""

from __future__ import annotations

import os
import sqlite3
from enum import IntEnum
from pathlib import Path

from tableside.journal.disk import FILE_MODE
from tableside.journal.record import FORMAT
from tableside.journal.store import JournalRefused

COLUMNS = (
    "seq",
    "format",
    "kind",
    "type",
    "body",
    "at_ns",
    "wall_ns",
    "quality",
    "boot",
    "request",
    "previous",
    "hash",
)
APPLICATION_ID = 0x54534A31  # "TSJ1": tells our file from any other SQLite file
LEAST_SQLITE = (3, 37, 0)  # STRICT tables

# Most commits are one row. With 1 kB pages such a commit writes 1.8 kB to the log instead of 4.7 kB, so that a
# reader who holds the log for ten minutes at 50 rows a second leaves it below 64 MB (BR-048), and takes a
# third less time.
PAGE_BYTES = 1_024
# A reader waits only while another process recovers or empties the log.
READER_PATIENCE_S = 1.0
# What the log keeps when it starts anew: room for some thousand commits, so that it seldom grows.
LOG_KEPT_BYTES = 4_194_304

INSERT = f"INSERT INTO record VALUES ({', '.join('?' * len(COLUMNS))})"

_SCHEMA = (
    """CREATE TABLE record (
        seq INTEGER PRIMARY KEY,
        format INTEGER NOT NULL,
        kind TEXT NOT NULL,
        type TEXT NOT NULL,
        body BLOB NOT NULL,
        at_ns INTEGER NOT NULL,
        wall_ns INTEGER NOT NULL,
        quality TEXT NOT NULL,
        boot TEXT NOT NULL,
        request TEXT,
        previous BLOB NOT NULL,
        hash BLOB NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX record_request ON record (request) WHERE request IS NOT NULL AND kind = 'input'",
    "CREATE INDEX record_checkpoint ON record (seq) WHERE kind = 'checkpoint'",
    """CREATE TRIGGER record_no_update BEFORE UPDATE ON record
        BEGIN SELECT RAISE(ABORT, 'a journal row is never changed'); END""",
    """CREATE TRIGGER record_no_delete BEFORE DELETE ON record
        BEGIN SELECT RAISE(ABORT, 'a journal row is never deleted'); END""",
    """CREATE TRIGGER record_in_order BEFORE INSERT ON record
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM record)
        BEGIN SELECT RAISE(ABORT, 'a journal row follows the last one'); END""",
)


class Synchronous(IntEnum):
    """How far a commit waits for the disk (SQLite's numbers). The house's record is kept at FULL only."""

    OFF = 0
    NORMAL = 1
    FULL = 2
    EXTRA = 3


def make_file(path: Path) -> None:
    """An empty file where there is none, readable by the daemon's account only. Raises `OSError`."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))


def open_for_writing(path: Path | None, synchronous: Synchronous) -> sqlite3.Connection:
    """The writer's connection; None is a journal in memory. An empty file has no table yet (see `lay`).

    Raises `JournalRefused` where it is not our file or its settings cannot be had, `sqlite3.Error`.
    """
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        raise JournalRefused(f"SQLite {sqlite3.sqlite_version} is too old: 3.37 or later is needed")
    target = ":memory:" if path is None else f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(target, uri=path is not None, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        _settle(connection, synchronous, is_file=path is not None)
    except BaseException:
        connection.close()
        raise
    return connection


def _settle(connection: sqlite3.Connection, synchronous: Synchronous, *, is_file: bool) -> None:
    connection.text_factory = _text
    application = _pragma(connection, "application_id")
    if has_table(connection):
        if application != APPLICATION_ID:
            raise JournalRefused("the file is a database, but not a journal: name another path")
    elif application not in (0, APPLICATION_ID):
        raise JournalRefused("the file belongs to another program: name another path")
    _pragma(connection, f"page_size = {PAGE_BYTES}")
    mode = _pragma(connection, "journal_mode = WAL")
    if is_file and mode != "wal":
        raise JournalRefused(
            f"the file system does not carry a write-ahead log (journal mode {mode}): use a local disk"
        )
    _pragma(connection, f"synchronous = {int(synchronous)}")
    if _pragma(connection, "synchronous") != synchronous:
        raise JournalRefused(f"synchronous = {synchronous.name} could not be set")
    # The journal moves the log into the file itself, when nobody waits.
    _pragma(connection, "wal_autocheckpoint = 0")
    _pragma(connection, f"journal_size_limit = {LOG_KEPT_BYTES}")


def has_table(connection: sqlite3.Connection) -> bool:
    """False in a file that has just been made, or whose making was cut short."""
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None


def is_journal(connection: sqlite3.Connection) -> bool:
    """True where the file is one of ours with its table."""
    return _pragma(connection, "application_id") == APPLICATION_ID and has_table(connection)


def lay(connection: sqlite3.Connection) -> None:
    """Make the table, within the caller's transaction."""
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def open_for_reading(path: Path, *, is_finished: bool = False) -> sqlite3.Connection:
    """A connection that cannot write. With `is_finished` the file is taken as it stands, nothing beside it is
    looked at or made; only for a file that no process writes. Raises `sqlite3.Error`."""
    suffix = "&immutable=1" if is_finished else ""
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro{suffix}",
        uri=True,
        isolation_level=None,
        timeout=READER_PATIENCE_S,
        check_same_thread=False,
    )
    connection.text_factory = _text
    return connection


def schema_statements(connection: sqlite3.Connection) -> frozenset[str]:
    """What stands in the file's schema, for comparison with `EXPECTED_SCHEMA`."""
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return frozenset(sql for (sql,) in rows)


EXPECTED_SCHEMA = frozenset(_SCHEMA)


def _text(stored: bytes) -> str:
    """Texts as they stand, damaged ones too: the chain then says which row was changed."""
    return stored.decode("utf-8", "surrogateescape")


def _pragma(connection: sqlite3.Connection, text: str) -> object:
    row = connection.execute(f"PRAGMA {text}").fetchone()
    return None if row is None else row[0]
