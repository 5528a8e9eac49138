"""A warning lamp at coils: every word of the lamp language, read back, kept, and red where nobody tends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from drivers.events import Fact, LampColour, LampLost, LampPattern, LampReady, LampShowed, LampTroubled
from drivers.lamps.goal import STALE_S, UNTENDED, Shown
from drivers.lamps.modbus_lamp import LampCoils, ModbusLamp, ModbusLampSettings, levels_of
from tableside.lamp import ORDER
from tests.support.modbus_bench import Bench, bench

pytestmark = pytest.mark.virtual_time

RED, AMBER, BLUE, FLASHER = range(4)
COILS = LampCoils(red=RED, amber=AMBER, blue=BLUE)
WITH_FLASHER = LampCoils(red=RED, amber=AMBER, blue=BLUE, flasher=FLASHER)
OFF: Shown = (LampColour.OFF, LampPattern.STEADY)
STEADY_BLUE: Shown = (LampColour.BLUE, LampPattern.STEADY)


class Hub:
    """The hub's part: say again what holds, until it dies."""

    def __init__(self, lamp: ModbusLamp) -> None:
        self.goal: Shown | None = None
        self._lamp = lamp

    def say(self, shown: Shown) -> None:
        self.goal = shown
        self._lamp.set_lamp(*shown)

    async def renew(self) -> None:
        while True:
            await asyncio.sleep(STALE_S / 3)
            if self.goal is not None:
                self._lamp.set_lamp(*self.goal)


@asynccontextmanager
async def lit(coils: LampCoils = COILS) -> AsyncIterator[tuple[Bench, ModbusLamp, Hub]]:
    async with bench() as made:
        settings = ModbusLampSettings(name="lamp", model="relays", serial="", coils=coils)
        lamp = ModbusLamp(settings, made.bus, made.report)
        hub = Hub(lamp)
        made.start(lamp.run())
        made.start(hub.renew())
        await made.until(lambda: made.last(LampReady))
        yield made, lamp, hub


def showed(shown: Shown) -> Fact:
    return LampShowed(device="lamp", colour=shown[0], pattern=shown[1])


async def test_every_word_of_the_lamp_language() -> None:
    async with lit(WITH_FLASHER) as (made, _lamp, hub):
        for shown in (*ORDER, OFF):
            hub.say(shown)
            await made.until(lambda wanted=shown: made.last(LampShowed) == showed(wanted))  # type: ignore[misc]  # bound now
            assert dict(enumerate(made.board.coils[:4])) == levels_of(shown, WITH_FLASHER, is_bright=True)


async def test_without_a_flasher_the_driver_blinks() -> None:
    async with lit() as (made, _lamp, hub):
        blinking = (LampColour.AMBER, LampPattern.BLINKING)
        hub.say(blinking)
        seen = []
        for _ in range(40):
            await asyncio.sleep(0.1)
            seen.append(made.board.coils[AMBER])
        changes = sum(before is not after for before, after in pairwise(seen))
        assert 6 <= changes <= 9, "once a second"
        assert made.facts.count(showed(blinking)) == 1, "each flash is no news"
        assert not made.board.coils[RED]


async def test_what_somebody_else_switches_is_put_right() -> None:
    async with lit() as (made, lamp, hub):
        hub.say(STEADY_BLUE)
        assert lamp.has_orders, "a daemon that stops waits for it"
        await made.until(lambda: made.board.coils[BLUE])
        await made.until(lambda: not lamp.has_orders)
        made.act(lambda: made.board.coils.__setitem__(BLUE, False))
        await made.until(lambda: made.board.coils[BLUE])


async def test_a_board_that_lost_its_power_is_told_again() -> None:
    async with lit() as (made, _lamp, hub):
        hub.say(STEADY_BLUE)
        await made.until(lambda: made.board.coils[BLUE])
        made.power(is_on=False)
        await made.until(lambda: made.count(LampLost) == 2)
        made.power(is_on=True)
        await made.until(lambda: made.count(LampReady) == 2)
        assert not made.board.coils[BLUE]
        await made.until(lambda: made.board.coils[BLUE])


async def test_a_hub_that_says_nothing_any_more_leaves_red_and_blinking() -> None:
    """A dead daemon must not look like *off*: here the driver lives on, and shows it."""
    async with lit() as (made, _lamp, hub):
        hub.say(OFF)
        await made.until(lambda: made.last(LampShowed) == showed(OFF))
        hub.goal = None
        await made.until(lambda: made.last(LampShowed) == showed(UNTENDED))
        await made.until(lambda: made.board.coils[RED])
        await made.until(lambda: not made.board.coils[RED])


async def test_a_coil_that_does_not_take_is_said_once() -> None:
    """A relay that sticks, another master on the board: the lamp cannot be trusted."""
    async with lit() as (made, _lamp, hub):

        class Stuck(list[bool]):
            def __setitem__(self, place: object, value: object) -> None:
                """The relay sticks."""

        hub.say(OFF)
        await made.until(lambda: made.last(LampShowed) == showed(OFF))
        made.board.coils = Stuck(made.board.coils)
        hub.say(STEADY_BLUE)
        await made.until(lambda: made.last(LampTroubled))
        await asyncio.sleep(20)
        assert made.count(LampTroubled) == 1
        made.board.coils = list(made.board.coils)
        await made.until(lambda: made.last(LampShowed) == showed(STEADY_BLUE))
