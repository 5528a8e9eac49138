"""What stops a table or calls somebody, from faults to tampering: each can be let go again by those who are there."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Place
from tableside.decisions import FaultCleared
from tableside.inputs import CommitSlow
from tableside.locks import Scope, standing
from tableside.requests import (
    CallTechnician,
    ClearFault,
    InspectDevice,
    OpenLid,
    ResumePlay,
    TechnicianDone,
)
from tests.support.table import Table

FEED_DRIVE, EXIT_DRIVE, OVER_CAPACITY, MEMORY, TEMPERATURE = 4, 5, 13, 8, 10


def ready_table() -> Table:
    table = Table()
    table.ready()
    return table


def fault(table: Table, number: int, place: Place = Place.CAROUSEL) -> None:
    table.notice(events.DeviceFaulted, fault=number, place=place)


def gone(table: Table, number: int, place: Place = Place.CAROUSEL) -> None:
    table.notice(events.DeviceFaultGone, fault=number, place=place)


def is_locked(table: Table, scope: Scope) -> bool:
    return bool(standing(table.state, scope))


def texts(table: Table) -> set[str]:
    return {alert.text for alert in table.state.alerts.standing.values()}


@pytest.mark.parametrize(
    ("number", "deal", "feed", "text"),
    [
        (FEED_DRIVE, False, True, "FEED-FAULT"),
        (EXIT_DRIVE, True, False, "DEVICE-FAULT"),
        (MEMORY, True, True, "DEVICE-FAULT"),
        (TEMPERATURE, False, False, "DEVICE-WARNING"),
    ],
)
def test_a_fault_forbids_what_the_device_no_longer_does(number: int, deal: bool, feed: bool, text: str) -> None:
    """TDL 10.4: a feed drive takes no cards in, and dealing goes on (CSM-11)."""
    table = ready_table()
    fault(table, number)
    assert (is_locked(table, Scope.DEAL), is_locked(table, Scope.FEED)) == (deal, feed)
    assert texts(table) == {text}


def test_a_fault_that_stands_until_it_is_cleared_can_be_cleared() -> None:
    """TDL 10.4, *when cleared*: the device lets it go only when asked, so the asking comes first."""
    table = ready_table()
    fault(table, FEED_DRIVE)
    assert table.ask(ClearFault, device="shuffler", fault=FEED_DRIVE).is_accepted
    assert table.all_of(FaultCleared) == [FaultCleared(device="shuffler", fault=FEED_DRIVE, by="S1")]
    assert is_locked(table, Scope.FEED), "the device has not said so yet"
    gone(table, FEED_DRIVE)
    assert not is_locked(table, Scope.FEED)
    assert texts(table) == set()


def test_a_fault_that_goes_without_a_named_act_stays_latched() -> None:
    table = ready_table()
    fault(table, MEMORY)
    gone(table, MEMORY)
    assert is_locked(table, Scope.DEAL)
    assert table.ask(ClearFault, device="shuffler", fault=MEMORY).is_accepted
    assert not is_locked(table, Scope.DEAL)


def test_a_fault_at_two_places_stands_until_both_are_gone() -> None:
    table = ready_table()
    fault(table, MEMORY, Place.FEED)
    fault(table, MEMORY, Place.EXIT)
    table.ask(ClearFault, device="shuffler", fault=MEMORY)
    gone(table, MEMORY, Place.FEED)
    assert is_locked(table, Scope.DEAL)
    gone(table, MEMORY, Place.EXIT)
    assert not is_locked(table, Scope.DEAL)


def test_over_capacity_is_a_level_and_goes_by_itself() -> None:
    table = ready_table()
    fault(table, OVER_CAPACITY)
    assert is_locked(table, Scope.FEED)
    assert not is_locked(table, Scope.DEAL)
    gone(table, OVER_CAPACITY)
    assert not is_locked(table, Scope.FEED)
    assert texts(table) == set()


def test_a_fault_that_does_not_stand_is_not_cleared() -> None:
    table = ready_table()
    fault(table, MEMORY)
    answer = table.ask(ClearFault, device="shuffler", fault=FEED_DRIVE)
    assert not answer.is_accepted
    assert "8" in answer.next_step


def test_tampering_is_inspected_counted_and_over() -> None:
    table = ready_table()
    table.notice(events.Tampered, what="cover")
    assert all(is_locked(table, scope) for scope in (Scope.DEAL, Scope.FEED, Scope.LID))
    assert not table.ask(InspectDevice, device="switches", finding="closed").is_accepted
    assert not table.ask(InspectDevice, device="shuffler", finding=" ").is_accepted
    assert not table.ask(InspectDevice, by="D1", device="shuffler", finding="closed").is_accepted
    assert table.ask(InspectDevice, by="T1", device="shuffler", finding="screw lost, closed again").is_accepted
    assert not is_locked(table, Scope.LID)
    assert texts(table) == set()
    assert not table.state.incidents.open
    assert table.state.procedures.counts.why == "tamper"


def test_a_slow_journal_stops_the_next_round_until_a_supervisor_lets_it_go_on() -> None:
    table = ready_table()
    table.give(CommitSlow(seconds=6.0))
    assert is_locked(table, Scope.DEAL)
    assert not table.ask(ResumePlay, by="D1").is_accepted
    assert table.ask(ResumePlay).is_accepted
    assert not is_locked(table, Scope.DEAL)
    assert texts(table) == set()


def test_a_slow_journal_is_told_until_no_commit_was_slow_for_a_minute() -> None:
    table = ready_table()
    table.give(CommitSlow(seconds=0.5))
    table.wait(40)
    table.give(CommitSlow(seconds=0.4))
    table.wait(40)
    assert texts(table) == {"JOURNAL-SLOW"}
    table.wait(21)
    assert texts(table) == set()
    table.give(CommitSlow(seconds=6.0))
    table.wait(120)
    assert texts(table) == {"JOURNAL-SLOW"}, "play is stopped: a supervisor lets it go on"


def test_csm2_a_jam_that_needs_a_technician_is_an_incident_until_his_work_is_recorded() -> None:
    table = ready_table()
    table.notice(events.CardJammed, place=Place.CAROUSEL)
    assert table.ask(CallTechnician).is_accepted
    assert [incident.kind for incident in table.state.incidents.open.values()] == ["technician called"]
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    assert table.ask(TechnicianDone, work="guide straightened", technician="T1").is_accepted
    assert not table.state.incidents.open
