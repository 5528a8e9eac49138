"""What sensors tell against what the account says: at quiet points only, counted, explained by name (CSM-2, CSM-6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Outcome, PermitKind, Place, Verb
from tableside.card_account import ASIDE, MACHINE, TABLE, UNEXPLAINED
from tableside.decisions import AlertRaised, CardsMoved, IncidentClosed, IncidentOpened, LevelsAsked
from tableside.happenings import CardsHeldOver, CountEnded, DifferenceFound, DifferenceSettled
from tableside.locks import Scope, standing
from tableside.requests import CardsTakenOut, CountAll, EndRound, HandCount, OpenLid
from tests.support.session import ALL, feed, give_out, levels, open_table
from tests.support.table import HOUSE, Table

DEALT = 5


def after_round(table: Table, returned: int = DEALT) -> Table:
    """A round is dealt and over, and so many of its cards are back: the machine is asked for its levels."""
    give_out(table, DEALT)
    assert table.ask(EndRound).is_accepted
    feed(table, returned)
    return table


def count(table: Table, content: int) -> None:
    """The machine's COUNT_ALL ends well and finds so many."""
    number = next(c.number for c in table.state.commands.open.values() if c.verb is Verb.COUNT_ALL)
    table.notice(events.CommandEnded, command=number, outcome=Outcome.DONE, moved=content)
    levels(table, content)


def is_counting(table: Table) -> bool:
    return any(command.verb is Verb.COUNT_ALL for command in table.state.commands.open.values())


def differing(content: int = ALL - 1) -> Table:
    """After a round the machine shows another number than the account."""
    table = after_round(open_table())
    levels(table, content)
    return table


def test_levels_that_agree_at_a_quiet_point_open_nothing() -> None:
    table = after_round(open_table())
    assert table.all_of(LevelsAsked)[-1].why == "return ended"
    levels(table, ALL)
    assert table.all_of(DifferenceFound) == []
    assert not standing(table.state, Scope.DEAL)


def test_between_quiet_points_nothing_is_compared() -> None:
    table = open_table()
    give_out(table, DEALT)
    levels(table, ALL - 40)
    assert table.all_of(DifferenceFound) == []


def test_a_path_that_is_not_clear_is_no_quiet_moment() -> None:
    table = after_round(open_table())
    levels(table, ALL - 1, is_path_clear=False)
    assert table.all_of(DifferenceFound) == []


def test_a_difference_keeps_both_numbers_and_the_sensor_and_is_counted_by_itself() -> None:
    table = differing()
    found = table.all_of(DifferenceFound)[-1]
    assert (found.place, found.observed, found.expected, found.sensor) == (MACHINE, ALL - 1, ALL, "content")
    assert "machine: content shows 311, the account 312" in table.all_of(IncidentOpened)[-1].text
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["difference", "count"]
    assert is_counting(table)
    assert table.state.account.at(MACHINE) == ALL, "no number is overwritten"


def test_a_count_that_agrees_was_a_sensors_miscount_and_needs_nobody() -> None:
    table = differing()
    count(table, ALL)
    assert table.all_of(DifferenceSettled)[-1].how == "sensor miscount"
    assert len(table.all_of(IncidentClosed)) == len(table.all_of(IncidentOpened))
    assert not standing(table.state, Scope.DEAL)
    assert not table.state.alerts.standing


def test_a_second_count_that_agrees_settles_it_too() -> None:
    table = differing()
    count(table, ALL - 1)
    assert is_counting(table), "a second count follows by itself"
    count(table, ALL)
    assert table.all_of(DifferenceSettled)[-1].how == "sensor miscount"
    assert not standing(table.state, Scope.DEAL)


@pytest.mark.parametrize(("content", "text"), [(ALL - 2, "COUNT-SHORT"), (ALL + 2, "COUNT-LONG")])
def test_two_counts_that_differ_call_for_a_hand_count_under_a_name(content: int, text: str) -> None:
    table = differing(content)
    count(table, content)
    count(table, content)
    assert [(a.text, a.fields["k"]) for a in table.all_of(AlertRaised)][-1] == (text, "2")
    assert standing(table.state, Scope.DEAL)
    assert not table.ask(HandCount, by="D1", place=MACHINE, cards=content).is_accepted
    assert table.ask(HandCount, by="S1", place=MACHINE, cards=content).is_accepted
    moved = table.all_of(CardsMoved)[-1]
    assert (moved.cards, moved.by, UNEXPLAINED in (moved.source, moved.target)) == (2, "S1", True)
    account = table.state.account
    assert (account.at(MACHINE), account.at(UNEXPLAINED)) == (content, ALL - content)
    assert table.all_of(DifferenceSettled)[-1].by == "S1"
    assert not standing(table.state, Scope.DEAL)


def test_what_is_posted_as_unexplained_differs_no_more() -> None:
    table = differing()
    count(table, ALL - 1)
    count(table, ALL - 1)
    table.ask(HandCount, by="S1", place=MACHINE, cards=ALL - 1)
    found = len(table.all_of(DifferenceFound))
    after_round(table)
    levels(table, ALL - 1)
    assert len(table.all_of(DifferenceFound)) == found


def test_one_miscount_is_one_incident_however_often_it_is_met() -> None:
    table = differing()
    table.notice(events.CardJammed, place=Place.FEED)
    table.notice(events.JamGone, place=Place.FEED)
    table.wait(2)
    table.tap("S1")
    table.ask(CardsTakenOut, cards=0, now="table")  # another quiet point
    levels(table, ALL - 1)
    assert len(table.all_of(DifferenceFound)) == 1


def jammed_in_mid_round(table: Table, *, taken_out: int, content: int) -> Table:
    """A jam is cleared by the supervisor's hand; then the machine is asked for its levels at once."""
    give_out(table, DEALT)
    jammed(table, taken_out=taken_out)
    levels(table, content)
    return table


def jammed(table: Table, *, taken_out: int) -> None:
    table.notice(events.CardJammed, place=Place.EXIT)
    table.wait(2)
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    table.notice(events.LidOpened)
    table.notice(events.JamGone, place=Place.EXIT)
    assert table.ask(CardsTakenOut, cards=taken_out, now="table").is_accepted
    table.notice(events.LidClosed)


def test_csm2_after_a_jam_the_running_count_is_compared_at_once() -> None:
    table = jammed_in_mid_round(open_table(), taken_out=1, content=ALL - DEALT - 1)
    assert "jam cleared" in [asked.why for asked in table.all_of(LevelsAsked)]
    assert table.all_of(DifferenceFound) == []
    assert not is_counting(table)


def test_csm2_a_running_count_that_disagrees_makes_a_full_count_due_for_the_next_round() -> None:
    table = jammed_in_mid_round(open_table(), taken_out=1, content=ALL - DEALT - 2)
    assert len(table.all_of(DifferenceFound)) == 1
    assert PermitKind.DEAL in [wish.what for wish in table.state.permits.granted.values()], "this round goes on"
    assert not is_counting(table)
    assert table.ask(EndRound).is_accepted
    assert is_counting(table)


def test_csm2_a_house_may_want_a_full_count_after_each_jam() -> None:
    jurisdiction = replace(HOUSE.jurisdiction, full_count_after_jam=True)
    table = open_table()
    table.state = replace(table.state, house=replace(HOUSE, jurisdiction=jurisdiction))
    jammed_in_mid_round(table, taken_out=1, content=ALL - DEALT - 1)
    assert table.all_of(DifferenceFound) == []
    table.ask(EndRound)
    assert is_counting(table)


def test_a_count_that_a_person_asks_for_is_compared_like_any_other() -> None:
    table = open_table()
    assert not table.ask(CountAll, by="D1").is_accepted
    assert table.ask(CountAll, by="S1").is_accepted
    count(table, ALL - 1)
    assert [(ended.counted, ended.expected) for ended in table.all_of(CountEnded)] == [(ALL - 1, ALL)]
    assert table.all_of(DifferenceFound)[-1].sensor == "count"
    assert is_counting(table), "a second count"


def test_a_hand_count_that_nobody_asked_for_is_found_and_settled_by_the_same_hand() -> None:
    table = open_table()
    give_out(table, DEALT)
    assert table.ask(HandCount, by="S1", place=TABLE, cards=DEALT).is_accepted
    assert table.all_of(DifferenceFound) == [], "it agrees"
    assert table.ask(HandCount, by="S1", place=TABLE, cards=DEALT - 1).is_accepted
    assert table.all_of(DifferenceFound)[-1].sensor == "hand count"
    assert table.state.account.at(UNEXPLAINED) == 1
    assert not standing(table.state, Scope.DEAL)


@pytest.mark.parametrize(("place", "cards"), [("pocket", 1), (ASIDE, -1)])
def test_a_hand_count_of_nowhere_is_refused(place: str, cards: int) -> None:
    answer = open_table().ask(HandCount, by="S1", place=place, cards=cards)
    assert not answer.is_accepted
    assert answer.next_step.startswith("count ")


def test_csm11_a_card_that_did_not_go_back_in_is_found_by_the_count_and_carried_as_held_over() -> None:
    """The return ends with as many cards as were dealt, but a hand had counted one more on the table."""
    table = after_round(open_table(), returned=DEALT - 1)
    assert table.ask(HandCount, by="S1", place=TABLE, cards=2).is_accepted
    feed(table, 1)
    assert [(found.place, found.expected) for found in table.all_of(DifferenceFound)][-1:] == [(TABLE, 1)]
    count(table, ALL)
    assert table.all_of(DifferenceSettled)[-1].how == "outside the machine"
    assert table.all_of(CardsHeldOver)[-1].cards == 1
    assert table.state.procedures.rounds.held_over == 1
