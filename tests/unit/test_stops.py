"""What makes things safer needs no badge: STOP, CALL, NO MORE BETS; what lets play go on needs one (semantics §3)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Ability, Holding, KeyName, PermitKind
from tableside.decisions import AlertRaised, IncidentOpened, PermitGranted, PermitRevoked
from tableside.locks import Scope, standing
from tableside.requests import CallSupervisor, EndRound, OpenTable, ResumePlay, StopPlay
from tests.support.session import feed, give_out, open_table
from tests.support.table import Table


def alerts(table: Table) -> list[str]:
    return [raised.text for raised in table.all_of(AlertRaised)]


def test_anybody_stops_play_and_a_supervisor_lets_it_go_on() -> None:
    table = open_table()
    stopped = table.ask(StopPlay, by="")
    assert (stopped.is_accepted, stopped.next_step) == (True, "floor supervisor: let play go on")
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.DEAL
    assert "CALL-PRESSED" in alerts(table)
    assert table.ask(StopPlay, by="").is_accepted, "twice is once"
    for by in ("", "D1", "T1"):
        assert not table.ask(ResumePlay, by=by).is_accepted
        assert standing(table.state, Scope.DEAL)
    resumed = table.ask(ResumePlay, by="S1")
    assert (resumed.is_accepted, resumed.next_step) == (True, "play goes on")
    assert table.all_of(PermitGranted)[-1].what is PermitKind.DEAL


def test_the_call_key_calls_the_supervisor_and_stops_nothing() -> None:
    table = open_table()
    table.notice(events.KeyPressed, "switches", key=KeyName.CALL)
    assert alerts(table)[-1] == "CALL-PRESSED"
    assert not standing(table.state, Scope.DEAL)
    assert table.ask(CallSupervisor, by="").is_accepted


def test_jp11_no_more_bets_locks_the_jackpot_bets_until_the_round_is_over() -> None:
    table = open_table()
    table.notice(events.KeyPressed, "switches", key=KeyName.NO_MORE_BETS)
    assert [lock.rule for lock in standing(table.state, Scope.JACKPOT_BETS)] == ["JP-11"]
    give_out(table, 4)
    assert standing(table.state, Scope.JACKPOT_BETS), "dealing opens no bets"
    assert not standing(table.state, Scope.DEAL)
    table.ask(EndRound)
    feed(table, 4)
    assert not standing(table.state, Scope.JACKPOT_BETS)


def test_jp11_no_more_bets_at_a_closed_table_is_about_no_bets_of_the_next_session() -> None:
    table = Table()
    table.ready("shuffler")
    table.ready("switches")
    table.notice(events.KeyPressed, "switches", key=KeyName.NO_MORE_BETS)
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    assert not standing(table.state, Scope.JACKPOT_BETS)


@pytest.mark.parametrize(("holding", "cards_allowed"), [(Holding.ENFORCES, 1), (Holding.OBSERVES, 0)])
def test_csm8_a_card_dealt_under_a_stop_is_an_incident_where_the_machine_had_to_hold(
    holding: Holding, cards_allowed: int
) -> None:
    """An enforcing machine may finish the card that moves already; where the stop is only asked, no card may come."""
    table = open_table()
    shuffler = table.state.devices.known["shuffler"]
    abilities = {**shuffler.abilities, Ability.DEAL: holding}
    known = {**table.state.devices.known, "shuffler": replace(shuffler, abilities=abilities)}
    table.state = replace(table.state, devices=replace(table.state.devices, known=known))
    give_out(table, 3)
    table.ask(StopPlay, by="")
    for _ in range(cards_allowed):
        give_out(table, 1)
    assert "DEALT-WHILE-STOPPED" not in alerts(table)
    give_out(table, 1)
    assert alerts(table)[-1] == "DEALT-WHILE-STOPPED"
    assert [opened.kind for opened in table.all_of(IncidentOpened)][-1:] == ["dealt while stopped"]


def test_csm8_a_card_that_leaves_between_opening_and_play_is_an_incident() -> None:
    table = Table()
    table.ready("shuffler", content=5, areas=(0, 0, 5))
    table.notice(events.CardsOut, meter=1)
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["card out of round"]
    assert standing(table.state, Scope.DEAL)
