"""What latches can be ended: by what it asks for, or by a person who says what it was (design rule 7)."""

from __future__ import annotations

import pytest

from drivers import events
from tableside.decisions import IncidentClosed
from tableside.inputs import ClockStepped, SpaceEnough, SpaceLow
from tableside.locks import Scope, standing
from tableside.requests import CallSupervisor, ClearAlert, SettleIncident
from tests.support.session import open_table
from tests.support.table import Table


def texts(table: Table) -> set[str]:
    return {alert.text for alert in table.state.alerts.standing.values()}


def incident_of(table: Table, kind: str) -> int:
    return next(one.number for one in table.state.incidents.open.values() if one.kind == kind)


def unexpected() -> Table:
    table = open_table()
    table.notice(events.CardsOut, meter=4_000_000)  # a step that no table can do
    return table


def test_an_unexpected_fact_locks_until_somebody_says_what_it_was() -> None:
    table = unexpected()
    number = incident_of(table, "unexpected")
    assert any(lock.reason == f"unexpected {number}" for lock in standing(table.state, Scope.DEAL))
    assert not table.ask(SettleIncident, by="D1", incident=number, finding="nothing").is_accepted
    assert not table.ask(SettleIncident, incident=number, finding=" ").is_accepted
    assert not table.ask(SettleIncident, incident=999, finding="nothing").is_accepted
    assert table.ask(SettleIncident, incident=number, finding="a card was tried by hand").is_accepted
    assert not any("unexpected" in lock.reason for lock in table.state.locks.standing.values())
    assert "UNEXPECTED" not in texts(table)
    closed = table.all_of(IncidentClosed)[-1]
    assert (closed.number, closed.text, closed.by) == (number, "a card was tried by hand", "S1")


def test_of_two_one_stays_until_it_is_settled_too() -> None:
    table = open_table()
    table.notice(events.NoticesLost, "switches", how_many=2)
    table.notice(events.NoticesLost, "switches", how_many=1)
    first, second = (one.number for one in table.state.incidents.open.values() if one.kind == "notices lost")
    assert table.ask(SettleIncident, incident=first, finding="cable").is_accepted
    assert "NOTICES-LOST" in texts(table)
    assert table.ask(SettleIncident, incident=second, finding="cable").is_accepted
    assert "NOTICES-LOST" not in texts(table)


def test_an_incident_with_an_end_of_its_own_is_not_talked_away() -> None:
    table = open_table()
    table.notice(events.KeyPressed, "switches", key=events.KeyName.DAMAGED_CARD)
    number = incident_of(table, "damaged card")
    answer = table.ask(SettleIncident, incident=number, finding="it is nothing")
    assert not answer.is_accepted
    assert "ends with what it asks for" in answer.text


@pytest.mark.parametrize("by", ["S1", "M1", "T1"])
def test_who_has_looked_clears_what_only_had_to_be_looked_at(by: str) -> None:
    table = open_table()
    table.give(ClockStepped(seconds=-3))
    table.ask(CallSupervisor, by="")
    for alert in tuple(table.state.alerts.standing.values()):
        assert not table.ask(ClearAlert, by="D1", alert=alert.number).is_accepted
        assert table.ask(ClearAlert, by=by, alert=alert.number).is_accepted
    assert not texts(table)


def test_room_on_the_disk_ends_its_alert() -> None:
    table = open_table()
    table.give(SpaceLow(free_percent=9))
    assert "DISK-LOW" in texts(table)
    table.give(SpaceEnough())
    assert "DISK-LOW" not in texts(table)
