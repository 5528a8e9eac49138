"""Counting the turns of a real event loop: a busy loop shows, without a word about time."""

from __future__ import annotations

import asyncio
import selectors


class CountingLoop(asyncio.SelectorEventLoop):
    """A real loop that knows how often it has turned."""

    def __init__(self) -> None:
        self.turns = 0
        super().__init__(_CountingSelector(self))

    async def turns_while(self, seconds: float) -> int:
        """How often the loop turns by itself meanwhile."""
        before = self.turns
        await asyncio.sleep(seconds)
        return self.turns - before


class _CountingSelector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]  # chosen when the module is loaded
    def __init__(self, loop: CountingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._loop.turns += 1
        found: list[tuple[selectors.SelectorKey, int]] = super().select(timeout)
        return found
