"""Where writers wait while the cable takes nothing: between two water marks, first come first served."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.links.base import HIGH_WATER_BYTES, LOW_WATER_BYTES


class Gate:
    """Lets writers through while little is unsent.

    A writer that finds the water high waits *before* its bytes are taken: one that is cancelled and tries again
    for ever cannot fill the memory.
    """

    __slots__ = ("_check", "_is_low", "_turn", "waiting")

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check  # raises `LinkClosed` once the link is over
        self._is_low = asyncio.Event()
        self._is_low.set()
        self._turn = asyncio.Lock()
        self.waiting = 0

    @property
    def is_open(self) -> bool:
        """True where a writer may go on at once."""
        return self.waiting == 0 and self._is_low.is_set()

    def level(self, unsent_bytes: int) -> None:
        """Tell how much is unsent now."""
        if unsent_bytes > HIGH_WATER_BYTES:
            self._is_low.clear()
        elif unsent_bytes <= LOW_WATER_BYTES:
            self._is_low.set()

    def release(self) -> None:
        """The link is over: everybody who waits goes on, and finds out."""
        self._is_low.set()

    async def pass_in_turn(self, put: Callable[[bytes], None], data: bytes) -> None:
        """Wait for low water, `put` the bytes, wait again if they were many. Raises `LinkClosed`."""
        self.waiting += 1
        try:
            async with self._turn:
                await self._is_low.wait()
                self._check()
                put(data)
                await self._is_low.wait()
        finally:
            self.waiting -= 1
        self._check()
