"""A receiver that keeps what it gets, and waiting for named states with a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

# Real-time tests wait for a state this long; only a fault takes it up.
DEADLINE_S = 30.0


class Collector:
    """Keeps chunks and ends; a test waits for what shall have come."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.lost: list[Exception] = []
        self.text = bytearray()

    def chunk_received(self, chunk: bytes) -> None:
        assert chunk, "an empty chunk"
        assert not self.lost, "a chunk after the end"
        self.chunks.append(chunk)
        self.text += chunk

    def link_lost(self, reason: Exception) -> None:
        self.lost.append(reason)

    async def until_bytes(self, count: int) -> None:
        """Wait until at least so many bytes have come."""
        await until(lambda: len(self.text) >= count, lambda: f"{count} bytes, got {len(self.text)}, lost {self.lost}")

    async def until_lost(self) -> Exception:
        """Wait for the end; its reason."""
        await until(lambda: bool(self.lost), lambda: "the link's end")
        return self.lost[0]


async def until(is_so: Callable[[], object], what: Callable[[], str] | str) -> None:
    """Wait in small steps until something is so, at most `DEADLINE_S`; then fail saying what did not come."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + DEADLINE_S
    while not is_so():
        if loop.time() > end_s:
            raise AssertionError(f"waited {DEADLINE_S:.0f} s for {what if isinstance(what, str) else what()}")
        await asyncio.sleep(0.002)
