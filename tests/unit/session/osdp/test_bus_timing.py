"""When the bus speaks, and how long it waits: all in virtual time, over wires of 9,600 baud."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from statistics import mean

import pytest

from firmware_bridge.session.osdp import CardShown, Loss, StationLost, StationProfile, StationReady
from firmware_bridge.session.osdp.panel import ControlPanel, Send, Wait
from firmware_bridge.session.osdp.profile import OFF_LINE_AFTER_S, POLL_PERIOD_S, PROMPTED_PERIOD_S
from firmware_bridge.wire.osdp.codes import Tone
from firmware_bridge.wire.osdp.commands import SoundBuzzer
from simulator.world.badges import Badge
from tests.support.osdp_line import CARD, NS, Panel, Passage, Wires, as_it_is, reader, until, wire_s

pytestmark = pytest.mark.virtual_time


def now_s() -> float:
    return asyncio.get_running_loop().time()


def gaps_s(wires: Wires, address: int, since_s: float, until_s: float) -> list[float]:
    """Between two commands to a station, over a stretch of time."""
    times = [heard.at_s for heard in wires.sent_to(address) if since_s <= heard.at_s <= until_s]
    return [later - earlier for earlier, later in pairwise(times)]


async def ready(panel: Panel, count: int = 1) -> None:
    await until(lambda: len(panel.of(StationReady)) >= count)
    await asyncio.sleep(0.5)


async def test_a_station_is_polled_each_200_ms() -> None:
    wires = Wires(reader())
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        await asyncio.sleep(10)
        assert gaps_s(wires, 1, now_s() - 10, now_s()) == [pytest.approx(POLL_PERIOD_S, abs=0.001)] * 49


async def test_an_answer_with_nothing_new_wakes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """At rest a poll costs two looks for what is next: one that finds it due, one for how long its answer may take."""
    looks = 0
    next_action = ControlPanel.next_action

    def counted(panel: ControlPanel, at_s: float) -> Send | Wait:
        nonlocal looks
        looks += 1
        return next_action(panel, at_s)

    wires = Wires(reader())
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        monkeypatch.setattr(ControlPanel, "next_action", counted)
        sent = len(wires.sent_to(1))
        await asyncio.sleep(10)
        assert looks == 2 * (len(wires.sent_to(1)) - sent) == 100


async def test_after_a_prompt_each_50_ms_for_2_s() -> None:
    wires = Wires(reader())
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        began_s = now_s()
        panel.bus.expect_tap(1)
        await asyncio.sleep(4)
        quick = gaps_s(wires, 1, began_s, began_s + 2.0)
        assert quick[1:] == [pytest.approx(PROMPTED_PERIOD_S, abs=0.001)] * len(quick[1:])
        assert len(quick) >= 38
        slow = gaps_s(wires, 1, began_s + 2.1, began_s + 4)
        assert slow == [pytest.approx(POLL_PERIOD_S, abs=0.001)] * len(slow)


async def test_a_wish_does_not_wait_for_the_next_poll() -> None:
    face = reader()
    panel = Panel(Wires(face), StationProfile(1))
    async with panel.running():
        await ready(panel)
        began_s = now_s()
        panel.bus.wish(1, SoundBuzzer(0, Tone.DEFAULT, 1, 1, 3))
        assert await until(lambda: face.head.beeps == 3) - began_s < 0.06


def byte_by_byte(late_s: float) -> Passage:
    """As an adapter without latency brings it: each character when it is over, the first one so late."""
    return lambda data: [(late_s + wire_s(data[:n]), data[n : n + 1]) for n in range(len(data))]


@pytest.mark.parametrize(("begins_s", "misses"), [(0.199, 0), (0.201, 1)])
async def test_a_reply_has_200_ms_to_begin(begins_s: float, misses: int) -> None:
    """At 201 ms it is late; it is not lost all the same, and there is one card, whatever was repeated (BR-012)."""
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        face.head.tap(CARD, wires.now_ns())
        # the deadline counts to the end of the first character
        wires.on_reply = byte_by_byte(begins_s - face.answer_ns / NS - wire_s(b"S"))
        replied = wires.replies
        await until(lambda: wires.replies > replied)
        wires.on_reply = as_it_is
        await until(lambda: bool(panel.of(CardShown)))
        await asyncio.sleep(5)
        assert panel.bus.station_counts(1).misses == misses
        assert len(panel.of(CardShown)) == 1
        assert not panel.of(StationLost)


async def test_a_reply_that_has_begun_may_take_its_time_on_the_wire() -> None:
    """Long replies end well after the 200 ms; each byte comes in time after the one before."""
    wires = Wires(reader())
    panel = Panel(wires, StationProfile(1))
    wires.on_reply = byte_by_byte(0.19)
    async with panel.running():
        await ready(panel)
        assert panel.bus.station_counts(1).misses == 0


async def test_a_reply_that_never_ends_holds_the_bus_no_longer_than_the_longest_frame() -> None:
    wires = Wires(reader(1), reader(2))
    panel = Panel(wires, StationProfile(1), StationProfile(2))
    async with panel.running():
        await ready(panel, 2)
        endless = b"\x53\x81\xf0\x00\x05" + bytes(200)
        wires.on_reply = lambda data: (
            [(0.001 * n, endless[n : n + 1]) for n in range(len(endless))] if data[1] == 0x81 else [(0.0, data)]
        )
        began_s = now_s()
        await asyncio.sleep(5)
        assert max(gaps_s(wires, 2, began_s, now_s())) < 0.2 + 0.01 + 256 / 960 + POLL_PERIOD_S
        assert not panel.of(StationLost, 2)


async def test_silence_three_misses_then_probes_and_off_line_at_8_s() -> None:
    face = reader()
    wires = Wires(face, reader(2))
    panel = Panel(wires, StationProfile(1), StationProfile(2))
    async with panel.running():
        await ready(panel, 2)
        last_poll_s = wires.sent_to(1)[-1].at_s
        face.power_off()
        await asyncio.sleep(150)
        asked = [heard for heard in wires.sent_to(1) if heard.at_s > last_poll_s]
        gaps = [later.at_s - earlier.at_s for earlier, later in pairwise(asked)]
        timeout_s = pytest.approx(0.22, abs=0.03)
        assert gaps[:2] == [timeout_s, timeout_s]
        assert [round(gap - 0.21) for gap in gaps[2:]] == [1, 2, 4, 8, 16, 30, 30, 30]
        (lost,) = panel.of(StationLost)
        assert lost.loss is Loss.SILENT
        (lost_at_s,) = panel.when(StationLost)
        assert lost_at_s - last_poll_s == pytest.approx(OFF_LINE_AFTER_S, abs=0.2)


async def test_probes_carry_the_number_and_bytes_of_what_was_missed_until_off_line_then_0_br_012() -> None:
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        face.power_off()
        off_at_s = now_s()
        await until(lambda: bool(panel.of(StationLost)))
        missed = [heard.frame for heard in wires.commands if heard.at_s > off_at_s]
        assert len(missed) >= 5
        assert len(set(missed)) == 1
        await asyncio.sleep(40)
        assert wires.commands[-1].frame.sequence == 0
        face.boot(wires.now_ns())
        await until(lambda: len(panel.of(StationReady)) == 2)


async def test_a_station_that_was_never_there_is_off_line_after_8_s_too() -> None:
    face = reader()
    wires = Wires(face)
    face.power_off()
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        assert await until(lambda: bool(panel.of(StationLost))) == pytest.approx(OFF_LINE_AFTER_S, abs=0.01)
        await asyncio.sleep(300)
        assert len(panel.of(StationLost)) == 1


@pytest.mark.parametrize("dead", [1, 2, 3, 4])
async def test_a_dead_neighbour_costs_the_others_little_br_019(dead: int) -> None:
    """Four readers, one dies for 10 minutes and comes back: mean period within 20 %, no gap above a timeout and a
    cycle, nobody else's session touched, whatever the order of addresses."""
    readers = [reader(address) for address in (1, 2, 3, 4)]
    wires = Wires(*readers)
    panel = Panel(wires, *(StationProfile(address) for address in (1, 2, 3, 4)))
    async with panel.running():
        await ready(panel, 4)
        healthy = [address for address in (1, 2, 3, 4) if address != dead]
        died_s = now_s()
        readers[dead - 1].power_off()
        await asyncio.sleep(600)
        for address in healthy:
            first_ten = gaps_s(wires, address, died_s, died_s + 10)
            assert mean(first_ten) <= 1.2 * POLL_PERIOD_S
            assert max(gaps_s(wires, address, died_s, died_s + 600)) <= 0.212 + POLL_PERIOD_S
        readers[dead - 1].boot(wires.now_ns())
        await until(lambda: len(panel.of(StationReady, dead)) == 2)
        await asyncio.sleep(5)
        for address in healthy:
            assert len(panel.of(StationReady, address)) == 1
            assert panel.bus.station_counts(address).misses == 0


async def test_two_dead_neighbours_are_never_asked_one_after_the_other() -> None:
    """Once they are known as silent: between two deadlines all others have their turn, so no gap holds both."""
    addresses = (1, 2, 3, 4, 5)
    readers = [reader(address) for address in addresses]
    wires = Wires(*readers)
    panel = Panel(wires, *(StationProfile(address) for address in addresses))
    async with panel.running():
        await ready(panel, 5)
        died_s = now_s()
        for dead in (2, 3):
            readers[dead - 1].power_off()
        await asyncio.sleep(60)
        for address in (1, 4, 5):
            first, *known = gaps_s(wires, address, died_s, died_s + 60)
            assert max(known) <= 0.212 + POLL_PERIOD_S
            assert first <= 2 * 0.212 + POLL_PERIOD_S


async def test_a_reader_that_keeps_restarting_disturbs_nobody_br_019() -> None:
    readers = [reader(address) for address in (1, 2, 3)]
    wires = Wires(*readers)
    panel = Panel(wires, *(StationProfile(address) for address in (1, 2, 3)))
    async with panel.running():
        await ready(panel, 3)
        began_s = now_s()
        for _ in range(20):
            readers[1].power_off()
            readers[1].boot(wires.now_ns())
            await asyncio.sleep(1)
        for address in (1, 3):
            assert mean(gaps_s(wires, address, began_s, now_s())) <= 1.2 * POLL_PERIOD_S
            assert len(panel.of(StationReady, address)) == 1


async def test_a_late_event_loop_does_not_count_against_a_station() -> None:
    """The loop stands still for 400 ms, again and again, each time while a station is to answer."""
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        loop = asyncio.get_running_loop()
        for _ in range(20):
            wires.on_reply = lambda data: [(0.5, data)]  # when the loop is back, it is still on its way
            await until(lambda: wires.commands[-1].at_s > loop.time() - 0.002)
            await asyncio.sleep(0.01)
            loop._now_s += 0.4  # type: ignore[attr-defined]  # as if a callback had taken so long
            wires.on_reply = as_it_is
            await asyncio.sleep(2)
        counts = panel.bus.station_counts(1)
        assert counts.misses == 0
        assert counts.forgiven > 0
        assert not panel.of(StationLost)


async def test_a_table_that_takes_nothing_holds_its_own_reader_and_no_other() -> None:
    """Readers of two tables on one bus: the first one's hub is full for a minute, the second one plays on."""
    faces = [reader(1), reader(2)]
    wires = Wires(*faces)
    panel = Panel(wires, StationProfile(1), StationProfile(2))
    async with panel.running():
        await until(lambda: len(panel.of(StationReady)) == 2)
        panel.shut[1] = asyncio.Event()
        faces[0].head.tap(CARD, wires.now_ns())
        await asyncio.sleep(1)
        stopped = len(wires.sent_to(1))
        faces[0].head.tap(Badge.printed("26:00C0FFE2"), wires.now_ns())
        for taps in range(1, 7):
            faces[1].head.tap(CARD, wires.now_ns())
            await until(lambda taps=taps: len(panel.of(CardShown, 2)) == taps, within_s=0.5)  # type: ignore[misc]
            await asyncio.sleep(10)
        assert len(wires.sent_to(1)) == stopped
        assert not panel.of(CardShown, 1)
        panel.shut[1].set()
        await until(lambda: len(panel.of(CardShown, 1)) == 2, within_s=2)
        assert not panel.of(StationLost)


async def test_a_full_hub_stops_the_polls_and_counts_against_nobody() -> None:
    """Back-pressure: the listener waits, what was tapped waits in the reader, and nothing is lost or off-line."""
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        panel.gate.clear()
        face.head.tap(CARD, wires.now_ns())
        await asyncio.sleep(60)
        stopped = len(wires.commands)
        face.head.tap(CARD, wires.now_ns())
        await asyncio.sleep(60)
        assert len(wires.commands) == stopped
        panel.gate.set()
        await until(lambda: len(panel.of(CardShown)) == 2)
        assert not panel.of(StationLost)
        assert len(panel.of(StationReady)) == 1
