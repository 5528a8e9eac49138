"""One cause calls people once: at one table, at all tables of a section, and again when only part of it is mended."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from drivers.events import DeviceLost, KeyName, KeyPressed
from tableside.causes import STAGGER_S, WINDOW_S, Elsewhere
from tableside.decisions import AlertEscalated, AlertRaised
from tableside.house import House
from tableside.hub import Entry
from tableside.inputs import AlertElsewhere, AlertElsewhereGone, AnyInput, SpaceLow
from tableside.neighbours import Neighbours
from tableside.state import TableState
from tests.support.table import HOUSE, WALL_START_NS, Table

SECOND = replace(HOUSE, table="BJ 4", section=replace(HOUSE.section, rank=1))
WALL_NS = 1_000_000_000


def at_play(house: House = HOUSE) -> Table:
    table = Table(house)
    table.ready()
    table.ready("switches")
    return table


def lose(table: Table, *devices: str) -> None:
    for device in devices:
        table.give(DeviceLost(device=device, why="no answer"))


def raised(table: Table) -> dict[str, tuple[tuple[str, ...], str]]:
    return {one.text: (one.asked, one.rides) for one in table.all_of(AlertRaised)}


def test_a_table_without_power_calls_once() -> None:
    table = at_play()
    lose(table, "shuffler", "switches")
    table.wait(HOUSE.device_silent_s)
    told = raised(table)
    assert set(told) == {"SHUFFLER-SILENT", "SWITCH-BOX-SILENT"}
    assert sorted(bool(asked) for asked, _ in told.values()) == [False, True]


def test_what_still_stands_when_the_rest_is_mended_calls_by_itself() -> None:
    table = at_play()
    lose(table, "shuffler", "switches")
    table.wait(HOUSE.device_silent_s)
    first = next(one for one in table.all_of(AlertRaised) if one.asked)
    rider = next(one for one in table.all_of(AlertRaised) if one.rides)
    assert rider.rides == str(first.alert)
    table.restarted({"SHUFFLER-SILENT": "shuffler", "SWITCH-BOX-SILENT": "switches"}[first.text])
    (called,) = [one for one in table.all_of(AlertEscalated) if one.alert == rider.alert]
    assert called.asked
    later = [one for one in table.wait(HOUSE.class_2_neighbour_s) if isinstance(one, AlertEscalated)]
    assert {one.alert for one in later} == {rider.alert}, "and it is passed on as any other"


def test_what_falls_silent_later_is_another_cause() -> None:
    table = at_play()
    lose(table, "switches")
    table.wait(HOUSE.device_silent_s + WINDOW_S + 1)
    lose(table, "shuffler")
    table.wait(HOUSE.device_silent_s)
    assert all(asked and not rides for asked, rides in raised(table).values())


def test_what_is_graver_calls_by_itself() -> None:
    """A second-class alert that somebody may leave for five minutes covers none that calls at once."""
    table = at_play(SECOND)
    table.give(AlertElsewhere(stands=elsewhere(table, level=2)))
    lose(table, "shuffler")
    table.wait(HOUSE.device_silent_s + STAGGER_S)
    (alert,) = table.all_of(AlertRaised)
    assert bool(alert.asked) is (alert.level == 1)


def elsewhere(table: Table, *, level: int = 1, asked: tuple[str, ...] = ("S1", "T1")) -> Elsewhere:
    wall_ns = WALL_START_NS + table.now_ns + round(HOUSE.device_silent_s * 1e9)
    return Elsewhere("BJ 3", 14, "silence", level, asked, wall_ns)


def test_a_switch_that_took_two_tables_rings_at_the_first_and_the_second_calls_when_that_is_mended() -> None:
    table = at_play(SECOND)
    table.give(AlertElsewhere(stands=elsewhere(table)))
    lose(table, "switches")
    table.wait(HOUSE.device_silent_s + STAGGER_S)
    assert raised(table) == {"SWITCH-BOX-SILENT": ((), "BJ 3 14")}
    table.give(AlertElsewhereGone(table="BJ 3", alert=14))
    (called,) = table.all_of(AlertEscalated)
    assert called.asked


def test_who_is_asked_at_the_other_table_must_be_who_would_be_asked_here() -> None:
    table = at_play(SECOND)
    table.give(AlertElsewhere(stands=elsewhere(table, asked=("S9",))))
    lose(table, "switches")
    table.wait(HOUSE.device_silent_s + STAGGER_S)
    assert raised(table)["SWITCH-BOX-SILENT"][0]


@pytest.mark.parametrize(("house", "calls"), [(HOUSE, True), (SECOND, False)])
def test_a_disk_of_the_host_calls_at_the_first_table(house: House, *, calls: bool) -> None:
    table = at_play(house)
    table.give(SpaceLow(free_percent=4))
    (alert,) = table.all_of(AlertRaised)
    assert bool(alert.asked) is calls


def test_what_a_person_asks_for_rides_along_with_nothing() -> None:
    table = at_play()
    lose(table, "shuffler")
    table.wait(HOUSE.device_silent_s)
    table.notice(KeyPressed, device="switches", key=KeyName.CALL)
    assert raised(table)["CALL-PRESSED"][0]


@dataclass
class Host:
    """Two tables of one section, as the daemon's neighbours see them."""

    first: Table
    second: Table
    neighbours: Neighbours = field(init=False)

    def __post_init__(self) -> None:
        self._sides = {"BJ 3": Side("BJ 3", self.first), "BJ 4": Side("BJ 4", self.second)}
        self.neighbours = Neighbours(self._sides, ())

    async def hear(self, name: str, since: int) -> None:
        """What a table has decided since is told to the other."""
        side = self._sides[name]
        given = side.table.given[-1]
        entries = [Entry(seq, given, what) for seq, what in enumerate(side.table.decided[since:])]
        self.neighbours.listen(side, entries)
        await self.pass_on()

    async def pass_on(self) -> None:
        task = asyncio.create_task(self.neighbours.run())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()


@dataclass
class Side:
    name: str
    table: Table
    section: str = "A"

    @property
    def state(self) -> TableState:
        return self.table.state

    async def tell(self, what: AnyInput) -> None:
        self.table.give(what)


async def test_a_cut_switch_rings_once_for_both_tables_also_over_a_restart() -> None:
    host = Host(at_play(), at_play(SECOND))
    for table in (host.first, host.second):
        lose(table, "shuffler")
    before = len(host.first.decided)
    host.first.wait(HOUSE.device_silent_s)
    await host.hear("BJ 3", before)
    host.second.wait(HOUSE.device_silent_s + STAGGER_S)
    assert raised(host.first)["SHUFFLER-SILENT"][0]
    (rider,) = host.second.all_of(AlertRaised)
    assert rider.rides == f"BJ 3 {host.first.all_of(AlertRaised)[0].alert}"
    host.first.restarted()  # answers again while the daemon is down: nobody passes it on
    again = Host(host.first, host.second)
    again.neighbours.begin()
    await again.pass_on()
    (called,) = host.second.all_of(AlertEscalated)
    assert (called.alert, bool(called.asked)) == (rider.alert, True)
