"""What stood when a device was connected and nobody had told of it: found at start (semantics §1.4)."""

from __future__ import annotations

from drivers import events
from drivers.events import Outcome, Place
from tableside.happenings import FaultFound, JamCleared, JamFound, JamFoundGone
from tableside.locks import Scope, standing
from tableside.procedures.jams import JamState
from tableside.procedures.lid import LidState
from tableside.requests import CardsTakenOut, CountAll, OpenLid
from tests.support.session import levels, open_table
from tests.support.table import Table


def texts(table: Table) -> set[str]:
    return {alert.text for alert in table.state.alerts.standing.values()}


def away() -> Table:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    return table


def kinds(table: Table) -> list[str]:
    return [incident.kind for incident in table.state.incidents.open.values()]


def test_a_lid_found_open_was_opened_by_nobody_known() -> None:
    table = away()
    table.ready(content=312, is_lid_open=True)
    assert table.state.procedures.lid.state is LidState.UNSIGNED
    assert texts(table) >= {"LID-FOUND-OPEN"}
    assert kinds(table) == ["lid"]
    assert standing(table.state, Scope.DEAL)
    assert standing(table.state, Scope.FEED)


def test_a_lid_whose_opening_is_still_to_be_told_is_told_once() -> None:
    """The notice waits at the device: found only when all it has kept is in, and then nothing differs."""
    table = away()
    number = table.state.devices.known["shuffler"].notice + 1
    table.ready(content=312, is_lid_open=True, oldest_notice=number, newest_notice=number)
    assert kinds(table) == []
    table.notice(events.LidOpened)
    assert texts(table) >= {"LID-OPEN"}
    assert "LID-FOUND-OPEN" not in texts(table)
    assert kinds(table) == ["lid"]


def test_a_lid_shut_by_a_restart_of_the_machine_is_found_shut() -> None:
    table = open_table()
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    table.notice(events.LidOpened)
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=2, content=312, is_content_unverified=True)
    assert table.state.procedures.lid.state is LidState.ASKING
    table.tap("S1")
    assert table.ask(CardsTakenOut, cards=0).is_accepted
    assert table.state.procedures.lid.state is LidState.SHUT


def test_a_device_without_a_lid_switch_finds_nothing() -> None:
    table = away()
    table.ready(content=312, is_lid_open=None)
    assert table.state.procedures.lid.state is LidState.SHUT


def test_a_spare_with_an_open_lid_concerns_nobody_here() -> None:
    table = open_table()
    table.ready("spare", is_lid_open=True, faults=((0, Place.EXIT), (2, Place.CAROUSEL)))
    assert table.state.procedures.lid.state is LidState.SHUT
    assert not table.state.locks.standing


def test_a_jam_found_at_the_connection_stops_lights_and_calls() -> None:
    table = away()
    table.ready(content=312, faults=((0, Place.EXIT),))
    assert [found.place for found in table.all_of(JamFound)] == [Place.EXIT]
    assert texts(table) >= {"JAM-EXIT"}
    assert standing(table.state, Scope.DEAL)


def test_a_jam_that_a_restart_took_away_can_be_cleared() -> None:
    """Its *jam gone* never comes: without the readback it would stand for ever."""
    table = open_table()
    table.notice(events.CardJammed, place=Place.EXIT)
    table.tap("S1")
    assert table.ask(CardsTakenOut, cards=1).is_accepted
    assert table.state.procedures.jams.standing["exit"].state is JamState.ANSWERED
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=2, content=311, is_content_unverified=True)
    assert [gone.place for gone in table.all_of(JamFoundGone)] == [Place.EXIT]
    assert [cleared.place for cleared in table.all_of(JamCleared)] == [Place.EXIT]
    assert "JAM-EXIT" not in texts(table)


def test_a_fault_found_locks_once_however_often_the_cable_breaks() -> None:
    table = away()
    for _ in range(3):
        table.ready(content=312, faults=((2, Place.CAROUSEL),))
        table.give(events.DeviceLost(device="shuffler", why="cable"))
    assert len(table.all_of(FaultFound)) == 1
    assert "fault 2 shuffler" in {lock.reason for lock in standing(table.state, Scope.DEAL)}


def test_a_count_that_a_restart_cut_off_before_it_was_told_is_made_anew() -> None:
    """A content that is unverified is no count, though the count before the restart had ended well."""
    table = open_table()
    assert table.ask(CountAll).is_accepted
    number = next(iter(table.state.commands.open.values())).number
    table.notice(events.CommandEnded, command=number, outcome=Outcome.DONE, moved=312)
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=2, content=312, is_content_unverified=True, highest_number=number)
    levels(table, content=312)
    assert table.state.devices.known["shuffler"].is_content_unverified
    assert [command.number for command in table.state.commands.open.values()] == [number + 1]
