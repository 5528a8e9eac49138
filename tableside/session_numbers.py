"""Numbers of device sessions: each connection gets another one, over restarts and power cuts (TDL 3.2 *session*).

A block is made durable before its first number is given out, so that nothing is written for each connection;
what a block has left at the end of the process is never used.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from tableside.journal.disk import FILE_MODE, sync_directory

# A device that is silent for a day costs some 9,000; a block more often than hourly is one fsync nobody notices.
BLOCK = 512
FILE = "session-numbers"


class NumbersRefused(Exception):
    """The counter cannot be read or written: says why and what to do."""


class SessionNumbers:
    """Counts up for ever. `next` never waits; `refill` is called by a task when a block runs low."""

    def __init__(self, path: Path) -> None:
        """Reserve a first block (blocks for one write). Raises `NumbersRefused`."""
        self._path = path
        self._next = read_number(path)
        self._end = self._next
        self._end = reserve(path, self._next + BLOCK)

    def next(self) -> int:
        """The next number, from 1. Beyond the block's end it still counts: refusing a device would be worse."""
        self._next += 1
        return self._next

    @property
    def is_low(self) -> bool:
        """True when half of the block is used."""
        return self._end - self._next < BLOCK // 2

    async def refill(self, apart: Callable[[Callable[[], int]], Awaitable[int]]) -> None:
        """Reserve another block; `apart` runs a blocking call away from the loop. Raises `NumbersRefused`."""
        end = self._next + BLOCK
        self._end = await apart(lambda: reserve(self._path, end))


def read_number(path: Path) -> int:
    """The first number that is free for certain, less one. Raises `NumbersRefused`."""
    try:
        text = path.read_text("ascii")
        return int(text)
    except FileNotFoundError:
        return 0
    except (OSError, ValueError) as error:
        raise NumbersRefused(
            f"{path} cannot be read as a number: {error}; put a number above every session of the devices into it"
        ) from error


def reserve(path: Path, end: int) -> int:
    """Make durable that numbers up to `end` may have been used; returns it. Raises `NumbersRefused`."""
    partial = path.with_name(path.name + ".partial")
    try:
        file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        try:
            os.write(file, f"{end}\n".encode("ascii"))
            os.fsync(file)
        finally:
            os.close(file)
        partial.rename(path)
        sync_directory(path.parent)
    except OSError as error:
        raise NumbersRefused(f"{path} cannot be written: {error}") from error
    return end
