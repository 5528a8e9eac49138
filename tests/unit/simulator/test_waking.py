"""When the simulated room wants to be called again."""

from __future__ import annotations

import asyncio

import pytest

from simulator.runner import Stage
from simulator.world.waking import earliest


@pytest.mark.parametrize(
    ("wakes", "first"), [((), None), ((None, None), None), ((None, 7, 3, None, 5), 3), ((0, 4), 0), ((-1, None), -1)]
)
def test_earliest_of_several_times(wakes: tuple[int | None, ...], first: int | None) -> None:
    assert earliest(*wakes) == first


class Ringing:
    """A world that notes when it was played, and wants to be called at `wakes`, one after the other."""

    def __init__(self, wakes: list[int]) -> None:
        self.wakes = wakes
        self.played: list[int] = []

    def update(self, now_ns: int) -> int | None:
        self.played.append(now_ns)
        self.wakes = [wake for wake in self.wakes if wake > now_ns]
        return earliest(*self.wakes)


@pytest.mark.virtual_time
async def test_an_alarm_rings_once_at_its_time_however_often_it_is_set_again() -> None:
    stage, world = Stage(), Ringing([3_000_000_000, 5_000_000_000])
    stage.add_world(world)
    stage.settle()
    for _ in range(4):
        await asyncio.sleep(0.5)
        stage.settle()
    await asyncio.sleep(10.0)
    assert [at for at in world.played if at > 2_000_000_000] == [3_000_000_000, 5_000_000_000]


@pytest.mark.virtual_time
async def test_an_alarm_follows_a_world_that_wants_to_be_called_earlier_or_not_at_all() -> None:
    stage, world = Stage(), Ringing([3_000_000_000])
    stage.add_world(world)
    stage.settle()
    stage.act(lambda: world.wakes.append(1_000_000_000))
    await asyncio.sleep(2.0)
    assert 1_000_000_000 in world.played
    stage.act(lambda: world.wakes.clear())
    await asyncio.sleep(5.0)
    assert 3_000_000_000 not in world.played
