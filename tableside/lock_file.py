"""One daemon a host: a lock that the kernel takes back from a dead process (BR-062)."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tableside.journal.disk import FILE_MODE

FILE = "daemon.lock"
_MAX_BYTES = 4_096


class Held(Exception):
    """Another process has it; the text names the process by its own word."""


class LockFile:
    """Held from `take` until `release` or the end of the process. What stands in the file is no proof of life."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def take(self, says: str) -> None:
        """Take it and write down who has it. Raises `Held`, `OSError`."""
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, _MAX_BYTES, 0).decode("utf-8", "replace").strip()
            os.close(file)
            raise Held(f"{self.path} is held by {holder or 'a process that has not named itself'}") from None
        except BaseException:
            os.close(file)
            raise
        os.ftruncate(file, 0)
        os.pwrite(file, f"{says}\n".encode(), 0)
        self._file = file

    def release(self) -> None:
        """Let it go; the file stays, so that nobody can lock one that is being removed."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
