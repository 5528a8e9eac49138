"""One connection to an ALPHA sign: one packet at a time, its ACK or its answer awaited (docs/protocols/alpha.md).

A sign that does not know ACK mode says nothing to a write; then a pause stands in the place of its ACK, and only what
is read back is known to be there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.wire.alpha.codes import ALL_SIGNS, BROADCAST, RESPONSE, ErrorStatus
from firmware_bridge.wire.alpha.commands import answer_begins
from firmware_bridge.wire.alpha.packet import Acknowledged, Packet, PacketDecoder, encode_packet
from firmware_bridge.wire.garbage import Garbage

T = TypeVar("T")
# An answer of 100 bytes at 1,200 baud takes 0.9 s; readerboard 0.7.0 waits 3 s for any answer.
ANSWER_LIMIT_S = 3.0
# A BetaBrite took six writes in a row with 0.25 s between them and lost some with 0.1 s (readerboard 0.7.0, measured).
PAUSE_S = 0.25
# A link that takes no byte for so long is stuck.
WRITE_LIMIT_S = 5.0


class Refused(Exception):
    """The sign answered NAK: it heard the packet and did not do it. `status`: its error status, where it said so."""

    def __init__(self, status: ErrorStatus | None) -> None:
        words = "no reason" if status is None else f"{status.value:02X}h"
        super().__init__(f"the sign refused it ({words})")
        self.status = status


class AlphaSession:
    """Lives once, as its link. `run` ends by raising why; `tell` and `ask` raise it too."""

    def __init__(self, link: Link, counts: LinkCounts, *, address: str = BROADCAST, type_code: str = ALL_SIGNS) -> None:
        self.has_acknowledgement = False  # ACK mode is on, and has been seen to be
        self._heard_at_s: float | None = None  # loop time of the last whole packet
        self._link = link
        self._counts = counts
        self._address = address
        self._type_code = type_code
        self._decoder = PacketDecoder()
        self._heard: deque[Packet | Acknowledged] = deque()
        self._news = asyncio.Event()
        self._lost: Exception | None = None

    @property
    def silent_s(self) -> float:
        """For how long no whole packet has come; 0 where none ever came."""
        return 0.0 if self._heard_at_s is None else asyncio.get_running_loop().time() - self._heard_at_s

    async def run(self) -> None:
        """Listen until the link ends. Raises SessionOver."""
        self._link.start(self)
        try:
            while self._lost is None:
                await self._next_news()
            raise self._over(Ending.LINK_LOST, str(self._lost))
        finally:
            await self._link.close()

    async def tell(self, command: bytes) -> None:
        """Write one command; returns once the sign can be told the next. Raises Refused, SessionOver."""
        await self._write(command)
        if not self.has_acknowledgement:
            await asyncio.sleep(PAUSE_S)
            return
        said = await self._wait(_acknowledgement, ANSWER_LIMIT_S)
        if said is None:
            raise self._over(
                Ending.UNANSWERED, f"no ACK within {ANSWER_LIMIT_S:g} s: power cut, or its memory was cleared"
            )
        if not said.is_accepted:
            raise Refused(said.status)

    async def try_acknowledgement(self, command: bytes) -> bool:
        """Send what switches ACK mode on; whether the sign has it. Raises SessionOver."""
        await self._write(command)
        said = await self._wait(_acknowledgement, ANSWER_LIMIT_S)
        self.has_acknowledgement = said is not None and said.is_accepted
        return self.has_acknowledgement

    async def ask(self, question: bytes, limit_s: float = ANSWER_LIMIT_S) -> bytes | None:
        """What the sign answers, without what the question said; None: nothing in time. Raises Refused, SessionOver."""
        begins = answer_begins(question)
        await self._write(question)

        def answer(said: Packet | Acknowledged) -> bytes | Refused | None:
            if isinstance(said, Acknowledged):
                return None if said.is_accepted else Refused(said.status)
            is_it = said.type_code == RESPONSE and said.commands[0].startswith(begins)
            return said.commands[0].removeprefix(begins) if is_it else None

        found: bytes | Refused | None = await self._wait(answer, limit_s)
        if isinstance(found, Refused):
            raise found
        return found

    # Receiver

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes from the sign."""
        self._counts.bytes_received += len(chunk)
        for said in self._decoder.feed(chunk):
            if isinstance(said, Garbage):
                self._counts.garbage[said.reason] += 1
                self._counts.garbage_bytes += said.size
            else:
                self._counts.frames_received += 1
                self._heard_at_s = asyncio.get_running_loop().time()
                self._heard.append(said)
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        """The end of the link."""
        self._lost = reason
        self._news.set()

    # Inside

    async def _write(self, command: bytes) -> None:
        """One packet; what came before it is no answer to it."""
        self._counts.late_replies += len(self._heard)
        self._heard.clear()
        self._counts.frames_sent += 1
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await self._link.write(encode_packet(Packet((command,), self._type_code, self._address)))
        except LinkClosed as closed:
            raise self._over(Ending.LINK_LOST, str(closed)) from closed
        except TimeoutError:
            raise self._over(Ending.STUCK, f"the cable took no bytes for {WRITE_LIMIT_S:g} s") from None

    async def _wait(self, pick: Callable[[Packet | Acknowledged], T | None], limit_s: float) -> T | None:
        """The first thing said that `pick` takes; None: nothing in time. Others are counted as late."""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    while self._heard:
                        found = pick(self._heard.popleft())
                        if found is not None:
                            return found
                    if self._lost is not None:
                        raise self._over(Ending.LINK_LOST, str(self._lost))
                    await self._next_news()
        except TimeoutError:
            return None

    async def _next_news(self) -> None:
        self._news.clear()
        await self._news.wait()

    def _over(self, ending: Ending, why: str) -> SessionOver:
        return SessionOver(ending, f"{self._link.address}: {why}")


def _acknowledgement(said: Packet | Acknowledged) -> Acknowledged | None:
    return said if isinstance(said, Acknowledged) else None
