"""Simulated people are quick where the table is, but not where the product's own times are real."""

from __future__ import annotations

import asyncio

import pytest

from drivers.badges.resting import GONE_AFTER_S
from simulator.people import CastMember, Person, Scene
from simulator.staff import LAPSE_S, Supervisor
from simulator.watch import Watch
from simulator.world.hazards import NEVER, PINNED


class Reader:
    """A side channel that notes when a badge was tapped."""

    def __init__(self) -> None:
        self.taps_s: list[float] = []

    async def person(self, deed: dict[str, object]) -> dict[str, object]:
        assert deed == {"does": "tap", "badge": "26:00020140"}
        self.taps_s.append(asyncio.get_running_loop().time())
        return {}


@pytest.mark.virtual_time
@pytest.mark.parametrize("pace", [1.0, 20.0])
async def test_a_badge_is_not_tapped_again_before_the_reader_has_seen_it_go(pace: float) -> None:
    reader = Reader()
    scene = Scene(watch=None, side=reader, connect=None, pace=pace, seed=1, token="t", retry_s=1)  # type: ignore[arg-type]  # a tap needs no more
    person = Person(CastMember(name="Inês", as_="supervisor", staff_id="S-201", badge="26:00020140"), scene)
    for _ in range(3):
        await person.tap()
    assert reader.taps_s[0] == 0
    assert all(later - earlier > GONE_AFTER_S for earlier, later in zip(reader.taps_s, reader.taps_s[1:], strict=False))


def test_one_load_in_four_has_a_supervisor_who_forgets_to_tap_again() -> None:
    """semantics §7: one presence lapse per 4 loads; where nothing goes wrong by itself, none."""

    async def talk() -> object:
        raise AssertionError("nobody is talked to")

    def forgotten(chance: float) -> list[float]:
        watch = Watch(talk, table="BJ-07", retry_s=1)  # type: ignore[arg-type]  # never connected
        scene = Scene(
            watch=watch, side=Reader(), connect=talk, pace=1, seed=1, token="t", retry_s=1, lapse_chance=chance
        )  # type: ignore[arg-type]  # the same
        supervisor = Supervisor(CastMember(name="Inês", as_="supervisor", staff_id="S-201"), scene)
        return [late_s for late_s in (supervisor.lapse_s() for _ in range(4_000)) if late_s]

    lapses = forgotten(PINNED.lapses)
    assert 900 <= len(lapses) <= 1_100
    assert all(LAPSE_S[0] <= late_s <= LAPSE_S[1] for late_s in lapses)
    assert not forgotten(NEVER.lapses)
