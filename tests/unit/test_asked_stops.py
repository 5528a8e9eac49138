"""Enforces, observes, cannot: a stop that the machine does not hold is asked of people, and the row says so (§3)."""

from msgspec.structs import replace

from drivers import events
from drivers.events import Ability, Holding
from tableside.decisions import AlertCleared, AlertRaised, AlertTaken, LineShown, LockAdded
from tableside.locks import Scope, standing
from tableside.requests import ResumePlay, StopPlay, TakeAlert
from tests.support.table import ENFORCING, HOUSE, Table


def observing() -> Table:
    table = Table()
    table.ready(abilities={**ENFORCING, Ability.DEAL: Holding.OBSERVES})
    return table


def test_a_stop_that_is_only_observed_is_asked_and_confirmed_by_name() -> None:
    table = observing()
    table.ask(StopPlay, by="")
    assert [lock.held for lock in table.all_of(LockAdded)] == [Holding.OBSERVES]
    asked = next(raised for raised in table.all_of(AlertRaised) if raised.text == "STOP-ASKED")
    assert (asked.level, asked.fields["what"]) == (0, "deal")
    taken = table.ask(TakeAlert, by="D1", alert=asked.alert)
    assert (taken.is_accepted, taken.next_step) == (True, "go to the table and tap the badge")
    assert [taken.by for taken in table.all_of(AlertTaken)] == ["D1"]
    table.ask(ResumePlay)
    assert asked.alert in [cleared.alert for cleared in table.all_of(AlertCleared)]


def test_a_stop_that_the_machine_holds_asks_nobody() -> None:
    table = Table()
    table.ready()
    table.ask(StopPlay, by="")
    assert [lock.held for lock in table.all_of(LockAdded)] == [Holding.ENFORCES]
    assert "STOP-ASKED" not in [raised.text for raised in table.all_of(AlertRaised)]


def test_a_device_that_says_it_is_simulated_is_refused_in_production() -> None:
    table = Table(replace(HOUSE, profile="production"))
    table.ready(is_simulated=True)
    assert standing(table.state, Scope.DEAL)
    assert "DEVICE-WRONG" in [raised.text for raised in table.all_of(AlertRaised)]


def test_a_short_loss_is_a_line_and_no_alert() -> None:
    table = Table()
    table.ready()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.wait(3)
    table.ready()
    assert [line.text for line in table.all_of(LineShown)] == ["DEVICE-BACK"]
    assert not [raised for raised in table.all_of(AlertRaised) if raised.text == "SHUFFLER-SILENT"]
