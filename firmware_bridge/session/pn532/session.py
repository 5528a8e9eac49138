"""One connection to a PN532: a command, its ACK, its reply; one at a time (docs/protocols/pn532.md §3).

Everything that is asked here reads or sets a goal, so what the line lost may be said again (design rule 5). A command
without ACK is repeated; a reply that does not check is asked for once more by NACK; one that does not come in time is
called off by the host's own ACK, so that it cannot come later and pass for the answer to the next question.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import NoReturn, TypeVar

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.session.counts import GarbageBudget, LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.pn532 import commands
from firmware_bridge.wire.pn532.codes import WAKE_UP
from firmware_bridge.wire.pn532.frame import FrameDecoder, Mark, Message, encode

T = TypeVar("T")
# The chip acknowledges within 15 ms (UM0701-02); a USB adapter holds bytes back for 16 ms. nfcpy waits as long as we.
ACK_LIMIT_S = 0.1
# Looking for a tag twice takes some 20 ms; setting something less.
REPLY_LIMIT_S = 0.25
# From the first edge on the line until the chip takes a frame (its oscillator starts within 2 ms, data sheet).
WAKE_S = 0.005
COPIES_MAX = 3
# A link that takes no byte for so long is stuck.
WRITE_LIMIT_S = 5.0

Said = Message | Mark | Garbage


class Missed(Exception):
    """No answer that can be read: it says neither that something is there nor that nothing is."""


class Answer(Enum):
    """What came in place of a reply."""

    SILENCE = "silence"
    TORN = "torn"
    REFUSED = "refused"


class Pn532Session:
    """Lives once, as its link. `run` ends by raising why; `ask` raises it too."""

    def __init__(self, link: Link, counts: LinkCounts) -> None:
        self._link = link
        self._counts = counts
        self._decoder = FrameDecoder()
        self._budget = GarbageBudget()
        self._heard: deque[Said] = deque()
        self._news = asyncio.Event()
        self._lost: Exception | None = None

    async def run(self) -> NoReturn:
        """Listen until the link ends. Raises SessionOver."""
        self._link.start(self)
        try:
            while self._lost is None and not self._budget.is_spent:
                await self._next_news()
            if self._lost is None:
                raise self._over(Ending.NOISY, "more garbage than answers; check speed, cable and ground")
            raise self._over(Ending.LINK_LOST, str(self._lost))
        finally:
            await self._link.close()

    async def wake(self) -> commands.Firmware:
        """Wake the chip and set it up to read tags; which chip it is. Raises Missed, SessionOver."""
        await self._write(WAKE_UP)
        await asyncio.sleep(WAKE_S)
        await self.ask(commands.sam_configuration())
        firmware = commands.firmware(await self.ask(commands.get_firmware_version()))
        if firmware is None:
            raise self._over(Ending.WRONG_DEVICE, "what answers there is no PN532: its version has another form")
        return firmware

    async def list_targets(self) -> tuple[commands.Target, ...]:
        """The tags that answer now. Raises Missed, SessionOver."""
        found = commands.targets(await self.ask(commands.list_targets()))
        if found is None:
            self._counts.malformed += 1
            raise Missed("a list of tags that makes no sense")
        return found

    async def ask(self, command: Message) -> bytes:
        """The data of the chip's reply. Raises Missed (nothing to read), SessionOver."""
        self._counts.late_replies += len(self._heard)
        self._heard.clear()
        await self._acknowledged(command)
        reply = await self._reply(command)
        if reply is Answer.TORN:
            await self._write(encode(Mark.NACK))  # say your last reply again
            self._counts.repeats += 1
            reply = await self._reply(command)
        if isinstance(reply, bytes):
            return reply
        await self._write(encode(Mark.ACK))  # leave it: nothing of it may come any more
        raise Missed(f"no reply to {command.code:02X} within {REPLY_LIMIT_S:g} s ({reply.value})")

    async def _acknowledged(self, command: Message) -> None:
        for copy in range(COPIES_MAX):
            self._counts.repeats += copy > 0
            self._counts.frames_sent += 1
            await self._write(encode(command))
            if await self._wait(_acknowledgement, ACK_LIMIT_S):
                return
        raise Missed(f"{command.code:02X} was not acknowledged, {COPIES_MAX} times")

    async def _reply(self, command: Message) -> bytes | Answer:
        """Raises Missed where the chip refused the command."""

        def reply(said: Said) -> bytes | Answer | None:
            if isinstance(said, Message):
                return said.data if said.is_reply and said.code == command.code + 1 else None
            if said is Mark.SYNTAX_ERROR:
                return Answer.REFUSED
            return Answer.TORN if isinstance(said, Garbage) and said.reason is not GarbageReason.NOISE else None

        found: bytes | Answer | None = await self._wait(reply, REPLY_LIMIT_S)
        if found is Answer.REFUSED:
            raise Missed(f"the chip does not know {command.code:02X} in this form")
        return Answer.SILENCE if found is None else found

    # Receiver

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes from the chip."""
        self._counts.bytes_received += len(chunk)
        for said in self._decoder.feed(chunk):
            self._take(said)
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        """The end of the link."""
        self._lost = reason
        self._news.set()

    # Inside

    def _take(self, said: Said) -> None:
        if isinstance(said, Garbage):
            self._counts.garbage[said.reason] += 1
            self._counts.garbage_bytes += said.size
            self._budget.thrown_away(said)
        else:
            self._counts.frames_received += 1
            self._budget.frame_came()
        self._heard.append(said)

    async def _write(self, data: bytes) -> None:
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await self._link.write(data)
        except LinkClosed as closed:
            raise self._over(Ending.LINK_LOST, str(closed)) from closed
        except TimeoutError:
            raise self._over(Ending.STUCK, f"the cable took no bytes for {WRITE_LIMIT_S:g} s") from None

    async def _wait(self, pick: Callable[[Said], T | None], limit_s: float) -> T | None:
        """The first thing said that `pick` takes; None: nothing in time, and what had begun is thrown away."""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    while self._heard:
                        said = self._heard.popleft()
                        found = pick(said)
                        if found is not None:
                            return found
                        self._counts.late_replies += isinstance(said, Message)
                    if self._lost is not None:
                        raise self._over(Ending.LINK_LOST, str(self._lost))
                    await self._next_news()
        except TimeoutError:
            for torn in self._decoder.abandon():
                self._take(torn)
            self._heard.clear()
            return None

    async def _next_news(self) -> None:
        self._news.clear()
        await self._news.wait()

    def _over(self, ending: Ending, why: str) -> SessionOver:
        return SessionOver(ending, f"{self._link.address}: {why}")


def _acknowledgement(said: Said) -> bool | None:
    return True if said is Mark.ACK else None
