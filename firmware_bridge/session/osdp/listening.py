"""One station's listener: what it is told, in order, and that it has room again. Nobody else waits for it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NoReturn

from firmware_bridge.session.osdp.notices import StationNotice

Listener = Callable[[StationNotice], Awaitable[None]]


class Listening:
    """What waits for one listener. While something waits, its station is not asked for more (`has_room`)."""

    def __init__(self, listener: Listener, has_room: Callable[[], None]) -> None:
        self._listener = listener
        self._has_room = has_room
        self._waiting: deque[StationNotice] = deque()
        self._came = asyncio.Event()

    def tell(self, notice: StationNotice) -> None:
        """Put a notice behind those that wait. Their number is small: an unasked station tells only its losses."""
        self._waiting.append(notice)
        self._came.set()

    async def run(self) -> NoReturn:
        """Tell one after the other, until cancelled."""
        while True:
            await self._came.wait()
            self._came.clear()
            while self._waiting:
                await self._listener(self._waiting.popleft())
            self._has_room()
