"""How late the event loop is: everything that the daemon promises hangs on it."""

from __future__ import annotations

import asyncio
from typing import NoReturn

import structlog

PERIOD_S = 0.5
LATE_S = 0.05  # beyond this a silent station may be our own fault (OSDP timing)
VERY_LATE_S = 1.0  # permits of 2 s are renewed each 0.7 s: beyond this a load may stop

_log = structlog.get_logger("loop")


class LoopWatch:
    """Samples the lateness of a timer, in seconds."""

    def __init__(self) -> None:
        self.last_s = 0.0
        self.most_s = 0.0
        self.samples = 0
        self.late = 0  # samples above LATE_S

    async def run(self) -> NoReturn:
        """Measure until cancelled."""
        self._loop = asyncio.get_running_loop()
        self._wait()
        try:
            while True:
                await self._loop.create_future()
        finally:
            self._timer.cancel()

    def _wait(self) -> None:
        """A call of the loop by itself: a task that sleeps costs a daemon at rest a second turn each time."""
        self._timer = self._loop.call_at(self._loop.time() + PERIOD_S, self._sample)

    def _sample(self) -> None:
        self._take(self._loop.time() - self._timer.when())
        self._wait()

    def health(self) -> dict[str, object]:
        """In milliseconds, for the technician."""
        return {
            "lag_ms": round(self.last_s * 1_000, 1),
            "most_lag_ms": round(self.most_s * 1_000, 1),
            "late_samples": self.late,
            "samples": self.samples,
        }

    def _take(self, lag_s: float) -> None:
        self.samples += 1
        self.last_s = max(0.0, lag_s)
        self.most_s = max(self.most_s, self.last_s)
        self.late += self.last_s > LATE_S
        if self.last_s > VERY_LATE_S:
            _log.warning("loop_late", seconds=round(self.last_s, 3))
