"""Sensors out of rows: low margins, stuck ones, suspected cards, miscounts, and whether it gets worse."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Place
from tableside.diagnosis.sensors import MARGIN, STUCK, Sensor, sensors_told, trend
from tests.support.session import give_out, open_table
from tests.support.table import Table
from tests.unit.diagnosis.test_statistics import story_of


def told(table: Table, device: str = "") -> dict[str, Sensor]:
    return {one.place: one for one in sensors_told("journal", [story_of(table)], device).sensors}


def fault(table: Table, number: int, place: Place = Place.EXIT) -> None:
    table.notice(events.DeviceFaulted, fault=number, place=place)


def test_a_falling_margin_is_low_until_the_device_takes_it_back() -> None:
    table = open_table()
    fault(table, MARGIN)
    low = told(table)["exit"]
    assert (low.margin, low.low_times, low.serial) == ("low", 1, "000123")
    assert low.low_since is not None
    assert (low.level, low.threshold) == (None, None)
    table.notice(events.DeviceFaultGone, fault=MARGIN, place=Place.EXIT)
    assert told(table)["exit"].margin == "enough"
    assert told(table)["exit"].low_since is None


def test_stuck_ones_and_suspected_cards_are_counted_by_place_and_other_faults_are_not() -> None:
    table = open_table()
    fault(table, STUCK, Place.FEED)
    fault(table, 4, Place.CAROUSEL)
    for _ in range(2):
        table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    seen = told(table)
    assert set(seen) == {"feed", "exit"}
    assert (seen["feed"].stuck_times, seen["feed"].margin) == (1, "never low")
    assert seen["exit"].suspects == 2
    assert told(table, "switches") == {}
    assert set(told(table, "000123")) == {"feed", "exit"}


def test_trouble_that_comes_with_the_later_cards_is_a_trend() -> None:
    table = open_table()
    give_out(table, 100)
    for _ in range(7):
        give_out(table, 10)
        table.notice(events.CardSuspected, why="thick", place=Place.EXIT)
    assert told(table)["exit"].trend == "worse"
    assert told(table)["exit"].cards == 170


@pytest.mark.parametrize(
    ("before", "later", "said"),
    [(0, 0, "too little"), (0, 5, "too little"), (0, 6, "worse"), (6, 0, "better"), (5, 6, "no change")],
)
def test_six_of_six_are_the_fewest_that_tell(before: int, later: int, said: str) -> None:
    assert trend(before, later) == said
