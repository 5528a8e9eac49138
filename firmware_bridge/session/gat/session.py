"""One question at a time, as GAT 3.50 wants its line: half duplex, and the device never speaks unasked.

An answer begins within 200 ms of the question's last byte, or it is none: what comes later is counted and thrown away,
as nobody could tell which copy of a question it belongs to (docs/protocols/gat.md §3).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.session.counts import GarbageBudget, LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.gat.codes import FROM_DEVICE, FROM_HOST
from firmware_bridge.wire.gat.frame import MAX_FRAME_BYTES, Frame, FrameDecoder, encode_frame
from firmware_bridge.wire.gat.messages import (
    Answer,
    BadBody,
    LastStatus,
    LastStatusQuery,
    Question,
    Status,
    StatusQuery,
    decode_message,
    encode_message,
)

T = TypeVar("T", bound=Answer)
DEFAULT_BAUD = 9_600  # gsa-p0093: 9,600 baud, 8N1
BITS_A_BYTE = 10
# gsa-p0093: an answer begins within 200 ms; after silence the line rests for 225 ms, after an answer for 10 ms.
ANSWER_BEGINS_S = 0.200
REST_AFTER_SILENCE_S = 0.225
REST_AFTER_ANSWER_S = 0.010
# USB adapters hand over what they have every 16 ms (the latency timer of FTDI's): so much later it may seem to begin.
ADAPTER_S = 0.020
# gsa-p0093: some 5 ms between bytes; a frame that pauses for so long, adapters included, has ended.
LONGEST_PAUSE_S = 0.100
# Every question may be asked so often: the device answers each copy alike.
COPIES = 3
WRITE_LIMIT_S = 5.0


class GatSession:
    """Lives once, as its link. `run` ends by raising why; questions raise it too."""

    def __init__(self, link: Link, counts: LinkCounts, *, baud: int = DEFAULT_BAUD) -> None:
        self._link = link
        self._counts = counts
        self._byte_s = BITS_A_BYTE / baud
        self._decoder = FrameDecoder(FROM_DEVICE | FROM_HOST)
        self._heard: deque[Answer] = deque()
        self._budget = GarbageBudget()
        self._news = asyncio.Event()
        self._free_at_s = 0.0
        self._asked_at_s: float | None = None  # of the question that waits for its answer: its last byte
        self._is_begun = False  # its answer has
        self._lost: Exception | None = None
        self._last_heard_s = _now()

    @property
    def silent_s(self) -> float:
        """For how long no byte has come."""
        return _now() - self._last_heard_s

    async def run(self) -> None:
        """Listen until the link ends. Raises SessionOver."""
        self._link.start(self)
        try:
            while self._lost is None:
                await self._next_news()
            raise self._over(Ending.LINK_LOST, str(self._lost))
        finally:
            await self._link.close()

    async def status(self) -> Status:
        """Raises SessionOver."""
        return await self.ask(StatusQuery(), Status)

    async def last_status(self) -> LastStatus:
        """What was calculated last. Raises SessionOver."""
        return await self.ask(LastStatusQuery(), LastStatus)

    async def ask(self, question: Question, kind: type[T], is_it: Callable[[T], bool] = lambda _answer: True) -> T:
        """The answer of that kind that fits, asked for up to three times. Raises SessionOver."""
        for copy in range(COPIES):
            self._counts.repeats += copy > 0
            answer = await self.ask_once(question, kind, is_it)
            if answer is not None:
                return answer
        if self._counts.bytes_received == 0:
            why = "not one byte came; check power, cable, and that this is the port for GAT"
            raise self._over(Ending.SILENT, why)
        why = f"no answer to {COPIES} copies of {type(question).__name__}; check its cable and that it still runs"
        raise self._over(Ending.UNANSWERED, why)

    async def ask_once(self, question: Question, kind: type[T], is_it: Callable[[T], bool]) -> T | None:
        """One copy of a question. None: no such answer began in time. Raises SessionOver."""
        await asyncio.sleep(self._free_at_s - _now())
        self._throw_away_late()
        data = encode_frame(encode_message(question))
        await self._write(data)
        self._asked_at_s, self._is_begun = _now() + len(data) * self._byte_s, False
        try:
            answer = await self._answer(kind, is_it)
        finally:
            self._asked_at_s = None
        self._free_at_s = _now() + (REST_AFTER_ANSWER_S if answer is not None else self._rest_s())
        return answer

    # Receiver

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes from the device."""
        self._counts.bytes_received += len(chunk)
        self._last_heard_s = _now()
        if self._asked_at_s is not None and _now() <= self._asked_at_s + ANSWER_BEGINS_S + ADAPTER_S:
            self._is_begun = True
        for piece in self._decoder.feed(chunk):
            self._take(piece)
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        """The end of the link."""
        self._lost = reason
        self._news.set()

    def _take(self, piece: Frame | Garbage) -> None:
        if isinstance(piece, Garbage):
            self._counts.garbage[piece.reason] += 1
            self._counts.garbage_bytes += piece.size
            self._budget.thrown_away(piece)
            if self._budget.is_spent:
                self._lost = self._over(Ending.NOISY, "more garbage than frames; check speed, format and cable")
            return
        self._counts.frames_received += 1
        self._budget.frame_came()
        if piece.command in FROM_HOST:
            self._counts.echoes += 1
            return
        try:
            message = decode_message(piece)
        except BadBody:
            self._counts.malformed += 1
            return
        if self._asked_at_s is None or not self._is_begun:
            self._counts.late_replies += 1
        else:
            self._heard.append(message)  # type: ignore[arg-type]  # from a device come answers only

    # Inside

    async def _answer(self, kind: type[T], is_it: Callable[[T], bool]) -> T | None:
        """Wait until it begins, then for as long as it goes on."""
        ends_s = (self._asked_at_s or 0.0) + ANSWER_BEGINS_S + ADAPTER_S
        longest_s = ends_s + MAX_FRAME_BYTES * (self._byte_s + LONGEST_PAUSE_S)
        while True:
            while self._heard:
                answer = self._heard.popleft()
                if isinstance(answer, kind) and is_it(answer):
                    return answer
                self._counts.late_replies += 1
            self._check()
            try:
                async with asyncio.timeout_at(ends_s):
                    await self._next_news()
            except TimeoutError:
                return None
            if self._is_begun:
                pause_s = LONGEST_PAUSE_S if self._decoder.is_within else ADAPTER_S
                ends_s = min(max(ends_s, _now() + pause_s), longest_s)

    def _throw_away_late(self) -> None:
        self._counts.late_replies += len(self._heard)
        self._heard.clear()
        for piece in self._decoder.abandon():
            self._take(piece)

    def _rest_s(self) -> float:
        """What is left of the rest after silence: it counts from the question's last byte."""
        return max(REST_AFTER_SILENCE_S - ANSWER_BEGINS_S, REST_AFTER_ANSWER_S)

    async def _write(self, data: bytes) -> None:
        self._check()
        self._counts.frames_sent += 1
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await self._link.write(data)
        except LinkClosed as closed:
            raise self._over(Ending.LINK_LOST, str(closed)) from closed
        except TimeoutError:
            raise self._over(Ending.STUCK, f"the cable took no bytes for {WRITE_LIMIT_S:g} s") from None

    def _check(self) -> None:
        if isinstance(self._lost, SessionOver):
            raise self._lost
        if self._lost is not None:
            raise self._over(Ending.LINK_LOST, str(self._lost))

    async def _next_news(self) -> None:
        self._news.clear()
        await self._news.wait()

    def _over(self, ending: Ending, why: str) -> SessionOver:
        return SessionOver(ending, f"{self._link.address}: {why}")


def _now() -> float:
    return asyncio.get_running_loop().time()
