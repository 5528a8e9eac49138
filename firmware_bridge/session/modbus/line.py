"""One connection to a Modbus bus: one question at a time, and its own answer or none.

On TCP a number in the frame says which question an answer belongs to. On a serial bus nothing does: a late answer to an
old question has every right look of an answer to the new one (BR-011). So after each answer that is missing the bus is
left silent until nothing more comes, and a board that knows the numbered echo (function 8) must give back a number
never used before; until it has, nothing that it says is believed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.session.counts import GarbageBudget
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.modbus.counts import ModbusCounts
from firmware_bridge.session.modbus.profile import (
    PIECES_APART_S,
    TURNAROUND_LIMIT_S,
    TURNAROUND_S,
    LineProfile,
)
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.modbus.codes import BIT_READS, Function
from firmware_bridge.wire.modbus.frame import Frame
from firmware_bridge.wire.modbus.messages import (
    Answer,
    Echo,
    Question,
    Read,
    Refused,
    decode_answer,
    encode_question,
    is_answer_to,
)
from firmware_bridge.wire.modbus.rtu import RtuDecoder, Side, encode_rtu
from firmware_bridge.wire.modbus.tcp import TRANSACTIONS, TcpDecoder, encode_tcp

# A cable that takes no byte for so long is stuck.
WRITE_LIMIT_S = 2.0
_NUMBERS = 0x1_0000
# The shortest question; what it is answered by shows whether the bus plays our own bytes back.
_FIRST = Read(Function.READ_INPUTS, 0, 1)
_FRAME_AROUND = 5  # unit, function, size, check: what is around the data of an answer


class Unanswered(ConnectionError):
    """The board did not answer in time; the cable stands. Its text is for the technician."""


class BoardRefused(ConnectionError):
    """The board answered with an exception: it heard the question and will not. `refused` says which."""

    def __init__(self, unit: int, refused: Refused) -> None:
        super().__init__(f"board {unit}: {refused.words}")
        self.refused = refused


class ModbusLine:
    """Lives once, as its link. `run` ends by raising why; `ask` raises it too."""

    def __init__(self, link: Link, profile: LineProfile, counts: ModbusCounts) -> None:
        self.has_answered = False  # a whole answer came: somebody speaks Modbus there
        self.has_echo: bool | None = False if profile.is_tcp else None  # not known before the first read
        self._link = link
        self._profile = profile
        self._counts = counts
        self._budget = GarbageBudget()
        self._decoder: RtuDecoder | TcpDecoder = TcpDecoder() if profile.is_tcp else RtuDecoder(Side.ANSWERS)
        self._heard: deque[Frame] = deque()
        self._news = asyncio.Event()
        self._turn = asyncio.Lock()
        self._lost: Exception | None = None
        self._heard_at_s = 0.0
        self._transaction = 0
        self._echo_number = 0
        self._echoing: set[int] = set()  # boards that have given a numbered echo back
        self._doubted: set[int] = set()  # boards whose last answer is missing: what they say next may be that one
        self._is_dirty = True  # what lay in the cable before we spoke is nobody's answer (BR-006)
        self._again: dict[int, Frame] = {}  # on TCP, by board: the read without an answer, to be asked again as it was
        self._own = b""  # our own bytes that may still be played back (BR-005) …
        self._played = bytearray()  # … and those that came and may be that

    async def run(self) -> None:
        """Listen until the link ends. Raises SessionOver."""
        self._link.start(self)
        try:
            while self._lost is None:
                await self._next_news()
            raise self._over()
        finally:
            await self._link.close()

    async def ask(self, unit: int, question: Question) -> Answer:
        """The answer to this question, and to no other. Raises Unanswered, BoardRefused, SessionOver."""
        async with self._turn:
            await self._make_ready(unit, question)
            answer = await self._exchange(unit, question)
        if isinstance(answer, Refused):
            self._counts.refused[unit] += 1
            raise BoardRefused(unit, answer)
        return answer

    async def learn_echo(self, unit: int) -> bool:
        """Whether the board gives numbered echoes back, asked once a connection. Raises Unanswered, SessionOver."""
        try:
            async with self._turn:
                await self._make_ready(unit, Echo(0))
                await self._prove(unit)
        except BoardRefused:
            return False
        return True

    # Receiver

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes from the bus."""
        self._counts.bytes_received += len(chunk)
        self._heard_at_s = _now()
        self._take(self._decoder.feed(self._without_own(chunk) if self._own else chunk))
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        """The end of the link."""
        self._lost = self._lost or reason
        self._news.set()

    # One exchange

    async def _make_ready(self, unit: int, question: Question) -> None:
        """The bus is silent, what the board says next is its answer, and echoes are known. Raises as `ask`."""
        if self._is_dirty:
            await self._turn_around()
        if unit in self._doubted and unit in self._echoing:
            await self._prove(unit)
        if self.has_echo is None and not isinstance(question, Read):
            # The answer to a write is the question itself: an echo would look like it.
            await self._exchange(unit, _FIRST)

    async def _exchange(self, unit: int, question: Question) -> Answer:
        self._counts.late_replies += len(self._heard)
        self._heard.clear()
        # Until its answer is in: a cancel leaves the bus with an answer to come (BR-017).
        self._is_dirty = not self._profile.is_tcp
        was_doubted = unit in self._doubted
        self._doubted.add(unit)
        asked = await self._send(unit, question)
        limit_s = _now() + self._profile.answer_limit_s(len(asked.data) + _answer_size(question))
        while (frame := await self._next_frame(limit_s)) is not None:
            answer = decode_answer(frame.data)
            is_it = (frame.unit, frame.transaction) == (unit, asked.transaction)
            if is_it and answer is not None and is_answer_to(answer, question):
                self._answered(unit, question)
                return answer
            if was_doubted or frame.transaction != asked.transaction:
                self._counts.late_replies += 1
            else:
                self._counts.strange += 1
        self._counts.unanswered[unit] += 1
        if self._profile.is_tcp and isinstance(question, Read):
            self._again[unit] = asked
        raise Unanswered(f"{self._link.address}: board {unit} did not answer")

    def _answered(self, unit: int, question: Question) -> None:
        self._is_dirty, self.has_answered = False, True
        self._doubted.discard(unit)
        if isinstance(question, Read) and self.has_echo is not False:
            self.has_echo = not self._own  # all of it came back before the answer
        self._own = b""

    async def _send(self, unit: int, question: Question) -> Frame:
        """Write a question once the bus has been silent for the gap between two frames."""
        asked = self._numbered(unit, encode_question(question))
        data = encode_tcp(asked) if self._profile.is_tcp else encode_rtu(asked)
        wait_s = self._heard_at_s + self._profile.gap_s - _now()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        self._own = b"" if self.has_echo is False else data
        self._played.clear()
        self._counts.frames_sent += 1
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await self._link.write(data)
        except LinkClosed as closed:
            self.link_lost(closed)
            raise self._over() from closed
        except TimeoutError:
            text = f"{self._link.address}: the cable took no bytes for {WRITE_LIMIT_S:g} s"
            self.link_lost(SessionOver(Ending.STUCK, text))
            raise self._over() from None
        return asked

    def _numbered(self, unit: int, data: bytes) -> Frame:
        """A read that is asked again keeps its number: a burst of answers after a pause is no burst of old ones."""
        again = self._again.pop(unit, None)
        if again is not None and again.data == data:
            return again
        if self._profile.is_tcp:
            self._transaction = (self._transaction + 1) % TRANSACTIONS
        return Frame(unit, data, self._transaction)

    async def _prove(self, unit: int) -> None:
        """A number that was never used comes back: everything older is out of the way. Raises as `ask`."""
        self._echo_number = (self._echo_number + 1) % _NUMBERS
        answer = await self._exchange(unit, Echo(self._echo_number))
        if isinstance(answer, Refused):
            raise BoardRefused(unit, answer)
        self._echoing.add(unit)

    async def _turn_around(self) -> None:
        """Wait until nothing has come for a while; what comes is late or noise. Raises SessionOver."""
        self._counts.turnarounds += 1
        end_s = _now() + TURNAROUND_LIMIT_S
        silent_from_s = _now()
        while (left_s := max(silent_from_s, self._heard_at_s) + TURNAROUND_S - _now()) > 0:
            if _now() >= end_s:
                text = f"{self._link.address}: the bus is not silent for {TURNAROUND_S:g} s; look for a second master"
                self.link_lost(SessionOver(Ending.NOISY, text))
            await self._news_within(left_s)
        self._take(self._decoder.gap())
        self._counts.late_replies += len(self._heard)
        self._heard.clear()
        self._is_dirty = False

    async def _next_frame(self, limit_s: float) -> Frame | None:
        """The next whole frame; None: none until then. Raises SessionOver."""
        while True:
            if self._heard:
                return self._heard.popleft()
            left_s = limit_s - _now()
            if left_s <= 0:
                return None
            if self._decoder.pending and not await self._news_within(min(left_s, PIECES_APART_S)):
                self._take(self._decoder.gap())  # what has begun does not go on; a frame may stand behind it
            elif not self._decoder.pending:
                await self._news_within(left_s)

    # Inside

    def _without_own(self, chunk: bytes) -> bytes:
        """The bus plays our own bytes back: stripped by their content, however they come (BR-005).

        Bytes that begin like ours and then differ are an answer, or an echo that somebody has spoilt: given back whole.
        """
        self._played += chunk
        size = min(len(self._played), len(self._own))
        if self._played[:size] != self._own[:size]:
            given = bytes(self._played)
            self._played.clear()
            return given
        if len(self._played) < len(self._own):
            return b""
        given = bytes(self._played[len(self._own) :])
        self._counts.echoes += 1
        self._own = b""
        self._played.clear()
        return given

    def _take(self, pieces: Iterable[Frame | Garbage]) -> None:
        for piece in pieces:
            if isinstance(piece, Garbage):
                self._counts.garbage[piece.reason] += 1
                self._counts.garbage_bytes += piece.size
                self._budget.thrown_away(piece)
            else:
                self._counts.frames_received += 1
                self._budget.frame_came()
                self._heard.append(piece)
        if self._budget.is_spent and self._lost is None:
            text = f"{self._link.address}: too much garbage; check speed, parity and the two wires of the bus"
            self.link_lost(SessionOver(Ending.NOISY, text))

    async def _news_within(self, seconds: float) -> bool:
        """Whether something came within this time. Raises SessionOver."""
        try:
            async with asyncio.timeout(seconds):
                await self._next_news()
        except TimeoutError:
            return False
        return True

    async def _next_news(self) -> None:
        if self._lost is None:
            self._news.clear()
            await self._news.wait()
        if self._lost is not None:
            raise self._over()

    def _over(self) -> SessionOver:
        if isinstance(self._lost, SessionOver):
            return self._lost
        return SessionOver(Ending.LINK_LOST, str(self._lost))


def _answer_size(question: Question) -> int:
    """Characters of the longest answer to expect."""
    if isinstance(question, Read):
        return _FRAME_AROUND + (-(-question.count // 8) if question.function in BIT_READS else 2 * question.count)
    return _FRAME_AROUND + 3


def _now() -> float:
    return asyncio.get_running_loop().time()
