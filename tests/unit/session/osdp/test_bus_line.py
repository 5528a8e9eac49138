"""What the line does to a bus: loss, damage, echo, noise, cut cables. Virtual time, 9,600 baud."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from firmware_bridge.session.osdp import CardShown, CommandDone, Loss, StationLost, StationProfile, StationReady
from firmware_bridge.session.osdp.bus import SILENT_LINK_S
from firmware_bridge.session.osdp.conversation import Misheard
from firmware_bridge.wire.osdp.codes import NakCode, Tone
from firmware_bridge.wire.osdp.commands import SoundBuzzer
from firmware_bridge.wire.osdp.frame import Frame, encode_frame
from firmware_bridge.wire.osdp.secure import BaseKey
from simulator.world.badges import Badge
from tests.support.osdp_line import CARD, TEST_KEY, Panel, Passage, Wires, as_it_is, reader, until

pytestmark = pytest.mark.virtual_time

BEEP = SoundBuzzer(0, Tone.DEFAULT, 1, 1, 1)


async def ready(panel: Panel, count: int = 1) -> None:
    await until(lambda: len(panel.of(StationReady)) >= count)
    await asyncio.sleep(0.5)


def losing(first: int) -> Passage:
    """The next `first` frames vanish."""
    left = [first]

    def passage(data: bytes) -> list[tuple[float, bytes]]:
        left[0] -= 1
        return [] if left[0] >= 0 else [(0.0, data)]

    return passage


def damaging(bit: int) -> Passage:
    """The next frame has one bit flipped."""
    left = [1]

    def passage(data: bytes) -> list[tuple[float, bytes]]:
        if not left[0]:
            return [(0.0, data)]
        left[0] = 0
        damaged = bytearray(data)
        damaged[bit // 8 % len(data)] ^= 1 << (bit % 8)
        return [(0.0, bytes(damaged))]

    return passage


@pytest.mark.parametrize("key", [None, TEST_KEY], ids=["plain", "secure"])
@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("direction", ["on_command", "on_reply"])
async def test_lost_frames_are_repeated_and_carried_out_once_br_012(
    key: bytes | None, lost: int, direction: str
) -> None:
    face = reader(key=key)
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1, key=BaseKey(key) if key else None))
    async with panel.running():
        await ready(panel)
        panel.bus.wish(1, BEEP)
        setattr(wires, direction, losing(lost))
        await until(lambda: bool(panel.of(CommandDone)))
        face.head.tap(CARD, wires.now_ns())
        setattr(wires, direction, losing(lost))
        await until(lambda: bool(panel.of(CardShown)))
        await asyncio.sleep(5)
        assert face.head.beeps == 1
        assert len(panel.of(CardShown)) == 1
        assert panel.bus.station_counts(1).repeats == panel.bus.station_counts(1).misses == 2 * lost
        assert len(panel.of(StationReady)) == 1


@pytest.mark.parametrize(("key", "questions"), [(None, 3), (TEST_KEY, 6)], ids=["plain", "secure"])
async def test_each_frame_of_set_up_may_be_lost_br_012_br_016(key: bytes | None, questions: int) -> None:
    """The very first request after power-up too; the station is ready soon all the same."""
    for direction in ("on_command", "on_reply"):
        for number in range(questions):
            wires = Wires(reader(key=key))
            panel = Panel(wires, StationProfile(1, key=BaseKey(key) if key else None))
            setattr(wires, direction, _losing_number(number))
            async with panel.running():
                assert await until(lambda p=panel: bool(p.of(StationReady))) < asyncio.get_running_loop().time() + 2  # type: ignore[misc]
                frames = [heard.frame for heard in wires.commands]
                assert frames[0].sequence == 0
                # one copy, the same to the bit, and nothing begun a second time
                assert [left == right for left, right in pairwise(frames)].count(True) == 1
                assert len(set(frames)) == len(frames) - 1


def _losing_number(number: int) -> Passage:
    seen = [-1]

    def passage(data: bytes) -> list[tuple[float, bytes]]:
        seen[0] += 1
        return [] if seen[0] == number else [(0.0, data)]

    return passage


async def test_one_damaged_bit_costs_one_repeat_and_never_makes_a_fact() -> None:
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        for bit in range(16 * 8):
            wires.on_reply = damaging(bit)
            face.head.tap(CARD, wires.now_ns())
            cards = len(panel.of(CardShown))
            await until(lambda n=cards: len(panel.of(CardShown)) > n)  # type: ignore[misc]
            await asyncio.sleep(0.5)
        cards_shown = panel.of(CardShown)
        assert len(cards_shown) == 16 * 8
        assert {shown.card for shown in cards_shown} == {cards_shown[0].card}
        assert not panel.of(StationLost)


ECHOES: dict[str, Callable[[bytes], list[tuple[float, bytes]]]] = {
    "whole": as_it_is,
    "split after the first byte": lambda data: [(0.0, data[:1]), (0.001, data[1:])],
    "byte by byte": lambda data: [(0.0001 * n, data[n : n + 1]) for n in range(len(data))],
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES.keys())
@pytest.mark.parametrize("key", [None, TEST_KEY], ids=["plain", "secure"])
async def test_our_own_bytes_come_back_br_005(echo: Passage, key: bytes | None) -> None:
    face = reader(key=key)
    wires = Wires(face)
    wires.has_echo, wires.on_echo = True, echo
    panel = Panel(wires, StationProfile(1, key=BaseKey(key) if key else None))
    async with panel.running():
        await ready(panel)
        face.head.tap(CARD, wires.now_ns())
        await until(lambda: bool(panel.of(CardShown)))
        counts = panel.bus.counts
        assert counts.echoes == counts.frames_sent
        assert counts.garbage_bytes == counts.collisions == panel.bus.station_counts(1).misses == 0


async def test_a_reply_glued_to_the_echo_is_not_lost_br_005() -> None:
    face = reader()
    face.answer_ns = 0
    wires = Wires(face)
    echoed: list[bytes] = []
    wires.has_echo = True
    wires.on_echo = lambda data: echoed.append(data) or []  # type: ignore[func-returns-value]
    wires.on_reply = lambda data: [(0.0, echoed.pop() + data)]  # 0 ms after it, in one read
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        await asyncio.sleep(5)
        assert panel.bus.station_counts(1).misses == 0
        assert panel.bus.counts.echoes > 20


async def test_an_altered_echo_is_a_collision_never_a_reply_br_005() -> None:
    wires = Wires(reader())
    wires.has_echo = True
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        for bit in range(9 * 8):
            # the reader hears the same damage, and does not answer
            wires.on_echo, wires.on_command = damaging(bit), losing(1)
            before = panel.bus.station_counts(1).answers
            misses = panel.bus.station_counts(1).misses
            await until(lambda n=misses: panel.bus.station_counts(1).misses > n)  # type: ignore[misc]
            assert panel.bus.station_counts(1).answers - before <= 1
            await asyncio.sleep(0.5)
        assert panel.bus.counts.collisions >= 9 * 8 - 8  # a flip in the mark only is none
        assert not panel.of(StationLost)


async def test_an_adapter_may_be_swapped_for_one_without_echo_br_005() -> None:
    wires = Wires(reader())
    wires.has_echo = True
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        for has_echo in (False, True, False):
            wires.has_echo = has_echo
            await asyncio.sleep(2)
        assert panel.bus.station_counts(1).misses == 0
        assert panel.bus.counts.collisions == 0


@pytest.mark.parametrize("has_echo", [True, False])
async def test_a_cable_on_which_nobody_answers_is_made_anew_though_it_echoes_br_005(*, has_echo: bool) -> None:
    face = reader()
    wires = Wires(face)
    wires.has_echo = has_echo
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        await asyncio.sleep(2 * SILENT_LINK_S)
        assert wires.cables == 1, "it answers"
        face.power_off()
        await until(lambda: wires.cables > 1, within_s=2 * SILENT_LINK_S)


async def test_when_a_station_last_answered_is_its_own_though_others_speak() -> None:
    """BR-005: the cable is never silent, the dead station is."""
    faces = reader(1), reader(2)
    wires = Wires(*faces)
    wires.has_echo = True
    panel = Panel(wires, StationProfile(1), StationProfile(2), StationProfile(3))
    async with panel.running():
        await until(lambda: len(panel.of(StationReady)) == 2)
        faces[0].power_off()
        await asyncio.sleep(20)
        now_s = asyncio.get_running_loop().time()
        dead_s, well_s = panel.bus.answered_s(1), panel.bus.answered_s(2)
        assert dead_s is not None
        assert well_s is not None
        assert now_s - dead_s > 19
        assert now_s - well_s < 1
        assert panel.bus.answered_s(3) is None, "it never answered"


async def test_another_panel_on_the_bus_is_counted_and_not_believed() -> None:
    wires = Wires(reader())
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        wires.inject(encode_frame(Frame(1, False, 2, 0x6A, bytes(5))))
        wires.inject(encode_frame(Frame(9, True, 1, 0x40)))
        await asyncio.sleep(0.1)
        assert (panel.bus.counts.foreign_commands, panel.bus.counts.strangers) == (1, 1)


async def test_what_lay_in_the_cable_before_we_spoke_is_nobodys_answer_br_006() -> None:
    """A good PDID from before, boot chatter and half a frame: only an answer to our own question counts."""
    face = reader()
    wires = Wires(face)
    stale = encode_frame(Frame(1, True, 0, 0x45, bytes(12)))
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await until(lambda: wires.cables == 1)
        wires.inject(stale + random.Random(6).randbytes(300) + stale[:7])
        await ready(panel)
        assert panel.of(StationReady)[0].identity.serial == 1
        assert panel.bus.counts.bytes_before_speaking == len(stale) + 307


async def test_bytes_but_no_frame_says_what_to_check_br_006() -> None:
    face = reader()
    wires = Wires(face)
    wires.on_reply = lambda data: [(0.0, bytes(byte ^ 0x5A for byte in data))]  # another speed
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await until(lambda: bool(panel.of(StationLost)))
        (lost,) = panel.of(StationLost)
        assert lost.loss is Loss.NO_FRAME
        assert "configured 9600 8N1" in lost.text


async def test_a_cut_of_4_s_is_no_loss_a_cut_of_20_s_is_one_and_both_mend() -> None:
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        await wires.unplug()
        await asyncio.sleep(4)
        wires.is_plugged = True
        await until(lambda: len(panel.of(StationReady)) == 2)
        assert not panel.of(StationLost)
        await wires.unplug()
        await asyncio.sleep(20)
        (lost,) = panel.of(StationLost)
        assert lost.loss is Loss.LINK
        wires.is_plugged = True
        face.head.tap(CARD, wires.now_ns())
        await until(lambda: bool(panel.of(CardShown)))


async def test_a_link_that_brings_nothing_for_a_minute_is_made_anew() -> None:
    """A half-open connection takes our bytes and gives none back: the keeper opens another."""
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        wires.on_reply = lambda data: []
        await until(lambda: wires.cables == 2)
        wires.on_reply = as_it_is
        await until(lambda: len(panel.of(StationReady)) == 2)
        assert len(panel.of(StationLost)) == 1


async def test_busy_is_asked_again_under_the_same_number() -> None:
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        face.busy_answers = 5
        panel.bus.wish(1, BEEP)
        await until(lambda: bool(panel.of(CommandDone)))
        assert face.head.beeps == 1
        numbers = [heard.frame for heard in wires.commands if heard.frame.code == BEEP.code]
        assert len(numbers) == 6
        assert len(set(numbers)) == 1
        assert not panel.of(StationLost)


async def test_busy_for_8_s_is_off_line() -> None:
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        face.busy_answers = 1000
        await until(lambda: bool(panel.of(StationLost)))
        assert panel.of(StationLost)[0].loss is Loss.BUSY
        face.busy_answers = 0
        await until(lambda: len(panel.of(StationReady)) == 2)


async def test_a_station_that_lost_count_begins_anew_at_once() -> None:
    """It was reset between two polls: it refuses the number (NAK 4), and is in service again within a second."""
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        face.power_off()
        face.boot(wires.now_ns())
        began_s = asyncio.get_running_loop().time()
        assert await until(lambda: len(panel.of(StationReady)) == 2) - began_s < 1
        assert panel.bus.station_counts(1).refusals[NakCode.SEQUENCE] == 1
        assert not panel.of(StationLost)


async def test_a_reader_that_answers_each_time_too_late_is_slow_but_never_out_of_step_br_011() -> None:
    """300 ms each: every answer is matched by its number, cards come once, in order."""
    face = reader()
    wires = Wires(face)
    panel = Panel(wires, StationProfile(1))
    cards = [Badge.printed(f"26:00C0FF{n:02X}") for n in range(20)]
    async with panel.running():
        await ready(panel)
        face.answer_ns = 300_000_000
        for card in cards:
            face.head.tap(card, wires.now_ns())
            await asyncio.sleep(3)
        assert [shown.card.data for shown in panel.of(CardShown)] == [card.data for card in cards]  # type: ignore[union-attr]
        assert panel.bus.station_counts(1).misheard[Misheard.LATE] > 0


async def test_noise_of_every_kind_is_counted_and_hurts_nobody() -> None:
    """Seeded chatter between and into everything for five minutes: no exception, no wrong card, no lasting loss."""
    seeded = random.Random(5)
    face = reader()
    wires = Wires(face)

    def rough(data: bytes) -> list[tuple[float, bytes]]:
        kind = seeded.randrange(10)
        if kind == 0:
            return [(0.0, data[: seeded.randrange(len(data))])]
        if kind == 1:
            return [(0.0, data), (0.002, data)]
        if kind == 2:
            return [(0.0, seeded.randbytes(seeded.randrange(60))), (0.001, data)]
        if kind == 3:
            return [(seeded.random() * 0.4, data)]
        cut = seeded.randrange(len(data) + 1)
        return [(0.0, data[:cut]), (0.003, data[cut:])]

    panel = Panel(wires, StationProfile(1))
    async with panel.running():
        await ready(panel)
        wires.on_command = wires.on_reply = rough
        for n in range(60):
            face.head.tap(Badge.printed(f"32:{n:08X}"), wires.now_ns())
            await asyncio.sleep(5)
        shown = [int.from_bytes(notice.card.data) for notice in panel.of(CardShown)]  # type: ignore[union-attr]
        assert set(shown) <= set(range(60))
        assert len(set(shown)) >= 55
        assert panel.bus.counts.garbage_bytes > 0
        wires.on_command = wires.on_reply = as_it_is
        face.head.tap(CARD, wires.now_ns())
        await until(lambda: panel.of(CardShown)[-1].card.data == CARD.data)  # type: ignore[union-attr]
