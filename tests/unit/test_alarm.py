"""The hub's one timer."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.clock import NS_PER_S, LoopClock
from tableside.alarm import Alarm
from tests.support.table import WALL_START_NS

pytestmark = pytest.mark.virtual_time


class Rings:
    """When the alarm rang, in seconds."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.at_s: list[float] = []
        self.alarm = Alarm(LoopClock(loop, wall_start_ns=WALL_START_NS), lambda: self.at_s.append(loop.time()))


async def test_rings_once_at_its_instant_however_often_it_was_set_to_it() -> None:
    rings = Rings()
    for _ in range(3):
        rings.alarm.set(2 * NS_PER_S)
        await asyncio.sleep(0.5)
    await asyncio.sleep(5)
    assert rings.at_s == [2.0]


async def test_an_earlier_or_later_instant_takes_the_place_of_the_last() -> None:
    rings = Rings()
    for due_s in (5, 1):
        rings.alarm.set(due_s * NS_PER_S)
    await asyncio.sleep(2)
    for due_s in (3, 4):
        rings.alarm.set(due_s * NS_PER_S)
    await asyncio.sleep(8)
    assert rings.at_s == [1.0, 4.0]


async def test_an_instant_that_has_passed_rings_at_once_and_again_when_it_is_set_again() -> None:
    rings = Rings()
    await asyncio.sleep(3)
    for _ in range(2):
        rings.alarm.set(2 * NS_PER_S)
        await asyncio.sleep(1)
    assert rings.at_s == [3.0, 4.0]


async def test_none_is_silence() -> None:
    rings = Rings()
    rings.alarm.set(1 * NS_PER_S)
    rings.alarm.set(None)
    await asyncio.sleep(2)
    assert rings.at_s == []
