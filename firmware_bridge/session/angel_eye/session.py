"""One connection to an Angel Eye shoe: it speaks, we listen (docs/protocols/angel-eye.md).

Nothing is written unless the session was made for engineering: then one command at a time, once, and its ACK or NAK
is awaited. A shoe that says nothing and a cable that leads nowhere look the same from here: whoever shows the device
shows how long ago its last byte came.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.wire.angel_eye.commands import Command
from firmware_bridge.wire.angel_eye.copies import Copies
from firmware_bridge.wire.angel_eye.messages import Malformed, Message, read_message
from firmware_bridge.wire.angel_eye.telegram import (
    Acknowledged,
    NotAcknowledged,
    Piece,
    Telegram,
    TelegramDecoder,
    encode_block,
)
from firmware_bridge.wire.garbage import Garbage, GarbageReason

# The copies of a telegram come within this (assumed); where none was whole by then, something was said and lost.
DOUBT_S = 1.0
# A command is answered at once; a shoe that is busy says so (assumed).
ANSWER_LIMIT_S = 2.0
WRITE_LIMIT_S = 5.0
# A hub that has no room for so many pieces stops the reading.
PIECES_KEPT = 64
# Bytes that make no telegram: so many, and the line has another speed, or another device speaks.
STRANGE_BYTES = 48
NO_TELEGRAM = "bytes come and none of them is a telegram: check speed (4800 8N1), wiring, and what is plugged in"
LOST = "something was said that could not be read: a card may have gone by unseen"


@dataclass(frozen=True, slots=True)
class Said:
    """A telegram that came for the first time. `is_contradicting`: its seq had said something else just before."""

    message: Message
    is_contradicting: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Bytes that were no telegram, and no good copy came: why, for the technician."""

    why: str


class ReadOnly(PermissionError):
    """A command was given to a session that only listens."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the shoe answered to a command; `code` of a NAK, None for an ACK."""

    code: int | None

    @property
    def is_accepted(self) -> bool:
        """The shoe takes it."""
        return self.code is None


class ShoeSession:
    """Lives once, as its link. `copies` outlives it: copies of what was heard before may come after a new connection.

    `bcc_includes_stx` says what the check of a command covers.
    """

    def __init__(
        self,
        link: Link,
        counts: LinkCounts,
        copies: Copies,
        said: Callable[[Said | Unreadable], Awaitable[None]],
        *,
        is_engineering: bool = False,
        bcc_includes_stx: bool = True,
    ) -> None:
        self._link = link
        self._counts = counts
        self._copies = copies
        self._said = said
        self._is_engineering = is_engineering
        self._includes_stx = bcc_includes_stx
        self._decoder = TelegramDecoder(bcc_includes_stx=bcc_includes_stx)
        self._pieces: deque[Piece] = deque()
        self._news = asyncio.Event()
        self._lost: Exception | None = None
        self._is_paused = False
        self._doubt_since_s: float | None = None
        self._strange_bytes = 0  # since the last telegram
        self._is_strangeness_told = False
        self._answer: asyncio.Future[Answer] | None = None

    async def run(self) -> NoReturn:
        """Listen until the link ends. Raises SessionOver."""
        self._link.start(self)
        try:
            while True:
                await self._wait()
                while self._pieces:
                    await self._heard(self._pieces.popleft())
                self._resume()
                await self._settle_doubt()
                if self._lost is not None:
                    raise self._over(Ending.LINK_LOST, str(self._lost))
        finally:
            await self._link.close()

    async def command(self, command: Command) -> Answer | None:
        """Send one command, once. None: no answer, so nobody knows. Raises ReadOnly, SessionOver."""
        if not self._is_engineering:
            raise ReadOnly(f"{command.type}{command.digits} was not sent: this session only listens to the shoe")
        if self._answer is not None:
            raise ReadOnly(f"{command.type}{command.digits} was not sent: another command waits for its answer")
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._answer = answer
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await self._link.write(encode_block(command.block, bcc_includes_stx=self._includes_stx))
            self._counts.frames_sent += 1
            async with asyncio.timeout(ANSWER_LIMIT_S):
                return await answer
        except LinkClosed as closed:
            raise self._over(Ending.LINK_LOST, str(closed)) from closed
        except TimeoutError:
            return None
        finally:
            self._answer = None

    # Receiver

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes from the shoe."""
        self._counts.bytes_received += len(chunk)
        self._pieces.extend(self._decoder.feed(chunk))
        if len(self._pieces) >= PIECES_KEPT and not self._is_paused:
            self._is_paused = True
            self._counts.pauses += 1
            self._link.pause_reading()
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        """The end of the link."""
        self._pieces.extend(self._decoder.abandon())
        self._lost = reason
        self._news.set()

    # Inside

    async def _wait(self) -> None:
        """Until something is here, or a doubt is old enough."""
        if self._pieces or self._lost is not None:
            return
        self._news.clear()
        doubt_s = None if self._doubt_since_s is None else self._doubt_since_s + DOUBT_S
        try:
            async with asyncio.timeout_at(doubt_s):
                await self._news.wait()
        except TimeoutError:
            pass  # the doubt is settled next

    def _resume(self) -> None:
        if self._is_paused and self._lost is None:
            self._is_paused = False
            self._link.resume_reading()

    async def _heard(self, piece: Piece) -> None:
        match piece:
            case Telegram():
                self._counts.frames_received += 1
                self._doubt_since_s, self._strange_bytes = None, 0
                await self._telegram(piece)
            case Garbage():
                await self._garbage(piece)
            case Acknowledged():
                self._answered(Answer(None))
            case NotAcknowledged(code):
                self._answered(Answer(code))
            case _:
                self._counts.unexpected += 1  # an answer to a register read, which nobody here asks for

    async def _telegram(self, telegram: Telegram) -> None:
        fresh = self._copies.take(telegram, _now_s())
        if fresh is None:
            self._counts.notices_again += 1
            return
        message = read_message(telegram.data)
        if isinstance(message, Malformed):
            self._counts.malformed += 1
        await self._said(Said(message, fresh.is_contradicting))

    async def _garbage(self, garbage: Garbage) -> None:
        self._counts.garbage[garbage.reason] += 1
        self._counts.garbage_bytes += garbage.size
        if garbage.reason is not GarbageReason.NOISE and self._doubt_since_s is None:
            self._doubt_since_s = _now_s()
        self._strange_bytes += garbage.size
        if self._strange_bytes >= STRANGE_BYTES and not self._is_strangeness_told:
            self._is_strangeness_told = True
            await self._said(Unreadable(NO_TELEGRAM))

    def _answered(self, answer: Answer) -> None:
        if self._answer is None or self._answer.done():
            self._counts.late_replies += 1
        else:
            self._answer.set_result(answer)

    async def _settle_doubt(self) -> None:
        since_s = self._doubt_since_s
        if since_s is not None and (self._lost is not None or _now_s() - since_s >= DOUBT_S):
            self._doubt_since_s = None
            if not self._is_strangeness_told:
                await self._said(Unreadable(LOST))

    def _over(self, ending: Ending, why: str) -> SessionOver:
        return SessionOver(ending, f"{self._link.address}: {why}")


def _now_s() -> float:
    return asyncio.get_running_loop().time()
