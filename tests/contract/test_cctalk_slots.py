"""What chip slots with ccTalk acceptors promise, through bus, session and driver, on simulated ones."""

from __future__ import annotations

import asyncio

import pytest

from drivers.events import (
    ChipReturn,
    ChipReturned,
    ChipsIn,
    DeviceFaulted,
    DeviceFaultGone,
    DeviceLost,
    DeviceReady,
    DeviceRejected,
    LevelsRead,
    PermitAnswered,
    PermitEnded,
    PermitEnding,
    PermitKind,
    SlotEvents,
    SlotTroubled,
)
from firmware_bridge.session.cctalk.bus import SILENT_LINK_S
from firmware_bridge.wire.cctalk.frame import Check
from simulator.line import Direction, LineFault
from simulator.world.coin_acceptor import UNKNOWN_COIN, CoinAcceptor
from tableside.cabling import silence_since
from tests.support.cctalk_bench import CHIP, OTHER, bench

pytestmark = pytest.mark.virtual_time


@pytest.mark.parametrize("has_echo", [True, False], ids=["single wire", "no echo"])
@pytest.mark.parametrize("check", Check)
async def test_a_chip_counts_while_the_permit_stands_and_not_after(check: Check, *, has_echo: bool) -> None:
    async with bench(has_echo=has_echo, check=check) as made:
        ready = made.told(DeviceReady)[0]
        assert (ready.serial, ready.model, ready.maker) == ("1", "CCT-SIM", "SIM")
        assert not made.acceptors[1].accepts, "shut before anything else"
        await made.open()
        made.drop()
        await made.until(lambda: made.told(ChipsIn))
        assert [(fact.seat, fact.meter) for fact in made.told(ChipsIn)] == [(1, 1)]
        shut = await made.shut()
        assert (shut.permits, shut.chips_in) == ((), (1,))
        assert [fact.why for fact in made.told(PermitEnded)] == [PermitEnding.REVOKED]
        made.drop()
        await made.until(lambda: made.told(ChipReturned))
        assert made.told(ChipReturned)[0].why is ChipReturn.LATE
        assert (made.acceptors[1].box, made.acceptors[1].cup, len(made.told(ChipsIn))) == (1, 1, 1)
        assert bool(made.bus.counts.echoes) is has_echo


async def test_other_coins_and_none_come_back_with_a_reason() -> None:
    async with bench() as made:
        await made.open()
        made.drop(coin=OTHER)
        await made.until(lambda: len(made.told(ChipReturned)) == 1)
        made.drop(coin=UNKNOWN_COIN)
        await made.until(lambda: len(made.told(ChipReturned)) == 2)
        assert [fact.why for fact in made.told(ChipReturned)] == [ChipReturn.VALUE, ChipReturn.UNREAD]
        assert made.told(SlotEvents)[-1].counter == 2


async def test_a_chip_on_its_way_when_the_slot_shuts_is_told_before_the_word_that_it_is_shut() -> None:
    """JP-11: it had passed the gate; the table hears of it first, and of nothing afterwards."""
    async with bench() as made:
        await made.open()
        made.drop()
        await asyncio.sleep(0.13)  # past the gate, not yet at the credit sensor
        shut = await made.shut()
        assert shut.chips_in == (1,)
        kinds = [type(fact) for fact in made.facts if isinstance(fact, ChipsIn | LevelsRead)]
        assert kinds == [ChipsIn, LevelsRead]


async def test_a_permit_that_nobody_renews_shuts_the_slot() -> None:
    async with bench() as made:
        await made.open(ms=1_000)
        await made.until(lambda: made.told(PermitEnded))
        assert made.told(PermitEnded)[0].why is PermitEnding.TIME
        assert not made.acceptors[1].accepts


async def test_the_counter_wraps_from_255_to_1_and_each_chip_counts_once() -> None:
    async with bench() as made:
        await made.open()
        for number in range(1, 261):
            made.slots[1].permit(PermitKind.SLOTS, 60_000, None)
            made.drop()
            await made.until(lambda number=number: len(made.told(ChipsIn)) == number)  # type: ignore[misc]
        assert made.told(ChipsIn)[-1].meter == 260
        assert not made.told(SlotTroubled)


async def test_events_that_were_pushed_out_are_an_alarm_and_no_credit() -> None:
    """Five are kept: the sixth and seventh before them are gone, and nobody guesses what they were."""
    async with bench() as made:
        await made.open()
        made.face.dead.add(11)
        for _ in range(7):
            made.stage.act(lambda: made.acceptors[1].event(CHIP, 1))
        made.face.dead.clear()
        await made.until(lambda: made.told(SlotTroubled))
        assert "2 event(s) came too quickly" in made.told(SlotTroubled)[0].why
        await made.until(lambda: len(made.told(ChipsIn)) == 5)
        assert made.slots[1].counts.events_lost == 2


async def test_a_reset_in_play_gives_no_credit_and_is_an_alarm() -> None:
    async with bench() as made:
        await made.open()
        made.drop()
        await made.until(lambda: made.told(ChipsIn))
        made.stage.act(made.acceptors[1].forget)
        await made.until(lambda: len(made.told(DeviceReady)) == 2)
        again = made.told(DeviceReady)[1]
        assert (again.chips_in, again.boot > made.told(DeviceReady)[0].boot) == ((0,), True)
        assert "restarted while it took chips" in made.told(SlotTroubled)[0].why
        assert len(made.told(ChipsIn)) == 1


async def test_a_reset_while_shut_is_no_alarm() -> None:
    async with bench() as made:
        await made.open()
        made.drop()
        await made.until(lambda: made.told(ChipsIn))
        await made.shut()
        made.stage.act(made.acceptors[1].forget)
        await made.until(lambda: len(made.told(DeviceReady)) == 2)
        assert not made.told(SlotTroubled)
        assert not made.acceptors[1].accepts or not made.acceptors[1].coins, "shut again at once"


async def test_power_that_fails_between_poll_and_opening_leaves_it_shut() -> None:
    async with bench() as made:
        made.stage.act(made.face.power_off)
        made.slots[1].permit(PermitKind.SLOTS, 60_000, None)
        await made.until(lambda: len(made.told(DeviceLost)) == 2)
        made.stage.act(lambda: made.face.boot(made.stage.now_ns))
        await made.until(lambda: len(made.told(DeviceReady)) == 2)
        await asyncio.sleep(1)
        assert not made.acceptors[1].accepts


async def test_an_echo_that_differs_is_a_collision_and_the_read_is_asked_again() -> None:
    """BR-005: what was sent is taken off by content; a changed echo is another speaker, and nobody goes away for it."""
    async with bench() as made:
        for after in (0, 1):  # an echo, a reply
            made.lines[0].provoke(LineFault.CORRUPT, Direction.IN, after=after)
            await asyncio.sleep(0.5)
        assert made.bus.counts.collisions == 1
        await asyncio.sleep(1)
        assert len(made.told(DeviceReady)) == 1
        assert len(made.told(DeviceLost)) == 1, "only that of the start"


async def test_a_garbled_reply_is_asked_again_and_counts_nothing_twice() -> None:
    async with bench(has_echo=False) as made:
        await made.open()
        made.drop()
        for _ in range(40):
            made.lines[0].provoke(LineFault.CORRUPT, Direction.IN)
            await asyncio.sleep(0.03)
        await made.until(lambda: made.told(ChipsIn))
        await asyncio.sleep(2)
        assert len(made.told(ChipsIn)) == 1
        assert made.slots[1].counts.repeats + made.slots[2].counts.repeats > 0
        assert made.bus.counts.garbage_bytes > 0


async def test_a_dead_station_is_lost_and_comes_back_and_its_neighbour_goes_on() -> None:
    async with bench() as made:
        await made.until(lambda: made.told(DeviceReady, 2))
        made.face.dead.add(11)
        await made.until(lambda: len(made.told(DeviceLost)) == 2)
        before, begun_s = made.slots[2].counts.commands, asyncio.get_running_loop().time()
        await asyncio.sleep(10)
        period_s = (asyncio.get_running_loop().time() - begun_s) / (made.slots[2].counts.commands - before)
        assert period_s < 0.15
        made.face.dead.clear()
        await made.until(lambda: len(made.told(DeviceReady)) == 2)
        await made.open(2)
        made.drop(2)
        await made.until(lambda: made.told(ChipsIn, 2))


@pytest.mark.parametrize("check", Check)
async def test_two_acceptors_set_to_one_address_are_away_and_the_neighbour_is_not(check: Check) -> None:
    """docs/protocols/cctalk.md, 6: their serial numbers differ, so no set-up comes to its end."""
    async with bench(check=check, twin=CoinAcceptor("twin", serial=0x0102)) as made:
        await made.until(lambda: made.told(DeviceReady, 2))
        await asyncio.sleep(30)
        assert not made.told(DeviceReady)
        assert not made.slots[1].is_connected
        assert made.slots[1].counts.misses > 0
        assert made.slots[2].is_connected
        made.face.twins.clear()
        await made.until(lambda: made.told(DeviceReady))


async def test_a_second_acceptor_that_is_plugged_in_at_an_open_slots_address_counts_nothing_and_is_shut() -> None:
    """docs/protocols/cctalk.md, 6: what they say alike is one answer; the first chip makes their counters differ."""
    async with bench() as made:
        twin = made.face.twins[11] = CoinAcceptor("twin", serial=0x0102)
        twin.power_on()
        await made.open()
        assert twin.accepts, "it was told so too"
        made.drop()
        await made.until(lambda: len(made.told(DeviceLost)) == 2)
        assert not made.told(ChipsIn)
        await made.until(lambda: not made.acceptors[1].accepts and not twin.accepts)
        made.face.twins.clear()
        await made.until(lambda: made.told(ChipsIn))
        assert made.told(ChipsIn)[-1].meter == 1, "once it can be asked alone it tells what it took"


@pytest.mark.parametrize("has_echo", [True, False], ids=["single wire", "no echo"])
async def test_a_wire_on_which_nobody_answers_is_made_anew(*, has_echo: bool) -> None:
    """BR-005: what comes back of our own is no answer."""
    async with bench(has_echo=has_echo, is_on=False) as made:
        await asyncio.sleep(SILENT_LINK_S - 5)
        assert len(made.lines) == 1
        await made.until(lambda: len(made.lines) > 1)
        made.stage.act(lambda: made.face.boot(made.stage.now_ns))
        await made.until(lambda: made.told(DeviceReady, 2) and made.told(DeviceReady))
        links = len(made.lines)
        await asyncio.sleep(2 * SILENT_LINK_S)
        assert len(made.lines) == links, "they answer"


async def test_since_when_a_slot_is_silent_is_its_own_though_the_wire_is_not() -> None:
    async with bench() as made:
        await made.until(lambda: made.told(DeviceReady, 2))
        made.face.dead.add(11)
        await asyncio.sleep(20)
        dead, well = (silence_since(made.slots[seat].acceptor.answered_s)["silent_ms"] for seat in (1, 2))
        assert isinstance(dead, int)
        assert isinstance(well, int)
        assert dead > 19_000
        assert well < 1_000
        assert silence_since(None) == {"silent_ms": None}, "it never answered"


async def test_chips_of_a_short_loss_of_the_cable_are_told_once_it_is_back() -> None:
    async with bench() as made:
        await made.open()
        made.drop()
        await asyncio.sleep(0.13)  # past the gate
        await made.lines[0].close()
        await made.until(lambda: made.told(ChipsIn))
        assert [(fact.meter, fact.boot) for fact in made.told(ChipsIn)] == [(1, made.told(DeviceReady)[0].boot)]
        assert len(made.told(DeviceReady)) == 2
        assert made.told(DeviceReady)[1].slot_events is None
        assert not made.acceptors[1].accepts, "shut until it is permitted anew"


async def test_what_happened_before_the_first_look_is_for_the_table_to_judge() -> None:
    """No credit is invented from a buffer that is there at the start: only where its counter stands is told."""
    async with bench(is_on=False) as made:
        made.stage.act(lambda: made.face.boot(made.stage.now_ns))
        for _ in range(3):
            made.acceptors[1].event(CHIP, 1)
        await made.until(lambda: made.told(DeviceReady))
        assert made.told(DeviceReady)[0].slot_events == 3
        await asyncio.sleep(1)
        assert not made.told(ChipsIn)


async def test_a_blocked_sensor_shuts_the_slot_until_it_checks_itself_well() -> None:
    async with bench() as made:
        await made.open()
        made.acceptors[1].is_blocked, made.acceptors[1].fault = True, 3
        made.drop()
        await made.until(lambda: made.told(DeviceFaulted))
        made.slots[1].permit(PermitKind.SLOTS, 60_000, None)
        await made.until(lambda: made.told(PermitAnswered))
        await made.until(lambda: not made.acceptors[1].accepts)
        made.slots[1].clear_fault(6)
        await asyncio.sleep(1)
        assert not made.told(DeviceFaultGone)
        made.acceptors[1].is_blocked, made.acceptors[1].fault = False, 0
        made.slots[1].clear_fault(6)
        await made.until(lambda: made.told(DeviceFaultGone))
        await made.open()


@pytest.mark.parametrize(
    ("event", "words"), [((0, 20), "string found"), ((OTHER, 1), "which is no chip"), ((0, 99), "event 99")]
)
async def test_what_makes_chips_uncertain_is_said(event: tuple[int, int], words: str) -> None:
    async with bench() as made:
        await made.open()
        made.stage.act(lambda: made.acceptors[1].event(*event))
        await made.until(lambda: made.told(SlotTroubled))
        assert words in made.told(SlotTroubled)[0].why
        assert not made.told(ChipsIn)


async def test_another_acceptor_at_the_address_is_not_used() -> None:
    async with bench(serial="77") as made:
        await made.until(lambda: made.told(DeviceRejected))
        made.slots[1].permit(PermitKind.SLOTS, 60_000, None)
        await asyncio.sleep(1)
        assert not made.acceptors[1].accepts
        assert not made.told(DeviceReady)
