"""Presence, point by point (semantics §2.1; CSM-5, CSM-6)."""

import pytest

from drivers import events
from drivers.events import PermitKind, SightingKind
from tableside.decisions import AlertCleared, AlertRaised, PermitGranted, PermitRevoked, ReaderPrompted
from tableside.happenings import BadgeRefused, BadgeTapped, PresenceLapsed, PresenceShown
from tableside.presence import Operation, is_present
from tableside.requests import BeginLoad, LoadPacket
from tests.support.session import feed, loading, proved_empty
from tests.support.table import Table

TAP, FROM, TO = SightingKind.TAP, SightingKind.HELD_FROM, SightingKind.HELD_TO


def begin(table: Table, **fields: object) -> bool:
    return table.ask(BeginLoad, by="D1", packets=3, **fields).is_accepted


def changes(table: Table) -> list[tuple[str, str]]:
    return [(shown.staff, shown.change) for shown in table.all_of(PresenceShown)]


def present(table: Table) -> bool:
    return is_present(table.state, Operation.LOAD, table.now_ns)


def feeding() -> Table:
    table = loading()
    assert table.ask(LoadPacket, by="D1", cards=104).is_accepted
    return table


def refusals(table: Table) -> list[str]:
    return [refused.why for refused in table.all_of(BadgeRefused)]


def alerts(table: Table) -> list[str]:
    return [raised.text for raised in table.all_of(AlertRaised)]


# --- 1: absent → present -------------------------------------------------------------------------------------


def test_nobody_tapped_nothing_begins() -> None:
    table = proved_empty()
    answer = table.ask(BeginLoad, by="D1", packets=3)
    assert not answer.is_accepted
    assert (answer.rule, "tap" in answer.next_step) == ("CSM-5", True)
    assert alerts(table) == ["LOAD-NO-SUPERVISOR"]
    assert table.all_of(ReaderPrompted)[-1].is_amber
    table.tap("S1")
    assert table.all_of(AlertCleared)
    assert not table.all_of(ReaderPrompted)[-1].is_amber


@pytest.mark.parametrize(("seconds", "counts"), [(0, True), (15, True), (15.001, False)])
def test_a_tap_counts_up_to_15_s_before_the_request(seconds: float, counts: bool) -> None:
    table = proved_empty()
    table.tap("S1")
    table.wait(seconds)
    assert begin(table) is counts


def test_presence_runs_from_the_tap_and_not_from_the_request() -> None:
    table = proved_empty()
    table.tap("S1")
    table.wait(10)
    assert begin(table)
    table.wait(49.9)
    assert present(table)
    table.wait(0.2)
    assert not present(table)


def test_taps_cannot_be_saved_up() -> None:
    """Two taps make one sighting to begin with: after the operation has begun nothing is left of them."""
    table = proved_empty()
    table.tap("S1")
    table.wait(2)
    table.tap("S1")
    assert begin(table)
    assert table.state.presence.recent == {}


def test_a_tap_begins_one_operation_only() -> None:
    table = loading()
    assert table.state.presence.recent == {}
    assert changes(table) == [("S1", "shown")]


def test_the_same_badge_within_one_and_a_half_seconds_is_one_sighting() -> None:
    """BR-033: a resting card is one arrival, however often the reader tells it."""
    table = proved_empty()
    for _ in range(20):
        table.tap("S1")
        table.wait(1.4)
    assert len(table.all_of(BadgeTapped)) == 1


def test_br033_two_badges_in_turn_are_two_and_one_that_comes_back_is_two() -> None:
    table = proved_empty()
    table.tap("S1")
    table.wait(0.3)
    table.tap("S2")
    table.wait(2)
    table.tap("S1")
    assert [tapped.staff for tapped in table.all_of(BadgeTapped)] == ["S1", "S2", "S1"]


# --- 2: tap, countdown, extension, hand-over -------------------------------------------------------------------


def test_a_tap_is_good_for_the_time_that_the_house_has_set() -> None:
    table = loading()
    table.wait(59.9)
    assert present(table)
    table.wait(0.2)
    assert not present(table)


def test_the_last_20_s_are_amber_with_one_beep() -> None:
    table = loading()
    assert table.all_of(ReaderPrompted) == []
    table.wait(39.9)
    assert table.all_of(ReaderPrompted) == []
    table.wait(0.2)
    assert [(p.is_amber, p.beeps) for p in table.all_of(ReaderPrompted)] == [(True, 1)]
    table.wait(10)
    table.tap("S1")
    assert [(p.is_amber, p.beeps) for p in table.all_of(ReaderPrompted)] == [(True, 1), (False, 0)]


def test_a_tap_extends_and_the_permit_follows() -> None:
    table = feeding()
    before = table.all_of(PermitGranted)[-1]
    table.wait(30)
    table.tap("S1")
    after = table.all_of(PermitGranted)[-1]
    assert changes(table) == [("S1", "shown"), ("S1", "extended")]
    assert before.not_after_ns is not None
    assert after.not_after_ns == before.not_after_ns + 30 * 10**9
    assert (after.is_fresh, after.limit_cards) == (False, 104)


def test_an_extended_permit_goes_on_counting_where_it_began() -> None:
    """TDL 9.2: a renewal replaces time and limit, not the count; so the limit stays that of the count's beginning."""
    table = feeding()
    feed(table, 40)
    table.wait(30)
    table.tap("S1")
    assert (table.all_of(PermitGranted)[-1].is_fresh, table.all_of(PermitGranted)[-1].limit_cards) == (False, 104)
    table.wait(61)
    table.tap("S1")
    table.wait(30)
    feed(table, 10)
    table.tap("S1")
    assert (table.all_of(PermitGranted)[-1].is_fresh, table.all_of(PermitGranted)[-1].limit_cards) == (False, 64)


def test_another_supervisors_tap_is_a_hand_over_and_both_are_in_the_record() -> None:
    table = loading()
    table.wait(30)
    table.tap("S2")
    assert changes(table) == [("S1", "shown"), ("S2", "handed over")]
    table.wait(59)
    assert present(table)


def test_a_tap_of_another_role_extends_nothing() -> None:
    table = loading()
    table.wait(50)
    table.tap("M1")
    table.wait(11)
    assert not present(table)


# --- 3: held -------------------------------------------------------------------------------------------------


def test_a_held_badge_is_present_while_it_is_held() -> None:
    table = proved_empty()
    table.tap("S1", kind=FROM)
    table.wait(600)
    assert begin(table), "it lies there now, whenever it was put down"
    table.wait(600)
    assert present(table)
    table.tap("S1", kind=TO)
    assert not present(table)
    assert table.all_of(PresenceLapsed)


def test_a_held_badges_permit_has_no_end_of_its_own() -> None:
    table = proved_empty()
    table.tap("S1", kind=FROM)
    assert begin(table)
    table.ask(LoadPacket, by="D1", cards=104)
    assert table.all_of(PermitGranted)[-1].not_after_ns is None
    table.wait(6)
    table.tap("S1", kind=TO)
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.FEED


def test_taps_in_a_row_are_no_held_badge_whose_going_ends_presence() -> None:
    """A reader sees three quick taps as a badge that lies there for some seconds; the person has just tapped."""
    table = proved_empty()
    table.tap("S1")
    table.wait(2)
    table.tap("S1", kind=FROM)
    assert begin(table)
    table.wait(3)
    table.tap("S1", kind=TO)
    assert present(table)
    assert not table.all_of(PresenceLapsed)
    table.wait(59)
    assert present(table)
    table.wait(2)
    assert not present(table)


def test_a_tap_beside_the_held_badge_takes_nothing_away() -> None:
    table = proved_empty()
    table.tap("S1", kind=FROM)
    assert begin(table)
    table.wait(3)
    table.tap("S1")
    table.wait(300)
    assert present(table)


def test_a_reader_that_goes_off_line_ends_held_at_once() -> None:
    table = proved_empty()
    table.tap("S1", kind=FROM)
    assert begin(table)
    table.give(events.ReaderLost(device="reader", why="no answer"))
    assert not present(table)


def test_a_reader_that_goes_off_line_lets_a_running_tap_run_on() -> None:
    table = loading()
    table.give(events.ReaderLost(device="reader", why="no answer"))
    table.wait(59)
    assert present(table)
    table.wait(2)
    assert not present(table)


# --- 4: lapsed -----------------------------------------------------------------------------------------------


def test_feed_is_never_granted_beyond_the_end_of_presence() -> None:
    table = feeding()
    ends = [granted.not_after_ns for granted in table.all_of(PermitGranted) if granted.what is PermitKind.FEED]
    kept = table.state.presence.kept[Operation.LOAD]
    assert ends == [kept.until_ns]
    table.wait(60)
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.FEED
    assert table.state.procedures.load.state == "paused: presence"


def test_a_lapse_keeps_packet_count_and_number_and_a_tap_resumes() -> None:
    table = feeding()
    feed(table, 40)
    table.wait(60)
    feed(table, 1)  # already past the sensor: it finishes
    load = table.state.procedures.load
    assert (load.packet, load.declared, load.counted) == (1, 104, 41)
    table.tap("S1")
    assert changes(table)[-1] == ("S1", "resumed")
    granted = table.all_of(PermitGranted)[-1]
    assert (granted.is_fresh, granted.limit_cards) == (True, 63), "what is left of the packet, counted from a revoke"


def test_a_lapse_is_told_at_the_table_then_called_out() -> None:
    table = feeding()
    table.wait(60)
    assert alerts(table) == ["PRESENCE-LAPSED"]
    table.wait(59)
    assert alerts(table) == ["PRESENCE-LAPSED"]
    table.wait(2)
    assert alerts(table) == ["PRESENCE-LAPSED", "PRESENCE-WAITS"]
    assert [raised.level for raised in table.all_of(AlertRaised)] == [0, 2]
    table.wait(540)
    assert alerts(table)[-1] == "PRESENCE-LONG"
    assert table.all_of(AlertRaised)[-1].level == 1
    table.tap("S1")
    assert not table.state.alerts.standing


def test_rows_of_presence_hold_the_meter() -> None:
    table = feeding()
    feed(table, 40)
    table.wait(60)
    assert table.all_of(PresenceLapsed)[-1].meter == 40
    table.tap("S2")
    assert table.all_of(PresenceShown)[-1].meter == 40


def test_br052_a_step_of_the_wall_clock_changes_no_deadline() -> None:
    table = loading()
    table.wall_offset_ns += 12 * 3600 * 10**9
    table.wait(59)
    assert present(table)
    table.wall_offset_ns -= 14 * 24 * 3600 * 10**9
    table.wait(2)
    assert not present(table)
