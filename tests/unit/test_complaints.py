"""Complaints: heard until the cards begin to go in (CSM-12)."""

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import KeyName
from firmware_bridge.clock import NS_PER_S
from tableside.decisions import AlertRaised, PermitGranted
from tableside.happenings import ComplaintRaised, ComplaintSettled
from tableside.locks import Scope, standing
from tableside.requests import EndRound, HoldOver, RaiseComplaint, SettleComplaint
from tests.support.table import HOUSE, Table
from tests.unit.test_rounds import deal, insert, open_table


@pytest.fixture
def table() -> Table:
    table = open_table()
    deal(table, 5)
    return table


def test_csm12_one_in_its_window_holds_insertion_until_settled(table: Table) -> None:
    assert table.ask(RaiseComplaint, by="", text="counting").is_accepted
    table.ask(EndRound)
    assert table.all_of(PermitGranted)[-1].what is not events.PermitKind.FEED
    assert not table.ask(SettleComplaint, by="D1", complaint=1, decision="paid").is_accepted
    assert table.ask(SettleComplaint, complaint=1, decision="paid").is_accepted
    assert table.all_of(PermitGranted)[-1].what is events.PermitKind.FEED


def test_csm12_once_cards_go_in_it_is_late_and_holds_nothing(table: Table) -> None:
    table.ask(EndRound)
    insert(table, 1)
    assert table.ask(RaiseComplaint, by="").is_accepted
    assert table.all_of(ComplaintRaised)[-1].is_late
    assert not standing(table.state, Scope.FEED)
    assert table.all_of(AlertRaised)[-1].text == "COMPLAINT-LATE"


def test_csm12_held_over_cards_keep_their_window(table: Table) -> None:
    table.ask(EndRound)
    table.ask(HoldOver)
    deal(table, 4)
    table.ask(RaiseComplaint, by="", round=1)
    assert not table.all_of(ComplaintRaised)[-1].is_late


def test_csm12_a_late_one_tells_both_times(table: Table) -> None:
    table.ask(EndRound)
    insert(table, 1)
    began_ns = table.given[-1].wall_ns
    table.wait(30)
    insert(table, 4)
    deal(table, 2)
    table.wait(30)
    table.ask(RaiseComplaint, by="", round=1)
    raised = table.all_of(ComplaintRaised)[-1]
    assert (raised.is_late, raised.closed_ns) == (True, began_ns)
    assert table.given[-1].wall_ns == began_ns + 60 * NS_PER_S
    table.ask(EndRound)
    insert(table, 2)
    table.ask(RaiseComplaint, by="", round=1)
    assert table.all_of(ComplaintRaised)[-1].closed_ns is None, "long ago: the journal's rows tell"


def test_csm12_where_cards_go_in_after_the_next_deal_has_begun_they_keep_their_window_until_then() -> None:
    """Re-insertion lag: between the rounds, and during the next deal until the first of them goes in."""
    table = open_table()
    table.state = replace(table.state, house=replace(HOUSE, jurisdiction=replace(HOUSE.jurisdiction, reinsert="after")))
    deal(table, 5)
    assert table.ask(EndRound).is_accepted
    for expected_late in (False, False, True):
        table.ask(RaiseComplaint, by="", round=1)
        raised = table.all_of(ComplaintRaised)[-1]
        assert raised.is_late is expected_late
        assert bool(standing(table.state, Scope.FEED)) is not expected_late
        table.ask(SettleComplaint, complaint=raised.complaint, decision="counted again, paid right")
        if table.state.procedures.rounds.state == "waiting":
            deal(table, 3)
        else:
            insert(table, 1)


def test_the_hold_key_pressed_twice_makes_one_complaint(table: Table) -> None:
    table.notice(events.KeyPressed, "switches", key=KeyName.HOLD)
    table.notice(events.KeyPressed, "switches", key=KeyName.HOLD)
    assert len(table.all_of(ComplaintRaised)) == 1


def test_a_round_that_was_never_played_is_refused(table: Table) -> None:
    answer = table.ask(RaiseComplaint, round=99)
    assert (answer.is_accepted, answer.rule) == (False, "CSM-12")


def test_a_settlement_needs_a_decision_and_an_open_complaint(table: Table) -> None:
    table.ask(RaiseComplaint, by="")
    assert not table.ask(SettleComplaint, complaint=1, decision=" ").is_accepted
    assert not table.ask(SettleComplaint, complaint=7, decision="paid").is_accepted


def test_the_only_open_complaint_needs_no_number(table: Table) -> None:
    table.ask(RaiseComplaint, by="", text="counting")
    table.ask(EndRound)
    assert table.ask(SettleComplaint, decision="paid").is_accepted
    assert table.all_of(ComplaintSettled)[-1].complaint == 1


def test_of_several_open_complaints_one_is_named_and_the_refusal_lists_them(table: Table) -> None:
    table.ask(RaiseComplaint, by="", text="counting")
    table.ask(EndRound)
    table.ask(HoldOver)
    deal(table, 4)
    table.ask(RaiseComplaint, by="", round=2, text="a late bet")
    refused = table.ask(SettleComplaint, decision="paid")
    assert not refused.is_accepted
    assert refused.text == "2 complaints are open"
    assert refused.next_step == "name one of them: 1 (round 1), 2 (round 2)"
    assert table.ask(SettleComplaint, complaint=2, decision="paid").is_accepted
    assert table.ask(SettleComplaint, decision="paid").is_accepted
    assert not table.state.procedures.complaints.open
