"""What TDL chip slots promise (tdl.md 11.3), seen through our driver, on the simulated ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import pytest

from drivers.events import (
    Ability,
    ChipReturn,
    ChipReturned,
    ChipsIn,
    CommandAnswered,
    CommandEnded,
    DeviceFaulted,
    DeviceFaultGone,
    DeviceReady,
    Fact,
    Holding,
    Notice,
    Outcome,
    PermitAnswered,
    PermitEnded,
    PermitEnding,
    PermitKind,
    Place,
    Reason,
    Verb,
)
from drivers.slots.tdl_slots import TdlSlots
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from simulator.faces.memory import CommandRecord, Memory
from simulator.faces.tdl_slots import new_slots
from simulator.runner import Stage
from simulator.world.chip_slots import ChipSlots

pytestmark = pytest.mark.virtual_time

EPOCH = 0x7E57_0001
SEATS = (1, 2, 3, 4, 5, 6, 7)
CHIP = 5_00
DEADLINE_S = 30.0
SENSOR_STUCK = 6  # TDL 14.2 *Faults*
F = TypeVar("F", bound=Fact)


@dataclass
class Bench:
    """The slots, what their driver told, and a hand at the felt."""

    stage: Stage
    slots: ChipSlots
    driver: TdlSlots
    facts: list[Fact]
    reset: Callable[[], None]

    def told(self, kind: type[F]) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def drop(self, seat: int, value: int = CHIP) -> None:
        self.stage.act(lambda: self.slots.drop(seat, value))

    async def open(self, ms: int = 10_000) -> None:
        self.driver.permit(PermitKind.SLOTS, ms, None)
        await self.until(lambda: self.slots.is_open)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state is the device's, which tells nobody that it changed
                await asyncio.sleep(0.005)

    async def returned(self, *whys: ChipReturn) -> None:
        await self.until(lambda: [fact.why for fact in self.told(ChipReturned)] == list(whys))


@asynccontextmanager
async def bench(*, acknowledges: bool = True) -> AsyncIterator[Bench]:
    stage, slots, facts = Stage(), ChipSlots("slots", SEATS, CHIP), list[Fact]()
    stage.add_world(slots)
    face = new_slots(slots, Memory(commands=CommandRecord(epoch=EPOCH)))
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))

    async def report(fact: Fact) -> None:
        facts.append(fact)
        if isinstance(fact, DeviceReady):
            driver.resume_notices(fact.boot, 0)
        elif isinstance(fact, Notice) and acknowledges:
            driver.acknowledge(fact.boot, fact.number)

    async def connect() -> Link:
        host, device = memory_pair("slots")
        serving.append(asyncio.create_task(outlet.serve(device)))
        return host

    serving: list[asyncio.Task[None]] = []
    around = Surroundings(report, connect, iter(range(1, 1000)).__next__, EPOCH)
    driver = TdlSlots(TdlSettings("slots", "memory://slots", "000555", "SLOT-SIM"), around)
    running = asyncio.create_task(driver.run())
    made = Bench(stage, slots, driver, facts, lambda: stage.act(lambda: face.reset(stage.now_ns)))
    await made.until(lambda: made.told(DeviceReady))
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running, *serving])
        stage.close()


async def test_a_chip_counts_at_its_seat_while_bets_are_taken() -> None:
    async with bench() as made:
        assert made.told(DeviceReady)[0].abilities[Ability.SLOTS] is Holding.ENFORCES
        await made.open()
        made.drop(3)
        made.drop(7)
        await made.until(lambda: len(made.told(ChipsIn)) == 2)
        assert [(fact.seat, fact.meter) for fact in made.told(ChipsIn)] == [(3, 1), (7, 1)]
        assert made.slots.lying[3] == made.slots.lying[7] == 1


async def test_second_chip_and_another_value_come_back() -> None:
    """JP-10: one chip a player and round, of the set value."""
    async with bench() as made:
        await made.open()
        made.drop(2)
        await made.until(lambda: made.told(ChipsIn))
        made.drop(2)
        await made.returned(ChipReturn.SECOND)
        made.drop(5, CHIP * 5)
        await made.returned(ChipReturn.SECOND, ChipReturn.VALUE)
        assert (made.slots.slots[2].cup, made.slots.slots[5].cup, len(made.told(ChipsIn))) == (1, 1, 1)


async def test_no_chip_counts_before_the_permit_after_it_or_after_its_time() -> None:
    """JP-11: a chip after the lock does not count; a device whose host is gone closes by itself."""
    async with bench() as made:
        made.drop(1)
        await made.returned(ChipReturn.LATE)
        await made.open()
        made.driver.revoke(PermitKind.SLOTS)
        await made.until(lambda: made.told(PermitEnded))
        made.drop(1)
        await made.returned(ChipReturn.LATE, ChipReturn.LATE)
        await made.open(ms=1_000)
        await made.until(lambda: len(made.told(PermitEnded)) == 2)
        assert [fact.why for fact in made.told(PermitEnded)] == [PermitEnding.REVOKED, PermitEnding.TIME]
        made.drop(1)
        await made.returned(*[ChipReturn.LATE] * 3)
        assert not made.told(ChipsIn)


async def test_a_chip_that_falls_as_the_slots_close_is_decided_at_its_gate() -> None:
    """The moment at the light gate counts, not that at the lips: what is told as returned is in the cup."""
    async with bench() as made:
        await made.open()
        made.drop(4)
        made.driver.revoke(PermitKind.SLOTS)
        await made.until(lambda: made.told(ChipReturned) or made.told(ChipsIn))
        assert len(made.told(ChipReturned)) == made.slots.slots[4].cup == 1
        assert made.slots.lying[4] == len(made.told(ChipsIn)) == 0


async def test_collecting_is_done_once_and_empties_the_windows() -> None:
    async with bench() as made:
        await made.open()
        for seat in (1, 2, 6):
            made.drop(seat)
        await made.until(lambda: len(made.told(ChipsIn)) == 3)
        made.driver.command(Verb.COLLECT, EPOCH, 1, 0)
        await made.until(lambda: made.told(CommandEnded))
        ended = made.told(CommandEnded)[0]
        assert (ended.command, ended.outcome, ended.moved) == (1, Outcome.DONE, 3)
        made.drop(1)
        await made.until(lambda: len(made.told(ChipsIn)) == 4)
        made.driver.command(Verb.COLLECT, EPOCH, 1, 0)  # a copy on its way since then
        await made.until(lambda: [fact.outcome for fact in made.told(CommandAnswered)][-1:] == [Outcome.DONE])
        assert made.slots.lying[1] == 1, "an old number moves nothing"
        made.driver.command(Verb.COLLECT, EPOCH, 2, 1)
        await made.until(lambda: len(made.told(CommandEnded)) == 2)
        assert (made.slots.lying[1], made.slots.slots[1].box) == (0, 2)


async def test_a_seat_that_is_not_there_is_refused() -> None:
    async with bench() as made:
        made.driver.command(Verb.COLLECT, EPOCH, 1, 9)
        await made.until(lambda: made.told(CommandAnswered))
        answered = made.told(CommandAnswered)[0]
        assert (answered.outcome, answered.reason) == (Outcome.REFUSED, Reason.ARGUMENT)


async def test_a_light_gate_that_sticks_closes_the_slots_until_somebody_has_looked() -> None:
    async with bench() as made:
        await made.open()
        made.stage.act(lambda: made.slots.block(4))
        await made.until(lambda: made.told(DeviceFaulted))
        faulted = made.told(DeviceFaulted)[0]
        assert (faulted.fault, faulted.place) == (SENSOR_STUCK, Place.SLOT)
        await made.until(lambda: made.told(PermitEnded))
        assert made.told(PermitEnded)[0].why is PermitEnding.FAULT
        made.driver.permit(PermitKind.SLOTS, 10_000, None)
        await made.until(lambda: made.told(PermitAnswered))
        assert made.told(PermitAnswered)[0].reason is Reason.FAULT
        made.driver.command(Verb.COLLECT, EPOCH, 1, 0)
        await made.until(lambda: made.told(CommandAnswered))
        assert made.told(CommandAnswered)[0].reason is Reason.FAULT
        made.drop(4)
        made.stage.act(lambda: made.slots.unblock(4))
        made.driver.clear_fault(SENSOR_STUCK)
        await made.until(lambda: made.told(DeviceFaultGone))
        await made.open()
        assert not made.told(ChipsIn)


async def test_collecting_stops_where_a_gate_sticks_and_says_how_many() -> None:
    async with bench() as made:
        await made.open()
        for seat in SEATS:
            made.drop(seat)
        await made.until(lambda: len(made.told(ChipsIn)) == len(SEATS))
        made.stage.act(lambda: made.slots.block(7))
        made.driver.command(Verb.COLLECT, EPOCH, 1, 0)
        await made.until(lambda: made.told(CommandEnded))
        ended = made.told(CommandEnded)[0]
        assert (ended.outcome, ended.reason) == (Outcome.FAILED, Reason.FAULT)
        assert ended.moved == sum(slot.box for slot in made.slots.slots.values()) < len(SEATS)


async def test_a_reset_tells_what_lies_there_and_invents_no_chip() -> None:
    """Meters begin at 0; a chip that was taken in and never told shows as lying, not as a chip that came now."""
    async with bench(acknowledges=False) as made:
        await made.open()
        made.drop(3)
        await made.until(lambda: made.slots.lying[3])
        made.reset()
        await made.until(lambda: len(made.told(DeviceReady)) == 2)
        ready = made.told(DeviceReady)[1]
        assert ready.chips_in == (0,) * 7
        assert ready.chips_lying == (0, 0, 1, 0, 0, 0, 0)
        assert PermitKind.SLOTS not in ready.permits
        made.drop(5)
        await made.until(lambda: made.slots.slots[5].cup)
        assert not made.slots.is_open
