"""Advice is told to people, who decide; the decision stands under a badge, for or against (DECK-8)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import SightingKind
from tableside.advice_happenings import AdviceLapsed, Advised, Decided
from tableside.decisions import AlertCleared, AlertRaised
from tableside.house import Role
from tableside.procedures.advice_slice import ASKED, MOST_OPEN, AdviceState
from tableside.requests import ClearAlert, DecideAdvice, EndRound
from tableside.state import decode_state, encode_state
from tests.support.advised import DEALERS, HOUSE_WITHOUT_DEALERS_WORD, RULING, advised, give
from tests.support.table import Table

DRAW = "the card goes to the tray, another is drawn"


def alerts_of(table: Table) -> list[str]:
    return [alert.place for alert in table.state.alerts.standing.values() if alert.text == ASKED]


def decide(table: Table, by: str = "S1", **fields: object) -> tuple[bool, str, str]:
    answer = table.ask(DecideAdvice, by=by, **{"number": 1, "decision": DRAW, **fields})
    return answer.is_accepted, answer.rule, answer.next_step


def test_an_advice_says_what_happened_the_rule_the_ruling_the_next_step_and_who_decides() -> None:
    (told,) = advised(RULING).all_of(Advised)
    assert (told.number, told.rule, told.happened, told.ruling, told.next_step, told.decides, told.round) == (
        1,
        RULING.rule,
        RULING.happened,
        RULING.ruling,
        RULING.next_step,
        "floor supervisor",
        1,
    )


def test_the_supervisor_is_called_where_the_decision_is_his_until_he_has_decided() -> None:
    table = advised(RULING)
    (alert,) = [one for one in table.all_of(AlertRaised) if one.text == ASKED]
    assert (alert.level, alert.asked) == (2, ("S1",))
    assert not table.ask(ClearAlert, alert=alert.alert).is_accepted
    table.tap("S1")
    assert decide(table) == (True, "DECK-8", "no decision is waited for")
    assert alerts_of(table) == []
    assert [cleared.by for cleared in table.all_of(AlertCleared) if cleared.alert == alert.alert] == ["S1"]


def test_nobody_is_called_for_what_is_the_dealers() -> None:
    table = advised(DEALERS)
    assert alerts_of(table) == []
    assert table.state.procedures.advised.state is AdviceState.DEALER


def test_the_decision_is_recorded_with_the_badge_and_marked_where_it_is_against_the_advice() -> None:
    table = advised(RULING, DEALERS)
    table.tap("S1")
    decide(table, is_against=True)
    decide(table, by="D1", number=2)
    assert [(one.number, one.decision, one.is_against, one.by) for one in table.all_of(Decided)] == [
        (1, DRAW, True, "S1"),
        (2, DRAW, False, "D1"),
    ]


def test_the_dealer_may_not_take_the_supervisors_decision() -> None:
    assert decide(advised(RULING), by="D1") == (False, "BJ-2", "call floor supervisor")


@pytest.mark.parametrize("by", ["D2", "T1", "", "X9"])
def test_who_is_not_on_duty_or_of_no_such_role_decides_nothing(by: str) -> None:
    assert decide(advised(DEALERS), by=by) == (False, "BJ-3", "call dealer")


@pytest.mark.parametrize("by", ["S1", "M1"])
def test_those_above_may_decide_what_is_the_dealers(by: str) -> None:
    table = advised(DEALERS)
    table.tap(by)
    assert decide(table, by=by)[0]


def test_a_supervisor_who_was_not_seen_at_the_table_is_asked_to_tap() -> None:
    table = advised(RULING)
    accepted, rule, next_step = decide(table)
    assert (accepted, rule) == (False, "BJ-2")
    assert "tap the badge" in next_step
    assert table.state.presence.is_tap_asked
    table.tap("S1")
    assert not table.state.presence.is_tap_asked
    table.wait(table.state.house.presence_s + 1)
    assert not decide(table)[0]
    table.tap("S1")
    assert decide(table)[0]


def test_a_badge_that_is_held_at_the_reader_is_a_badge_at_the_table() -> None:
    table = advised(RULING)
    table.tap("S1", kind=SightingKind.HELD_FROM)
    table.wait(600)
    assert decide(table)[0]


def test_where_the_reader_is_away_two_persons_by_pin_are_the_second_way() -> None:
    table = advised(RULING)
    table.give(events.ReaderLost(device="reader", why="cable"))
    assert not decide(table, second_way=("S1",))[0]
    assert decide(table, second_way=("S1", "M1"))[0]


def test_a_decision_is_taken_once() -> None:
    table = advised(RULING)
    table.tap("S1")
    decide(table)
    answer = table.ask(DecideAdvice, number=1, decision="no, it counts")
    assert not answer.is_accepted
    assert answer.text == f"advice 1 is over: {DRAW}, by S1"
    assert len(table.all_of(Decided)) == 1


def test_an_unknown_number_is_refused_with_those_that_are_open() -> None:
    table = advised(RULING, DEALERS)
    answer = table.ask(DecideAdvice, number=7, decision=DRAW)
    assert answer.text == "advice 7 is not open"
    assert answer.next_step == "name one that is: 1 (BJ-2, floor supervisor), 2 (BJ-3, dealer)"


def test_a_decision_without_words_is_none() -> None:
    assert decide(advised(DEALERS), by="D1", decision="  ")[:2] == (False, "BJ-3")


def test_the_same_advice_for_the_same_thing_is_given_once_until_it_is_decided() -> None:
    table = advised(DEALERS)
    assert give(table, DEALERS) == 1
    assert give(table, DEALERS, "second hand") == 2
    decide(table, by="D1")
    assert give(table, DEALERS) == 3
    assert [one.number for one in table.all_of(Advised)] == [1, 2, 3]


def test_what_was_the_dealers_lapses_with_its_round_and_a_ruling_stays_asked() -> None:
    table = advised(RULING, DEALERS)
    table.ask(EndRound, by="D1")
    assert [one.number for one in table.all_of(AdviceLapsed)] == [2]
    assert alerts_of(table) == ["1"]
    assert table.ask(DecideAdvice, number=2, by="D1", decision=DRAW).text == "advice 2 is over: its round is over"


def test_a_sensor_without_end_fills_no_state() -> None:
    table = advised(RULING)
    for number in range(MOST_OPEN + 10):
        give(table, replace(RULING, happened=f"card {number}"))
    assert len(table.state.procedures.advised.open) == MOST_OPEN == len(alerts_of(table))
    assert [one.number for one in table.all_of(AdviceLapsed)] == list(range(1, 12))


def test_a_house_may_leave_nothing_to_the_dealer() -> None:
    table = advised(DEALERS, house=HOUSE_WITHOUT_DEALERS_WORD)
    assert [one.decides for one in table.all_of(Advised)] == [Role.FLOOR_SUPERVISOR.value]
    assert alerts_of(table) == ["1"]
    assert not decide(table, by="D1")[0]


def test_open_advice_survives_a_restart() -> None:
    table = advised(RULING, DEALERS)
    assert decode_state(encode_state(table.state)) == table.state
