"""A plain shuffler watched through an I/O board: what its lamp, lid, gates and tray tell, and what they cannot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from drivers.events import (
    Ability,
    CardJammed,
    CardsIn,
    CardsOut,
    CommandAnswered,
    DeviceFaulted,
    DeviceFaultGone,
    DeviceLost,
    DeviceReady,
    Holding,
    JamGone,
    LevelsRead,
    LidClosed,
    LidOpened,
    Notice,
    NoticesLost,
    Outcome,
    PacketEnded,
    PermitKind,
    Place,
    Reason,
    TrayLevel,
    Verb,
)
from drivers.shufflers.retrofit_shuffler import RetrofitSettings, RetrofitShuffler
from drivers.shufflers.wiring import Contact, Gate, JamLight, Lamp, Wiring
from simulator.world import hands
from simulator.world.happenings import Spot
from simulator.world.lamp import Colour, Light
from simulator.world.table import TRAY
from tests.support.modbus_bench import CARD_IN, CARD_OUT, LAMP, LID, SERIAL, TRAY_CONTACT, Bench, bench

pytestmark = pytest.mark.virtual_time


def wiring(*, jam: JamLight = JamLight.LIT, has_counters: bool = True, poll_ms: int = 20) -> Wiring:
    """As the bench has it."""
    return Wiring(
        poll_ms=poll_ms if has_counters else 10,
        jam_lamp=Lamp(input=LAMP, jam=jam),
        lid=Contact(input=LID, is_active_low=True),
        card_in=Gate(counter=CARD_IN) if has_counters else Gate(input=CARD_IN),
        card_out=Gate(counter=CARD_OUT) if has_counters else Gate(input=CARD_OUT),
        tray=Contact(input=TRAY_CONTACT, debounce_ms=200),
    )


@asynccontextmanager
async def watched(
    wired: Wiring | None = None, *, is_tcp: bool = False
) -> AsyncIterator[tuple[Bench, RetrofitShuffler]]:
    async with bench(is_tcp=is_tcp) as made:
        sessions = iter(range(5, 1_000))
        settings = RetrofitSettings("shuffler", SERIAL, "one of them", wired or wiring(), 7)
        driver = RetrofitShuffler(settings, made.bus, made.report, lambda: next(sessions))
        made.start(driver.run())
        await made.until(lambda: made.last(DeviceReady))
        yield made, driver


def jam(made: Bench) -> None:
    """A card sticks at the exit: the machine sees it at its sensors and lights its lamp, which blinks."""
    made.act(lambda: made.plain.machine.carousel.jammed.add(Spot.EXIT))
    made.act(lambda: made.plain.machine._begin_jam(Spot.EXIT))


async def unjam(made: Bench) -> None:
    """Somebody opens the lid, takes the card out, and shuts it."""
    made.act(lambda: made.plain.machine.lid_moved(is_open=True))
    await asyncio.sleep(2)
    made.act(lambda: made.plain.machine.carousel.jammed.clear())
    made.act(lambda: made.plain.machine.lid_moved(is_open=False))


async def draw(made: Bench) -> None:
    """The dealer pulls a card, as soon as one lies at the nose."""
    felt = made.table.felt["seat 1"]
    before = len(felt)

    def pull() -> bool:
        made.act(lambda: hands.draw(made.plain.machine, felt))
        return len(felt) > before

    await made.until(pull)


@pytest.mark.parametrize("is_tcp", [False, True])
async def test_a_round_of_cards_is_counted_in_and_out(*, is_tcp: bool) -> None:
    async with watched(is_tcp=is_tcp) as (made, driver):
        ready = made.last(DeviceReady)
        assert ready is not None
        assert (ready.serial, ready.boot, ready.epoch, ready.content) == (SERIAL, 5, 7, None)
        assert ready.counters is not None
        assert not ready.is_content_unverified
        driver.permit(PermitKind.FEED, 2_000, 52)
        made.feed(52)
        await made.until(lambda: made.last(PacketEnded))
        told, ended = made.last(CardsIn), made.last(PacketEnded)
        assert told is not None
        assert told.meter == 52 == made.plain.gate_in.passed
        assert ended is not None
        assert ended.cards == 52
        for _ in range(5):
            await draw(made)
        await made.until(lambda: (out := made.last(CardsOut)) is not None and out.meter == 5)
        notices = [fact for fact in made.facts if isinstance(fact, Notice)]
        assert [notice.number for notice in notices] == list(range(1, len(notices) + 1))
        assert {notice.boot for notice in notices} == {5}


async def test_a_packet_ends_where_feeding_is_permitted_only() -> None:
    """The end is inferred from silence: nobody is told of one that nobody waits for."""
    async with watched() as (made, driver):
        driver.permit(PermitKind.FEED, 10_000, 20)
        made.feed(20)
        await made.until(lambda: (told := made.last(CardsIn)) is not None and told.meter == 20)
        driver.revoke(PermitKind.FEED)
        await asyncio.sleep(10)
        assert made.count(PacketEnded) == 0


def test_what_it_can_is_observed_or_cannot_be_had() -> None:
    """No rule is ever said to be enforced by wires that only look."""
    from drivers.shufflers.retrofit_shuffler import ABILITIES

    assert set(ABILITIES) == set(Ability)
    assert Holding.ENFORCES not in ABILITIES.values()
    assert ABILITIES[Ability.COUNT_ALL] is Holding.CANNOT
    assert ABILITIES[Ability.DEAL] is Holding.OBSERVES


@pytest.mark.parametrize("means", [JamLight.LIT, JamLight.BLINKING])
async def test_a_jam_is_told_by_the_machine_s_own_lamp_once(means: JamLight) -> None:
    """The lamp blinks: dark halves do not end the jam, and each flash is not another one."""
    async with watched(wiring(jam=means)) as (made, _driver):
        jam(made)
        await made.until(lambda: made.last(CardJammed))
        await asyncio.sleep(10)
        assert [fact.place for fact in made.facts if isinstance(fact, CardJammed)] == [Place.UNKNOWN]
        assert made.count(JamGone) == 0
        await unjam(made)
        await made.until(lambda: made.last(JamGone))
        assert (made.count(LidOpened), made.count(LidClosed), made.count(CardJammed)) == (1, 1, 1)


async def test_a_light_that_means_something_else_is_a_fault_and_no_jam() -> None:
    async with watched(wiring(jam=JamLight.BLINKING)) as (made, _driver):
        made.act(lambda: jam_without_blinking(made))
        await made.until(lambda: made.last(DeviceFaulted))
        assert made.count(CardJammed) == 0
        await unjam(made)
        await made.until(lambda: made.last(DeviceFaultGone))


def jam_without_blinking(made: Bench) -> None:
    made.plain.machine._begin_jam(Spot.EXIT)
    made.plain.machine.set_lamp(Light(Colour.RED))


async def test_a_jam_that_stands_when_we_come_is_found() -> None:
    async with bench() as made:
        jam(made)
        settings = RetrofitSettings("shuffler", SERIAL, "one", wiring(), 7)
        made.start(RetrofitShuffler(settings, made.bus, made.report, lambda: 1).run())
        await made.until(lambda: made.last(DeviceReady))
        ready = made.last(DeviceReady)
        assert ready is not None
        assert ready.faults == ((0, Place.UNKNOWN),)


async def test_the_tray_tells_something_or_nothing() -> None:
    async with watched() as (made, _driver):
        made.feed(20)
        await made.until(lambda: (told := made.last(CardsIn)) is not None and told.meter == 20)
        await draw(made)
        made.act(lambda: made.table.felt["seat 1"].move_all(made.table.felt[TRAY]))
        await made.until(lambda: made.last(TrayLevel))
        made.act(lambda: made.table.felt[TRAY].move_all(made.table.felt["seat 1"]))
        await made.until(lambda: made.count(TrayLevel) == 2)
        assert [fact.fill_percent for fact in made.facts if isinstance(fact, TrayLevel)] == [None, 0]


async def test_counters_go_on_while_the_cable_is_out() -> None:
    """Cards that pass meanwhile are posted, in the same boot: the board has counted them."""
    async with watched() as (made, _driver):
        made.feed(30)
        await made.until(lambda: (told := made.last(CardsIn)) is not None and told.meter == 30)
        await made.lines[-1].close()
        await made.until(lambda: made.count(DeviceLost) == 2)
        made.feed(10)
        await made.until(lambda: made.count(DeviceReady) == 2)
        await made.until(lambda: (told := made.last(CardsIn)) is not None and told.meter == 40)
        assert {fact.boot for fact in made.facts if isinstance(fact, CardsIn)} == {5}
        assert made.count(NoticesLost) == 0


async def test_a_board_that_lost_its_power_begins_anew() -> None:
    """Its counters are at nothing: what passed meanwhile nobody knows, and the next boot says from where it counts."""
    async with watched() as (made, _driver):
        made.feed(30)
        await made.until(lambda: (told := made.last(CardsIn)) is not None and told.meter == 30)
        made.power(is_on=False)
        made.power(is_on=True)
        await made.until(lambda: made.count(DeviceReady) == 2)
        first, second = (fact for fact in made.facts if isinstance(fact, DeviceReady))
        assert (first.boot, second.boot) == (5, 6)
        assert second.counters is not None
        assert second.counters.cards_in == 0
        made.feed(3)
        await made.until(lambda: (told := made.last(CardsIn)) is not None and (told.boot, told.meter) == (6, 3))


async def test_without_counters_every_card_is_seen_while_the_polls_are_quick_enough() -> None:
    async with watched(wiring(has_counters=False)) as (made, driver):
        driver.permit(PermitKind.FEED, 2_000, 52)
        ready = made.last(DeviceReady)
        assert ready is not None
        assert ready.is_content_unverified, "what passed before we came nobody knows"
        made.feed(52)
        await made.until(lambda: made.last(PacketEnded))
        told = made.last(CardsIn)
        assert told is not None
        assert told.meter == 52
        assert made.count(NoticesLost) == 0


async def test_without_counters_a_gap_of_polls_is_said() -> None:
    """A pulse can be shorter than a gap between two polls: what may have passed unseen is never passed over."""
    async with watched(wiring(has_counters=False)) as (made, _driver):
        made.face.answer_ns = 60_000_000
        await made.until(lambda: made.last(NoticesLost))
        await asyncio.sleep(5)
        assert made.count(NoticesLost) == 1, "once, not at each poll"


async def test_nothing_is_moved_and_everything_is_refused() -> None:
    async with watched() as (made, driver):
        driver.permit(PermitKind.DEAL, 60_000, None)
        driver.revoke(PermitKind.DEAL)
        driver.command(Verb.EJECT_ALL, 7, 12, None)
        driver.read_levels()
        await made.until(lambda: made.last(CommandAnswered) and made.last(LevelsRead))
        answered, levels = made.last(CommandAnswered), made.last(LevelsRead)
        assert answered is not None
        assert (answered.outcome, answered.reason) == (Outcome.REFUSED, Reason.NOT_OFFERED)
        assert levels is not None
        assert (levels.content, levels.areas, levels.is_path_clear) == (None, None, None)
        assert made.board.coils == [False] * 8


async def test_a_board_without_power_is_away_and_comes_back() -> None:
    async with watched() as (made, driver):
        made.power(is_on=False)
        await made.until(lambda: made.count(DeviceLost) == 2)
        assert not driver.is_connected
        made.power(is_on=True)
        await made.until(lambda: made.count(DeviceReady) == 2)
