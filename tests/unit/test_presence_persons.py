"""Presence: whose badge counts, when everyone is absent, the second way (semantics §2.1.5 to 9; CSM-5)."""

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import SightingKind
from tableside.decisions import AlertRaised
from tableside.happenings import BadgeRefused, PresenceShown
from tableside.house import Role
from tableside.inputs import BadgeSighted, DaemonStarted, NeighbourSighting
from tableside.presence import Operation, is_present
from tableside.requests import BeginLoad, LoadPacket, OpenLid, SetDealer, ShowPresence
from tests.support.session import levels, loading, proved_empty
from tests.support.table import HOUSE, PERSONS, Table

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


# --- 5: what does not count ------------------------------------------------------------------------------------


def test_a_badge_that_does_not_count_changes_nothing_and_is_recorded() -> None:
    """BR-035: a number that was misread is a badge that nobody has."""
    wall_ns = 1_790_000_000 * 10**9
    persons = (
        *(person for person in PERSONS if person.staff not in ("S1", "S2")),
        replace(HOUSE.person("S1"), is_revoked=True),  # type: ignore[type-var]  # it is there
        replace(HOUSE.person("S2"), valid_until_ns=wall_ns),  # type: ignore[type-var]  # it is there
    )
    table = proved_empty()
    table.give(DaemonStarted(version="t", clock_boot="boot-1", house=replace(HOUSE, persons=persons)))
    table.ready("shuffler")
    table.reader_ready()
    for staff in ("S1", "S2", "T1"):
        table.tap(staff)
        table.wait(30)
    table.give(BadgeSighted(reader="reader", kind=TAP, digest="5f" * 16))
    assert refusals(table) == ["revoked", "out of date", "wrong role", "unknown"]
    assert table.all_of(BadgeRefused)[-1].badge == "5f" * 16
    assert not begin(table)


def test_three_refused_badges_within_a_minute_call_somebody() -> None:
    table = proved_empty()
    for _ in range(2):
        table.tap("T1")
        table.wait(31)
    table.tap("T1")
    assert alerts(table) == []
    for _ in range(2):
        table.wait(10)
        table.tap("T1")
    assert alerts(table) == ["BADGES-REFUSED"]


def test_the_dealer_on_duty_is_never_the_supervisor_of_the_table() -> None:
    both = replace(HOUSE.person("D1"), roles=(Role.DEALER, Role.FLOOR_SUPERVISOR))  # type: ignore[type-var]  # it is there
    persons = (both, *(person for person in PERSONS if person.staff != "D1"))
    table = proved_empty()
    table.give(DaemonStarted(version="t", clock_boot="boot-1", house=replace(HOUSE, persons=persons)))
    table.ready("shuffler")
    table.tap("D1")
    assert refusals(table) == ["dealer on duty"]
    assert not begin(table)


def test_who_supervises_does_not_take_over_the_deal() -> None:
    both = replace(HOUSE.person("S1"), roles=(Role.DEALER, Role.FLOOR_SUPERVISOR))  # type: ignore[type-var]  # it is there
    persons = (both, *(person for person in PERSONS if person.staff != "S1"))
    table = loading()
    table.state = replace(table.state, house=replace(HOUSE, persons=persons))
    assert not table.ask(SetDealer, by="D1", dealer="S1").is_accepted
    table.tap("S1")
    assert table.state.procedures.people.dealer == "D1"


def test_a_dealers_tap_relieves() -> None:
    table = proved_empty()
    table.tap("D2")
    assert table.state.procedures.people.dealer == "D2"
    assert refusals(table) == []


def test_another_tables_reader_does_not_count() -> None:
    table = proved_empty()
    table.tap("S1", reader="reader of BJ 4")
    assert refusals(table) == ["another table's reader"]
    assert not begin(table)


# --- 7: everyone absent ----------------------------------------------------------------------------------------


def test_at_a_start_of_the_daemon_everyone_is_absent_and_the_load_pauses() -> None:
    table = feeding()
    table.give(DaemonStarted(version="t", clock_boot="boot-1", house=HOUSE))
    assert not present(table)
    assert table.state.procedures.load.state == "paused: presence"
    table.reader_ready()
    table.ready("shuffler")
    table.tap("S1")
    assert table.state.procedures.load.state == "feeding"


def test_a_tap_before_the_start_does_not_count_after_it() -> None:
    table = proved_empty()
    table.tap("S1")
    table.give(DaemonStarted(version="t", clock_boot="boot-2", house=HOUSE))
    table.ready("shuffler")
    assert not begin(table)


def test_at_another_reader_everyone_is_absent() -> None:
    table = loading()
    table.reader_ready(serial="R1")
    assert present(table), "the same reader came back"
    table.reader_ready(serial="R2")
    assert not present(table)


# --- 9: the second way -----------------------------------------------------------------------------------------


def without_reader() -> Table:
    table = proved_empty()
    table.give(events.ReaderLost(device="reader", why="no answer"))
    table.wait(1)
    return table


def test_a_reader_that_does_not_answer_is_an_alert() -> None:
    table = without_reader()
    assert alerts(table) == ["READER-OFFLINE"]
    table.reader_ready()
    assert not table.state.alerts.standing


def test_two_persons_by_pin_count_as_a_tap() -> None:
    table = without_reader()
    assert begin(table, second_way=("S1", "D1"))
    assert table.all_of(PresenceShown)[-1].way == "second way: two persons by PIN"


@pytest.mark.parametrize("staff", [("S1",), ("S1", "S1"), ("D1", "D2"), ("S1", "X9")])
def test_one_person_by_pin_or_two_without_the_role_do_not_count(staff: tuple[str, ...]) -> None:
    table = without_reader()
    assert not begin(table, second_way=staff)


def test_pins_do_not_count_while_the_reader_answers() -> None:
    table = proved_empty()
    assert not begin(table, second_way=("S1", "D1"))
    answer = table.ask(ShowPresence, by="S1", role=Role.FLOOR_SUPERVISOR, second_way=("S1", "D1"))
    assert (answer.is_accepted, answer.next_step) == (False, "tap the badge at the reader")


def test_pins_shown_beforehand_count_once() -> None:
    table = without_reader()
    assert not table.ask(ShowPresence, by="S1", role=Role.FLOOR_SUPERVISOR, second_way=("S1",)).is_accepted
    assert not table.ask(ShowPresence, by="T1", role=Role.TECHNICIAN, second_way=("T1", "D1")).is_accepted
    assert table.ask(ShowPresence, by="S1", role=Role.FLOOR_SUPERVISOR, second_way=("S1", "D1")).is_accepted
    assert begin(table)
    assert table.state.presence.recent == {}


def test_a_tap_at_the_neighbours_reader_counts_while_ours_is_away() -> None:
    table = without_reader()
    table.give(NeighbourSighting(staff="S1", reader="reader of BJ 4"))
    assert begin(table)
    assert table.all_of(PresenceShown)[-1].way == "second way: neighbour's reader"


def test_a_tap_at_the_neighbours_reader_does_not_count_while_ours_answers() -> None:
    table = proved_empty()
    table.give(NeighbourSighting(staff="S1", reader="reader of BJ 4"))
    assert refusals(table) == ["the table's own reader answers"]
    assert not begin(table)


def test_the_second_way_counts_for_one_operation() -> None:
    """While a load stands paused and the lid is kept too, the PINs resume the load and do nothing else."""
    table = loading()
    table.wait(30)
    table.tap("S2", kind=FROM)  # the load is held now …
    assert table.ask(OpenLid, by="S2").is_accepted  # … and the lid too
    table.wait(6)
    table.tap("S2", kind=TO)  # both lapse at once
    table.give(events.ReaderLost(device="reader", why="no answer"))
    assert table.ask(ShowPresence, by="S2", role=Role.FLOOR_SUPERVISOR, second_way=("S2", "D1")).is_accepted
    assert [(shown.operation, shown.change) for shown in table.all_of(PresenceShown)][-1] == ("load", "resumed")
    assert [operation for operation, kept in table.state.presence.kept.items() if kept.is_lapsed] == [Operation.LID]
    assert all(sighting.way == "reader" for sighting in table.state.presence.recent.values())


def test_levels_of_a_machine_do_not_disturb_presence() -> None:
    table = loading()
    levels(table, content=0)
    assert present(table)
