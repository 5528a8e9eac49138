"""What goes up, one after the other, in the order of the wire; and the back-pressure that comes down."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NoReturn

from firmware_bridge.session.tdl.said import Progressed, Said

ReportSaid = Callable[[Said], Awaitable[None]]

# A device sends one notice at a time and waits for its acknowledgement, so a few entries are all that a sound
# device can cause while nobody above has room; replies (a revoke's!) thus get through a stalled hub. More than
# this is a device that floods us: its bytes stay in the cable.
WAITING_LIMIT = 16


class Upward:
    """Hands everything to one callback that may wait; beyond the limit `pause` is called, then `resume`."""

    def __init__(self, report: ReportSaid, *, pause: Callable[[], None], resume: Callable[[], None]) -> None:
        self._report = report
        self._pause = pause
        self._resume = resume
        self._waiting: deque[Said] = deque()
        self._wake = asyncio.Event()
        self.is_paused = False

    def put(self, said: Said) -> None:
        """Queue it. Progress of a command that waits already is replaced: only the last one matters."""
        last = self._waiting[-1] if self._waiting else None
        if isinstance(said, Progressed) and isinstance(last, Progressed) and last.number == said.number:
            self._waiting[-1] = said
        else:
            self._waiting.append(said)
        self._wake.set()
        if len(self._waiting) >= WAITING_LIMIT and not self.is_paused:
            self.is_paused = True
            self._pause()

    async def run(self) -> NoReturn:
        """Hand up until cancelled; what the callback raises ends the session."""
        while True:
            while self._waiting:
                await self._report(self._waiting.popleft())
            if self.is_paused:
                self.is_paused = False
                self._resume()
            self._wake.clear()
            await self._wake.wait()
