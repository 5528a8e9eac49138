"""Two ends of a cable within one event loop: no thread, no socket, no time of its own.

The in-loop twin of every real cable: the same back-pressure, the same one end.
"""

from __future__ import annotations

from firmware_bridge.links.base import LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate
from firmware_bridge.links.inbox import Inbox


class MemoryLink:
    """One end of a memory cable; made in pairs by `memory_pair`."""

    is_simulated = True

    def __init__(self, address: str, *, is_message_based: bool) -> None:
        self.address = address
        self.is_message_based = is_message_based
        self._ending = Ending(address)
        self._gate = Gate(self._check)  # stands in front of the other end's inbox
        self._inbox = Inbox(self._chunk_taken)
        self._other: MemoryLink = self

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver chunks, each in a turn of its own, in the running loop."""
        self._ending.started(receiver)
        self._inbox.start(receiver)
        self._notice_hang_up()

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
        self._inbox.pause()
        self._notice_hang_up()

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._inbox.resume()

    async def close(self) -> None:
        """End both sides. What was written before still reaches the other end, if it reads."""
        self._end(f"{self.address} closed by this side")
        self._other._notice_hang_up()
        await self._ending.told()

    def _check(self) -> None:
        self._ending.check()
        if self._other._ending.is_over:
            raise LinkClosed(f"{self.address} closed by the other side")

    def _put(self, data: bytes) -> None:
        if data:
            self._other._take(bytes(data))

    def _take(self, chunk: bytes) -> None:
        self._inbox.put(chunk)
        self._other._gate.level(self._inbox.held_bytes)

    def _chunk_taken(self) -> None:
        self._other._gate.level(self._inbox.held_bytes)
        self._notice_hang_up()

    def _notice_hang_up(self) -> None:
        """End when the other side has, and nothing is left in the cable that somebody reads."""
        if not self._other._ending.is_over or self._inbox.will_deliver:
            return
        unread = f", {self._inbox.held_bytes} bytes unread" if self._inbox.held_bytes else ""
        self._end(f"{self.address} closed by the other side{unread}")

    def _end(self, reason: str) -> None:
        if self._ending.end(LinkClosed(reason)):
            self._inbox.clear()
            self._gate.release()
            self._other._gate.release()


def memory_pair(name: str = "pair", *, is_message_based: bool = False) -> tuple[MemoryLink, MemoryLink]:
    """Both ends of a new cable. Needs no running loop; `start` does."""
    near = MemoryLink(f"memory://{name}", is_message_based=is_message_based)
    far = MemoryLink(f"memory://{name}", is_message_based=is_message_based)
    near._other, far._other = far, near
    return near, far
