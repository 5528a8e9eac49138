"""Complaints: heard until the cards begin to go in (CSM-12)."""

import pytest

from drivers import events
from drivers.events import KeyName
from tableside.decisions import AlertRaised, PermitGranted
from tableside.happenings import ComplaintRaised
from tableside.locks import Scope, standing
from tableside.requests import EndRound, HoldOver, RaiseComplaint, SettleComplaint
from tests.support.table import Table
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
