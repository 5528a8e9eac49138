"""Our driver of a TDL card reader (profile 3) on the simulated one: cards read, unread and double; refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from drivers.card_events import UNREAD, CardPassed
from drivers.events import (
    Ability,
    CardsOut,
    CommandAnswered,
    CommandEnded,
    DeviceBooted,
    DeviceFaulted,
    DeviceFaultGone,
    DeviceReady,
    Fact,
    Holding,
    LevelsRead,
    Notice,
    NoticesLost,
    NoticeUnknown,
    Outcome,
    PermitAnswered,
    PermitKind,
    Reason,
    Tampered,
    Verb,
)
from drivers.readers.tdl_card_reader import NOTICE_KINDS, TdlCardReader
from drivers.tdl import Surroundings, TdlSettings
from drivers.tdl.facts import notice_fact
from drivers.tdl.words import card_word
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.session.tdl import Noticed
from firmware_bridge.wire.tdl.codes import BootCause, NoticeKind
from simulator.faces.memory import Memory
from simulator.faces.tdl_card_reader import CardReaderEquipment, new_card_reader
from simulator.faces.tdl_device import TdlDevice
from simulator.runner import Outlet, Stage
from simulator.world.card_reader import CardReader
from simulator.world.cards import Back, Card, Pile, Printing, new_deck

pytestmark = pytest.mark.virtual_time

EPOCH = 0xA1B2C3D4
DEADLINE_S = 60.0


@dataclass
class Bench:
    """The reader at a mouth, cards, its driver, and a host that adopts it and acknowledges."""

    stage: Stage
    reader: CardReader
    face: TdlDevice
    outlet: Outlet
    mouth: Pile
    cards: Pile
    facts: list[Fact] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    serving: list[asyncio.Task[None]] = field(default_factory=list)
    driver: TdlCardReader | None = None
    acknowledges: bool = True

    def told(self, kind: type[Fact]) -> list[Fact]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the device's, which tells nobody that it changed
                await asyncio.sleep(0.01)

    async def deal(self, count: int = 1) -> list[Card]:
        """So many cards one after the other, each taken away by the dealer."""
        dealt = []
        for _ in range(count):
            card = self.cards.top
            self.stage.act(lambda card=card: card.move_to(self.mouth))  # type: ignore[misc]  # bound here
            await asyncio.sleep(0.5)
            dealt.append(card)
        return dealt

    async def report(self, fact: Fact) -> None:
        self.facts.append(fact)
        assert self.driver is not None
        if isinstance(fact, DeviceReady):
            if fact.epoch != EPOCH:
                self.driver.command(Verb.ADOPT, EPOCH, 1, 0)
            held = [one.number for one in self.facts if isinstance(one, Notice) and one.boot == fact.boot]
            self.driver.resume_notices(fact.boot, max(held, default=0))
        elif isinstance(fact, Notice) and self.acknowledges:
            self.driver.acknowledge(fact.boot, fact.number)

    async def connect(self) -> Link:
        host, device = memory_pair("eye")
        self.serving.append(asyncio.create_task(self.outlet.serve(device)))
        self.links.append(host)
        return host


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    stage, mouth, cards = Stage(), Pile("mouth"), Pile("cards")
    new_deck(1, Back.RED, cards)
    reader = CardReader("eye", lambda: cards, lambda card: card.pile is cards)
    stage.add_world(reader)
    face = new_card_reader(reader, Memory(), serial="000333")
    made = Bench(stage, reader, face, stage.add_face(face), mouth, cards)
    stage.act(lambda: face.boot(stage.now_ns))
    around = Surroundings(made.report, made.connect, iter(range(1, 1000)).__next__, EPOCH)
    made.driver = TdlCardReader(TdlSettings("eye", "memory://eye", "000333", "READER-SIM"), around)
    running = asyncio.create_task(made.driver.run())
    await made.until(lambda: made.told(CommandAnswered))
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running, *made.serving])
        stage.close()


async def test_identity_and_abilities_are_those_of_the_profile() -> None:
    async with bench() as made:
        (ready,) = made.told(DeviceReady)
        assert isinstance(ready, DeviceReady)
        assert (ready.model, ready.serial, ready.is_simulated) == ("READER-SIM", "000333", True)
        held = {ability for ability, holding in ready.abilities.items() if holding is not Holding.CANNOT}
        assert held == {Ability.COUNT_OUT}
        assert (ready.meter_out, ready.content, ready.is_lid_open) == (0, None, None)


async def test_each_card_is_told_once_with_its_identity_and_the_meter_says_how_many() -> None:
    async with bench() as made:
        dealt = await made.deal(5)
        passed = [(fact.count, fact.card, fact.back) for fact in made.told(CardPassed) if isinstance(fact, CardPassed)]
        assert passed == [(number, card.face, 1) for number, card in enumerate(dealt, 1)]
        (*_, last) = made.told(CardsOut)
        assert isinstance(last, CardsOut)
        assert last.meter == 5


async def test_a_card_that_cannot_be_read_is_told_as_unread() -> None:
    async with bench() as made:
        made.cards.top.printing = Printing.FADED
        await made.deal(2)
        first, second = made.told(CardPassed)
        assert isinstance(first, CardPassed)
        assert isinstance(second, CardPassed)
        assert (first.card, first.back) == (UNREAD, None)
        assert second.card != UNREAD


async def test_two_stuck_together_are_one_and_dust_makes_two_of_one() -> None:
    """What only the machine's count can tell: the reader is honest and wrong."""
    async with bench() as made:
        pair = [made.cards.top, list(made.cards)[-2]]
        made.stage.act(lambda: [card.move_to(made.mouth) for card in pair])
        await asyncio.sleep(1)
        assert [fact.count for fact in made.told(CardPassed) if isinstance(fact, CardPassed)] == [1]
        assert len(made.reader.missed) == 1
        made.reader.doubles_next = True
        await made.deal()
        assert [fact.count for fact in made.told(CardPassed) if isinstance(fact, CardPassed)] == [1, 2, 3]


async def test_cards_that_fell_while_the_cable_was_away_come_when_it_is_back() -> None:
    async with bench() as made:
        await made.links[-1].close()
        dealt = await made.deal(3)
        await made.until(lambda: len(made.told(CardPassed)) == 3)
        assert [fact.card for fact in made.told(CardPassed) if isinstance(fact, CardPassed)] == [
            card.face for card in dealt
        ]


async def test_more_than_it_can_keep_is_said_to_be_lost_and_the_meter_still_counts() -> None:
    async with bench() as made:
        made.acknowledges = False
        await made.deal(30)
        made.acknowledges = True
        (*_, last) = made.told(Notice)
        assert isinstance(last, Notice)
        assert made.driver is not None
        made.driver.acknowledge(last.boot, last.number)  # the journal can be written again
        await made.until(lambda: made.told(NoticesLost))
        await made.until(lambda: any(isinstance(fact, LevelsRead) and fact.meter_out == 30 for fact in made.facts))
        assert len({fact.count for fact in made.told(CardPassed) if isinstance(fact, CardPassed)}) < 30


async def test_its_test_of_itself_passes_or_says_that_its_eye_is_dead() -> None:
    async with bench() as made:
        assert made.driver is not None
        made.driver.command(Verb.SELF_TEST, EPOCH, 2, 0)
        await made.until(lambda: made.told(CommandEnded))
        made.stage.act(lambda: setattr(made.reader, "has_dead_eye", True))
        made.driver.command(Verb.SELF_TEST, EPOCH, 3, 1)
        await made.until(lambda: len(made.told(CommandEnded)) == 2)
        ends = [(fact.command, fact.outcome) for fact in made.told(CommandEnded) if isinstance(fact, CommandEnded)]
        assert ends == [(2, Outcome.DONE), (3, Outcome.FAILED)]
        assert made.told(DeviceFaulted)
        made.stage.act(lambda: setattr(made.reader, "has_dead_eye", False))
        await made.until(lambda: made.told(DeviceFaultGone))


async def test_what_it_cannot_do_is_refused_where_it_would_be_asked() -> None:
    async with bench() as made:
        assert made.driver is not None
        made.driver.permit(PermitKind.DEAL, 1_000, None)
        made.driver.command(Verb.COUNT_ALL, EPOCH, 9, None)
        made.driver.command(Verb.SELF_TEST, EPOCH, 10, 7)
        await made.until(lambda: len(made.told(CommandAnswered)) >= 3)
        assert made.told(PermitAnswered) == [
            PermitAnswered(device="eye", what=PermitKind.DEAL, reason=Reason.NOT_OFFERED)
        ]
        reasons = [
            (fact.command, fact.reason) for fact in made.told(CommandAnswered) if isinstance(fact, CommandAnswered)
        ]
        assert (9, Reason.NOT_OFFERED) in reasons
        assert (10, Reason.ARGUMENT) in reasons


async def test_a_cover_that_is_opened_and_a_restart_are_told() -> None:
    async with bench() as made:
        await made.deal()
        made.stage.act(lambda: setattr(made.reader, "is_cover_open", True))
        await made.until(lambda: made.told(Tampered))
        made.stage.act(lambda: made.face.reset(made.stage.now_ns, BootCause.WATCHDOG))
        await made.until(lambda: len(made.told(DeviceReady)) == 2)
        await made.until(lambda: len(made.told(DeviceBooted)) == 2)
        await made.deal()
        *_, last = made.told(CardPassed)
        assert isinstance(last, CardPassed)
        assert (last.boot, last.count) == (2, 1), "it counts since its boot"


def test_its_memory_may_fail_and_it_still_sees() -> None:
    reader = CardReader("eye", lambda: Pile("nose"), lambda card: True)
    equipment = CardReaderEquipment(reader, "000333")
    equipment.memory_failed()
    assert equipment.clear_fault(8, 0)
    reader.has_dead_eye = True
    assert not equipment.clear_fault(6, 2)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "?*"),
        (1, "X*"),
        (2, "C*"),
        (0x11, "A♣"),
        (0x48, "8♠"),
        (0x2A, "T♦"),
        (0x3D, "K♥"),
        (0x10, "?*"),
        (0x1E, "?*"),
    ]
    + [(number, "?*") for number in (3, 0x51, 255)],
)
def test_card_numbers_of_the_wire(number: int, text: str) -> None:
    """TDL 14.2: what is none of these is a card that nobody has read."""
    assert card_word(number) == text


@pytest.mark.parametrize("kinds", [NOTICE_KINDS, frozenset({NoticeKind.BOOTED})], ids=["reader", "another device"])
def test_a_card_notice_that_makes_no_sense_is_kept_without_its_card(kinds: frozenset[int]) -> None:
    """semantics §6: kept raw it would tell the card in the clear."""
    body = {0: 1, 1: 5, 2: 0, 3: 7, 4: 0x48} if NoticeKind.CARD_READ not in kinds else {0: 1, 1: 5, 2: 0, 4: 0x48}
    fact = notice_fact("eye", Noticed(NoticeKind.CARD_READ, 1, 5, 0, body), kinds)
    assert fact == NoticeUnknown(device="eye", boot=1, number=5, kind=NoticeKind.CARD_READ, body="")
