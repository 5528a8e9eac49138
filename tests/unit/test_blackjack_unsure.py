"""Where the hands of a round of blackjack cannot be followed it is counted only, and says why (BJ-2, BJ-5, BJ-6)."""

from __future__ import annotations

import pytest

from drivers import card_events, events
from tableside.blackjack_happenings import (
    CardVoid,
    HandDealt,
    HandsUnsure,
)
from tableside.blackjack_requests import TellCard, TellSeats
from tableside.games.blackjack import Choice
from tableside.house import House
from tableside.inputs import DaemonStarted
from tableside.procedures.blackjack_slice import BlackjackState, first_cards
from tableside.requests import DecideAdvice, OpenCards, RuleRound
from tableside.state import decode_state, encode_state
from tests.support.blackjack import BOTH, READ, TOLD, Bench, dealt
from tests.support.session import feed
from tests.support.table import HOUSE

S = BlackjackState


def why(bench: Bench) -> list[str]:
    return [one.why for one in bench.all_of(HandsUnsure)]


def test_where_nobody_tells_what_players_decide_the_round_is_counted_only() -> None:
    bench = dealt(READ)
    bench.draw("3♣")
    assert bench.state is S.PLAYERS, "the decision may be told a moment later"
    bench.draw("5♣")
    assert bench.state is S.COUNTED
    assert why(bench) == ["cards are drawn, and nobody tells what the players decide"]
    assert first_cards(bench.table.state) == {}
    bench.end()
    feed(bench.table, 8)  # all go back
    bench.seats(2)
    bench.deal("9♣ 10♠ 7♣ (7♥)", 2)
    assert bench.state is S.PLAYERS, "the next round is followed again"


def test_a_choice_told_a_moment_after_the_card_still_gets_it() -> None:
    bench = dealt(READ)
    bench.draw("3♣")
    bench.choose(1, Choice.DRAW)
    assert [str(card) for card in first_cards(bench.table.state)[1][0]] == ["9♣ red", "7♣ red", "3♣ red"]
    assert bench.rules == []


def test_bj5_a_card_that_waits_when_the_player_stands_was_against_his_wish() -> None:
    bench = dealt(READ)
    bench.draw("3♣")
    bench.choose(1, Choice.STAND)
    assert bench.rules == ["BJ-5"]
    bench.choose(3, Choice.STAND)
    bench.turn("7♥")
    assert bench.state is S.OVER


def test_bj5_once_turned_it_is_void() -> None:
    bench = dealt(READ)
    bench.choose(1, Choice.STAND)
    bench.draw("3♣")
    bench.ask(TellCard, seat=3, is_face_down=True)
    bench.ask(OpenCards, numbers=(7,))
    assert bench.rules == ["BJ-5", "BJ-5"]
    assert [one.card for one in bench.all_of(CardVoid)] == ["3♣ red"]


@pytest.mark.parametrize("how", ["lost", "another boot", "a gap"])
def test_a_reader_that_may_have_missed_cards_makes_the_round_counted_only(how: str) -> None:
    bench = dealt(READ)
    match how:
        case "lost":
            bench.table.notice(events.NoticesLost, "eye", how_many=2)
        case "another boot":
            bench.table.restarted("eye", boot=2, content=None, areas=None)
        case _:
            bench.table.notice(card_events.CardPassed, "eye", card="sealed:99", count=9, back=1)
    assert bench.state is S.COUNTED
    assert len(why(bench)) == 1


def test_cards_that_were_dealt_and_not_told_make_it_unsure_at_the_end() -> None:
    bench = dealt(TOLD)
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    bench.turn("7♥")
    bench.draw("2♣")
    bench.end()
    assert why(bench) == ["6 cards were followed, 7 were dealt"]


def test_a_decision_against_the_advice_ends_the_following() -> None:
    bench = Bench(TOLD)
    bench.seats(1, 3)
    bench.card(4, "9♣")
    bench.table.tap("S1")
    assert bench.ask(DecideAdvice, by="S1", number=1, decision="it stays at seat 4", is_against=True).is_accepted
    assert (bench.state, why(bench)) == (S.COUNTED, ["advice 1 was decided otherwise"])


def test_a_decision_as_advised_does_not() -> None:
    bench = Bench(TOLD)
    bench.seats(1, 3)
    bench.card(4, "9♣")
    bench.table.tap("S1")
    assert bench.ask(DecideAdvice, by="S1", number=1, decision="it is moved to seat 1").is_accepted
    assert bench.state is S.FIRST


@pytest.mark.parametrize("ruling", ["void", "finished elsewhere"])
def test_a_round_that_is_void_asks_nothing_of_the_bank(ruling: str) -> None:
    bench = dealt(TOLD)
    assert bench.ask(RuleRound, by="S1", ruling=ruling).is_accepted
    assert bench.rules == []
    assert why(bench) == [f"the round was {ruling}"]


@BOTH
def test_a_daemon_that_was_killed_in_the_midst_of_a_round_goes_on_with_it(house: House) -> None:
    bench = dealt(house)
    bench.choose(1, Choice.DRAW)
    state = decode_state(encode_state(bench.table.state))
    assert state == bench.table.state
    bench.table.state = state
    bench.table.give(DaemonStarted(version="t", clock_boot="boot-1", house=house))
    bench.table.ready("shuffler", meter_out=6, meter_in=312, content=306)
    bench.card(1, "3♣")
    bench.choose(1, Choice.STAND)
    assert bench.rules == []
    assert [one.card for one in bench.all_of(HandDealt)][-1] == "3♣ red"


def test_a_table_without_blackjack_follows_none() -> None:
    bench = Bench(HOUSE)
    assert bench.state is S.NONE
    answer = bench.ask(TellSeats, seats=(1,))
    assert (answer.is_accepted, answer.next_step) == (
        False,
        "this table follows no blackjack: add [blackjack] to its file",
    )
    bench.draw("9♣")
    bench.end()
    assert bench.table.state.procedures.blackjack.played is None
