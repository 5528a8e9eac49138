"""Figures of machines by serial number: counts, rates with their intervals, and the comparison with the model."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Place
from tableside.diagnosis.statistics import MachineStatistics, statistics
from tableside.house import House
from tableside.journal.record import Genesis
from tableside.reports.story import Story, Told
from tableside.requests import CallTechnician, EndRound
from tests.support.session import feed, give_out, levels, open_table
from tests.support.swaps import loaded_spare
from tests.support.table import HOUSE, Table
from tests.unit.diagnosis.test_errors import cleared_jam, rows


def story_of(table: Table, house: House = HOUSE) -> Story:
    return Story(Genesis(house.table, house.epoch, 1, 0), house, rows(table))


def of(*tables: Table) -> dict[str, MachineStatistics]:
    return {one.serial: one for one in statistics(story_of(table) for table in tables)}


def play(table: Table, rounds: int, cards: int = 4) -> None:
    for _ in range(rounds):
        give_out(table, cards)
        assert table.ask(EndRound, by="D1").is_accepted
        feed(table, cards)
        table.notice(events.PacketEnded, cards=cards)
        levels(table, content=312)


def test_rounds_cards_jams_and_assists_are_counted() -> None:
    table = open_table()
    give_out(table, 4)
    cleared_jam(table)
    cleared_jam(table, Place.FEED)
    assert table.ask(EndRound, by="D1").is_accepted
    one = of(table)["000123"]
    assert (one.jams.count, one.jams.cycles, one.cards_out) == (2, 1, 4)
    assert one.jams_by_place == {"exit": 1, "feed": 1}
    assert (one.assists, one.failures, one.standing) == (2, 0, 0)
    assert one.cycles_between_assists == 0.5
    assert one.cycles_between_failures is None
    assert one.assist_s == pytest.approx(60)
    assert one.jams.per_thousand == 2_000
    assert one.jams.low == pytest.approx(242.2, abs=0.1)
    assert one.jams.high == pytest.approx(7224.7, abs=0.1)


def test_a_jam_for_the_technician_is_a_failure_and_no_assist() -> None:
    table = open_table()
    table.notice(events.CardJammed, place=Place.CAROUSEL)
    table.tap("S1")
    assert table.ask(CallTechnician, by="S1").is_accepted
    one = of(table)["000123"]
    assert (one.assists, one.failures, one.standing) == (0, 1, 1)
    assert one.repair_s is None, "it still stands"
    assert one.jams.per_thousand is None, "no round was played"


def test_an_exchange_ends_the_old_machines_time_and_the_new_one_begins_its_own() -> None:
    table = loaded_spare()
    figures = of(table)
    assert figures["000123"].failures == 1
    assert figures["000123"].repair_s is not None
    assert figures["000123"].jams.count == 1
    assert "000124" not in figures or figures["000124"].jams.count == 0


@pytest.mark.parametrize(("jams", "verdict"), [(0, "not told apart"), (6, "worse")])
def test_a_machine_is_held_against_the_median_of_its_model(jams: int, verdict: str) -> None:
    stories = []
    for serial in ("A1", "A2", "A3"):
        table = open_table()
        play(table, 10)
        stories.append(_renamed(story_of(table), serial))
    ours = open_table()
    play(ours, 10)
    for _ in range(jams):
        cleared_jam(ours)
    (found,) = [one for one in statistics([*stories, story_of(ours)]) if one.serial == "000123"]
    assert found.of_model is not None
    assert (found.of_model.machines, found.of_model.median, found.of_model.verdict) == (4, 0.0, verdict)


def test_two_machines_are_too_few_to_say() -> None:
    table = open_table()
    play(table, 3)
    one = of(table)["000123"]
    assert one.of_model is not None
    assert (one.of_model.machines, one.of_model.verdict, one.of_model.median) == (1, "too few", None)


def _renamed(story: Story, serial: str) -> Story:
    story.told = [
        Told(told.seq, told.wall_ns, replace(told.what, serial=serial))
        if isinstance(told.what, events.DeviceReady) and told.what.device == "shuffler"
        else told
        for told in story.told
    ]
    return story
