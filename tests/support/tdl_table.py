"""A small table behind our own driver: what a hub does with a TDL shuffler, for tests of the device at the far end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TypeVar

from drivers import events
from drivers.events import Fact, Notice, Outcome, PermitKind, Verb
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.base import Link
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.tdl import Expected, Opening, Ready, Said, TdlSession
from tests.support.tdl_rigs import Hands, Rig

TEST_EPOCH = 0x7E57_0001  # visibly a test's
OTHER_EPOCH = 0x7E57_0002
F = TypeVar("F", bound=Fact)

# Mechanics have their time: a count of a whole machine takes two minutes.
MECHANICS_S = 180.0
STEP_S = 0.02


class Prompt(random.Random):
    """Back-off at the quick end of its spread: a broker's 30 s spare it from 200 tables at once, and here is one."""

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) / 100


class Table:
    """What a hub does: takes facts, resumes and acknowledges notices, gives each command its own number."""

    def __init__(self, rig: Rig) -> None:
        self.facts: list[Fact] = []
        self.is_acknowledging = True
        self._sessions: Iterator[int] = iter(range(random.randrange(1, 60_000), 70_000))
        around = Surroundings(
            report=self._report,
            connect=rig.connect,
            next_session=lambda: next(self._sessions),
            epoch=TEST_EPOCH,
            jitter=Prompt(),
        )
        settings = TdlSettings("shuffler", rig.address, rig.serial, rig.model)
        self.driver = TdlShuffler(settings, around)
        self._number = 0

    async def _report(self, fact: Fact) -> None:
        self.facts.append(fact)
        if isinstance(fact, events.DeviceReady):
            self._number = max(self._number, fact.highest_number)
            self.driver.resume_notices(fact.boot, self.held(fact.boot))
        elif isinstance(fact, Notice) and self.is_acknowledging:
            self.driver.acknowledge(fact.boot, fact.number)

    def held(self, boot: int) -> int:
        return max((fact.number for fact in self.facts if isinstance(fact, Notice) and fact.boot == boot), default=0)

    def of(self, kind: type[F]) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    @property
    def ready(self) -> events.DeviceReady:
        return self.of(events.DeviceReady)[-1]

    def next_number(self) -> int:
        self._number += 1
        return self._number

    async def until(self, is_so: Callable[[], object], limit_s: float = MECHANICS_S) -> None:
        """Wait for a named state."""
        async with asyncio.timeout(limit_s):
            while not is_so():  # noqa: ASYNC110 - the state may be the device's, which tells nobody that it changed
                await asyncio.sleep(STEP_S)

    async def command(
        self, verb: Verb, number: int | None = None, *, epoch: int = TEST_EPOCH
    ) -> events.CommandAnswered:
        """Order it and wait for the answer."""
        wanted = self.next_number() if number is None else number
        return (await self.commands((verb, wanted), epoch=epoch))[0]

    async def commands(self, *orders: tuple[Verb, int], epoch: int = TEST_EPOCH) -> list[events.CommandAnswered]:
        """Order them, one right behind the other, and wait for all answers."""
        known = len(self.of(events.CommandAnswered))
        for verb, number in orders:
            self.driver.command(verb, epoch, number, None)
        await self.until(lambda: len(self.of(events.CommandAnswered)) >= known + len(orders))
        return self.of(events.CommandAnswered)[known:]

    async def outcome(self, number: int) -> events.CommandAnswered:
        known = len(self.of(events.CommandAnswered))
        self.driver.ask_outcome(TEST_EPOCH, number)
        await self.until(lambda: len(self.of(events.CommandAnswered)) > known)
        return self.of(events.CommandAnswered)[known]

    async def ended(self, number: int) -> events.CommandEnded:
        await self.until(lambda: any(fact.command == number for fact in self.of(events.CommandEnded)))
        return next(fact for fact in self.of(events.CommandEnded) if fact.command == number)

    async def count_all(self) -> int:
        answered = await self.command(Verb.COUNT_ALL)
        assert answered.outcome is Outcome.STARTED
        ended = await self.ended(answered.command)
        assert ended.outcome is Outcome.DONE
        return ended.moved

    async def levels(self) -> events.LevelsRead:
        known = len(self.of(events.LevelsRead))
        self.driver.read_levels()
        await self.until(lambda: len(self.of(events.LevelsRead)) > known)
        return self.of(events.LevelsRead)[known]

    async def load(self, hands: Hands, cards: int) -> None:
        """One packet, its permit to the card."""
        packets = len(self.of(events.PermitEnded))
        await hands.lay(cards)
        self.driver.revoke(PermitKind.FEED)
        self.driver.permit(PermitKind.FEED, 60_000, cards)
        await self.until(lambda: len(self.of(events.PermitEnded)) > packets)

    async def draw(self, hands: Hands, cards: int) -> None:
        """Draw so many, as a dealer does: try until one comes."""
        drawn = 0
        async with asyncio.timeout(MECHANICS_S):
            while drawn < cards:
                drawn += await hands.draw()
                await asyncio.sleep(STEP_S)


@asynccontextmanager
async def at_work(rig: Rig) -> AsyncIterator[Table]:
    """The driver at work on a device that obeys the test's epoch."""
    table = Table(rig)
    task = asyncio.create_task(table.driver.run())
    try:
        await table.until(lambda: table.of(events.DeviceReady) or table.of(events.DeviceRejected))
        assert [rejected.why for rejected in table.of(events.DeviceRejected)] == []
        if table.ready.epoch != TEST_EPOCH:
            adopted = await table.command(Verb.ADOPT, 0)
            assert adopted.outcome is Outcome.DONE
        yield table
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await rig.cut()


class OtherHost:
    """Another host at the same device: another epoch, a session of its own."""

    def __init__(self, expected: Expected) -> None:
        self.counts = LinkCounts()
        self.is_taken = asyncio.Event()
        self._opening = Opening(64_000, bytes(8), OTHER_EPOCH, expected)

    async def run_on(self, link: Link) -> None:
        """Until the session ends, which raises why."""
        await TdlSession(link, self._opening, self._said, self.counts).run()

    async def _said(self, what: Said) -> None:
        if isinstance(what, Ready):
            self.is_taken.set()


def other_host(rig: Rig, serial: str | None = None) -> OtherHost:
    """Another host that looks for this device, or for one with this serial number."""
    return OtherHost(Expected(serial or rig.serial, rig.model, 1))
