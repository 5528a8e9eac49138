"""Jam, lid, technician (CSM-2)."""

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Place
from firmware_bridge.clock import NS_PER_S
from tableside.card_account import MACHINE, TABLE
from tableside.decisions import AlertRaised, CardsMoved, IncidentOpened, LampSet, PermitGranted, PermitRevoked
from tableside.happenings import CardsReturned, CountWanted, JamCleared, SwapAdvised, TechnicianWorked
from tableside.locks import Scope, standing
from tableside.requests import CallTechnician, CardsTakenOut, EndRound, OpenLid, TechnicianDone
from tests.support.table import HOUSE, Table
from tests.unit.test_rounds import deal, insert, open_table


@pytest.fixture
def table() -> Table:
    table = open_table()
    deal(table, 5)
    return table


def clear_by_hand(table: Table, place: Place, cards: int = 1) -> None:
    """The supervisor's whole way: badge, lid, card out, answer, lid shut."""
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    table.notice(events.LidOpened)
    table.notice(events.JamGone, place=place)
    answered = table.ask(CardsTakenOut, cards=cards, now="table")
    assert (answered.is_accepted, answered.next_step) == (True, "shut the lid"), (
        "not asked once more what was just said"
    )
    table.notice(events.LidClosed)


def alerts(table: Table) -> list[str]:
    return [raised.text for raised in table.all_of(AlertRaised)]


def test_csm2_a_jam_stops_lights_and_calls(table: Table) -> None:
    table.decided.clear()
    table.notice(events.CardJammed, place=Place.EXIT)
    assert alerts(table) == ["JAM-EXIT"]
    assert {lock.scope for lock in table.state.locks.standing.values()} == {Scope.DEAL, Scope.FEED}
    assert {lamp.colour for lamp in table.all_of(LampSet)} == {events.LampColour.RED}
    assert table.all_of(PermitRevoked)


def test_csm2_the_lid_opens_only_for_a_supervisor(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.EXIT)
    assert not table.ask(OpenLid).is_accepted
    table.tap("D2")
    assert not table.ask(OpenLid, by="D2").is_accepted
    table.tap("T1")
    assert not table.ask(OpenLid, by="T1").is_accepted
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted


def test_csm2_cleared_and_answered_for_the_round_goes_on(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.EXIT)
    clear_by_hand(table, Place.EXIT)
    assert [cleared.taken_out for cleared in table.all_of(JamCleared)] == [1]
    assert not standing(table.state, Scope.DEAL)
    assert table.state.account.at(TABLE) == 6
    assert table.state.procedures.rounds.state == "dealing"
    assert any(moved.source == MACHINE and moved.cards == 1 for moved in table.all_of(CardsMoved))


def test_a_jam_latches_until_answered_for_though_its_path_is_clear(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.EXIT)
    table.notice(events.JamGone, place=Place.EXIT)
    assert standing(table.state, Scope.DEAL)
    table.tap("S1")
    assert table.ask(CardsTakenOut, cards=0, now="table").is_accepted
    assert not standing(table.state, Scope.DEAL)


def test_answered_for_but_still_stuck_stays_locked(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.CAROUSEL)
    table.tap("S1")
    table.ask(OpenLid)
    table.notice(events.LidOpened)
    table.ask(CardsTakenOut, cards=0, now="table")
    table.notice(events.LidClosed)
    assert standing(table.state, Scope.DEAL)
    table.notice(events.JamGone, place=Place.CAROUSEL)
    assert not standing(table.state, Scope.DEAL)


def test_csm2_a_technician_works_only_under_a_supervisor(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.CAROUSEL)
    table.tap("S1")
    assert not table.ask(TechnicianDone, technician="T1", work="roller freed").is_accepted, "nobody asked for one"
    table.wait(120)
    assert not table.ask(CallTechnician, by="D1").is_accepted
    assert table.ask(CallTechnician).is_accepted
    table.wait(120)
    assert not table.ask(TechnicianDone, technician="T1", work="roller freed").is_accepted
    table.tap("S1")
    table.ask(OpenLid)
    table.notice(events.LidOpened)
    assert not table.ask(TechnicianDone, technician="D1", work="roller freed").is_accepted
    assert table.ask(TechnicianDone, technician="T1", work="roller freed").is_accepted
    assert table.all_of(TechnicianWorked)[0].by == "S1"


def test_the_third_jam_at_one_place_within_the_hour_advises_a_swap(table: Table) -> None:
    for times in range(3):
        table.wait(600)
        table.notice(events.CardJammed, place=Place.CAROUSEL)
        assert bool(table.all_of(SwapAdvised)) is (times == 2)
        clear_by_hand(table, Place.CAROUSEL, cards=0)


def test_jams_more_than_an_hour_apart_advise_nothing(table: Table) -> None:
    for _ in range(4):
        table.wait(1_900)
        table.notice(events.CardJammed, place=Place.EXIT)
        clear_by_hand(table, Place.EXIT, cards=0)
    assert not table.all_of(SwapAdvised)


def test_two_jams_stand_side_by_side(table: Table) -> None:
    table.notice(events.CardJammed, place=Place.EXIT)
    table.notice(events.CardJammed, place=Place.FEED)
    clear_by_hand(table, Place.EXIT)
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["jam feed"]


def test_a_lid_opened_by_nobody_known_is_an_incident_and_is_counted(table: Table) -> None:
    table.notice(events.LidOpened)
    assert "LID-OPEN" in alerts(table)
    assert "lid" in [opened.kind for opened in table.all_of(IncidentOpened)]
    table.notice(events.LidClosed)
    assert standing(table.state, Scope.DEAL), "nobody has answered for it"
    table.tap("S1")
    table.ask(CardsTakenOut, cards=0, now="table")
    assert "lid opened by nobody known" in [wanted.why for wanted in table.all_of(CountWanted)]


def test_the_lid_is_free_no_longer_than_somebody_is_present() -> None:
    """semantics §2.1.8: presence must stand when it opens, not only when it was asked for."""
    table = open_table()
    table.state = replace(table.state, house=replace(HOUSE, presence_s=20))
    table.tap("S1")
    table.wait(14)
    assert table.ask(OpenLid).is_accepted
    grant = [granted for granted in table.all_of(PermitGranted) if granted.what is events.PermitKind.LID][-1]
    assert grant.not_after_ns == table.now_ns + 6 * NS_PER_S
    table.wait(10)
    table.notice(events.LidOpened)
    assert "LID-OPEN" in {alert.text for alert in table.state.alerts.standing.values()}
    assert [incident.kind for incident in table.state.incidents.open.values()] == ["lid"]


def test_a_lid_open_for_long_calls_again_unless_seen_again(table: Table) -> None:
    table.tap("S1")
    table.ask(OpenLid)
    table.notice(events.LidOpened)
    table.wait(119)
    assert "LID-OPEN-LONG" not in alerts(table)
    table.wait(2)
    assert "LID-OPEN-LONG" in alerts(table)


def test_more_cards_than_two_hands_hold_are_refused(table: Table) -> None:
    table.tap("S1")
    table.ask(OpenLid)
    table.notice(events.LidOpened)
    assert not table.ask(CardsTakenOut, cards=10_000, now="table").is_accepted
    assert not table.ask(CardsTakenOut, cards=1, now="pocket").is_accepted


def return_until_stuck(table: Table, place: Place, inserted: int) -> None:
    """A round of six cards is over, and its return sticks after so many were counted in."""
    deal(table, 1)  # the sixth
    table.ask(EndRound, by="D1")
    insert(table, inserted)
    table.notice(events.CardJammed, place=place)


def test_a_card_that_comes_out_again_goes_in_again_with_its_round(table: Table) -> None:
    """Counted in, caught in the carousel, taken out by hand: the return waits for it (CSM-10)."""
    return_until_stuck(table, Place.CAROUSEL, inserted=3)
    clear_by_hand(table, Place.CAROUSEL)
    insert(table, 3)
    assert not table.all_of(CardsReturned)
    insert(table, 1)
    assert [(done.cards, done.held_over) for done in table.all_of(CardsReturned)] == [(6, 0)]
    assert table.state.account.at(MACHINE) == 312


def test_a_round_s_last_card_that_comes_out_again_is_held_over(table: Table) -> None:
    return_until_stuck(table, Place.CAROUSEL, inserted=6)
    clear_by_hand(table, Place.CAROUSEL)
    assert table.state.procedures.rounds.held_over == 1
    assert table.state.account.at(TABLE) == 1


def test_a_card_stuck_at_the_feed_was_never_counted_in(table: Table) -> None:
    """It lies before the in meter: by the account it is on the table all the time, and nothing differs."""
    return_until_stuck(table, Place.FEED, inserted=3)
    clear_by_hand(table, Place.FEED)
    assert table.state.account.at(MACHINE) == 309
    assert table.state.account.at(TABLE) == 3
    insert(table, 3)
    assert [(done.cards, done.held_over) for done in table.all_of(CardsReturned)] == [(6, 0)]
