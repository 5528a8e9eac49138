"""An alert that nobody takes goes on to the next in line after the house's own times."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.events import CardJammed, KeyName, KeyPressed, Place, Tampered
from tableside.decisions import AlertEscalated, AlertRaised
from tableside.house import House
from tableside.requests import CallTechnician, TakeAlert
from tests.support.table import HOUSE, Table

QUICK = replace(HOUSE, class_1_neighbour_s=5, class_1_management_s=9, class_2_neighbour_s=7)


def escalations(table: Table, seconds: float) -> list[tuple[str, ...]]:
    return [decision.asked for decision in table.wait(seconds) if isinstance(decision, AlertEscalated)]


@pytest.mark.parametrize(("house", "neighbour_s", "management_s"), [(HOUSE, 30, 120), (QUICK, 5, 9)])
def test_csm2_a_jam_calls_the_supervisor_by_name_and_where_nobody_comes_the_next_in_line(
    house: House, neighbour_s: float, management_s: float
) -> None:
    table = Table(house)
    table.ready()
    table.notice(CardJammed, place=Place.EXIT)
    (jam,) = [raised for raised in table.all_of(AlertRaised) if raised.text == "JAM-EXIT"]
    assert jam.asked == ("S1",)
    assert escalations(table, neighbour_s - 1) == []
    assert escalations(table, 1) == [("S2", "P1")]
    assert escalations(table, management_s - neighbour_s) == [("M1",)]


def test_csm2_a_jam_that_somebody_has_taken_is_passed_on_to_nobody() -> None:
    table = Table(HOUSE)
    table.ready()
    table.notice(CardJammed, place=Place.EXIT)
    (jam,) = [raised for raised in table.all_of(AlertRaised) if raised.text == "JAM-EXIT"]
    assert table.ask(TakeAlert, by="S1", alert=jam.alert).is_accepted
    assert escalations(table, 60) == []


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


def technician_called(house: House) -> Table:
    table = Table(house)
    table.ready()
    table.notice(CardJammed, place=Place.CAROUSEL)
    assert table.ask(CallTechnician).is_accepted
    return table


def test_csm2_technician_called_rings_at_the_technician_and_then_at_the_supervisor_too() -> None:
    table = technician_called(replace(HOUSE, section=replace(HOUSE.section, technician="T1")))
    (asked,) = [raised.asked for raised in table.all_of(AlertRaised) if raised.text == "TECHNICIAN-ASKED"]
    assert asked == ("T1",)
    assert ("S1", "S2", "P1") in escalations(table, HOUSE.class_1_neighbour_s)


def test_csm2_where_no_technician_carries_a_pager_the_supervisor_is_asked_to_call_one() -> None:
    table = technician_called(HOUSE)
    (asked,) = [raised.asked for raised in table.all_of(AlertRaised) if raised.text == "TECHNICIAN-ASKED"]
    assert asked == ("S1",)


def urgent() -> Table:
    table = Table()
    table.ready()
    table.notice(Tampered, what="cover")
    assert table.ask(TakeAlert, by="S1", alert=1).is_accepted
    return table


def test_who_takes_an_urgent_alert_and_does_not_come_is_passed_over() -> None:
    table = urgent()
    assert escalations(table, 119) == []
    assert escalations(table, 1) == [("S2", "P1")]
    assert table.all_of(AlertEscalated)[-1].why == "S1 has not come"
    assert table.ask(TakeAlert, by="S2", alert=1).is_accepted, "it is new again"
    assert escalations(table, 120) == [("M1",)]


def test_who_comes_ends_the_waiting() -> None:
    table = urgent()
    table.wait(60)
    table.tap("S1")
    assert escalations(table, 3_600) == []


def test_what_does_not_stop_play_stays_with_who_took_it() -> None:
    table = Table()
    table.ready("switches")
    table.notice(KeyPressed, "switches", key=KeyName.CALL)
    assert table.ask(TakeAlert, by="S1", alert=1).is_accepted
    assert escalations(table, 3_600) == []


@pytest.mark.parametrize(("house", "neighbour_s"), [(HOUSE, 300), (QUICK, 7)])
def test_class_2_goes_to_the_neighbour(house: House, neighbour_s: float) -> None:
    table = Table(house)
    table.ready("switches")
    table.notice(KeyPressed, "switches", key=KeyName.CALL)
    assert escalations(table, neighbour_s - 1) == []
    assert escalations(table, 1)[0][0] == "S2"
