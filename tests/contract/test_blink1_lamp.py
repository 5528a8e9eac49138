"""Our driver of a blink(1) on the simulated lamp: the lamp language, its watchdog, unplugging, what does not stay."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from drivers.device import PlainSettings
from drivers.events import Fact, LampColour, LampLost, LampPattern, LampReady, LampShowed, LampTroubled
from drivers.lamps.blink1_lamp import COLOURS, DARK, RED, Blink1Lamp
from drivers.lamps.goal import STALE_S, UNTENDED
from firmware_bridge.links.base import Link, LinkAbsent, LinkClosed, Receiver
from firmware_bridge.wire.blink1.reports import Version
from simulator.faces.blink1 import Blink1Face
from simulator.world.blink1 import Blink1, Line

pytestmark = pytest.mark.virtual_time

DEADLINE_S = 60.0
MK2 = Version(2, 4)
STEADY, BLINKING = LampPattern.STEADY, LampPattern.BLINKING


def now_ns() -> int:
    return round(asyncio.get_running_loop().time() * 1_000_000_000)


class FeatureLink:
    """A cable without a bus: reports reach the face at once. As `UsbLink`, in virtual time."""

    address = "usb://27b8:01ed/2A01"
    is_message_based = True
    is_simulated = True

    def __init__(self, face: Blink1Face) -> None:
        self._face = face
        self._receiver: Receiver | None = None
        self.is_over = False

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver

    async def set_feature(self, data: bytes) -> None:
        self._check()
        assert self._face.set_feature(data, now_ns())

    async def feature(self, report: int) -> bytes:
        self._check()
        answer = self._face.feature(report, now_ns())
        assert answer is not None
        return answer

    async def write(self, data: bytes) -> None:
        raise AssertionError("a lamp has no output reports")

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    async def close(self) -> None:
        if not self.is_over:
            self.is_over = True
            if self._receiver is not None:
                self._receiver.link_lost(LinkClosed("unplugged"))

    def _check(self) -> None:
        if self.is_over:
            raise LinkClosed("unplugged")


@dataclass
class Bench:
    face: Blink1Face
    lamp: Blink1
    driver: Blink1Lamp
    facts: list[Fact]
    links: list[FeatureLink]
    is_in: list[bool] = field(default_factory=lambda: [True])

    def all(self, kind: type[Fact]) -> list[Fact]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    async def until(self, kind: type[Fact], count: int = 1) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while len(self.all(kind)) < count:  # noqa: ASYNC110 - facts are told to nobody else here
                await asyncio.sleep(0.01)

    async def colours(self, seconds: float) -> list[tuple[int, int, int]]:
        """What eyes see, each change once."""
        seen = [self.lamp.visible(now_ns())]
        for _ in range(int(seconds / 0.02)):
            await asyncio.sleep(0.02)
            if (colour := self.lamp.visible(now_ns())) != seen[-1]:
                seen.append(colour)
        return seen

    async def say(self, colour: LampColour, pattern: LampPattern, seconds: float) -> None:
        """As the hub does: now, and again at a third, for so long."""
        end_s = asyncio.get_running_loop().time() + seconds
        while (now_s := asyncio.get_running_loop().time()) < end_s:
            self.driver.set_lamp(colour, pattern)
            await asyncio.sleep(min(STALE_S / 3, end_s - now_s))

    async def plug(self, *, is_in: bool) -> None:
        self.is_in[0] = is_in
        if is_in:
            self.face.boot(now_ns())
        else:
            self.face.power_off()
            await self.links[-1].close()


@asynccontextmanager
async def bench(version: Version = MK2) -> AsyncIterator[Bench]:
    lamp = Blink1()
    face = Blink1Face(lamp, version)
    face.boot(now_ns())
    facts, links = list[Fact](), list[FeatureLink]()

    async def report(fact: Fact) -> None:
        facts.append(fact)

    async def connect() -> Link:
        if not made.is_in[0]:
            raise LinkAbsent("not plugged in")
        links.append(FeatureLink(face))
        return links[-1]

    settings = PlainSettings("lamp", "usb://27b8:01ed/2A01", "blink(1)", "2A01")
    driver = Blink1Lamp(settings, report, connect, random.Random(1))
    made = Bench(face, lamp, driver, facts, links)
    running = asyncio.create_task(driver.run())
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_a_lamp_that_comes_blinks_red_until_somebody_says_what_holds() -> None:
    async with bench() as made:
        await made.until(LampReady)
        assert made.all(LampReady) == [
            LampReady(device="lamp", model="blink(1)", serial="2A01", firmware="2.4", is_simulated=True)
        ]
        assert set(await made.colours(3)) == {RED, DARK}
        assert made.all(LampShowed) == [LampShowed(device="lamp", colour=UNTENDED[0], pattern=UNTENDED[1])]


@pytest.mark.parametrize("colour", list(LampColour))
async def test_each_colour_is_shown_and_read_back(colour: LampColour) -> None:
    async with bench() as made:
        await made.until(LampReady)
        await made.say(colour, STEADY, 5)
        assert await made.colours(1) == [COLOURS[colour]]
        assert made.facts[-1] == LampShowed(device="lamp", colour=colour, pattern=STEADY)


async def test_amber_blinks_once_a_second() -> None:
    async with bench() as made:
        await made.until(LampReady)
        saying = asyncio.create_task(made.say(LampColour.AMBER, BLINKING, 12))
        await asyncio.sleep(1)
        seen = await made.colours(10)
        await saying
        assert set(seen) == {COLOURS[LampColour.AMBER], DARK}
        assert len(seen) == pytest.approx(21, abs=1)
        assert made.all(LampTroubled) == []


async def test_a_hub_that_falls_silent_is_seen_in_red() -> None:
    """The driver still runs, and must not feed the watchdog by itself."""
    async with bench() as made:
        await made.until(LampReady)
        await made.say(LampColour.BLUE, STEADY, 5)
        assert made.lamp.visible(now_ns()) == COLOURS[LampColour.BLUE]
        await asyncio.sleep(STALE_S + 0.1)
        assert made.lamp.is_untended(now_ns())
        assert set(await made.colours(3)) == {RED, DARK}
        assert made.facts[-1] == LampShowed(device="lamp", colour=UNTENDED[0], pattern=UNTENDED[1])
        await made.say(LampColour.OFF, STEADY, 2)
        assert await made.colours(2) == [DARK]


async def test_a_driver_that_is_dead_is_seen_in_red() -> None:
    """No task of ours runs any more: the lamp does it by itself."""
    async with bench() as made:
        await made.until(LampReady)
        await made.say(LampColour.OFF, STEADY, 3)
        assert made.lamp.visible(now_ns()) == DARK
    before_s = asyncio.get_running_loop().time()
    await asyncio.sleep(STALE_S)
    assert asyncio.get_running_loop().time() - before_s == pytest.approx(STALE_S)
    assert made.lamp.is_untended(now_ns())
    assert set(await made.colours(2)) == {RED, DARK}


async def test_the_same_word_said_again_feeds_the_watchdog() -> None:
    async with bench() as made:
        await made.until(LampReady)
        saying = asyncio.create_task(made.say(LampColour.OFF, STEADY, 60))
        await asyncio.sleep(0.1)
        assert await made.colours(58) == [DARK]
        await saying


async def test_an_unplugged_lamp_is_lost_and_shown_again_when_it_comes_back() -> None:
    async with bench() as made:
        await made.until(LampReady)
        await made.say(LampColour.AMBER, STEADY, 2)
        await made.plug(is_in=False)
        await made.until(LampLost, 2)
        made.driver.set_lamp(LampColour.AMBER, STEADY)
        assert made.driver.counts.orders_dropped == 1
        await made.plug(is_in=True)
        await made.until(LampReady, 2)
        assert made.lamp.lines[0] == Line(RED, 500), "the pattern of its watchdog is written anew"
        await made.say(LampColour.AMBER, STEADY, 2)
        assert await made.colours(1) == [COLOURS[LampColour.AMBER]]


async def test_another_program_that_sets_the_lamp_is_overruled_and_told_once() -> None:
    async with bench() as made:
        await made.until(LampReady)
        saying = asyncio.create_task(made.say(LampColour.BLUE, STEADY, 20))
        await asyncio.sleep(5)
        original = made.lamp.fade
        made.lamp.fade = lambda rgb, ms, at_ns: original((0, 255, 0), ms, at_ns)  # type: ignore[method-assign]  # a broken LED
        await asyncio.sleep(5)
        assert len(made.all(LampTroubled)) == 1
        made.lamp.fade = original  # type: ignore[method-assign]  # mended
        await saying
        assert made.facts[-1] == LampShowed(device="lamp", colour=LampColour.BLUE, pattern=STEADY)


async def test_the_first_make_is_refused() -> None:
    async with bench(Version(1, 3)) as made:
        await asyncio.sleep(5)
        assert made.all(LampReady) == []
        assert "cannot be read back" in made.driver.keeper.why_away
