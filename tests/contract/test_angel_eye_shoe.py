"""Our driver of the Angel Eye shoe on the simulated one: every telegram once, errors, lock, not a byte back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest

from drivers import card_events as facts
from drivers.card_events import OutsideMode, Target, Winner
from drivers.device import PlainSettings
from drivers.fact import Fact
from drivers.readers.angel_eye_shoe import CONTRADICTED, AngelEyeShoe, ShoeSettings, fact_of
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.angel_eye import Answer, ReadOnly, Said, ShoeSession, Unreadable
from firmware_bridge.session.angel_eye.session import LOST, NO_TELEGRAM
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import SessionOver
from firmware_bridge.wire.angel_eye.codes import Refusal
from firmware_bridge.wire.angel_eye.commands import CONFIRM_GAME, LOCK, UNLOCK, Command, cancel_error
from firmware_bridge.wire.angel_eye.copies import Copies
from firmware_bridge.wire.angel_eye.telegram import Block, encode_block
from firmware_bridge.wire.garbage import GarbageReason
from simulator.faces.angel_eye import AngelEyeFace
from simulator.line import Direction, FaultyLine, LineFault
from simulator.runner import Outlet, Stage
from simulator.world.cards import Back, Printing, new_deck
from simulator.world.shoe import BaccaratShoe

pytestmark = pytest.mark.virtual_time

DEADLINE_S = 60.0


class Counted:
    """The host's end of a cable, with what it wrote."""

    def __init__(self, link: Link, written: bytearray) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self.start, self.close = link.start, link.close
        self.pause_reading, self.resume_reading = link.pause_reading, link.resume_reading
        self._link, self._written = link, written

    async def write(self, data: bytes) -> None:
        self._written += data
        await self._link.write(data)


@dataclass
class Bench:
    """The shoe and its driver."""

    stage: Stage
    face: AngelEyeFace
    outlet: Outlet
    facts: list[Fact] = field(default_factory=list)
    lines: list[FaultyLine] = field(default_factory=list)
    written: bytearray = field(default_factory=bytearray)
    serving: list[asyncio.Task[None]] = field(default_factory=list)
    driver: AngelEyeShoe | None = None

    @property
    def shoe(self) -> BaccaratShoe:
        return self.face.shoe

    @property
    def told(self) -> list[Fact]:
        """Facts of cards and games; what the driver tells of itself apart."""
        of_driver = (facts.CardReaderReady, facts.CardReaderLost, facts.CardReaderTroubled)
        return [fact for fact in self.facts if not isinstance(fact, of_driver)]

    @property
    def expected(self) -> list[Fact]:
        """What the shoe has told."""
        return [fact_of("shoe", message) for message in self.face.told]

    @property
    def troubles(self) -> list[str]:
        return [fact.why for fact in self.facts if isinstance(fact, facts.CardReaderTroubled)]

    async def do(self, *acts: Callable[[], object]) -> None:
        """Hands, one act after another, and the copies after each."""
        for act in acts:
            self.stage.act(act)
            await asyncio.sleep(3.0)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the shoe's, which tells nobody that it changed
                await asyncio.sleep(0.01)

    async def connect(self) -> Link:
        host, device = memory_pair("shoe")
        self.serving.append(asyncio.create_task(self.outlet.serve(device)))
        self.lines.append(FaultyLine(Counted(host, self.written), 1))
        return self.lines[-1]


def new_bench(*, copies: int = 3, bcc_includes_stx: bool = True) -> Bench:
    shoe = BaccaratShoe("shoe")
    new_deck(1, Back.RED, shoe.cards)
    shoe.cards.wash(random.Random(5))
    stage, face = Stage(), AngelEyeFace(shoe, copies=copies, bcc_includes_stx=bcc_includes_stx)
    return Bench(stage, face, stage.add_face(face))


@asynccontextmanager
async def bench(*, copies: int = 3, settings: PlainSettings | None = None) -> AsyncIterator[Bench]:
    made = new_bench(copies=copies)

    async def report(fact: Fact) -> None:
        made.facts.append(fact)

    settings = settings or PlainSettings("shoe", "memory://shoe")
    driver = AngelEyeShoe(settings, report, made.connect, random.Random(1))
    made.driver = driver
    running = asyncio.create_task(driver.run())
    await made.until(lambda: made.lines)
    await asyncio.sleep(0.1)
    made.stage.act(lambda: made.face.boot(made.stage.now_ns))
    await asyncio.sleep(1.0)
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running, *made.serving])
        made.stage.close()


def ready(*, has_spoken: bool) -> Fact:
    return facts.CardReaderReady(device="shoe", model="", is_simulated=True, has_spoken=has_spoken)


async def test_an_open_line_proves_nothing_until_the_shoe_has_spoken() -> None:
    async with bench() as made:
        assert made.facts[:3] == [
            facts.CardReaderLost(device="shoe", why="not connected since the start"),
            ready(has_spoken=False),
            ready(has_spoken=True),
        ]
        assert made.told == [facts.ShoeStarted(device="shoe"), facts.ShoeStoodBy(device="shoe")]


@pytest.mark.parametrize("copies", [1, 3])
async def test_games_come_up_as_they_were_dealt_each_telegram_once(copies: int) -> None:
    """Tests 2 and 10 of the page: three copies are one event, and not one byte has left for the shoe."""
    async with bench(copies=copies) as made:
        for _ in range(6):
            while made.shoe.next_hand is not None:
                await made.do(made.shoe.draw)
            await made.do(made.shoe.press)
        assert made.told == made.expected
        assert len([fact for fact in made.told if isinstance(fact, facts.GameEnded)]) == 6
        drawn = [fact for fact in made.told if isinstance(fact, facts.CardDrawn)]
        assert [fact.card for fact in drawn] == [card.face for card in made.shoe.out]
        assert [(fact.target, fact.index) for fact in drawn[:4]] == [
            (Target.PLAYER, 1),
            (Target.BANKER, 1),
            (Target.PLAYER, 2),
            (Target.BANKER, 2),
        ]
        assert made.written == b""
        assert made.troubles == []


async def test_a_card_drawn_while_locked_or_in_error_is_outside_the_game() -> None:
    """Test 8 of the page, at the driver: such a card has no hand."""
    async with bench() as made:
        await made.do(lambda: made.shoe.turn_key(is_locked=True), made.shoe.draw)
        await made.do(lambda: made.shoe.turn_key(is_locked=False), made.shoe.draw, made.shoe.push_back, made.shoe.draw)
        await made.do(made.shoe.cancel_error, made.shoe.tell_again, made.shoe.draw, made.shoe.end_by_hand)
        kinds = [type(fact) for fact in made.told[2:]]
        assert kinds == [
            facts.ShoeLockTold,
            facts.CardDrawnOutside,
            facts.ShoeLockTold,
            facts.CardDrawn,
            facts.ShoeErrorBegan,
            facts.CardDrawnOutside,
            facts.ShoeErrorEnded,
            facts.CardDrawnAgain,
            facts.CardDrawn,
            facts.GameEnded,
            facts.ShoeStoodBy,
        ]
        outside = [fact for fact in made.told if isinstance(fact, facts.CardDrawnOutside)]
        assert [fact.mode for fact in outside] == [OutsideMode.LOCKED, OutsideMode.ERROR]
        assert facts.ShoeErrorBegan(device="shoe", code=4, is_stopped=True) in made.told
        ended = next(fact for fact in made.told if isinstance(fact, facts.GameEnded))
        assert ended.winner is Winner.FORCED
        assert made.told == made.expected


async def test_a_card_that_cannot_be_read_is_still_a_card() -> None:
    async with bench() as made:
        made.shoe.cards.top.printing = Printing.FADED
        await made.do(made.shoe.draw)
        drawn = next(fact for fact in made.told if isinstance(fact, facts.CardDrawn))
        assert drawn.card == facts.UNREAD
        assert made.told[-1] == facts.ShoeErrorBegan(device="shoe", code=1, is_stopped=True)


async def test_a_copy_that_is_damaged_costs_nothing_while_another_comes() -> None:
    async with bench() as made:
        made.lines[-1].provoke(LineFault.CORRUPT, Direction.IN)
        await made.do(made.shoe.draw)
        assert made.told == made.expected
        assert made.troubles == []


async def test_what_was_said_and_lost_is_told() -> None:
    """Only one copy, and it is damaged: nobody knows what it was, and that is a fact (nothing is lost in silence)."""
    async with bench(copies=1) as made:
        made.lines[-1].provoke(LineFault.CORRUPT, Direction.IN)
        await made.do(made.shoe.draw)
        assert made.told == made.expected[:-1]
        assert made.troubles == [LOST]


async def test_the_same_seq_with_another_content_is_an_event_and_a_warning() -> None:
    """Test 3 of the page."""
    async with bench() as made:
        for data in ("05 42 43 03 30 32", "05 42 50 03 31 31"):
            await made.do(lambda data=data: made.face.say_raw(bytes.fromhex(data)))  # type: ignore[misc]
        assert made.told[-2:] == [facts.CutCardSeen(device="shoe"), facts.ShoeStoodBy(device="shoe")]
        assert made.troubles == [CONTRADICTED]


async def test_a_telegram_that_is_none_is_heard_of_without_its_card() -> None:
    async with bench() as made:
        await made.do(lambda: made.face.say_raw(bytes.fromhex("05 39 44 80 B8 03 34 36")))
        (why,) = made.troubles
        assert "telegram D" in why
        assert not any(suit in why for suit in facts.SUITS)


async def test_another_speed_is_said_once_in_words() -> None:
    async with bench() as made:
        for _ in range(5):
            await made.do(lambda: made.face.say_raw(bytes(range(0x40, 0x58))))
        assert made.troubles == [NO_TELEGRAM]


async def test_a_cable_that_breaks_comes_back_and_copies_stay_copies() -> None:
    async with bench() as made:
        await made.do(made.shoe.draw)
        made.stage.act(made.shoe.draw)
        await made.lines[-1].close()
        await made.until(lambda: len(made.lines) == 2)
        await asyncio.sleep(3.0)
        assert made.told == made.expected
        assert ready(has_spoken=True) == [fact for fact in made.facts if isinstance(fact, facts.CardReaderReady)][-1]
        assert any(isinstance(fact, facts.CardReaderLost) for fact in made.facts[3:])


async def test_a_shoe_that_is_switched_off_and_on_is_heard_from_its_start() -> None:
    async with bench() as made:
        await made.do(made.shoe.draw)
        made.stage.act(made.face.power_off)
        made.stage.act(lambda: made.face.boot(made.stage.now_ns))
        await asyncio.sleep(3.0)
        await made.do(made.shoe.draw)
        assert made.told == made.expected
        assert [fact for fact in made.told if isinstance(fact, facts.ShoeStarted)] == [made.told[0]] * 2


# --- commands: a session of engineering, and one that only listens ---------------------------------------------


@dataclass
class Talk:
    made: Bench
    session: ShoeSession
    said: list[Said | Unreadable]


@asynccontextmanager
async def talking(*, is_engineering: bool, host_stx: bool = True, shoe_stx: bool = True) -> AsyncIterator[Talk]:
    made, heard = new_bench(bcc_includes_stx=shoe_stx), list[Said | Unreadable]()

    async def take(said: Said | Unreadable) -> None:
        heard.append(said)

    made.stage.act(lambda: made.face.boot(made.stage.now_ns))
    session = ShoeSession(
        await made.connect(), LinkCounts(), Copies(), take, is_engineering=is_engineering, bcc_includes_stx=host_stx
    )
    running = asyncio.create_task(session.run())
    await asyncio.sleep(1.0)
    try:
        yield Talk(made, session, heard)
    finally:
        running.cancel()
        await asyncio.wait([running, *made.serving])
        made.stage.close()


@pytest.mark.parametrize("command", [LOCK, UNLOCK, CONFIRM_GAME, cancel_error(1)])
async def test_a_session_that_listens_sends_no_command(command: Command) -> None:
    """Test 10 of the page."""
    async with talking(is_engineering=False) as talk:
        with pytest.raises(ReadOnly, match="only listens"):
            await talk.session.command(command)
        assert talk.made.written == b""


async def test_a_command_is_answered_by_ack_and_shows_in_what_the_shoe_says() -> None:
    async with talking(is_engineering=True) as talk:
        assert await talk.session.command(LOCK) == Answer(None)
        assert talk.made.shoe.is_locked
        await asyncio.sleep(1.0)
        assert isinstance(talk.said[-1], Said)
        assert fact_of("shoe", talk.said[-1].message) == facts.ShoeLockTold(device="shoe", is_locked=True)
        assert await talk.session.command(CONFIRM_GAME) == Answer(None)
        assert await talk.session.command(cancel_error(7)) == Answer(Refusal.FORMAT), "it does not stand"
        assert talk.made.face.commands == [LOCK, CONFIRM_GAME, cancel_error(7)]


@pytest.mark.parametrize("says_stx", [True, False])
async def test_a_block_on_the_line_is_checked_with_the_span_of_the_tables_file(says_stx: bool) -> None:
    """Issue 4: BCC span configurable. What another program asked a register of, say."""
    settings = ShoeSettings("shoe", "memory://shoe", bcc_includes_stx=says_stx)
    for has_stx in (True, False):
        async with bench(settings=settings) as made:
            assert made.driver is not None
            block = encode_block(Block(b"RG01"), bcc_includes_stx=has_stx)
            made.stage.act(partial(made.face.say_raw, block))
            await asyncio.sleep(1.0)
            bad = made.driver.counts.garbage[GarbageReason.BAD_CHECK]
            assert bad == (0 if has_stx is says_stx else 1)


@pytest.mark.parametrize("shoe_stx", [True, False])
async def test_which_span_the_check_has_is_found_by_trying(shoe_stx: bool) -> None:
    for host_stx in (True, False):
        async with talking(is_engineering=True, host_stx=host_stx, shoe_stx=shoe_stx) as talk:
            answer = await talk.session.command(LOCK)
            assert answer == (Answer(None) if host_stx is shoe_stx else Answer(Refusal.CHECK))
            assert talk.made.shoe.is_locked is (host_stx is shoe_stx)


async def test_a_command_that_is_not_answered_is_unknown_and_goes_out_once() -> None:
    async with talking(is_engineering=True) as talk:
        talk.made.stage.act(talk.made.face.power_off)
        assert await talk.session.command(LOCK) is None
        assert talk.made.written.count(b"OPLK02") == 1
        first = asyncio.create_task(talk.session.command(LOCK))
        await asyncio.sleep(0)
        with pytest.raises(ReadOnly, match="another command"):
            await talk.session.command(UNLOCK)
        assert await first is None
        await talk.made.lines[-1].close()
        with pytest.raises(SessionOver):
            await talk.session.command(LOCK)
