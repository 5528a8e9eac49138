"""Opening: shown, mixed, shuffled by hand, not cut; empty proved (SHOE-3, CSM-3, CSM-4; semantics §4)."""

import pytest

from drivers import events
from tableside.card_account import MACHINE, RESERVE, UNEXPLAINED
from tableside.decisions import AlertRaised, CommandIntended, IncidentClosed, IncidentOpened, LevelsAsked, StateKept
from tableside.happenings import SessionClosed, SessionOpened
from tableside.requests import (
    BeginLoad,
    CardsTakenOut,
    CloseTable,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    OpenLid,
    OpenTable,
    ProveEmpty,
)
from tableside.session_happenings import CutSkipped, EmptyDisproved, EmptyProved
from tests.support.session import aside, connected, feed, levels, loading, prepared, proved_empty
from tests.support.table import Table

STEPS = (ConfirmShown, ConfirmMixed, ConfirmHandShuffled)


def opened() -> Table:
    table = connected()
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    return table


def test_the_sessions_cards_are_brought_to_the_table() -> None:
    table = opened()
    assert aside(table) == 312
    assert table.state.account.at(RESERVE) == 104
    assert [(o.session, o.dealer) for o in table.all_of(SessionOpened)] == [(1, "D1")]
    assert table.state.procedures.people.dealer == "D1"


@pytest.mark.parametrize("dealer", ["S1", "X9", ""])
def test_a_table_is_opened_with_a_dealer(dealer: str) -> None:
    table = connected()
    assert not table.ask(OpenTable, by="S1", dealer=dealer).is_accepted


def test_shoe3_csm4_the_steps_come_in_their_order_and_none_is_left_out() -> None:
    for done in range(len(STEPS)):
        table = opened()
        for step in STEPS[:done]:
            assert table.ask(step, by="D1").is_accepted
        for other in STEPS[done + 1 :]:
            answer = table.ask(other, by="D1")
            assert (answer.is_accepted, answer.rule) == (False, "CSM-4")
            assert answer.next_step.startswith("the dealer")


@pytest.mark.parametrize("by", ["S1", "D2", ""])
def test_csm4_each_step_is_the_dealers_to_confirm(by: str) -> None:
    table = opened()
    for step in STEPS:
        assert not table.ask(step, by=by).is_accepted
        assert table.ask(step, by="D1").is_accepted


def test_csm4_no_load_before_the_cards_are_prepared() -> None:
    table = opened()
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=3)
    assert (answer.is_accepted, answer.rule) == (False, "CSM-4")


def test_csm3_the_cut_is_skipped_and_the_journal_says_why() -> None:
    table = opened()
    for step in STEPS[:2]:
        table.ask(step, by="D1")
    assert table.all_of(CutSkipped) == []
    table.ask(ConfirmHandShuffled, by="D1")
    assert [skipped.why for skipped in table.all_of(CutSkipped)] == [
        "an automatic shuffler is in use: its cards are not cut"
    ]


# --- empty is proved -------------------------------------------------------------------------------------------


def test_csm5_no_load_before_the_machine_is_proved_empty() -> None:
    table = prepared()
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=3)
    assert not answer.is_accepted
    assert "not proved empty" in answer.text


def test_empty_is_content_0_in_all_areas_and_the_path_clear() -> None:
    table = proved_empty()
    assert [(p.device, p.purpose, p.held) for p in table.all_of(EmptyProved)] == [("shuffler", "load", "enforces")]


@pytest.mark.parametrize(
    "fields",
    [
        {"content": 1, "areas": (0, 0, 1)},
        {"content": 0, "areas": (0, 1, 0)},
        {"is_path_clear": False},
        {"is_path_clear": None},
        {"content": None, "areas": None},
    ],
    ids=str,
)
def test_anything_else_is_no_proof(fields: dict[str, object]) -> None:
    table = prepared()
    table.ask(ProveEmpty, by="D1")
    told = {"content": 0, "areas": (0, 0, 0), "is_path_clear": True, **fields}
    table.give(events.LevelsRead(device="shuffler", boot=1, **told))  # type: ignore[arg-type]  # fields are checked by name
    assert table.state.procedures.empty.state == "not empty"
    assert table.all_of(EmptyDisproved)
    expected = "PATH-NOT-CLEAR" if fields == {"is_path_clear": False} else "NOT-EMPTY"
    assert [raised.text for raised in table.all_of(AlertRaised)] == [expected]


def test_cards_that_nobody_loaded_are_an_incident_until_the_machine_is_empty() -> None:
    table = prepared()
    table.ask(ProveEmpty, by="D1")
    levels(table, content=3)
    opened_ = table.all_of(IncidentOpened)
    assert [(incident.kind, incident.rule) for incident in opened_] == [("not empty", "CSM-8")]
    assert (table.state.account.at(MACHINE), table.state.account.at(UNEXPLAINED)) == (3, -3)
    assert table.ask(ProveEmpty, by="D1").is_accepted
    levels(table, content=0)
    assert [closed.number for closed in table.all_of(IncidentClosed)] == [opened_[0].number]
    assert not table.state.alerts.standing


def test_what_hands_took_out_is_counted_before_the_machine_is_believed_to_be_empty() -> None:
    """The machine's figure knows nothing of what passed no sensor (TDL 10.2), neither then nor for ever after."""
    table = prepared()
    table.ask(ProveEmpty, by="D1")
    levels(table, content=1)
    table.tap("S1")
    assert table.ask(OpenLid).is_accepted
    table.notice(events.LidOpened)
    assert table.ask(CardsTakenOut, cards=1).is_accepted
    table.notice(events.LidClosed)
    levels(table, content=1)
    assert table.ask(ProveEmpty, by="D1").is_accepted
    count = table.all_of(CommandIntended)[-1]
    assert count.verb is events.Verb.COUNT_ALL
    table.notice(events.CommandEnded, command=count.number, outcome=events.Outcome.DONE, moved=0)
    levels(table, content=0)
    levels(table, content=0)
    assert table.state.procedures.empty.state == "proved empty"


def test_unverified_content_is_counted_before_it_is_believed() -> None:
    table = prepared()
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.ready("shuffler", boot=2, is_content_unverified=True)
    table.ask(ProveEmpty, by="D1")
    assert table.state.procedures.empty.state == "counting first"
    number = next(iter(table.state.commands.open.values())).number
    table.give(events.CommandEnded(device="shuffler", boot=2, number=1, command=number, outcome=events.Outcome.DONE))
    asked = len(table.all_of(LevelsAsked))
    levels(table, content=0)  # what the count found
    assert table.state.procedures.empty.state == "reading levels"
    assert len(table.all_of(LevelsAsked)) == asked + 1
    levels(table, content=0)
    assert table.state.procedures.empty.state == "proved empty"


def test_the_proof_begins_again_where_the_machine_went_away() -> None:
    table = prepared()
    table.ask(ProveEmpty, by="D1")
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    asked = len(table.all_of(LevelsAsked))
    table.ready("shuffler")
    assert len(table.all_of(LevelsAsked)) == asked + 1


def test_a_proof_stands_until_something_could_have_come_in() -> None:
    table = proved_empty()
    table.notice(events.LidOpened)
    assert table.state.procedures.empty.state == "unproved"
    table = proved_empty()
    feed(table, 1)
    assert table.state.procedures.empty.state == "unproved"
    assert "unexpected" in [incident.kind for incident in table.all_of(IncidentOpened)], "watching is not expecting"
    table = proved_empty()
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.ready("shuffler", boot=2)
    assert table.state.procedures.empty.state == "unproved"


def test_no_proof_is_asked_of_a_machine_that_plays_or_is_away() -> None:
    table = loading()
    assert not table.ask(ProveEmpty, by="D1").is_accepted
    table = prepared()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    answer = table.ask(ProveEmpty, by="D1")
    assert (answer.is_accepted, "does not answer" in answer.text) == (False, True)


def test_a_table_opened_by_mistake_is_closed_again() -> None:
    table = prepared()
    assert not table.ask(CloseTable, by="D1").is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    assert [closed.session for closed in table.all_of(SessionClosed)] == [1]
    assert table.all_of(StateKept)
    assert table.ask(OpenTable, by="S1", dealer="D2").is_accepted
    assert table.state.procedures.opening.state == "to show"
