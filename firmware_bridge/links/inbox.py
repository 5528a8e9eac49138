"""Chunks on their way to the receiver: one a turn of the loop, none while reading is paused."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from firmware_bridge.links.base import Receiver


class Inbox:
    """Where a link that gets its chunks by calls keeps them; a receiver that raises costs one chunk."""

    __slots__ = ("_chunks", "_is_due", "_is_reading", "_loop", "_receiver", "_taken", "held_bytes")

    def __init__(self, taken: Callable[[], None]) -> None:
        """`taken` is called each time the receiver is about to get a chunk."""
        self._taken = taken
        self._chunks: deque[bytes] = deque()
        self.held_bytes = 0
        self._is_reading = True
        self._is_due = False
        self._receiver: Receiver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def will_deliver(self) -> bool:
        """True while chunks lie here that nothing holds up."""
        return bool(self._chunks) and self._is_reading

    def start(self, receiver: Receiver) -> None:
        """Deliver from now on, in the running loop."""
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._schedule()

    def put(self, chunk: bytes) -> None:
        """A chunk has come."""
        self._chunks.append(chunk)
        self.held_bytes += len(chunk)
        self._schedule()

    def pass_on(self, chunk: bytes) -> None:
        """The same from a call of the loop itself, not from within a call of the receiver's.

        Where nothing waits the receiver gets it in this turn already.
        """
        if self._chunks or not self._is_reading or self._receiver is None:
            self.put(chunk)
            return
        self._taken()
        self._receiver.chunk_received(chunk)

    def pause(self) -> None:
        """Deliver nothing until `resume`."""
        self._is_reading = False

    def resume(self) -> None:
        """Undo `pause`."""
        self._is_reading = True
        self._schedule()

    def clear(self) -> None:
        """Throw away what has not been delivered: the link is over."""
        self._chunks.clear()
        self.held_bytes = 0

    def _schedule(self) -> None:
        if self._chunks and self._is_reading and not self._is_due and self._loop is not None:
            self._is_due = True
            self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        self._is_due = False
        if not self.will_deliver or self._receiver is None:
            return
        chunk = self._chunks.popleft()
        self.held_bytes -= len(chunk)
        self._taken()
        self._schedule()  # before the call, so that a receiver that raises holds up nothing
        self._receiver.chunk_received(chunk)
