"""What stands beside play: no journal, little space, a stepped clock; a device that is silent, wrong, or reset."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import PermitKind
from tableside.decisions import AlertRaised, IncidentClosed, IncidentOpened, LevelsAsked, LineShown, PermitGranted
from tableside.inputs import ClockStepped, DaemonStarted, JournalOnReserve, JournalRestored, SpaceLow
from tableside.locks import Scope, standing
from tableside.requests import EndRound, OpenTable
from tests.support.session import ALL, feed, give_out, levels, open_table
from tests.support.table import HOUSE, WALL_START_NS, Table


def standing_texts(table: Table) -> set[str]:
    return {alert.text for alert in table.state.alerts.standing.values()}


def may_deal(table: Table) -> bool:
    return any(wish.what is PermitKind.DEAL for wish in table.state.permits.granted.values())


def test_on_the_reserve_the_round_in_progress_ends_and_no_new_one_begins() -> None:
    table = open_table()
    give_out(table, 5)
    table.give(JournalOnReserve(why="disk full"))
    assert may_deal(table), "the round on the table goes on"
    assert standing_texts(table) == {"JOURNAL-FAILED"}
    assert table.ask(EndRound).is_accepted
    feed(table, 5)
    levels(table, ALL)
    assert table.state.procedures.rounds.state == "waiting"
    assert not may_deal(table)
    table.give(JournalRestored(rows=31))
    assert may_deal(table)
    assert not standing_texts(table)
    assert len(table.all_of(IncidentClosed)) == len(table.all_of(IncidentOpened)) == 1


def test_on_the_reserve_between_two_rounds_dealing_stops_at_once() -> None:
    table = open_table()
    table.give(JournalOnReserve(why="disk full"))
    assert not may_deal(table)


def test_little_space_is_told_before_it_ends_br_049() -> None:
    table = open_table()
    table.give(SpaceLow(free_percent=9))
    assert [(a.text, a.fields["n"]) for a in table.all_of(AlertRaised)] == [("DISK-LOW", "9")]
    assert may_deal(table)


def test_a_stepped_clock_is_on_record_and_moves_no_deadline_br_052() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="switches", why="cable"))  # a deadline of 8 s runs
    before = dict(table.state.timers.due)
    assert before
    for seconds in (12 * 3600.0, -12 * 3600.0, -14 * 86_400.0):
        table.wall_offset_ns += round(seconds * 1e9)
        table.give(ClockStepped(seconds=seconds))
    assert table.all_of(AlertRaised)[0].text == "CLOCK-STEPPED"
    assert before.items() <= table.state.timers.due.items()
    assert may_deal(table)


def test_a_device_is_silent_after_eight_seconds_and_a_short_loss_is_no_alert() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.wait(7.9)
    table.ready("shuffler", content=ALL)
    table.wait(60)
    assert table.all_of(AlertRaised) == []
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.wait(8.1)
    assert standing_texts(table) == {"SHUFFLER-SILENT"}
    table.ready("shuffler", content=ALL)
    assert not standing_texts(table)


@pytest.mark.parametrize(("lost", "silent_s"), [(events.DeviceLost, 1.3), (events.ReaderLost, 8.1)])
def test_not_answering_since_tells_when_the_device_was_last_heard(lost: type[events.Lost], silent_s: float) -> None:
    table = open_table()
    device = "shuffler" if lost is events.DeviceLost else "reader"
    heard_ns = WALL_START_NS + table.now_ns
    table.wait(silent_s)
    table.give(lost(device=device, why="cable", silent_ms=round(silent_s * 1_000)))
    table.give(lost(device=device, why="cable, and again"))
    table.wait(8.1)
    assert [int(alert.fields["time"]) for alert in table.all_of(AlertRaised)] == [heard_ns]


def test_a_device_on_which_nothing_rests_is_missed_and_stops_nothing() -> None:
    house = replace(HOUSE, others=("bell",))
    table = Table(house)
    table.ready("shuffler")
    table.ready("switches")
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    table.wait(8.1)
    assert standing_texts(table) == {"DEVICE-SILENT"}
    assert not table.state.locks.standing
    table.give(events.DisplayReady(device="bell", model="BELL"))
    assert not standing_texts(table)


def test_a_device_that_is_not_there_when_the_table_opens_is_missed() -> None:
    table = Table()
    table.ready("switches")
    table.wait(600)
    assert not table.all_of(AlertRaised), "nobody needs it while the table is closed"
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    table.wait(8.1)
    assert standing_texts(table) == {"SHUFFLER-SILENT"}
    table.ready("shuffler")
    assert not standing_texts(table)


def test_a_device_that_stays_away_after_a_restart_is_missed_and_one_that_comes_is_no_line() -> None:
    table = open_table()
    table.give(DaemonStarted(version="1", clock_boot="b", house=table.state.house))
    table.ready("switches")
    table.reader_ready()
    assert not table.all_of(LineShown), "the daemon was away, not the device"
    table.wait(8.1)
    assert standing_texts(table) == {"SHUFFLER-SILENT"}
    table.give(DaemonStarted(version="1", clock_boot="b", house=table.state.house))
    table.ready("switches")
    table.reader_ready()
    table.wait(60)
    assert [alert.times for alert in table.state.alerts.standing.values()] == [1]


def test_a_machine_that_stands_by_is_missed_without_stopping_play() -> None:
    table = open_table()
    table.ready("spare")
    table.give(events.DeviceLost(device="spare", why="cable"))
    table.wait(60)
    assert not standing_texts(table)
    assert [line.text for line in table.all_of(LineShown)] == ["SPARE-SILENT"]


def test_a_wrong_device_is_one_cause_and_one_alert() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.give(events.DeviceRejected(device="shuffler", why="CSM-SIM 000999 answers"))
    table.wait(60)
    assert standing_texts(table) == {"DEVICE-WRONG"}


def test_another_device_behind_the_right_name_stops_and_calls_once() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    for _ in range(3):
        table.give(events.DeviceRejected(device="shuffler", why="serial 000999, configured 000123", serial="000999"))
    assert [a.text for a in table.all_of(AlertRaised)] == ["DEVICE-WRONG"]
    assert {scope for scope in Scope if standing(table.state, scope)} == {Scope.DEAL, Scope.FEED}
    table.ready("shuffler", content=ALL)
    assert not standing(table.state, Scope.DEAL)
    assert not standing_texts(table)


def test_a_machine_that_was_reset_with_cards_in_it_is_counted_before_it_deals_br_015() -> None:
    table = open_table()
    grants = len(table.all_of(PermitGranted))
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=2, boot_cause="brown-out", content=ALL, is_content_unverified=True)
    table.notice(events.DeviceBooted, cause="brown-out", content=ALL)
    assert "DEVICE-RESET" in standing_texts(table)
    assert not may_deal(table)
    number = next(iter(table.state.commands.open.values())).number
    table.notice(events.CommandEnded, command=number, outcome=events.Outcome.DONE, moved=ALL)
    levels(table, ALL)
    assert may_deal(table)
    assert len(table.all_of(PermitGranted)) == grants + 1
    assert "DEVICE-RESET" not in standing_texts(table)


def test_lost_notices_are_an_incident_and_the_machine_is_counted() -> None:
    table = open_table()
    table.notice(events.NoticesLost, how_many=3)
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["notices lost"]
    assert table.all_of(LevelsAsked)[-1].why == "notices lost"
    assert [command.verb for command in table.state.commands.open.values()] == [events.Verb.COUNT_ALL]
