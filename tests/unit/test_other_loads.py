"""Card change and incident reload: other ways to cards in a machine (semantics §4; CSM-5)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import PermitKind
from tableside.card_account import MACHINE, TABLE
from tableside.decisions import PermitGranted, StateKept
from tableside.happenings import RoundStarted, SessionClosed, SessionOpened
from tableside.house import Jurisdiction
from tableside.presence import Operation
from tableside.requests import (
    AnnounceClosing,
    BeginCardChange,
    BeginIncidentReload,
    CloseTable,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    EndRound,
    EnterSort,
    HoldOver,
    LoadPacket,
)
from tableside.session_happenings import (
    LoadCompleted,
    LoadStarted,
    ReloadCompleted,
    ReloadStarted,
    UnloadCompleted,
)
from tests.support.session import (
    WHOLE,
    aside,
    end_eject,
    feed,
    give_out,
    levels,
    load_packet,
    open_table,
    unload,
)
from tests.support.table import HOUSE, Table

# --- card change -------------------------------------------------------------------------------------------------


def test_a_card_change_ends_the_session_and_opens_the_next_with_its_dealer() -> None:
    table = open_table()
    assert table.ask(BeginCardChange, by="S1").is_accepted
    assert table.state.procedures.session.state == "closing"
    unload(table, 312)
    assert table.ask(EnterSort, by="D1", groups=WHOLE).is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    assert [closed.session for closed in table.all_of(SessionClosed)] == [1]
    assert [(o.session, o.dealer) for o in table.all_of(SessionOpened)] == [(1, "D1"), (2, "D1")]
    assert (table.state.procedures.session.state, table.state.procedures.opening.state) == ("opening", "to show")
    assert (aside(table), table.state.account.at(MACHINE)) == (312, 0)
    assert [kept.why for kept in table.all_of(StateKept)] == ["session 1 closed"]
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled):
        assert table.ask(step, by="D1").is_accepted, "the guests keep their seats, the cards are prepared all the same"


def test_a_card_change_is_made_between_rounds_by_a_supervisor() -> None:
    table = open_table()
    assert not table.ask(BeginCardChange, by="D1").is_accepted
    give_out(table, 3)
    assert not table.ask(BeginCardChange, by="S1").is_accepted
    table.ask(EndRound)
    table.ask(HoldOver)
    assert table.ask(BeginCardChange, by="S1").is_accepted


def test_a_closing_that_is_no_card_change_opens_nothing() -> None:
    table = open_table()
    table.ask(AnnounceClosing, by="S1")
    unload(table, 312)
    table.ask(EnterSort, by="D1", groups=WHOLE)
    table.ask(CloseTable, by="S1")
    assert table.state.procedures.session.state == "closed"


# --- incident reload -----------------------------------------------------------------------------------------------


def with_incident() -> Table:
    """A table in play with an open incident."""
    table = open_table()
    table.notice(events.NoticesLost, how_many=2)
    number = next(c.number for c in table.state.commands.open.values() if c.verb is events.Verb.COUNT_ALL)
    table.notice(events.CommandEnded, command=number, outcome=events.Outcome.DONE, moved=312)
    for _ in range(3):
        levels(table, content=312)
    return table


def incident_of(table: Table) -> int:
    return next(iter(table.state.incidents.open.values())).number


def both_tap(table: Table) -> None:
    table.tap("S1")
    table.wait(5)
    table.tap("M1")


def reload_of(table: Table, **fields: object) -> bool:
    asked = {"incident": incident_of(table), "packets": 3, **fields}
    return table.ask(BeginIncidentReload, by="M1", **asked).is_accepted


def reloading() -> Table:
    table = with_incident()
    both_tap(table)
    assert reload_of(table)
    return table


def test_a_reload_empties_proves_and_loads_anew() -> None:
    table = reloading()
    assert [started.incident for started in table.all_of(ReloadStarted)] == [incident_of(table)]
    give_out(table, 312)
    assert table.all_of(RoundStarted) == [], "an unload is no deal"
    end_eject(table, moved=312)
    levels(table, content=0)
    assert table.all_of(UnloadCompleted)[-1].kind == "incident"
    assert [(started.kind, started.packets) for started in table.all_of(LoadStarted)][-1] == ("incident", 3)
    table.tap("S1")
    for cards in (104, 104, 104):
        load_packet(table, cards)
    levels(table, content=312)
    assert table.all_of(LoadCompleted)[-1].kind == "incident"
    assert [(done.incident, done.cards) for done in table.all_of(ReloadCompleted)] == [(incident_of(table), 312)]
    assert table.state.presence.kept == {}
    assert table.all_of(PermitGranted)[-1].what is PermitKind.DEAL, "play goes on"
    give_out(table, 2)
    assert [started.round for started in table.all_of(RoundStarted)] == [1]


def test_a_reload_names_an_open_incident_and_has_packets() -> None:
    table = with_incident()
    both_tap(table)
    assert not reload_of(table, incident=99)
    assert not reload_of(table, packets=1)
    assert reload_of(table)


def test_a_reload_is_allowed_by_the_jurisdiction_or_not() -> None:
    table = with_incident()
    law = Jurisdiction("mo", incident_reload_allowed=False)
    table.state = replace(table.state, house=replace(HOUSE, jurisdiction=law))
    both_tap(table)
    assert not reload_of(table)


def test_a_reload_waits_for_the_end_of_the_round() -> None:
    table = with_incident()
    give_out(table, 2)
    both_tap(table)
    assert not reload_of(table)


@pytest.mark.parametrize(
    ("taps", "counts"),
    [
        ([("S1", 0), ("M1", 30)], True),
        ([("M1", 0), ("S1", 30)], True),
        ([("S1", 0), ("M1", 30.1)], False),
        ([("S1", 0), ("S2", 5)], False),
        ([("M1", 0)], False),
        ([("S1", 0)], False),
    ],
    ids=str,
)
def test_two_persons_with_the_two_roles_within_30_s_in_any_order(taps: list[tuple[str, float]], counts: bool) -> None:
    table = with_incident()
    before = 0.0
    for staff, at in taps:
        table.wait(at - before)
        table.tap(staff)
        before = at
    assert reload_of(table) is counts


@pytest.mark.parametrize(("seconds", "counts"), [(15, True), (15.1, False)])
def test_the_act_begins_within_15_s_of_the_second(seconds: float, counts: bool) -> None:
    table = with_incident()
    both_tap(table)
    table.wait(seconds)
    assert reload_of(table) is counts


def test_one_person_with_both_roles_is_one_person() -> None:
    table = with_incident()
    both = replace(HOUSE.person("M1"), roles=("floor supervisor", "room management"))  # type: ignore[type-var]  # it is there
    persons = (both, *(person for person in HOUSE.persons if person.staff != "M1"))
    table.state = replace(table.state, house=replace(HOUSE, persons=persons))
    table.tap("M1")
    assert not reload_of(table)
    table.wait(2)
    table.tap("S1")
    assert reload_of(table)


def test_two_persons_by_pin_with_the_two_roles_while_the_reader_is_away() -> None:
    table = with_incident()
    table.give(events.ReaderLost(device="reader", why="no answer"))
    assert not reload_of(table, second_way=("S1", "D1"))
    assert reload_of(table, second_way=("S1", "M1"))


def test_a_reload_pauses_with_the_supervisors_presence() -> None:
    table = reloading()
    kept = table.state.presence.kept[Operation.RELOAD]
    assert kept.staff == "S1", "the floor supervisor stays, room management has begun it with him"
    table.wait(61)
    assert table.state.procedures.unload.state == "paused: presence"
    table.tap("M1")
    assert table.state.procedures.unload.state == "paused: presence"
    table.tap("S2")
    assert table.state.procedures.unload.state == "permit awaited", "the first command's end is awaited"


def test_closing_in_the_middle_of_a_reload_ends_it() -> None:
    table = reloading()
    give_out(table, 100)
    assert table.ask(AnnounceClosing, by="S1").is_accepted
    end_eject(table, events.Outcome.FAILED, events.Reason.PERMIT, moved=100)
    assert table.state.procedures.reload.state == "none"
    assert (aside(table), table.state.account.at(MACHINE), table.state.account.at(TABLE)) == (100, 212, 0)
    unload(table, 212)
    assert table.state.procedures.session.state == "sorting"


def test_a_reload_given_up_while_loading_takes_the_hopper_back() -> None:
    table = reloading()
    give_out(table, 312)
    end_eject(table, moved=312)
    levels(table, content=0)
    table.ask(LoadPacket, by="D1", cards=104)
    feed(table, 10)
    assert table.ask(AnnounceClosing, by="S1").is_accepted
    assert (aside(table), table.state.account.at(MACHINE)) == (302, 10)
    assert table.state.presence.kept == {}
