"""A disk in memory that fails where it is told to, and knows what a kill and what a power cut would leave of it."""

from __future__ import annotations

import errno
import random

SECTOR_BYTES = 512  # what a disk writes whole or not at all


class Killed(BaseException):
    """The process ends here; no code of ours may catch it."""


class FaultyDisk:
    """A `Disk`. After `budget` further bytes a write ends in the middle: with `Killed`, or as an I/O error."""

    def __init__(self, content: bytes) -> None:
        self.size = len(content)
        self.seen = bytearray(content)  # what the program reads, also after a kill
        self._durable = bytearray(content)
        self._pending: list[tuple[int, bytes]] = []
        self.budget: int | None = None
        self.kills = False
        self.sync_fails = False
        self.syncs = 0
        self.is_closed = False

    def read(self, offset: int, size: int) -> bytes:
        return bytes(self.seen[offset : offset + size])

    def write(self, offset: int, data: bytes) -> None:
        part = data if self.budget is None else data[: self.budget]
        assert offset + len(data) <= self.size, "a write beyond the preallocated file"
        self.seen[offset : offset + len(part)] = part
        self._pending.append((offset, bytes(part)))
        if self.budget is not None:
            self.budget -= len(part)
            if len(part) < len(data):
                if self.kills:
                    raise Killed
                raise OSError(errno.EIO, "Input/output error")

    def sync(self) -> None:
        if self.sync_fails:
            raise OSError(errno.EIO, "Input/output error")
        self.syncs += 1
        for offset, data in self._pending:
            self._durable[offset : offset + len(data)] = data
        self._pending.clear()

    def close(self) -> None:
        self.is_closed = True

    def after_kill(self) -> FaultyDisk:
        """The disk that the next process finds: the operating system lost nothing."""
        return FaultyDisk(bytes(self.seen))

    def after_power_cut(self, chance: random.Random) -> FaultyDisk:
        """The disk at the next boot: of what was not synced any sectors may be there, in any order."""
        left = bytearray(self._durable)
        for offset, data in self._pending:
            for sector in range(offset // SECTOR_BYTES, (offset + len(data) - 1) // SECTOR_BYTES + 1):
                if chance.random() < 0.5:
                    start = max(offset, sector * SECTOR_BYTES)
                    end = min(offset + len(data), (sector + 1) * SECTOR_BYTES)
                    left[start:end] = data[start - offset : end - offset]
        return FaultyDisk(bytes(left))
