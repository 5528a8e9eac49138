"""Whether an open journal still is the file under its name: what is written to a removed one is lost with it."""

from __future__ import annotations

import os
from pathlib import Path

Identity = tuple[int, int]  # device and inode


class OutOfPlace(Exception):
    """The file is not where it was opened: its text says what to do."""


class LogOutOfPlace(OutOfPlace):
    """Only the write-ahead log is gone; the file itself is in place."""


class FileIdentity:
    """A journal's file and its log, as they were when they were opened. `path` None is a journal in memory."""

    def __init__(self, path: Path | None) -> None:
        self._file = None if path is None else str(path)
        self._log = None if path is None else f"{path}-wal"
        self._file_identity = _identity(self._file)
        self._log_identity = _identity(self._log)

    def note_log(self) -> None:
        """The file was opened anew, with a log of its own."""
        self._log_identity = _identity(self._log)

    def check(self, *, has_log: bool) -> None:
        """Raises `OutOfPlace`, `LogOutOfPlace`; the log counts while the file is open."""
        if _identity(self._file) != self._file_identity:
            raise OutOfPlace(f"{self._file} was removed or replaced: put it back and restart")
        if has_log and _identity(self._log) != self._log_identity:
            raise LogOutOfPlace(f"the write-ahead log of {self._file} was removed: restart")

    def sizes(self) -> tuple[int, int]:
        """Bytes of the file and of its log."""
        return _size(self._file), _size(self._log)


def _identity(path: str | None) -> Identity | None:
    if path is None:
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _size(path: str | None) -> int:
    try:
        return 0 if path is None else os.stat(path).st_size
    except OSError:
        return 0
