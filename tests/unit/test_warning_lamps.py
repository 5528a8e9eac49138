"""Warning lamps of their own: the goal is told and renewed, a gap is red by itself, trouble stops no card."""

from __future__ import annotations

from msgspec.structs import replace

from drivers import events
from drivers.events import LampColour, LampPattern
from drivers.lamps.goal import STALE_S, UNTENDED, LampGoal
from firmware_bridge.clock import NS_PER_S
from tableside.decisions import AlertRaised, LampSet
from tableside.locks import Scope, standing
from tableside.renewals import Renewals
from tests.support.table import HOUSE, Table

HOUSE_WITH_LAMP = replace(HOUSE, lamps=("lamp",))
OFF = (LampColour.OFF, LampPattern.STEADY)
RED = (LampColour.RED, LampPattern.STEADY)
AMBER = (LampColour.AMBER, LampPattern.STEADY)


def table_with_lamp() -> Table:
    table = Table(HOUSE_WITH_LAMP)
    table.ready("shuffler")
    table.give(events.LampReady(device="lamp", model="blink(1)", serial="2A", firmware="204"))
    return table


def told(table: Table) -> list[tuple[LampColour, LampPattern]]:
    return [(lamp.colour, lamp.pattern) for lamp in table.all_of(LampSet) if lamp.device == "lamp"]


def test_a_lamp_that_comes_is_told_what_stands() -> None:
    table = table_with_lamp()
    assert told(table) == [OFF]
    levels = table.state.devices.known["lamp"]
    assert (levels.is_connected, levels.model, levels.serial) == (True, "blink(1)", "2A")


def test_a_jam_is_shown_at_once_and_again_after_a_gap() -> None:
    table = table_with_lamp()
    table.notice(events.CardJammed, "shuffler", place=events.Place.EXIT)
    assert told(table) == [OFF, RED]
    table.give(events.LampLost(device="lamp", why="pulled out"))
    table.give(events.LampReady(device="lamp", model="blink(1)"))
    assert told(table) == [OFF, RED, RED]


def test_a_lamp_that_stays_away_is_the_technician_s_and_stops_nothing() -> None:
    table = table_with_lamp()
    table.give(events.LampLost(device="lamp", why="pulled out"))
    table.wait(HOUSE.device_silent_s)
    assert [alert.text for alert in table.all_of(AlertRaised)] == ["LAMP-LOST"]
    assert not standing(table.state, Scope.DEAL)
    table.give(events.LampReady(device="lamp", model="blink(1)"))
    assert not table.state.alerts.standing


def test_a_lamp_that_shows_something_else_is_told_of_once_until_it_shows_what_it_shall() -> None:
    table = table_with_lamp()
    for _ in range(2):
        table.give(events.LampTroubled(device="lamp", why="read back 0"))
    assert [alert.text for alert in table.all_of(AlertRaised)] == ["LAMP-LOST"]
    table.give(events.LampShowed(device="lamp", colour=LampColour.OFF, pattern=LampPattern.STEADY))
    assert "LAMP-LOST:lamp" in table.state.alerts.standing, "its own trouble makes the table's lamps amber"
    table.give(events.LampShowed(device="lamp", colour=AMBER[0], pattern=AMBER[1]))
    assert not table.state.alerts.standing


def test_the_lamp_of_a_stranger_changes_nothing() -> None:
    table = table_with_lamp()
    table.give(events.LampTroubled(device="other", why="?"))
    assert not table.state.alerts.standing
    assert not standing(table.state, Scope.DEAL)


def test_the_hub_says_a_lamp_s_goal_again_and_a_machine_s_it_does_not() -> None:
    renewals = Renewals()
    own = LampSet(device="lamp", colour=RED[0], pattern=RED[1])
    renewals.note(own, 0)
    renewals.note(LampSet(device="shuffler", colour=RED[0], pattern=RED[1]), 0)
    due_ns = renewals.next_ns()[0]
    assert 3 * due_ns <= STALE_S * NS_PER_S
    assert renewals.take_due((), ("lamp",), due_ns - 1) == []
    assert renewals.take_due((), ("lamp",), due_ns) == [own]
    renewals.take_all()
    assert renewals.next_ns() == [], "a hub that stops renews nothing: the lamp shows it"


def test_a_goal_that_nobody_says_again_is_red_and_blinks() -> None:
    goal = LampGoal()
    assert goal.wanted(0) == UNTENDED
    assert goal.say(*OFF, now_s=1)
    assert not goal.say(*OFF, now_s=2), "a renewal is no news"
    assert goal.stale_s() == 2 + STALE_S
    assert goal.wanted(2 + STALE_S - 0.001) == OFF
    assert goal.wanted(2 + STALE_S) == UNTENDED
    assert goal.say(*OFF, now_s=20), "said again after it was red: that is news for the lamp"
    goal.forget()
    assert goal.wanted(20) == UNTENDED
