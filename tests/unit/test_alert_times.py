"""An alert that nobody takes goes on to the next in line after the house's own times."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.events import KeyName, KeyPressed, Tampered
from tableside.decisions import AlertEscalated, AlertRaised
from tableside.house import House
from tests.support.table import HOUSE, Table

QUICK = replace(HOUSE, class_1_neighbour_s=5, class_1_management_s=9, class_2_neighbour_s=7)


def escalations(table: Table, seconds: float) -> list[tuple[str, ...]]:
    return [decision.asked for decision in table.wait(seconds) if isinstance(decision, AlertEscalated)]


@pytest.mark.parametrize(("house", "neighbour_s", "management_s"), [(HOUSE, 30, 120), (QUICK, 5, 9)])
def test_class_1_goes_to_neighbour_and_pit_manager_then_to_room_management(
    house: House, neighbour_s: float, management_s: float
) -> None:
    table = Table(house)
    table.ready()
    table.notice(Tampered, what="cover")
    assert table.all_of(AlertRaised)[-1].asked[0] == "S1"
    assert escalations(table, neighbour_s - 1) == []
    assert escalations(table, 1) == [("S2", "P1")]
    assert escalations(table, management_s - neighbour_s - 1) == []
    assert escalations(table, 1) == [("M1",)]
    assert escalations(table, 3_600) == []


@pytest.mark.parametrize(("house", "neighbour_s"), [(HOUSE, 300), (QUICK, 7)])
def test_class_2_goes_to_the_neighbour(house: House, neighbour_s: float) -> None:
    table = Table(house)
    table.ready("switches")
    table.notice(KeyPressed, "switches", key=KeyName.CALL)
    assert escalations(table, neighbour_s - 1) == []
    assert escalations(table, 1)[0][0] == "S2"
