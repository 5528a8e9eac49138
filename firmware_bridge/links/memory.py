"""Two ends of a cable within one event loop: no thread, no socket, no time of its own.

The in-loop twin of every real cable: the same back-pressure, the same one end.
"""

from __future__ import annotations

import asyncio
from collections import deque

from firmware_bridge.links.base import LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.outbox import Gate


class MemoryLink:
    """One end of a memory cable; made in pairs by `memory_pair`."""

    is_simulated = True

    def __init__(self, address: str, *, is_message_based: bool) -> None:
        self.address = address
        self.is_message_based = is_message_based
        self._ending = Ending()
        self._gate = Gate(self._check)  # stands in front of the other end's `_incoming`
        self._incoming: deque[bytes] = deque()
        self._incoming_bytes = 0
        self._receiver: Receiver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_reading = True
        self._is_due = False
        self._other: MemoryLink = self

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver chunks, each in a turn of its own, in the running loop."""
        self._ending.started(receiver)
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._schedule()

    async def write(self, data: bytes) -> None:
        """Hand bytes to the other end; waits while it reads none. Raises `LinkClosed`."""
        self._check()
        if not data:
            return
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    def pause_reading(self) -> None:
        """Leave what comes in the cable; the other end's writers wait when that is much."""
        self._is_reading = False

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._is_reading = True
        self._schedule()

    async def close(self) -> None:
        """End both sides. What was written before still reaches the other end, if it reads."""
        self._end(f"{self.address} closed by this side")
        self._other._schedule()
        await self._ending.told()

    def _check(self) -> None:
        self._ending.check()
        if self._other._ending.is_over:
            raise LinkClosed(f"{self.address} closed by the other side")

    def _put(self, data: bytes) -> None:
        if data:
            self._other._take(bytes(data))

    def _take(self, chunk: bytes) -> None:
        self._incoming.append(chunk)
        self._incoming_bytes += len(chunk)
        self._other._gate.level(self._incoming_bytes)
        self._schedule()

    def _schedule(self) -> None:
        is_work = (self._incoming and self._is_reading) or self._other._ending.is_over
        if is_work and not self._is_due and self._loop is not None:
            self._is_due = True
            self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        self._is_due = False
        if self._ending.is_over or self._receiver is None:
            return
        if not self._incoming or not self._is_reading:
            if self._other._ending.is_over:
                unread = f", {self._incoming_bytes} bytes unread" if self._incoming else ""
                self._end(f"{self.address} closed by the other side{unread}")
            return
        chunk = self._incoming.popleft()
        self._incoming_bytes -= len(chunk)
        self._other._gate.level(self._incoming_bytes)
        self._schedule()  # before the call: a receiver that raises does not hold up the next chunk
        self._receiver.chunk_received(chunk)

    def _end(self, reason: str) -> None:
        if self._ending.end(LinkClosed(reason)):
            self._incoming.clear()
            self._incoming_bytes = 0
            self._gate.release()
            self._other._gate.release()


def memory_pair(name: str = "pair", *, is_message_based: bool = False) -> tuple[MemoryLink, MemoryLink]:
    """Both ends of a new cable. Needs no running loop; `start` does."""
    near = MemoryLink(f"memory://{name}", is_message_based=is_message_based)
    far = MemoryLink(f"memory://{name}", is_message_based=is_message_based)
    near._other, far._other = far, near
    return near, far
