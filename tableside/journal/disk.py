"""A file of fixed size that is written in place: the ground under the reserve."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Protocol

FILE_MODE = 0o600  # people's names and sealed cards stand in it
_FILL_BYTES = 65_536


class Disk(Protocol):
    """Random access to a preallocated file. Every call may raise `OSError`."""

    @property
    def size(self) -> int:
        """Bytes that can be written without asking the file system for more."""

    def read(self, offset: int, size: int) -> bytes:
        """These bytes; fewer only at the end of the file."""

    def write(self, offset: int, data: bytes) -> None:
        """All of them, or `OSError` after any part of them."""

    def sync(self) -> None:
        """Return when everything written is on the disk."""

    def close(self) -> None:
        """Give it up; again does nothing."""


class DiskHeld(OSError):
    """Another process has this file open for writing."""


class DiskFile:
    """A `Disk` on the file system, held by one process at a time: the lock ends with its holder.

    The bytes are really written when the file is made, because space that is only promised is still refused
    by some file systems when the disk is full (copy-on-write ones may refuse even so).
    """

    def __init__(self, path: Path, size: int, *, magic: bytes) -> None:
        """Open it, make it and bring it to `size` where needed.

        Raises `DiskHeld`, `OSError`, and `ValueError` where it begins neither with `magic` nor with zeros:
        then it is somebody else's and stays as it is.
        """
        self.path = path
        self.size = size
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise DiskHeld(f"{path} is held by another process") from error
            if os.pread(self._file, len(magic), 0).strip(b"\0") not in (b"", magic):
                raise ValueError(f"{path} is not what it should be")
            self._fill()
        except BaseException:
            os.close(self._file)
            raise

    def _fill(self) -> None:
        present = os.fstat(self._file).st_size
        self.size = max(self.size, present)
        if present == self.size:
            return
        for offset in range(present, self.size, _FILL_BYTES):
            self.write(offset, bytes(min(_FILL_BYTES, self.size - offset)))
        os.fsync(self._file)
        sync_directory(self.path.parent)

    def read(self, offset: int, size: int) -> bytes:
        return os.pread(self._file, size, offset)

    def write(self, offset: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(self._file, view, offset)
            offset += written
            view = view[written:]

    def sync(self) -> None:
        os.fdatasync(self._file)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable: a new file is lost with its name otherwise."""
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
