"""The shuffler's driver on the simulated shuffler, over good and bad cables: cards, counts and commands agree.

Both sides were written from docs/protocols/tdl.md, neither from the other. A small hub stands in for the table:
it acknowledges what it has noted, renews permits, and asks what became of each command.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from drivers import events
from drivers.events import Outcome, PermitKind, Verb
from drivers.shufflers.tdl_shuffler import TdlShuffler
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.tdl.codes import BootCause, Profile, Status
from simulator.faces.memory import Memory
from simulator.faces.tdl_shuffler import BATCH, CONTINUOUS, new_shuffler
from simulator.line import SOUND, Direction, FaultyLine, LineFault, LineQuality
from simulator.runner import Stage
from simulator.world import hands
from simulator.world.cards import Back
from simulator.world.hazards import NEVER
from simulator.world.jobs import Job
from simulator.world.table import SPREAD, TableWorld
from tests.support.tdl_host import until

pytestmark = pytest.mark.virtual_time
EPOCH = 0xA1B2C3D4
SERIAL = "000123"
MODELS = {Profile.CONTINUOUS: "CSM-SIM", Profile.BATCH: "BSM-SIM"}
NOISE = LineQuality(
    chances={fault: 0.004 if fault is LineFault.CUT else 0.02 for fault in LineFault}, late_s=(0.001, 0.4)
)


class SmallHub:
    """Notes facts, acknowledges them, keeps the sum of the meters over boots."""

    def __init__(self, rig: Rig, seed: int, profile: Profile) -> None:
        self.facts: list[events.Fact] = []
        self.held: dict[int, int] = {}
        self.cards_in = self.cards_out = 0
        self._meters = {"in": 0, "out": 0}
        self._sessions = 0
        rng = random.Random(seed)
        around = Surroundings(
            report=self.report,
            connect=rig.connect,
            next_session=self._next_session,
            epoch=EPOCH,
            nonce=rng.randbytes,
            jitter=rng,
        )
        settings = TdlSettings("shuffler", "memory://csm", SERIAL, MODELS[profile])
        self.driver = TdlShuffler(settings, around, profile=profile)

    def _next_session(self) -> int:
        self._sessions += 1
        return self._sessions

    async def report(self, fact: events.Fact) -> None:
        self.facts.append(fact)
        if isinstance(fact, events.DeviceReady):
            if fact.epoch != EPOCH:
                self.driver.command(Verb.ADOPT, EPOCH, 1, 0)
            self.driver.resume_notices(fact.boot, self.held.get(fact.boot, 0))
        elif isinstance(fact, events.Notice):
            assert fact.number == self.held.get(fact.boot, 0) + 1, "a gap or a copy reached the table"
            self.held[fact.boot] = fact.number
            self._note(fact)
            self.driver.acknowledge(fact.boot, fact.number)

    def _note(self, fact: events.Notice) -> None:
        if isinstance(fact, events.DeviceBooted):
            self._meters = {"in": 0, "out": 0}
        elif isinstance(fact, events.CardsIn):
            self.cards_in += fact.meter - self._meters["in"]
            self._meters["in"] = fact.meter
        elif isinstance(fact, events.CardsOut):
            self.cards_out += fact.meter - self._meters["out"]
            self._meters["out"] = fact.meter

    def of(self, kind: type[events.Fact]) -> list[events.Fact]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


class Rig:
    """Machine, face, stage, and a new cable each time that the driver connects."""

    def __init__(self, seed: int, quality: LineQuality, *, pace: float = 10, is_batch: bool = False) -> None:
        self.table = TableWorld(seed, rates=NEVER, serials=(SERIAL,), batch=(SERIAL,) if is_batch else ())
        self.machine, self.felt = self.table.machine, self.table.felt
        carousel = self.machine.carousel
        for sensor in (carousel.in_sensor, carousel.out_sensor, carousel.look_sensor):
            sensor.misreads_per_card = 0.0
        self.face = new_shuffler(self.machine, Memory(), serial=SERIAL, shape=BATCH if is_batch else CONTINUOUS)
        self.stage = Stage(pace=pace)
        self.stage.add_world(self.table)
        self.outlet = self.stage.add_face(self.face)
        self.begun: list[int] = []
        self.lines: list[FaultyLine] = []
        self._quality, self._seed = quality, seed
        self._served: asyncio.Task[None] | None = None
        self._numbers = 1
        begin = self.machine.begin

        def counted(job: Job) -> None:
            assert self.face.running is not None
            self.begun.append(self.face.running.number)
            begin(job)

        self.machine.begin = counted  # type: ignore[method-assign]  # a spy on the real machine
        self.hub = SmallHub(self, seed, Profile.BATCH if is_batch else Profile.CONTINUOUS)
        self.table.bring([Back.RED] if is_batch else [Back.RED, Back.BLUE] * 3)
        self.stage.act(lambda: self.face.boot(self.stage.now_ns))

    async def connect(self) -> Link:
        if self._served is not None:
            await self._served  # the socket is free again
        near, far = memory_pair("csm")
        line = FaultyLine(far, self._seed + len(self.lines), self._quality)
        self.lines.append(line)
        self._served = asyncio.create_task(self.outlet.serve(line))
        return near

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.hub.driver.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if self._served is not None:
                await self._served
            self.stage.close()
            self.table.assert_conserved()

    # What a table does

    async def command(self, verb: Verb, argument: int | None = None) -> Outcome:
        """Order it once; ask what became of it until that is known."""
        await until(lambda: self.face.session is not None and self.face.session.is_open)
        self._numbers += 1
        number = self._numbers
        self.hub.driver.command(verb, EPOCH, number, argument)
        for _ in range(300):
            await asyncio.sleep(1)
            ended = [fact for fact in self.hub.of(events.CommandEnded) if getattr(fact, "command", 0) == number]
            answers = [
                fact
                for fact in self.hub.facts
                if isinstance(fact, events.CommandAnswered)
                and fact.command == number
                and fact.outcome is not Outcome.STARTED
            ]
            if ended or answers:
                return Outcome.DONE if ended else answers[-1].outcome
            self.hub.driver.ask_outcome(EPOCH, number)
        raise AssertionError(f"nobody knows what became of command {number}")

    async def count(self) -> None:
        for _ in range(20):
            if await self.command(Verb.COUNT_ALL) is Outcome.DONE:
                return
        raise AssertionError("no count came to its end")

    async def load(self) -> None:
        while len(self.felt[SPREAD]):
            self.stage.act(lambda: hands.put_packet(self.machine, list(self.felt[SPREAD])[:104]))
            await self.take_in()

    async def take_in(self) -> None:
        """Return what lies in the hopper; renewed at a third, as the hub does."""
        self.hub.driver.revoke(PermitKind.FEED)
        for _ in range(600):
            if not self.machine.carousel.hopper and self.machine.is_path_clear:
                return
            self.hub.driver.permit(PermitKind.FEED, 2_000, None)
            await asyncio.sleep(0.6)
        raise AssertionError("the hopper did not empty")

    async def deal(self, cards: int) -> None:
        dealt = 0
        for turn in range(3_000):
            if turn % 40 == 0:
                self.hub.driver.permit(PermitKind.DEAL, 30_000, None)
            dealt += self.stage.act(lambda: hands.draw(self.machine, self.felt[SPREAD]))
            if dealt == cards:
                return
            await asyncio.sleep(0.2)
        raise AssertionError(f"{dealt} of {cards} cards came out")

    async def settle(self) -> None:
        """Until every notice is known at the table."""
        await until(lambda: len(self.face.notices) == 0 and self.face.session is not None and self.face.session.is_open)


async def play(rig: Rig, rounds: int) -> None:
    await until(lambda: bool(rig.hub.of(events.DeviceReady)))
    await until(lambda: rig.face.outcomes.epoch == EPOCH)
    await rig.count()
    await rig.load()
    for _ in range(rounds):
        await rig.deal(23)
        rig.stage.act(lambda: hands.put_packet(rig.machine, rig.felt[SPREAD]))
        await rig.take_in()
    await rig.settle()


async def test_a_clean_day_counts_to_the_card() -> None:
    rig = Rig(1, SOUND)
    async with rig.running():
        await play(rig, 20)
        assert (rig.hub.cards_in, rig.hub.cards_out) == (312 + 20 * 23, 20 * 23)
        assert rig.machine.cards_inside == 312
        await rig.count()
        counted = rig.hub.of(events.CommandEnded)[-1]
        assert isinstance(counted, events.CommandEnded)
        assert counted.moved == 312
    assert len(rig.lines) == 1
    assert len(rig.begun) == len(set(rig.begun))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_day_on_a_bad_cable_counts_to_the_card(seed: int) -> None:
    """BR-001, BR-007, BR-011, BR-012, BR-016: everything that a cable does, again and again."""
    rig = Rig(seed, NOISE)
    async with rig.running():
        await play(rig, 12)
        assert (rig.hub.cards_in, rig.hub.cards_out) == (312 + 12 * 23, 12 * 23)
        assert rig.machine.cards_inside == 312
    fired = {fault for line in rig.lines for (_, fault) in line.fired}
    assert fired == set(LineFault), "a day without a fault proves nothing"
    assert len(rig.begun) == len(set(rig.begun)), "a command moved twice"
    assert not [fact for fact in rig.hub.facts if isinstance(fact, events.NoticesLost)]


@pytest.mark.parametrize("seed", [4, 5])
async def test_a_device_that_is_reset_again_and_again_never_moves_twice(seed: int) -> None:
    """BR-015: reset at any moment of a count, over a bad cable; each number moves once and is known."""
    rig = Rig(seed, NOISE)
    rng = random.Random(seed)

    async def resets() -> None:
        for _ in range(12):
            await asyncio.sleep(rng.uniform(3, 25))
            cause = rng.choice([BootCause.RESET, BootCause.WATCHDOG, BootCause.BROWN_OUT])
            rig.stage.act(lambda cause=cause: rig.face.reset(rig.stage.now_ns, cause))  # type: ignore[misc]

    async with rig.running():
        await until(lambda: rig.face.outcomes.epoch == EPOCH)
        breaking = asyncio.create_task(resets())
        seen = set()
        while not breaking.done():
            seen.add(await rig.command(Verb.COUNT_ALL))
        await breaking
        await rig.count()
        await rig.settle()
        assert rig.face.boot_number == 13
        assert rig.machine.book.is_verified
        assert Outcome.INTERRUPTED in seen
    assert len(rig.begun) == len(set(rig.begun))
    kept = rig.face.memory.commands.outcomes
    assert all(outcome.status is not Status.STARTED for outcome in kept)


async def test_a_cable_out_for_twenty_seconds_loses_no_notice() -> None:
    rig = Rig(6, SOUND)
    async with rig.running():
        await play(rig, 1)
        rig.hub.driver.permit(PermitKind.DEAL, 60_000, None)
        await asyncio.sleep(2)
        rig.lines[-1].provoke(LineFault.CUT, Direction.OUT)
        for _ in range(10):
            assert rig.stage.act(lambda: hands.draw(rig.machine, rig.felt[SPREAD])) == 1
            await asyncio.sleep(2)
        await rig.settle()
        assert rig.hub.cards_out == 33
    assert len(rig.lines) >= 2
