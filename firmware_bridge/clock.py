"""The two clocks, injected wherever time is read (design rule 10).

Deadlines stand on the monotonic clock, which counts suspend; wall time is only an annotation, in UTC, with
its quality. Nothing in the product calls `time` or `datetime.now` itself.
"""

from __future__ import annotations

import asyncio
import time
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000


class WallQuality(StrEnum):
    """How far a wall time can be believed."""

    SYNCHRONISED = "synchronised"
    FREE_RUNNING = "free-running"
    SIMULATED = "simulated"


class Instant(NamedTuple):
    """One moment on both clocks: monotonic ns, UTC ns since 1970, and the quality of the latter."""

    at_ns: int
    wall_ns: int
    quality: WallQuality


class Clock(Protocol):
    """What the product may know of time."""

    @property
    def boot(self) -> str:
        """Name of the run of the monotonic clock: two instants compare only within one."""

    def now(self) -> Instant:
        """This moment on both clocks."""

    def monotonic_ns(self) -> int:
        """This moment in monotonic ns, including time spent suspended."""


class SystemClock:
    """The host's clocks: CLOCK_BOOTTIME and UTC."""

    def __init__(self, quality: WallQuality = WallQuality.FREE_RUNNING) -> None:
        self._quality = quality
        self.boot = _host_boot()

    def now(self) -> Instant:
        return Instant(self.monotonic_ns(), time.time_ns(), self._quality)

    def monotonic_ns(self) -> int:
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class LoopClock:
    """Both clocks taken from an event loop's own time: real in a real loop, virtual in a jumping one."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, wall_start_ns: int, boot: str = "virtual") -> None:
        self._loop = loop
        self._offset_ns = wall_start_ns - round(loop.time() * NS_PER_S)
        self.boot = boot

    def now(self) -> Instant:
        at = self.monotonic_ns()
        return Instant(at, at + self._offset_ns, WallQuality.SIMULATED)

    def monotonic_ns(self) -> int:
        return round(self._loop.time() * NS_PER_S)

    def step_wall(self, seconds: float) -> None:
        """Step the wall clock, as a time server does; the monotonic clock stays."""
        self._offset_ns += round(seconds * NS_PER_S)


class SuspendAwareLoop(asyncio.SelectorEventLoop):
    """The daemon's event loop: its time is CLOCK_BOOTTIME, so suspend counts."""

    def time(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)


def _host_boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"
