"""A consistent copy of a journal, live or not: one finished file that replaces an older one only when it is sound."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from tableside.journal.disk import FILE_MODE, sync_directory
from tableside.journal.reader import JournalReader
from tableside.journal.record import row_of
from tableside.journal.schema import INSERT, make_file
from tableside.journal.store import JournalRefused
from tableside.journal.verify import Report, verify_journal


def copy_journal(source: Path, target: Path, *, reserve: Path | None = None) -> Report:
    """Copy, with the rows that still stand on the reserve, verify the copy, then put it in place (BR-049).

    Blocks for as long as the disk takes, and holds no writer up: call it in a process or thread of its own.
    Raises `JournalRefused` where there is no room or the copy is unsound: the copy then stays beside the
    target as `<name>.unsound`, for those who look into it, and the target is as it was.
    """
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        with JournalReader(source, reserve) as reader:
            make_file(partial)
            _back_up(reader, partial)
        _sync(partial)
        report = verify_journal(partial, reserve=reserve)
    except (sqlite3.Error, OSError, JournalRefused) as error:
        partial.unlink(missing_ok=True)
        raise JournalRefused(f"{source} could not be copied to {target}: {error}; the target is as it was") from error
    if not report.is_sound:
        unsound = target.with_name(target.name + ".unsound")
        partial.rename(unsound)
        raise JournalRefused(f"the copy {unsound} is not sound: {report.findings[0].text}; {target} is as it was")
    partial.rename(target)
    sync_directory(target.parent)
    return report


def _back_up(reader: JournalReader, partial: Path) -> None:
    copy = sqlite3.connect(partial, isolation_level=None)
    try:
        # All pages in one step: a copy in steps would begin again at every commit of the writer.
        reader.connection.backup(copy, pages=-1)
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()  # one file, with nothing beside it
        copy.execute("BEGIN IMMEDIATE")
        last = copy.execute("SELECT coalesce(max(seq), 0) FROM record").fetchone()[0]
        copy.executemany(INSERT, [row_of(record) for record in reader.standing if record.seq > last])
        copy.execute("COMMIT")
    finally:
        copy.close()


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC, FILE_MODE)
    try:
        os.fsync(file)
    finally:
        os.close(file)
