"""A reader that types: whole scans become badges, anything else is rejected; in virtual time, on a simulated reader."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from structlog.testing import capture_logs

from drivers.badges.badge_id import badge_id
from drivers.badges.keyboard_reader import KeyboardReader, TypingReaderSettings
from drivers.device import BadgeReader
from drivers.events import BadgeSeen, Fact, ReaderLost, ReaderReady, SightingKind
from drivers.registry import build_keyboard_reader
from firmware_bridge.links.base import Link, LinkAbsent
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.keyboard.reports import ENTER, Stroke, reports_of
from tests.support.collector import Collector
from tests.support.osdp_line import until

pytestmark = pytest.mark.virtual_time

CODE = "AB-0123456789@"
PAUSE_S = 0.01


def settings(keyboard: str = "us", characters: int = len(CODE)) -> TypingReaderSettings:
    return TypingReaderSettings("badges", "usb://0c2e:0b61/W1", "W1", keyboard, characters)


class Bench:
    """A reader by its driver; its keys are pressed here, report by report."""

    def __init__(self, keyboard: str = "us", *, is_message_based: bool = True) -> None:
        self.facts: list[Fact] = []
        self.far: Link | None = None
        self.is_in = True
        self.keyboard = keyboard
        self._is_message_based = is_message_based
        self.driver = build_keyboard_reader(settings(keyboard), self._connect, self._report, random.Random(1))

    async def _connect(self) -> Link:
        if not self.is_in:
            raise LinkAbsent("the reader is not there")
        near, self.far = memory_pair("wedge", is_message_based=self._is_message_based)
        self.far.start(Collector())
        return near

    async def _report(self, fact: Fact) -> None:
        self.facts.append(fact)

    @property
    def badges(self) -> list[str]:
        return [fact.badge for fact in self.facts if isinstance(fact, BadgeSeen)]

    async def press(self, *strokes: Stroke, every_s: float = PAUSE_S) -> None:
        assert self.far is not None
        for report in reports_of(strokes):
            await self.far.write(report)
            await asyncio.sleep(every_s)

    async def type(self, text: str, *, ends: bool = True, every_s: float = PAUSE_S) -> None:
        strokes = MAPS[self.keyboard].strokes(text)
        await self.press(*strokes, *([Stroke(ENTER)] if ends else []), every_s=every_s)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.driver.run())
        try:
            if self._is_message_based:
                await until(lambda: any(isinstance(fact, ReaderReady) for fact in self.facts))
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def as_badge(text: str) -> str:
    return badge_id(8 * len(text), text.encode())


@pytest.mark.parametrize("keyboard", MAPS)
async def test_a_whole_scan_is_a_badge(keyboard: str) -> None:
    """BR-030: the same id whatever the map of the device."""
    bench = Bench(keyboard)
    async with bench.running():
        await bench.type(CODE)
        assert bench.badges == [as_badge(CODE)]
        assert [fact.kind for fact in bench.facts if isinstance(fact, BadgeSeen)] == [SightingKind.TAP]


async def test_it_says_who_it_is() -> None:
    bench = Bench()
    async with bench.running():
        ready = next(fact for fact in bench.facts if isinstance(fact, ReaderReady))
        assert (ready.vendor, ready.model, ready.serial, ready.is_secure) == ("0C2E", "0B61", "W1", False)
        assert isinstance(bench.facts[0], ReaderLost)
        driver: BadgeReader = bench.driver
        driver.prompt(is_amber=True, beeps=1)  # not seen anywhere, and no harm


@pytest.mark.parametrize(
    ("presses", "why"),
    [
        (lambda bench: bench.press(Stroke(0x3A), Stroke(ENTER)), "key 3A types nothing"),
        (lambda bench: bench.press(Stroke(0x39), *MAPS["us"].strokes(CODE), Stroke(ENTER)), "key 39 types nothing"),
        (lambda bench: bench.press(Stroke(0x04, is_alt_gr=True), Stroke(ENTER)), "key 04 types nothing"),
        (lambda bench: bench.type(CODE[:-1]), "13 characters; a badge of this house has 14"),
        (lambda bench: bench.type(CODE + "0"), "15 characters; a badge of this house has 14"),
        (lambda bench: bench.type(CODE * 9), "64 characters; a badge of this house has 14"),
        (lambda bench: bench.type(";4111111111111111=2512"), "payment card"),
        (lambda bench: bench.type("%B4111111111111111^X/Y^2512"), "payment card"),
    ],
)
async def test_anything_else_is_rejected_whole_with_a_reason_that_shows_nothing(presses: object, why: str) -> None:
    """BR-030: an unknown key rejects the whole scan; no scan is cut down to the part that could be decoded."""
    bench = Bench()
    async with bench.running():
        with capture_logs() as logs:
            await presses(bench)  # type: ignore[operator]
        assert bench.badges == []
        told = [log for log in logs if log["event"] == "scan_rejected"]
        assert [why in log["why"] for log in told] == [True]
        assert "4111" not in str(told)
        assert "0123" not in str(told)
        assert bench.driver.counts.rejected == 1
        await bench.type(CODE)
        assert bench.badges == [as_badge(CODE)]


async def test_a_scan_without_its_end_is_rejected_after_a_pause_and_spoils_no_other() -> None:
    """The reader lost its Enter, or was unplugged in the middle: half a scan is none."""
    bench = Bench()
    async with bench.running():
        await bench.type(CODE[:5], ends=False)
        await asyncio.sleep(0.4)
        assert bench.driver.counts.rejected == 0
        await asyncio.sleep(0.2)
        assert bench.driver.counts.rejected == 1
        await bench.type(CODE[5:], ends=True)
        assert (bench.driver.counts.rejected, bench.badges) == (2, [])
        await bench.type(CODE)
        assert bench.badges == [as_badge(CODE)]


async def test_keys_at_a_persons_pace_are_no_scan() -> None:
    bench = Bench()
    async with bench.running():
        await bench.type(CODE, every_s=0.3)  # 0.6 s from key to key
        assert bench.badges == []


async def test_a_report_that_tells_of_lost_keys_spoils_the_scan() -> None:
    bench = Bench()
    async with bench.running():
        assert bench.far is not None
        await bench.type(CODE[:5], ends=False)
        await bench.far.write(bytes.fromhex("0000010101010101"))
        await bench.type(CODE[5:])
        assert (bench.badges, bench.driver.counts.bad_reports, bench.driver.counts.rejected) == ([], 1, 1)


async def test_a_badge_that_lies_before_it_is_seen_once() -> None:
    """BR-033: some readers type again and again while the badge is there."""
    bench = Bench()
    async with bench.running():
        for _ in range(4):
            await bench.type(CODE)
        assert (len(bench.badges), bench.driver.counts.repeated) == (1, 3)
        await asyncio.sleep(2.1)
        await bench.type(CODE)
        assert len(bench.badges) == 2


async def test_an_enter_alone_is_nothing() -> None:
    bench = Bench()
    async with bench.running():
        await bench.press(Stroke(ENTER), Stroke(ENTER))
        assert (bench.badges, bench.driver.counts.rejected) == ([], 0)


async def test_pulled_and_put_back_in_the_middle_of_a_scan() -> None:
    """BR-024: away is told once, the half scan is rejected, and it is back by itself."""
    bench = Bench()
    async with bench.running():
        await bench.type(CODE[:5], ends=False)
        bench.is_in = False
        assert bench.far is not None
        await bench.far.close()
        await asyncio.sleep(20)
        assert sum(isinstance(fact, ReaderLost) for fact in bench.facts) == 2  # once at the start
        assert bench.driver.counts.rejected == 1
        bench.is_in = True
        await until(lambda: sum(isinstance(fact, ReaderReady) for fact in bench.facts) == 2)
        await bench.type(CODE[5:])
        await bench.type(CODE)
        assert bench.badges == [as_badge(CODE)]


async def test_a_device_that_is_no_keyboard_is_refused_and_asked_for_again() -> None:
    bench = Bench(is_message_based=False)
    async with bench.running():
        await asyncio.sleep(5)
        assert "no keyboard" in bench.driver.keeper.why_away
        assert not bench.driver.is_connected


@pytest.mark.parametrize(
    ("keyboard", "characters", "says"), [("fr", 8, "us, de, pt"), ("us", 0, "1 to 32"), ("us", 33, "1 to 32")]
)
async def test_settings_that_cannot_be(keyboard: str, characters: int, says: str) -> None:
    async def never(*_: object) -> Link:
        raise AssertionError

    with pytest.raises(ValueError, match=says):
        KeyboardReader(settings(keyboard, characters), never, never)  # type: ignore[arg-type]
