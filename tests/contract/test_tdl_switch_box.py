"""What the table's switch box promises (tdl.md 11.2), seen through our driver, on the simulated one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from drivers import events
from drivers.events import Fact, LampColour, LampPattern, Notice
from drivers.switchboxes.tdl_switch_box import TdlSwitchBox
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links.base import Link
from firmware_bridge.links.memory import memory_pair
from simulator.faces.memory import CommandRecord, Memory
from simulator.faces.tdl_switch_box import new_switch_box
from simulator.runner import Stage
from simulator.world.cards import Back, Pile, new_deck
from simulator.world.happenings import DealerKey
from simulator.world.switch_box import SwitchBox

pytestmark = pytest.mark.virtual_time

EPOCH = 0x7E57_0001
DEADLINE_S = 30.0


@dataclass
class Bench:
    """The box, what its driver told, and hands."""

    stage: Stage
    box: SwitchBox
    tray: Pile
    hand: Pile
    lid: list[bool]
    driver: TdlSwitchBox
    facts: list[Fact]

    def of(self, kind: type) -> list:  # type: ignore[type-arg]
        return [fact for fact in self.facts if isinstance(fact, kind)]

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():  # noqa: ASYNC110 - the state may be the device's, which tells nobody that it changed
                await asyncio.sleep(0.005)


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    stage, tray, hand, lid = Stage(), Pile("tray"), Pile("hand"), [False]
    new_deck(1, Back.BLUE, hand)
    box = SwitchBox("box", tray, lambda: lid[0])
    face = new_switch_box(box, Memory(commands=CommandRecord(epoch=EPOCH)))
    stage.add_world(box)
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    facts: list[Fact] = []
    served: list[asyncio.Task[None]] = []

    async def connect() -> Link:
        near, far = memory_pair("box")
        served.append(asyncio.create_task(outlet.serve(far)))
        return near

    async def report(fact: Fact) -> None:
        facts.append(fact)
        if isinstance(fact, events.DeviceReady):
            driver.resume_notices(fact.boot, 0)
        elif isinstance(fact, Notice):
            driver.acknowledge(fact.boot, fact.number)

    around = Surroundings(report=report, connect=connect, next_session=lambda: len(served), epoch=EPOCH)
    driver = TdlSwitchBox(TdlSettings("box", "memory://box", "000777", face.equipment.identity.model), around)
    task = asyncio.create_task(driver.run())
    made = Bench(stage, box, tray, hand, lid, driver, facts)
    try:
        await made.until(lambda: made.of(events.DeviceBooted))
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, *served, return_exceptions=True)
        stage.close()


async def test_it_says_what_it_can_and_cannot() -> None:
    async with bench() as at:
        ready = at.of(events.DeviceReady)[0]
    cannot = {ability for ability, holding in ready.abilities.items() if holding is events.Holding.CANNOT}
    assert ready.abilities[events.Ability.LAMP] is events.Holding.ENFORCES
    assert ready.abilities[events.Ability.LID] is events.Holding.OBSERVES
    assert cannot == set(events.Ability) - {events.Ability.LAMP, events.Ability.LID}
    assert (ready.meter_in, ready.lamp) == (None, (LampColour.OFF, LampPattern.STEADY))


@pytest.mark.parametrize("key", list(DealerKey))
async def test_a_key_is_told_by_its_name_within_300_ms(key: DealerKey) -> None:
    async with bench() as at:
        begun_s = asyncio.get_running_loop().time()
        at.stage.act(lambda: at.box.press(key))
        await at.until(lambda: at.of(events.KeyPressed))
        assert asyncio.get_running_loop().time() - begun_s < 0.3
        await asyncio.sleep(5)
    assert [fact.key.value for fact in at.of(events.KeyPressed)] == [key.value]


async def test_the_lamp_is_a_goal_and_shows_itself() -> None:
    async with bench() as at:
        at.driver.set_lamp(LampColour.RED, LampPattern.BLINKING)
        await at.until(lambda: at.of(events.LampChanged))
        at.driver.set_lamp(LampColour.RED, LampPattern.BLINKING)
        await asyncio.sleep(3)
    lamp = [(fact.colour, fact.pattern) for fact in at.of(events.LampChanged)]
    assert lamp == [(LampColour.RED, LampPattern.BLINKING)]


async def test_lid_and_tray_are_told_and_read() -> None:
    """CSM-9: how many cards lie in the tray is the box's own count, and told when it changes."""
    async with bench() as at:
        at.stage.act(lambda: at.lid.__setitem__(0, True))
        at.stage.act(lambda: [card.move_to(at.tray) for card in list(at.hand)[:7]])
        await at.until(lambda: at.of(events.TrayLevel))
        assert at.of(events.LidOpened)
        at.driver.read_levels()
        await at.until(lambda: at.of(events.LevelsRead))
    assert at.of(events.TrayLevel)[-1].cards == 7
    assert at.of(events.LevelsRead)[0].is_lid_open is True
