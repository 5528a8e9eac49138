"""What a TDL display promises (tdl.md 11.3), seen through our driver, on the simulated one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from drivers.displays.showing import STALE_MS, Showing
from drivers.displays.tdl_display import TdlDisplay
from drivers.events import DeviceReady, DisplayShowed, DisplayTroubled, Fact, Notice, Shown
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from simulator.faces.memory import CommandRecord, Memory
from simulator.faces.tdl_display import new_display
from simulator.runner import Stage
from simulator.world.display import JackpotDisplay

pytestmark = pytest.mark.virtual_time

EPOCH = 0x7E57_0001
DEADLINE_S = 30.0


@dataclass
class Bench:
    """The display, what its driver told, and the renewals that a hub would send."""

    stage: Stage
    display: JackpotDisplay
    driver: TdlDisplay
    facts: list[Fact]
    switch: Callable[[], None]

    def last(self, kind: type[Fact]) -> Fact | None:
        return next((fact for fact in reversed(self.facts) if isinstance(fact, kind)), None)

    def text(self) -> str:
        return self.display.visible(self.stage.now_ns)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the device's, which tells nobody that it changed
                await asyncio.sleep(0.005)


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    stage, display, facts = Stage(), JackpotDisplay("sign"), list[Fact]()
    face = new_display(display, Memory(commands=CommandRecord(epoch=EPOCH)))
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))

    async def report(fact: Fact) -> None:
        facts.append(fact)
        if isinstance(fact, DeviceReady):
            driver.resume_notices(fact.boot, 0)
        elif isinstance(fact, Notice):
            driver.acknowledge(fact.boot, fact.number)

    async def connect() -> Link:
        host, device = memory_pair("sign")
        serving.append(asyncio.create_task(outlet.serve(device)))
        return host

    serving: list[asyncio.Task[None]] = []
    around = Surroundings(report, connect, iter(range(1, 1000)).__next__, EPOCH)
    driver = TdlDisplay(TdlSettings("sign", "memory://sign", "000888", "SIGN-SIM"), around)
    running = asyncio.create_task(driver.run())
    made = Bench(stage, display, driver, facts, lambda: stage.act(lambda: face.reset(stage.now_ns)))
    await made.until(lambda: made.last(DeviceReady))
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running, *serving])
        stage.close()


async def test_it_shows_each_word_of_the_contract_and_says_so() -> None:
    async with bench() as made:
        assert made.text() == "ONE MOMENT", "it knows nothing yet"
        words = {Shown.NOTHING: "", Shown.PENDING: "PENDING", Shown.WON: "JACKPOT WON", Shown.WAIT: "ONE MOMENT"}
        for version, (what, text) in enumerate(words.items(), start=1):
            made.driver.show(Showing(version, what))
            expected = DisplayShowed(device="sign", version=version, what=what)
            await made.until(lambda expected=expected: made.last(DisplayShowed) == expected)  # type: ignore[misc]
            assert made.text() == text


async def test_said_again_it_stays_and_unsaid_it_is_stale() -> None:
    """The renewals change nothing and are told nobody; without them the display itself says *one moment*."""
    async with bench() as made:
        goal = Showing(1, Shown.AMOUNT, 1_234_56, "EUR")
        for _ in range(6):
            made.driver.show(goal)
            await asyncio.sleep(STALE_MS / 3_000)
            assert made.text() == "EUR 1,234.56"
        assert made.display.pictures == 1
        assert len([fact for fact in made.facts if isinstance(fact, DisplayShowed)]) == 1
        await asyncio.sleep(STALE_MS / 1_000)
        assert made.text() == "ONE MOMENT"
        made.driver.read_levels()
        await made.until(lambda: made.last(DisplayShowed) == DisplayShowed(device="sign", version=1, what=Shown.WAIT))


async def test_a_late_copy_of_an_old_amount_changes_nothing() -> None:
    async with bench() as made:
        made.driver.show(Showing(2, Shown.AMOUNT, 2_00, "EUR"))
        await made.until(lambda: made.text() == "EUR 2.00")
        made.driver.show(Showing(1, Shown.AMOUNT, 1_00, "EUR"))
        made.driver.show(Showing(3, Shown.PENDING))
        await made.until(lambda: made.text() == "PENDING")
        assert made.last(DisplayTroubled) is None
        assert made.display.pictures == 2


async def test_what_does_not_fit_is_refused_by_the_display_too() -> None:
    """BR-059: nothing is shortened; what stood there stays, and somebody is told."""
    async with bench() as made:
        made.driver.show(Showing(1, Shown.AMOUNT, 1_00, "EUR"))
        await made.until(lambda: made.text() == "EUR 1.00")
        made.driver.show(Showing(2, Shown.AMOUNT, 1_000_000_00, "EUR"))
        await made.until(lambda: made.last(DisplayTroubled))
        assert made.text() == "EUR 1.00"


async def test_after_a_power_cut_it_knows_nothing_until_it_is_told() -> None:
    async with bench() as made:
        goal = Showing(1, Shown.AMOUNT, 1_00, "EUR")
        made.driver.show(goal)
        await made.until(lambda: made.text() == "EUR 1.00")
        made.switch()
        assert made.text() == "ONE MOMENT"
        before = len([fact for fact in made.facts if isinstance(fact, DeviceReady)])
        await made.until(lambda: len([fact for fact in made.facts if isinstance(fact, DeviceReady)]) > before)
        made.driver.show(goal)
        await made.until(lambda: made.text() == "EUR 1.00")
