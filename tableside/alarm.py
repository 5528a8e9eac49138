"""One timer of the event loop, set to an instant of the table's clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.clock import NS_PER_S, Clock


class Alarm:
    """Calls `wake` when something is due. Set again and again to the same instant it costs next to nothing."""

    def __init__(self, clock: Clock, wake: Callable[[], None]) -> None:
        self._clock = clock
        self._wake = wake
        self._due_ns: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def set(self, due_ns: int | None) -> None:
        """Ring at this monotonic instant, at once where it has passed; None: not at all. Needs a running loop."""
        if due_ns == self._due_ns:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_ns = None, due_ns
        if due_ns is not None:
            delay_s = max(0, due_ns - self._clock.monotonic_ns()) / NS_PER_S
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._ring)

    def _ring(self) -> None:
        self._due_ns = None
        self._wake()
