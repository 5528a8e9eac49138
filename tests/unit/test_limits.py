"""Limits at which nothing else looks: what a changed line in each of them used to leave green."""

from __future__ import annotations

from msgspec.structs import replace

from drivers import events
from drivers.events import PermitKind
from firmware_bridge.clock import NS_PER_S
from tableside import locks, permits
from tableside.decisions import AlertEscalated, PermitGranted
from tableside.inputs import Input, SpaceEnough
from tableside.locks import Scope
from tableside.permits import Wish
from tableside.requests import CardsTakenOut, OpenLid
from tableside.tables import Turn
from tests.support.session import open_table
from tests.support.situations import jammed
from tests.support.table import Table


def turn_of(table: Table) -> Turn:
    return Turn(table.state, Input(table.now_ns, table.now_ns, "simulated", SpaceEnough()))


def test_a_lock_of_now_replaces_the_same_from_the_next_round() -> None:
    turn = turn_of(open_table())
    locks.add(turn, Scope.DEAL, "difference", "CSM-6", is_from_next_round=True)
    assert not locks.standing(turn.state, Scope.DEAL, is_round_open=True)
    locks.add(turn, Scope.DEAL, "difference", "CSM-6")
    assert locks.standing(turn.state, Scope.DEAL, is_round_open=True)


def test_no_permit_is_given_beyond_the_end_of_presence() -> None:
    turn = turn_of(open_table())
    for seconds, given in ((-1, 0), (0, 0), (1, 1)):
        wish = Wish("shuffler", PermitKind.LID, 30_000, not_after_ns=turn.now_ns + seconds * NS_PER_S)
        permits.settle(turn, (lambda _state, wish=wish: (wish,),), is_round_open=False)  # type: ignore[misc]  # bound now
        assert len([one for one in turn.decisions if isinstance(one, PermitGranted) and one.what == "lid"]) == given


def test_nobody_holds_more_cards_than_a_machine_can() -> None:
    table = jammed()
    table.tap("S1")
    table.ask(OpenLid)
    table.notice(events.LidOpened)
    assert not table.ask(CardsTakenOut, cards=417, now="table").is_accepted


def test_a_jam_that_nobody_takes_goes_to_room_management_after_two_minutes() -> None:
    table = jammed()
    table.wait(121)
    assert [one.asked for one in table.all_of(AlertEscalated)][-1] == ("M1",)


def with_presence(table: Table, seconds: int) -> Table:
    table.state = replace(table.state, house=replace(table.state.house, presence_s=seconds))
    return table


def test_csm2_a_lid_whose_opener_is_not_proved_present_any_more_is_not_called_free() -> None:
    table = with_presence(jammed(), 20)
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    table.wait(10)
    assert table.ask(OpenLid).text == "the lid is free"
    table.wait(11)
    assert table.state.procedures.lid.state.value == "free", "it is asked for still, and held shut"
    assert not table.ask(OpenLid).is_accepted
    table.decided.clear()
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    assert [grant.what for grant in table.all_of(PermitGranted)] == ["lid"]


def test_a_tap_begins_nothing_that_would_be_over_at_once() -> None:
    table = with_presence(jammed(), 10)
    table.tap("S1")
    table.wait(10)
    assert not table.ask(OpenLid).is_accepted
    table.tap("S1")
    table.wait(8)
    assert table.ask(OpenLid).is_accepted
