"""Room on the disks of a journal, told in time (BR-049)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

LOW_PART = 10  # alarm below a tenth of the disk, where the house names no floor
# A turn of 256 rows with a checkpoint and the log's growth need less; below it the next commit may fail.
FULL_BELOW_BYTES = 1_048_576


class SpaceLevel(StrEnum):
    """How a disk stands."""

    ENOUGH = "enough"
    LOW = "low"
    FULL = "full"
    GONE = "gone"  # cannot be asked: unmounted, removed


@dataclass(frozen=True, slots=True)
class SpaceFact:
    """One disk: its level, bytes that the daemon may still write, bytes in all, and where the alarm stands."""

    path: Path
    level: SpaceLevel
    free_bytes: int
    total_bytes: int
    alarm_below_bytes: int


def space_facts(paths: Iterable[Path], floor_bytes: int | None = None) -> list[SpaceFact]:
    """One fact for each path's disk. `floor_bytes` is the house's own alarm line, None a tenth of each disk."""
    return [_fact(path, floor_bytes) for path in paths]


def level_of(free_bytes: int, alarm_below_bytes: int) -> SpaceLevel:
    """The level of so much room."""
    if free_bytes < FULL_BELOW_BYTES:
        return SpaceLevel.FULL
    return SpaceLevel.LOW if free_bytes < alarm_below_bytes else SpaceLevel.ENOUGH


def _fact(path: Path, floor_bytes: int | None) -> SpaceFact:
    try:
        status = os.statvfs(path)
    except OSError:
        return SpaceFact(path, SpaceLevel.GONE, 0, 0, floor_bytes or 0)
    free, total = status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize
    alarm_below = total // LOW_PART if floor_bytes is None else floor_bytes
    has_names = status.f_favail > 0 or status.f_files == 0  # some file systems count no inodes
    level = level_of(free, alarm_below) if has_names else SpaceLevel.FULL
    return SpaceFact(path, level, free, total, alarm_below)
