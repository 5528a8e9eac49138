"""The badge reader's driver over its bus, on simulated readers, in virtual time: what becomes a fact."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import pytest
from structlog.testing import capture_logs

from drivers.badges.osdp_reader import OsdpBadgeReader, ReaderSettings
from drivers.device import BadgeReader
from drivers.events import BadgeSeen, CodeKeyed, Fact, ReaderLost, ReaderReady, ReaderTroubled, SightingKind
from drivers.registry import build_badge_reader
from firmware_bridge.session.osdp import BusSettings, LineProfile, OsdpBus
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.osdp.codes import NakCode, TextMode
from firmware_bridge.wire.osdp.commands import SetLed, ShowText
from firmware_bridge.wire.osdp.secure import BaseKey
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.world.badges import Badge, BadgeHead, Colour
from tests.support.osdp_line import BAUD, CARD, TEST_KEY, Wires, reader, seeded_bytes, until

pytestmark = pytest.mark.virtual_time

T = TypeVar("T", bound=Fact)


class Bench:
    """Readers on one pair of wires, each with its driver, and the facts that they report."""

    def __init__(self, *faces: OsdpReader, **settings: object) -> None:
        self.wires = Wires(*faces)
        self.facts: list[Fact] = []
        self.gate = asyncio.Event()
        self.gate.set()
        bus = BusSettings("bus", "memory://bus", LineProfile(BAUD, 0.0))
        self.bus = OsdpBus(bus, self.wires.connect, random_bytes=seeded_bytes(3), jitter=random.Random(3))
        self.drivers = [
            OsdpBadgeReader(ReaderSettings(f"reader {face.address}", face.address, **settings), self.bus, self._report)  # type: ignore[arg-type]
            for face in faces
        ]

    async def _report(self, fact: Fact) -> None:
        await self.gate.wait()
        self.facts.append(fact)

    def of(self, kind: type[T]) -> list[T]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(run_together(self.bus.run(), *(driver.run() for driver in self.drivers)))
        try:
            await until(lambda: len(self.of(ReaderReady)) == len(self.drivers))
            await asyncio.sleep(0.5)
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def sightings(self) -> list[tuple[str, SightingKind]]:
        return [(seen.badge, seen.kind) for seen in self.of(BadgeSeen)]


async def test_it_is_lost_until_it_is_ready_and_says_who_it_is() -> None:
    bench = Bench(reader(1, key=TEST_KEY), key=BaseKey(TEST_KEY), serial="00000001")
    driver: BadgeReader = bench.drivers[0]
    async with bench.running():
        assert bench.facts == [
            ReaderLost(device="reader 1", why="not connected since the start"),
            ReaderReady(
                device="reader 1",
                vendor="007A5B",
                model="1.1",
                serial="00000001",
                firmware="1.0.0",
                is_secure=True,
                is_simulated=True,
            ),
        ]
        assert driver.name == "reader 1"


async def test_a_tap_is_one_sighting() -> None:
    face = reader()
    bench = Bench(face)
    async with bench.running():
        face.head.tap(CARD, bench.wires.now_ns())
        await asyncio.sleep(10)
        face.head.tap(CARD, bench.wires.now_ns())
        await asyncio.sleep(10)
        assert bench.sightings() == [("26:00C0FFE1", SightingKind.TAP)] * 2


async def test_a_badge_left_on_a_repeating_reader_is_held_until_it_is_taken_away_br_033() -> None:
    face = reader(head=BadgeHead(1, repeat_ms=150, miss_one_in=20))
    bench = Bench(face)
    async with bench.running():
        face.head.hold(CARD, bench.wires.now_ns())
        await asyncio.sleep(600)
        tap, held = ("26:00C0FFE1", SightingKind.TAP), ("26:00C0FFE1", SightingKind.HELD_FROM)
        assert bench.sightings() == [tap, held]
        face.head.remove(CARD, bench.wires.now_ns())
        taken_s = asyncio.get_running_loop().time()
        gone_s = await until(lambda: len(bench.sightings()) == 3)
        assert bench.sightings()[-1] == ("26:00C0FFE1", SightingKind.HELD_TO)
        # a reader that repeats itself faster than it is polled empties what it kept first
        assert 2.0 <= gone_s - taken_s <= 6.0


async def test_two_badges_within_300_ms_are_both_seen_br_033() -> None:
    face, other = reader(), Badge.printed("56:04A1B2C3D4E5F6")
    bench = Bench(face)
    async with bench.running():
        face.head.tap(CARD, bench.wires.now_ns())
        await asyncio.sleep(0.25)
        face.head.tap(other, bench.wires.now_ns())
        await asyncio.sleep(5)
        assert [badge for badge, _ in bench.sightings()] == ["26:00C0FFE1", "56:04A1B2C3D4E5F6"]


async def test_a_reader_that_sends_the_last_byte_first_br_032() -> None:
    face = reader()
    bench = Bench(face, is_reversed=True)
    async with bench.running():
        face.head.tap(Badge(32, bytes.fromhex("04030201")), bench.wires.now_ns())
        await until(lambda: bool(bench.of(BadgeSeen)))
        assert bench.sightings()[0][0] == "32:01020304"


async def test_a_number_too_long_for_a_badge_is_counted_and_no_sighting() -> None:
    face = reader()
    bench = Bench(face)
    async with bench.running():
        face.head.tap(Badge(264, bytes(33)), bench.wires.now_ns())
        await until(lambda: bench.drivers[0].unreadable == 1)
        assert not bench.of(BadgeSeen)


async def test_the_prompt_is_amber_while_it_is_wanted_and_beeps_at_once() -> None:
    face = reader()
    bench = Bench(face)
    seen = lambda: face.head.visible_colour(bench.wires.now_ns())  # noqa: E731
    async with bench.running():
        assert seen() is Colour.DARK
        bench.drivers[0].prompt(is_amber=True, beeps=2)
        await until(lambda: face.head.beeps == 2, within_s=0.2)
        for _ in range(200):
            await asyncio.sleep(1)
            assert seen() is Colour.AMBER
        bench.drivers[0].prompt(is_amber=False, beeps=0)
        await until(lambda: seen() is Colour.DARK, within_s=0.2)
        assert face.head.beeps == 2
        lights = [command for command in face.executed if isinstance(command, SetLed)]
        assert len(lights) in (11, 12)  # renewed each 20 s, begun and ended: not with each poll


async def test_a_reader_with_a_display_says_what_is_asked_of_the_person_while_it_is_asked() -> None:
    face = reader()
    face.head.display.show_permanent("TABLE 7")
    bench = Bench(face)
    seen = lambda: face.head.display.visible_text(bench.wires.now_ns())  # noqa: E731
    async with bench.running():
        bench.drivers[0].prompt(is_amber=False, beeps=0)
        await asyncio.sleep(1)
        assert seen() == "TABLE 7"
        bench.drivers[0].prompt(is_amber=True, beeps=0)
        await until(lambda: seen() == "TAP BADGE", within_s=0.2)
        for _ in range(200):
            await asyncio.sleep(1)
            assert seen() == "TAP BADGE"
        bench.drivers[0].prompt(is_amber=False, beeps=0)
        await until(lambda: seen() != "TAP BADGE", within_s=0.2)
        await until(lambda: seen() == "TABLE 7", within_s=2)  # its own text, which we do not know, is back
        texts = [command for command in face.executed if isinstance(command, ShowText)]
        assert len(texts) in (11, 12)
        assert {command.mode for command in texts} == {TextMode.TEMPORARY}
        await asyncio.sleep(60)
        assert texts == [command for command in face.executed if isinstance(command, ShowText)]


async def test_a_reader_without_a_display_is_sent_no_text() -> None:
    face = reader(model=ReaderModel(serial=1, has_display=False))
    bench = Bench(face)
    async with bench.running():
        bench.drivers[0].prompt(is_amber=True, beeps=0)
        await until(lambda: face.head.visible_colour(bench.wires.now_ns()) is Colour.AMBER)
        await asyncio.sleep(60)
        assert bench.bus.station_counts(1).refusals.total() == 0


async def test_a_reader_that_offers_a_display_and_refuses_text_is_asked_once_and_keeps_its_light() -> None:
    face = reader()
    del face._actions[ShowText]
    bench = Bench(face)
    async with bench.running():
        bench.drivers[0].prompt(is_amber=True, beeps=0)
        await asyncio.sleep(100)
        assert face.head.visible_colour(bench.wires.now_ns()) is Colour.AMBER
        assert bench.bus.station_counts(1).refusals == {NakCode.UNKNOWN_COMMAND: 1}


async def test_a_text_that_nobody_renews_goes_out_by_itself_and_one_that_is_wanted_comes_back_with_the_reader() -> None:
    face = reader()
    bench = Bench(face)
    seen = lambda: face.head.display.visible_text(bench.wires.now_ns())  # noqa: E731
    async with bench.running():
        bench.drivers[0].prompt(is_amber=True, beeps=0)
        await until(lambda: seen() == "TAP BADGE")
        face.power_off()
        assert seen() == ""
        face.boot(bench.wires.now_ns())
        await until(lambda: seen() == "TAP BADGE", within_s=1)
        at_death_ns = bench.wires.now_ns()
    assert face.head.display.visible_text(at_death_ns + 61 * 1_000_000_000) == ""


async def test_a_formatted_card_is_a_badge_of_eight_bits_a_character() -> None:
    face = reader(model=ReaderModel(serial=1, sends_characters=True))
    bench = Bench(face)
    async with bench.running():
        face.head.tap(Badge(32, b"4711"), bench.wires.now_ns())
        await until(lambda: bool(bench.of(BadgeSeen)))
        assert bench.sightings() == [("32:34373131", SightingKind.TAP)]


async def test_a_prompt_that_nobody_renews_goes_out_by_itself() -> None:
    face = reader()
    bench = Bench(face)
    async with bench.running():
        bench.drivers[0].prompt(is_amber=True, beeps=0)
        await until(lambda: face.head.visible_colour(bench.wires.now_ns()) is Colour.AMBER)
        at_death_ns = bench.wires.now_ns()
    assert face.head.visible_colour(at_death_ns + 61 * 1_000_000_000) is Colour.DARK


async def test_a_reader_that_comes_back_shows_the_present_goal_and_no_old_beep() -> None:
    face = reader()
    bench = Bench(face)
    async with bench.running():
        face.power_off()
        await until(lambda: len(bench.of(ReaderLost)) == 2)
        bench.drivers[0].prompt(is_amber=True, beeps=3)
        await asyncio.sleep(5)
        face.boot(bench.wires.now_ns())
        await until(lambda: face.head.visible_colour(bench.wires.now_ns()) is Colour.AMBER)
        assert face.head.beeps == 0
        assert len(bench.of(ReaderReady)) == 2


async def test_a_reader_reset_between_two_polls_shows_the_prompt_again_and_is_not_told_as_lost() -> None:
    face = reader()
    bench = Bench(face)
    async with bench.running():
        bench.drivers[0].prompt(is_amber=True, beeps=0)
        await asyncio.sleep(1)
        face.power_off()
        assert face.head.visible_colour(bench.wires.now_ns()) is Colour.DARK
        face.boot(bench.wires.now_ns())
        await until(lambda: face.head.visible_colour(bench.wires.now_ns()) is Colour.AMBER, within_s=1)
        assert len(bench.of(ReaderLost)) == 1
        assert len(bench.of(ReaderReady)) == 1


async def test_a_code_is_a_fact_when_the_hash_ends_it() -> None:
    face = reader()
    bench = Bench(face)
    async with bench.running():
        face.head.press("12", bench.wires.now_ns())
        face.head.press("34#", bench.wires.now_ns())
        await until(lambda: bool(bench.of(CodeKeyed)))
        assert bench.of(CodeKeyed) == [CodeKeyed(device="reader 1", code="1234")]


async def test_lost_after_8_s_says_why_and_held_badges_are_not_told_as_taken_away() -> None:
    face = reader(head=BadgeHead(1, repeat_ms=300))
    bench = Bench(face)
    async with bench.running():
        face.head.hold(CARD, bench.wires.now_ns())
        await asyncio.sleep(5)
        face.power_off()
        await until(lambda: len(bench.of(ReaderLost)) == 2)
        assert "no answer" in bench.of(ReaderLost)[1].why
        assert 8_000 <= bench.of(ReaderLost)[1].silent_ms < 9_000, "so it was last heard when its power went"
        await asyncio.sleep(20)
        assert [kind for _, kind in bench.sightings()] == [SightingKind.TAP, SightingKind.HELD_FROM]


async def test_another_reader_in_its_place_is_refused_by_its_serial_number() -> None:
    face = reader(1)
    bench = Bench(face, serial="00000099")
    task = asyncio.create_task(run_together(bench.bus.run(), bench.drivers[0].run()))
    await until(lambda: len(bench.of(ReaderLost)) == 2)
    assert "another reader was fitted" in bench.of(ReaderLost)[1].why
    face.head.tap(CARD, bench.wires.now_ns())
    await asyncio.sleep(60)
    assert not bench.of(BadgeSeen)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_an_opened_cover_and_a_failing_supply_are_told_once_when_they_begin() -> None:
    face = reader()
    bench = Bench(face)
    cover, supply = (ReaderTroubled(device="reader 1", what=what) for what in ("cover opened", "supply failing"))
    async with bench.running():
        face.head.is_cover_open = True
        await asyncio.sleep(5)
        assert bench.of(ReaderTroubled) == [cover]
        face.power_off()
        await until(lambda: len(bench.of(ReaderLost)) == 2)
        face.head.is_supply_failing = True
        face.boot(bench.wires.now_ns())
        await until(lambda: bench.of(ReaderTroubled) == [cover, supply])
        face.head.is_cover_open = face.head.is_supply_failing = False
        await asyncio.sleep(2)
        face.head.is_cover_open = True
        await until(lambda: bench.of(ReaderTroubled) == [cover, supply, cover])


async def test_a_full_hub_loses_no_tap() -> None:
    faces = [reader(1), reader(2)]
    bench = Bench(*faces)
    async with bench.running():
        bench.gate.clear()
        for face in faces:
            face.head.tap(CARD, bench.wires.now_ns())
        await asyncio.sleep(60)
        bench.gate.set()
        await until(lambda: len(bench.of(BadgeSeen)) == 2)
        assert {seen.device for seen in bench.of(BadgeSeen)} == {"reader 1", "reader 2"}
        assert len(bench.of(ReaderLost)) == 2  # those of the start


async def test_the_registry_says_once_that_no_real_reader_was_tried() -> None:
    bench = Bench(reader(1))
    with capture_logs() as logged:
        built = build_badge_reader(ReaderSettings("other", 2), bench.bus, bench._report)
    assert built.name == "other"
    assert [(line["event"], line["device"]) for line in logged] == [("driver_unverified", "other")]


def test_a_serial_number_that_can_be_none_is_refused() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        ReaderSettings("r", 1, serial="PD-1").profile()
    with pytest.raises(ValueError, match="address"):
        ReaderSettings("r", 0x7F).profile()
