"""Frames onto and off one link: encoded, decoded, counted; garbage against its budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.session.counts import GarbageBudget, LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.tdl.hello import Heard
from firmware_bridge.session.tdl.timing import WRITE_LIMIT_S, byte_time_s, reply_limit_s
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame, encode_frame
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder, encode_stream


class Cable:
    """The link's receiver. `take` gets each whole frame; `end` is called with the reason when it is over."""

    def __init__(
        self,
        link: Link,
        session: int,
        counts: LinkCounts,
        *,
        take: Callable[[Frame], None],
        end: Callable[[Exception], None],
    ) -> None:
        self.address = link.address
        self.heard = Heard()
        self.heard_at_s: float | None = None  # loop time of the last whole frame
        self._link = link
        self._byte_time_s = byte_time_s(link.address)
        self._session = session
        self._counts = counts
        self._take = take
        self._end = end
        self._decoder = MessageDecoder() if link.is_message_based else StreamDecoder()
        self._budget: GarbageBudget | None = None  # none before the device has proved itself: boot chatter is free

    def start(self) -> None:
        """Begin to listen."""
        self._link.start(self)

    def trust(self) -> None:
        """The device has proved itself: from here garbage is held against the line."""
        self._budget = GarbageBudget()

    async def close(self) -> None:
        """Close the link; an unfinished frame is counted once."""
        for garbage in self._decoder.flush():
            self._thrown_away(garbage)
        await self._link.close()

    def pause(self) -> None:
        """Listen no more for now."""
        self._counts.pauses += 1
        self._link.pause_reading()

    def resume(self) -> None:
        """Listen again."""
        self._link.resume_reading()

    async def write(self, kind: MessageType, code: int, seq: int, body: Mapping[int, Value]) -> float:
        """Hand one frame to the link; returns the seconds within which its answer must come."""
        frame = Frame(kind, code, seq, self._session, body)
        data = encode_frame(frame) if self._link.is_message_based else encode_stream(frame)
        self._counts.frames_sent += 1
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await self._link.write(data)
        except LinkClosed as closed:
            raise SessionOver(Ending.LINK_LOST, str(closed)) from closed
        except TimeoutError:
            raise self.over(
                Ending.STUCK, f"the cable took no bytes for {WRITE_LIMIT_S:g} s; check the other end"
            ) from None
        return reply_limit_s(self._byte_time_s, len(data), is_message_based=self._link.is_message_based)

    def over(self, ending: Ending, text: str) -> SessionOver:
        """An end that names the cable."""
        return SessionOver(ending, f"{self.address}: {text}")

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes came."""
        self._counts.bytes_received += len(chunk)
        self.heard.bytes += len(chunk)
        try:
            for piece in self._decoder.feed(chunk):
                if isinstance(piece, Garbage):
                    self._thrown_away(piece)
                else:
                    self._frame_came(piece)
        except Exception as error:  # a fault of ours must end the session, not vanish in the link's callback
            self._end(error)

    def link_lost(self, reason: Exception) -> None:
        """The link ended."""
        self._end(SessionOver(Ending.LINK_LOST, str(reason)))

    def _frame_came(self, frame: Frame) -> None:
        self._counts.frames_received += 1
        self.heard_at_s = asyncio.get_running_loop().time()
        if self._budget is not None:
            self._budget.frame_came()
        self._take(frame)

    def _thrown_away(self, garbage: Garbage) -> None:
        self._counts.garbage[garbage.reason] += 1
        self._counts.garbage_bytes += garbage.size
        self.heard.take(garbage)
        if self._budget is None:
            return
        self._budget.thrown_away(garbage)
        if self._budget.is_spent:
            kinds = ", ".join(sorted(self.heard.garbage))
            self._end(self.over(Ending.NOISY, f"too much garbage ({kinds}); check cable, earth and speed"))
