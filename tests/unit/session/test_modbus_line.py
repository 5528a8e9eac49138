"""One Modbus connection: an answer belongs to its own question, whatever comes late, twice, cut or played back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.modbus.bus import SILENT_LINK_S, BusSettings, ModbusBus, Rests
from firmware_bridge.session.modbus.counts import ModbusCounts
from firmware_bridge.session.modbus.line import BoardRefused, ModbusLine, Unanswered
from firmware_bridge.session.modbus.profile import ANSWER_LIMIT_S, TURNAROUND_S, LineProfile
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.modbus.codes import ExceptionCode, Function
from firmware_bridge.wire.modbus.frame import Frame
from firmware_bridge.wire.modbus.messages import (
    Answer,
    Bits,
    Echo,
    Question,
    Read,
    Refused,
    Words,
    WriteCoil,
    decode_question,
    encode_answer,
)
from firmware_bridge.wire.modbus.rtu import RtuDecoder, Side, encode_rtu
from firmware_bridge.wire.modbus.tcp import TcpDecoder, encode_tcp

pytestmark = pytest.mark.virtual_time

INPUTS = Read(Function.READ_INPUTS, 0, 8)
COUNTERS = Read(Function.READ_INPUT_WORDS, 0, 1)
# When a board answers a question (seconds later, each one copy), and what before the answer goes over the bus.
Delays = Callable[[int, Question], tuple[float, ...]]


class Boards:
    """Boards on one cable. Each answers with how often it was asked, so that whose answer it is can be seen."""

    def __init__(self, link: Link, *, is_tcp: bool, delays: Delays) -> None:
        self.asked: dict[int, int] = {}
        self.has_echo = False  # the bus plays back what the host sends
        self.knows_echo = True  # function 8
        self.questions: list[Question] = []
        self._link = link
        self._is_tcp = is_tcp
        self._delays = delays
        self._decoder = TcpDecoder() if is_tcp else RtuDecoder(Side.QUESTIONS)
        self._writing: set[asyncio.Task[None]] = set()
        link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        if self.has_echo:
            self.write_later(chunk, 0.0)
        for piece in self._decoder.feed(chunk):
            if not isinstance(piece, Garbage):
                self._take(piece)

    def link_lost(self, reason: Exception) -> None:
        for task in self._writing:
            task.cancel()

    def _take(self, frame: Frame) -> None:
        question = decode_question(frame.data)
        assert not isinstance(question, Refused)
        self.questions.append(question)
        self.asked[frame.unit] = self.asked.get(frame.unit, 0) + 1
        answer = Frame(frame.unit, encode_answer(self._answer(frame.unit, question)), frame.transaction)
        data = encode_tcp(answer) if self._is_tcp else encode_rtu(answer)
        for delay_s in self._delays(frame.unit, question):
            self.write_later(data, delay_s)

    def _answer(self, unit: int, question: Question) -> Answer:
        count = self.asked[unit] & 0xFF
        if isinstance(question, Read):
            if question.function == Function.READ_INPUTS:
                return Bits(question.function, tuple(bool(count >> bit & 1) for bit in range(8)))
            return Words(question.function, (count,) * question.count)
        if isinstance(question, Echo) and not self.knows_echo:
            return Refused(Function.DIAGNOSTICS, ExceptionCode.ILLEGAL_FUNCTION)
        assert isinstance(question, WriteCoil | Echo)
        return question

    def write_later(self, data: bytes, delay_s: float) -> None:
        async def write() -> None:
            await asyncio.sleep(delay_s)
            await self._link.write(data)

        task = asyncio.create_task(write())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def rest(self) -> None:
        for task in tuple(self._writing):
            task.cancel()
        if self._writing:
            await asyncio.wait(self._writing)


def at_once(_unit: int, _question: Question) -> tuple[float, ...]:
    return (0.005,)


@asynccontextmanager
async def connected(delays: Delays = at_once, *, is_tcp: bool = False) -> AsyncIterator[tuple[ModbusLine, Boards]]:
    host, device = memory_pair("bus")
    boards = Boards(device, is_tcp=is_tcp, delays=delays)
    line = ModbusLine(host, LineProfile(is_tcp, 19_200), ModbusCounts())
    running = asyncio.create_task(line.run())
    try:
        yield line, boards
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError, SessionOver):
            await running
        await boards.rest()


def value(answer: Answer) -> int:
    """How often the board had been asked when it gave this answer."""
    if isinstance(answer, Bits):
        return sum(level << bit for bit, level in enumerate(answer.values))
    assert isinstance(answer, Words)
    return answer.values[0]


@pytest.mark.parametrize("is_tcp", [False, True])
@pytest.mark.parametrize("knows_echo", [False, True])
async def test_a_late_answer_is_never_the_next_question_s(*, is_tcp: bool, knows_echo: bool) -> None:
    """BR-011: reads of one form, 1 % answered late, 1 % lost: no answer is ever that of the question before."""
    rng = random.Random(11)

    def delays(_unit: int, question: Question) -> tuple[float, ...]:
        fate = rng.random()
        late_s = rng.uniform(0.3, 0.5) if not is_tcp else rng.uniform(1.1, 3.0)
        return () if fate < 0.01 else (late_s,) if fate < 0.02 else (0.005,)

    async with connected(delays, is_tcp=is_tcp) as (line, boards):
        boards.knows_echo = knows_echo
        await line.ask(1, INPUTS)
        await line.learn_echo(1)
        lost = 0
        for _ in range(2_000):
            try:
                answer = await line.ask(1, INPUTS)
            except Unanswered:
                lost += 1
                continue
            # On TCP a read that is asked again keeps its number, and may be answered by its first copy.
            assert value(answer) in ({boards.asked[1] & 0xFF} if not is_tcp else
                                     {boards.asked[1] & 0xFF, (boards.asked[1] - 1) & 0xFF})  # fmt: skip
        assert 10 < lost < 100
        assert line._counts.late_replies > 5


async def test_an_answer_later_than_any_silence_is_caught_by_its_missing_number() -> None:
    """BR-011: it comes while the next question waits, in the very form that this one asks for. The number tells."""
    is_late = [False]

    def delays(_unit: int, _question: Question) -> tuple[float, ...]:
        if is_late[0]:
            is_late[0] = False
            return (ANSWER_LIMIT_S + TURNAROUND_S + 0.06,)
        return (0.1,)

    async with connected(delays) as (line, boards):
        await line.ask(1, INPUTS)
        assert await line.learn_echo(1)
        is_late[0] = True
        with pytest.raises(Unanswered):
            await line.ask(1, INPUTS)
        assert value(await line.ask(1, INPUTS)) == boards.asked[1]
        assert line._counts.late_replies == 1


async def test_a_retried_read_over_tcp_keeps_its_number() -> None:
    """BR-011, third case: a gateway that stalls gives its answers in a burst, and they are not thrown away."""
    is_stalled = [True]

    def delays(_unit: int, _question: Question) -> tuple[float, ...]:
        return (1.2,) if is_stalled[0] else (0.005,)

    async with connected(delays, is_tcp=True) as (line, _boards):
        with pytest.raises(Unanswered):
            await line.ask(1, INPUTS)
        assert value(await line.ask(1, INPUTS)) == 1


async def test_what_one_board_says_late_is_not_another_s() -> None:
    def delays(unit: int, _question: Question) -> tuple[float, ...]:
        return (0.4,) if unit == 2 else (0.005,)

    async with connected(delays) as (line, boards):
        for _ in range(5):
            with pytest.raises(Unanswered):
                await line.ask(2, INPUTS)
            assert value(await line.ask(1, INPUTS)) == boards.asked[1]


@pytest.mark.parametrize("pieces", [1, 3, 100])
async def test_the_bus_plays_our_own_bytes_back(pieces: int) -> None:
    """BR-005: whole, in pieces, glued to the answer; stripped by content, and a write is not answered by itself."""
    async with connected() as (line, boards):
        link, boards.has_echo = line._link, True
        write = line.chunk_received

        def cut(chunk: bytes) -> None:
            for at in range(0, len(chunk), pieces):
                write(chunk[at : at + pieces])

        line.chunk_received = cut  # type: ignore[method-assign]  # the cable gives pieces of its own
        assert link is line._link
        assert value(await line.ask(1, INPUTS)) == 1
        assert line.has_echo
        assert await line.ask(1, WriteCoil(3, is_on=True)) == WriteCoil(3, is_on=True)
        assert await line.learn_echo(1)


async def test_an_echo_alone_is_no_answer_to_a_write() -> None:
    """BR-005: the board is dead, and the bus gives back exactly what a board would have answered."""

    def delays(unit: int, _question: Question) -> tuple[float, ...]:
        return (0.005,) if unit == 1 else ()

    async with connected(delays) as (line, boards):
        boards.has_echo = True
        await line.ask(1, INPUTS)
        with pytest.raises(Unanswered):
            await line.ask(2, WriteCoil(3, is_on=True))


async def test_a_write_as_the_first_question_finds_out_about_echoes_first() -> None:
    async with connected() as (line, boards):
        assert await line.ask(1, WriteCoil(3, is_on=True)) == WriteCoil(3, is_on=True)
        assert isinstance(boards.questions[0], Read)
        assert line.has_echo is False
        await line.ask(1, INPUTS)
        assert line.has_echo is False, "no echo is found where none is looked for"


async def test_a_spoilt_echo_is_noise() -> None:
    """BR-005: one byte altered on the way is a collision, never an answer, and the answer behind it is heard."""
    async with connected() as (line, boards):
        take = line.chunk_received

        def spoil(chunk: bytes) -> None:
            take(bytes((chunk[0] ^ 0x20,)) + chunk[1:] if len(chunk) == 8 else chunk)

        line.chunk_received = spoil  # type: ignore[method-assign]  # the wire damages what comes
        boards.has_echo = True
        assert value(await line.ask(1, INPUTS)) == 1
        assert line._counts.garbage_bytes == 8


async def test_a_question_that_was_given_up_does_not_poison_the_next() -> None:
    """BR-017: cancelled at any instant; what it would have been told is nobody's."""
    for steps in range(1, 40):
        async with connected() as (line, boards):
            asking = asyncio.create_task(line.ask(1, INPUTS))
            await asyncio.sleep(steps * 0.008)
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            assert value(await line.ask(1, INPUTS)) == boards.asked[1]


async def test_yesterday_s_bytes_are_nobody_s_answer() -> None:
    """BR-006: what lay in the cable before we spoke is heard out first."""
    async with connected() as (line, boards):
        boards.write_later(encode_rtu(Frame(1, encode_answer(Bits(Function.READ_INPUTS, (True,) * 8)))), 0.1)
        assert value(await line.ask(1, INPUTS)) == 1
        assert line._counts.late_replies == 1


async def test_an_exception_is_an_answer() -> None:
    async with connected() as (line, boards):
        boards.knows_echo = False
        with pytest.raises(BoardRefused, match="illegal function"):
            await line.ask(1, Echo(5))
        assert not await line.learn_echo(1)


async def test_a_bus_that_is_never_silent_is_given_up() -> None:
    """A second master talks without an end: said so, and not asked into."""
    async with connected() as (line, boards):
        for count in range(1_000):
            boards.write_later(b"\x00", count * 0.1)
        with pytest.raises(SessionOver, match="second master") as over:
            await line.ask(1, INPUTS)
        assert over.value.ending is Ending.NOISY


@asynccontextmanager
async def bus_of(delays: Delays, address: str = "memory://bus") -> AsyncIterator[tuple[ModbusBus, list[Boards]]]:
    made: list[Boards] = []

    async def connect() -> Link:
        host, device = memory_pair("bus")
        made.append(Boards(device, is_tcp=False, delays=delays))
        return host

    bus = ModbusBus(BusSettings("bus", address, LineProfile(is_tcp=False)), connect, random.Random(2))
    running = asyncio.create_task(bus.run())
    try:
        await bus.connected()
        yield bus, made
    finally:
        running.cancel()
        await asyncio.wait([running])
        for boards in made:
            await boards.rest()


async def test_a_dead_board_leaves_its_neighbours_their_rhythm() -> None:
    """BR-019: one of three boards is dead, and left alone longer each time: the others keep within 20 % over 10 s."""

    def delays(unit: int, _question: Question) -> tuple[float, ...]:
        return () if unit == 2 else (0.005,)

    polls: dict[int, int] = {}

    async def poll(bus: ModbusBus, unit: int, period_s: float) -> None:
        rests = Rests()
        while True:
            due_s = asyncio.get_running_loop().time() + period_s
            try:
                await bus.read(unit, INPUTS)
                polls[unit] = polls.get(unit, 0) + 1
                rests.over()
            except Unanswered:
                due_s += rests.next_s()
            await asyncio.sleep(max(0.0, due_s - asyncio.get_running_loop().time()))

    async def ten_seconds(*units: int) -> int:
        polls.clear()
        async with bus_of(delays) as (bus, _made):
            tasks = [asyncio.create_task(poll(bus, unit, 0.1)) for unit in units]
            await asyncio.sleep(60)  # the dead one is known to be dead
            polls.clear()
            await asyncio.sleep(10)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            assert 2 not in bus.answered_s, "the bus speaks, and this one never did"
            assert asyncio.get_running_loop().time() - bus.answered_s[1] < 1
        return polls[1]

    alone = await ten_seconds(1, 3)
    assert await ten_seconds(1, 2, 3) > 0.8 * alone


async def test_a_cable_on_which_nobody_answers_is_made_anew() -> None:
    async with bus_of(lambda _unit, _question: ()) as (bus, made):
        ends_s = asyncio.get_running_loop().time() + 3 * SILENT_LINK_S
        while len(made) < 2 and asyncio.get_running_loop().time() < ends_s:
            with suppress(Unanswered, SessionOver):
                await bus.read(1, INPUTS)
            await asyncio.sleep(1)
        assert len(made) == 2


async def test_who_asks_while_the_cable_is_away_is_told_at_once() -> None:
    async def connect() -> Link:
        raise ConnectionError("no such port")

    bus = ModbusBus(BusSettings("bus", "memory://bus", LineProfile(is_tcp=False)), connect)
    with pytest.raises(SessionOver, match="not connected"):
        await bus.ask(1, INPUTS)


def test_the_gap_between_two_frames() -> None:
    """Serial Line V1.02, 2.5.1.1: 3.5 characters, above 19,200 baud 1.75 ms whatever the speed."""
    assert LineProfile(is_tcp=False, baud=9_600).gap_s == pytest.approx(0.00401, abs=1e-5)
    assert LineProfile(is_tcp=False, baud=19_200).gap_s == pytest.approx(0.002005, abs=1e-5)
    assert LineProfile(is_tcp=False, baud=115_200).gap_s == 0.00175
    assert LineProfile(is_tcp=True).gap_s == 0
