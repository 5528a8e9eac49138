"""Cards that come out with no round open: one incident, settled by a decision and a count (CSM-8)."""

from __future__ import annotations

from tableside.decisions import IncidentOpened
from tableside.happenings import CountWanted
from tableside.locks import Scope, standing
from tableside.requests import EndRound, SettleIncident
from tests.support.session import give_out, open_table
from tests.support.table import Table

OUT = "CARD-OUT-OF-ROUND:shuffler"


def after_a_round() -> Table:
    table = open_table()
    give_out(table, 4)
    assert table.ask(EndRound).is_accepted
    return table


def test_csm8_cards_that_come_out_after_the_round_are_one_incident_with_their_number() -> None:
    table = after_a_round()
    give_out(table, 1)
    give_out(table, 2)
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["card out of round"]
    alert = table.state.alerts.standing[OUT]
    assert (alert.fields["n"], alert.times) == ("3", 2)
    assert "UNEXPECTED" not in {one.text for one in table.state.alerts.standing.values()}
    assert standing(table.state, Scope.DEAL)


def test_csm8_a_recorded_decision_ends_it_and_the_cards_are_counted() -> None:
    table = after_a_round()
    give_out(table, 1)
    number = table.all_of(IncidentOpened)[-1].number
    assert not table.ask(SettleIncident, by="D1", incident=number, finding="a hand slipped").is_accepted
    assert table.ask(SettleIncident, by="S1", incident=number, finding="a hand slipped").is_accepted
    assert OUT not in table.state.alerts.standing
    assert f"unexpected {number}" not in [lock.reason for lock in standing(table.state, Scope.DEAL)]
    assert "unexpected" in [wanted.why for wanted in table.all_of(CountWanted)]
