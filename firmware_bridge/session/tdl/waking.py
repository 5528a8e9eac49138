"""What the writing task of a session sleeps on: something that happens, or a time.

The alarm is set once for many sleeps. A request and its answer move the deadline by less than a millisecond, and an
alarm made and cancelled for each of them costs more than one that rings a little too early now and then.
"""

from __future__ import annotations

import asyncio

# So much too early an alarm may ring. At rest, where deadlines lie a third of a second apart and more, none does.
EARLY_S = 0.05


class Waking:
    """`set` wakes; `until` sleeps. Whoever is woken looks what is due, for it may be nothing yet."""

    __slots__ = ("_alarm", "_event", "set")

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self.set = self._event.set

    async def until(self, at_s: float) -> None:
        """Sleep until `set` is called, at most until that loop time."""
        if not self._event.is_set():
            self._arm(at_s)
            await self._event.wait()
        self._event.clear()

    def sleep_on(self, at_s: float) -> None:
        """Whoever sleeps does so until this loop time instead."""
        if not self._event.is_set():
            self._arm(at_s)

    def close(self) -> None:
        """No alarm rings any more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _arm(self, at_s: float) -> None:
        if self._alarm is not None:
            if at_s - EARLY_S <= self._alarm.when() <= at_s:
                return
            self._alarm.cancel()
        self._alarm = asyncio.get_running_loop().call_at(at_s, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._event.set()
