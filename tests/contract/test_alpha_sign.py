"""Our ALPHA driver on the simulated sign: the display contract, without flicker, through cuts of power and cable."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from drivers.displays.alpha_sign import LOOK_S, AlphaSign, SignSettings
from drivers.displays.showing import STALE_MS, Showing
from drivers.events import DisplayLost, DisplayReady, DisplayShowed, DisplayTroubled, Fact, Shown
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.alpha.codes import Special
from simulator.faces.alpha_sign import AlphaSignFace
from simulator.line import Direction, FaultyLine, LineFault
from simulator.runner import Outlet, Stage
from simulator.world.led_sign import LedSign

pytestmark = pytest.mark.virtual_time

DEADLINE_S = 60.0
AMOUNT = Showing(1, Shown.AMOUNT, 1_234_56, "EUR")


@dataclass
class Bench:
    """The sign, its driver, and the hub's part: say again what holds."""

    stage: Stage
    face: AlphaSignFace
    outlet: Outlet
    driver: AlphaSign
    facts: list[Fact]
    lines: list[FaultyLine]
    goal: list[Showing] = field(default_factory=list)

    @property
    def sign(self) -> LedSign:
        return self.face.sign

    def show(self, showing: Showing) -> None:
        """As the hub does: now, and again until something else holds."""
        self.goal[:] = [showing]
        self.driver.show(showing)

    async def renew(self) -> None:
        while True:
            await asyncio.sleep(STALE_MS / 3_000)
            for showing in self.goal:
                self.driver.show(showing)

    def last(self, kind: type[Fact]) -> Fact | None:
        return next((fact for fact in reversed(self.facts) if isinstance(fact, kind)), None)

    def count(self, kind: type[Fact]) -> int:
        return len([fact for fact in self.facts if isinstance(fact, kind)])

    def power(self, *, is_on: bool) -> None:
        act: Callable[[], None] = (lambda: self.face.boot(self.stage.now_ns)) if is_on else self.face.power_off
        self.stage.act(act)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the sign's, which tells nobody that it changed
                await asyncio.sleep(0.01)

    async def until_showed(self, showing: Showing) -> None:
        await self.until(
            lambda: self.last(DisplayShowed) == DisplayShowed(device="sign", version=showing.version, what=showing.what)
        )


@asynccontextmanager
async def bench(*, has_battery: bool = False, caption: str = "") -> AsyncIterator[Bench]:
    stage, face = Stage(), AlphaSignFace(LedSign("sign", 20, has_battery=has_battery))
    outlet, facts, lines = stage.add_face(face), list[Fact](), list[FaultyLine]()
    stage.act(lambda: face.boot(stage.now_ns))

    async def report(fact: Fact) -> None:
        facts.append(fact)
        if isinstance(fact, DisplayReady):  # the hub tells the present goal to whoever comes
            for showing in made.goal:
                driver.show(showing)

    async def connect() -> Link:
        host, device = memory_pair("sign")
        serving.append(asyncio.create_task(outlet.serve(device)))
        lines.append(FaultyLine(host, 1))
        return lines[-1]

    serving: list[asyncio.Task[None]] = []
    settings = SignSettings("sign", "memory://sign", sign_address="01", caption=caption)
    driver = AlphaSign(settings, report, connect, random.Random(1))
    made = Bench(stage, face, outlet, driver, facts, lines)
    tasks = [asyncio.create_task(driver.run()), asyncio.create_task(made.renew())]
    try:
        await made.until(lambda: made.last(DisplayReady))
        yield made
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait([*tasks, *serving])
        stage.close()


async def test_every_word_of_the_contract_is_shown_and_read_back() -> None:
    async with bench() as made:
        assert made.face.drawn() == ["ONE MOMENT"], "before it is told"
        for version, (what, drawn) in enumerate(
            {
                Shown.NOTHING: [""],
                Shown.PENDING: ["PENDING"],
                Shown.WON: ["JACKPOT WON"],
                Shown.WAIT: ["ONE MOMENT"],
            }.items(),
            start=1,
        ):
            made.show(Showing(version, what))
            await made.until_showed(Showing(version, what))
            assert made.face.drawn() == drawn
        assert made.face.refused == 0


async def test_an_amount_rises_without_a_flicker() -> None:
    """A new amount is a STRING: the display never goes dark, and nobody reads anything between two amounts."""
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        blanks, before = made.sign.blanks, len(made.sign.changes)
        for version in range(2, 52):
            showing = Showing(version, Shown.AMOUNT, 1_234_56 + version, "EUR")
            made.show(showing)
            await made.until_showed(showing)
            assert made.face.drawn() == [showing.text]
        assert made.sign.blanks == blanks
        assert len(made.sign.changes) == before + 50


async def test_won_takes_the_sign_over_and_lets_it_go_to_the_new_amount() -> None:
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        won, new = Showing(2, Shown.WON), Showing(3, Shown.AMOUNT, 10_000_00, "EUR")
        made.show(won)
        await made.until_showed(won)
        assert made.face.drawn() == ["JACKPOT WON"]
        made.sign.changes.clear()
        made.show(new)
        await made.until_showed(new)
        assert made.face.drawn() == ["EUR 10,000.00"]
        assert not any("1,234.56" in seen for seen in made.sign.changes), "the amount that was won is not seen again"


async def test_renewals_write_nothing() -> None:
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        changes = len(made.sign.changes)
        await asyncio.sleep(10 * STALE_MS / 1_000)
        assert len(made.sign.changes) == changes
        assert made.count(DisplayShowed) == 1
        assert made.count(DisplayReady) == 1


@pytest.mark.parametrize("has_battery", [True, False], ids=["memory kept", "memory lost"])
async def test_after_a_power_cut_everything_is_sent_again(*, has_battery: bool) -> None:
    """The cable stays: only that the sign is silent, or holds something else, tells it. Nobody reads an old amount."""
    async with bench(has_battery=has_battery) as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        made.power(is_on=False)
        await made.until(lambda: made.count(DisplayLost) == 2)
        lost = made.last(DisplayLost)
        assert isinstance(lost, DisplayLost)
        assert 3_000 <= lost.silent_ms < 7_000, "an answer was waited for, after a look every three seconds"
        later = Showing(5, Shown.AMOUNT, 2_000_00, "EUR")
        made.show(Showing(4, Shown.AMOUNT, 1_900_00, "EUR"))
        made.show(later)
        made.sign.changes.clear()
        made.power(is_on=True)
        await made.until_showed(later)
        assert made.face.drawn() == ["EUR 2,000.00"]
        seen = made.sign.changes
        assert "ONE MOMENT" in seen
        assert not any("1,900" in text for text in seen), "what it missed is not sent"
        after = seen[seen.index("ONE MOMENT") :]
        assert not any("1,234.56" in text for text in after)


async def test_a_power_cut_between_two_looks_is_found_at_the_next() -> None:
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        made.power(is_on=False)
        made.power(is_on=True)
        await made.until(lambda: made.count(DisplayLost) == 2)
        await made.until(lambda: made.count(DisplayShowed) == 2)
        assert made.face.drawn() == ["EUR 1,234.56"]


async def test_somebody_else_s_text_is_overwritten() -> None:
    """A sign's remote control or another host: what is read back is not what was written."""
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        made.stage.act(lambda: made.sign.write_string("a", b"EUR 9,999.99"))
        await made.until(lambda: made.count(DisplayShowed) == 2)
        assert made.face.drawn() == ["EUR 1,234.56"]


async def test_a_hub_that_says_nothing_leaves_no_amount_on_the_sign() -> None:
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        made.goal.clear()
        await made.until_showed(Showing(1, Shown.WAIT))
        assert made.face.drawn() == ["ONE MOMENT"]
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)


@pytest.mark.parametrize("fault", [LineFault.CORRUPT, LineFault.DROP, LineFault.SPLIT, LineFault.CUT])
@pytest.mark.parametrize("direction", [Direction.OUT, Direction.IN])
async def test_a_bad_line_never_leaves_a_wrong_amount(fault: LineFault, direction: Direction) -> None:
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        made.lines[-1].provoke(fault, direction)
        new = Showing(2, Shown.AMOUNT, 7_654_32, "EUR")
        made.show(new)
        await made.until_showed(new)
        assert made.face.drawn() == ["EUR 7,654.32"]
        assert set(made.sign.changes) <= {
            *("", "ONE MOMENT"),
            *(f"{fixed}{text}" for fixed in ("", "\x1e1") for text in ("", "EUR 1,234.56", "EUR 7,654.32")),
        }
        assert sum(line.fired.total() for line in made.lines) == 1


async def test_a_sign_without_ack_mode_is_driven_by_reading_back() -> None:
    async with bench() as made:
        handlers = dict(made.face.handlers)
        special = handlers["E"]
        handlers["E"] = lambda face, body, now: body[:1] == Special.ACKNOWLEDGE.encode() or special(face, body, now)
        made.face.handlers = handlers
        made.power(is_on=False)
        made.power(is_on=True)
        await made.until(lambda: made.count(DisplayReady) == 2)
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        assert not made.sign.is_acknowledging
        assert made.face.drawn() == ["EUR 1,234.56"]


async def test_a_sign_that_refuses_is_told_of() -> None:
    async with bench() as made:
        made.face.handlers = {**made.face.handlers, "G": lambda _face, _body, _now: False}
        made.show(AMOUNT)
        await made.until(lambda: made.last(DisplayTroubled))
        assert made.count(DisplayShowed) == 0


async def test_a_caption_has_its_own_page() -> None:
    async with bench(caption="Prémio Mistério") as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        assert made.face.drawn() == ["Prémio Mistério", "EUR 1,234.56"]


async def test_it_is_looked_at_again_and_again() -> None:
    async with bench() as made:
        made.show(AMOUNT)
        await made.until_showed(AMOUNT)
        frames = made.driver.counts.frames_sent
        await asyncio.sleep(10 * LOOK_S + 1)
        assert 9 <= made.driver.counts.frames_sent - frames <= 21
