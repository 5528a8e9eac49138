"""Whether an open journal still is the file under its name: what is written to a removed one is lost with it.

It is asked before each commit, so it asks for the file's name and not for its status: where the kernel keeps fine
times (Linux 6.13 and later), a look at the status makes the next write stamp the file anew, and the commit waits for
that as well (120 µs became 175).
"""

from __future__ import annotations

import os
from pathlib import Path

_DELETED = " (deleted)"  # how the kernel ends the name of a file that was removed


class OutOfPlace(Exception):
    """The file is not where it was opened: its text says what to do."""


class LogOutOfPlace(OutOfPlace):
    """Only the write-ahead log is gone; the file itself is in place."""


class _Held:
    """A file held by a descriptor that can neither read nor write, and the name that it had then.

    Such a descriptor (O_PATH) leaves SQLite's locks alone when it is closed; any other one would end them.
    """

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        self._link = f"/proc/self/fd/{self._descriptor}"
        self._name = self._present_name()

    def is_in_place(self) -> bool:
        """False where it was removed, replaced or renamed, or a folder above it was."""
        return self._present_name() == self._name and not self._name.endswith(_DELETED)

    def close(self) -> None:
        os.close(self._descriptor)

    def _present_name(self) -> str:
        return os.readlink(self._link)


class FileIdentity:
    """A journal's file and its log, as they were when they were opened. `path` None is a journal in memory."""

    def __init__(self, path: Path | None) -> None:
        """Raises `OSError` where they cannot be held."""
        self._file = None if path is None else str(path)
        self._log = None if path is None else f"{path}-wal"
        self._held_file = _held(self._file)
        self._held_log: _Held | None = None
        try:
            self.note_log()
        except OSError:
            self.close()
            raise

    def note_log(self) -> None:
        """The file was opened anew, with a log of its own. Raises `OSError`."""
        before, self._held_log = self._held_log, _held(self._log)
        if before is not None:
            before.close()

    def check(self, *, has_log: bool) -> None:
        """Raises `OutOfPlace`, `LogOutOfPlace`; the log counts while the file is open."""
        if self._held_file is not None and not self._held_file.is_in_place():
            raise OutOfPlace(f"{self._file} was removed or replaced: put it back and restart")
        if has_log and self._held_log is not None and not self._held_log.is_in_place():
            raise LogOutOfPlace(f"the write-ahead log of {self._file} was removed: restart")

    def sizes(self) -> tuple[int, int]:
        """Bytes of the file and of its log."""
        return _size(self._file), _size(self._log)

    def close(self) -> None:
        """Let both go; again does nothing. Nothing is checked any more."""
        for held in (self._held_file, self._held_log):
            if held is not None:
                held.close()
        self._held_file = self._held_log = None


def _held(path: str | None) -> _Held | None:
    return None if path is None else _Held(path)


def _size(path: str | None) -> int:
    try:
        return 0 if path is None else os.stat(path).st_size
    except OSError:
        return 0
