"""A round of blackjack followed at a table: by a card reader, or by what the dealer enters (BJ-2 to BJ-19)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tableside.advice_happenings import Advised
from tableside.blackjack_happenings import (
    BankTurned,
    CardVoid,
    DealerTold,
    HandDealt,
    HandsBegun,
    HandsOver,
    HandsUnsure,
)
from tableside.blackjack_requests import CollectHand, PlaceBet, TellCard, TellChoice, TellSeats, TurnBankCard
from tableside.games.blackjack import Choice
from tableside.house import House
from tableside.procedures.advice_slice import AdviceState
from tableside.procedures.blackjack_slice import BlackjackState, first_cards
from tableside.requests import ClaimJackpot, MarkBets, PayJackpot
from tests.law.jackpot_table import SETTINGS as JACKPOT
from tests.support.blackjack import BOTH, HOUSE_OF_BLACKJACK, READ, TOLD, Bench, dealt

S = BlackjackState


@BOTH
def test_bj2_a_whole_round_told_and_read_gives_the_same_happenings(house: House) -> None:
    bench = dealt(house)
    assert bench.state is S.PLAYERS
    bench.choose(1, Choice.DRAW)
    bench.card(1, "3♣")
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    assert bench.state is S.BANK
    bench.turn("7♥")
    assert bench.state is S.OVER
    bench.end()
    assert bench.state is S.BETS
    (begun,) = bench.all_of(HandsBegun)
    assert (begun.round, begun.seats) == (1, (1, 3))
    placed = [(one.seat, one.hand, one.card) for one in bench.all_of(HandDealt)]
    assert placed == [
        (1, 1, "9♣ red"),
        (3, 1, "8♦ red"),
        (0, 1, "10♠ red"),
        (1, 1, "7♣ red"),
        (3, 1, "9♦ red"),
        (0, 1, ""),
        (1, 1, "3♣ red"),
    ]
    (turned,) = bench.all_of(BankTurned)
    assert turned.card == "7♥ red"
    (over,) = bench.all_of(HandsOver)
    assert over.bank == 17
    assert over.hands == ("seat 1: 19 in 3 cards, stood", "seat 3: 17 in 2 cards, stood", "bank: 17 in 2 cards")
    assert bench.rules == []
    assert bench.all_of(HandsUnsure) == []


@BOTH
def test_bj3_the_banks_second_card_turned_as_it_is_dealt_goes_to_the_tray(
    house: House,
) -> None:
    bench = Bench(house)
    bench.seats(1)
    if house is READ:
        bench.deal("9♣ 10♠ 7♣ (7♥)", 1)
        assert bench.ask(TurnBankCard, while_dealing=True).is_accepted
    else:
        for seat, face in ((1, "9♣"), (0, "10♠"), (1, "7♣")):
            bench.card(seat, face)
        bench.draw("7♥")
        assert bench.ask(TurnBankCard, card="7♥", while_dealing=True).is_accepted
    assert [one.card for one in bench.all_of(CardVoid)] == ["7♥ red"]
    assert bench.rules == ["BJ-3"]
    assert bench.state is S.FIRST
    bench.card(0, "(2♥)")
    assert bench.state is S.PLAYERS


@BOTH
def test_bj4_a_choice_out_of_turn_or_not_allowed_is_refused_with_what_to_do(house: House) -> None:
    bench = dealt(house, "5♣ 8♦ 10♠ 2♣ 9♦ (7♥)")
    for seat, choice, rule in ((3, Choice.DRAW, "BJ-4"), (1, Choice.STAND, "BJ-4"), (1, Choice.SPLIT, "BJ-10")):
        answer = bench.ask(TellChoice, seat=seat, choice=choice)
        assert (answer.is_accepted, answer.rule) == (False, rule)
        assert answer.next_step
    assert bench.rules == []


@BOTH
def test_bj5_a_card_against_a_players_wish_is_for_the_nearest_player_who_asks(house: House) -> None:
    bench = dealt(house)
    bench.choose(1, Choice.STAND)
    bench.draw("2♦")
    assert bench.ask(TellCard, seat=3, is_face_down=True).is_accepted
    assert bench.rules == ["BJ-5"]
    bench.choose(3, Choice.DRAW)
    assert len(first_cards(bench.table.state)[3][0]) == (3 if house is READ else 2)
    if house is TOLD:
        assert bench.rules == ["BJ-5", "BJ-7"]
        assert bench.ask(TellCard, seat=3, card="2♦").is_accepted
        assert bench.table.state.procedures.advised.open.keys() == {"1"}
    assert [str(card) for card in first_cards(bench.table.state)[3][0]] == ["8♦ red", "9♦ red", "2♦ red"]


@BOTH
def test_bj6_a_card_that_the_bank_draws_on_17_or_more_is_void(house: House) -> None:
    bench = dealt(house)
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    bench.turn("7♥")
    bench.card(0, "5♠")
    assert bench.rules == ["BJ-6"]
    assert [one.card for one in bench.all_of(CardVoid)] == ["5♠ red"]


@BOTH
def test_bj6_a_round_that_is_ended_while_the_bank_must_draw_asks_for_a_ruling(house: House) -> None:
    bench = dealt(house, "9♣ 8♦ 10♠ 7♣ 9♦ (6♥)")
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    bench.turn("6♥")
    bench.end()
    assert bench.rules == ["BJ-6"]
    assert [alert.text for alert in bench.table.state.alerts.standing.values()] == ["RULING-ASKED"]


def test_bj6_a_bank_card_that_nobody_said_was_turned_is_known_at_the_rounds_end() -> None:
    bench = dealt(READ, "9♣ 8♦ 10♠ 7♣ 9♦ (6♥)")
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    bench.end()
    assert bench.rules == ["BJ-6"]
    assert [one.card for one in bench.all_of(BankTurned)] == ["6♥ red"]


def test_bj6_the_bank_that_draws_has_turned_its_second_card() -> None:
    bench = dealt(READ, "9♣ 8♦ 10♠ 7♣ 9♦ (6♥)")
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    bench.card(0, "5♠")
    assert bench.rules == []
    assert bench.state is S.OVER
    assert [one.bank for one in bench.all_of(HandsOver)] == [21]


@BOTH
def test_bj10_bj11_a_pair_is_split_and_a_hand_doubled(house: House) -> None:
    bench = dealt(house, "8♣ 8♦ 10♠ 8♥ 9♦ (7♥)")
    bench.choose(1, Choice.SPLIT)
    bench.card(1, "3♣")
    bench.choose(1, Choice.DOUBLE)
    bench.card(1, "10♥")
    bench.card(1, "10♦", hand=2)
    bench.choose(1, Choice.STAND, hand=2)
    bench.choose(3, Choice.STAND)
    bench.turn("7♥")
    (over,) = bench.all_of(HandsOver)
    assert over.hands[:2] == ("seat 1: 21 in 3 cards, doubled, stood", "seat 1, hand 2: 18 in 2 cards, stood")
    hands = first_cards(bench.table.state)[1]
    assert [[str(card) for card in hand] for hand in hands] == [
        ["8♣ red", "3♣ red", "10♥ red"],
        ["8♥ red", "10♦ red"],
    ]


@BOTH
def test_bj13_the_special_prize_is_advised_and_bj9_a_bust_is_told(house: House) -> None:
    bench = dealt(house, "7♣ 8♦ 10♠ 7♥ 9♦ (7♥)")
    bench.choose(1, Choice.DRAW)
    bench.card(1, "7♦")
    assert bench.rules == ["BJ-13"]
    bench.choose(3, Choice.DRAW)
    bench.card(3, "10♦")
    assert bench.rules == ["BJ-13", "BJ-9"]
    (told,) = bench.all_of(DealerTold)
    assert (told.rule, told.text) == ("BJ-9", "seat 3 has 27")


@BOTH
def test_bj8_a_blackjack_that_the_bank_cannot_meet_is_paid_at_once(house: House) -> None:
    bench = dealt(house, "A♣ 8♦ 9♠ K♥ 9♦ (7♥)")
    (told,) = bench.all_of(DealerTold)
    assert (told.rule, told.text) == ("BJ-8", "seat 1 has blackjack and the bank cannot have it")
    assert bench.ask(CollectHand, seat=1).is_accepted


@BOTH
def test_bj14_surrender_is_final_and_not_against_an_ace(house: House) -> None:
    bench = dealt(house, "9♣ 8♦ A♠ 7♣ 9♦ (7♥)")
    answer = bench.ask(TellChoice, seat=1, choice=Choice.SURRENDER)
    assert (answer.is_accepted, answer.rule) == (False, "BJ-14")
    other = dealt(house)
    other.choose(1, Choice.SURRENDER)
    assert not other.ask(TellChoice, seat=1, choice=Choice.DRAW).is_accepted


@BOTH
def test_bj9_with_nobody_left_the_round_ends_and_the_banks_cards_are_collected(house: House) -> None:
    bench = dealt(house)
    for seat in (1, 3):
        bench.choose(seat, Choice.SURRENDER)
    assert bench.state is S.OVER
    for seat in (1, 3, 0):
        assert bench.ask(CollectHand, seat=seat).is_accepted
    again = bench.ask(CollectHand, seat=1)
    assert (again.is_accepted, again.rule) == (False, "BJ-9")


@BOTH
def test_bj9_cards_of_a_hand_that_is_not_decided_are_not_collected(house: House) -> None:
    answer = dealt(house).ask(CollectHand, seat=1)
    assert (answer.is_accepted, answer.rule, answer.next_step) == (
        False,
        "BJ-9",
        "cards lie until the hand is decided: put them back",
    )


def test_bj7_a_card_that_passed_unread_is_named_by_the_dealer() -> None:
    bench = dealt(READ, "?* 8♦ 10♠ 7♣ 9♦ (7♥)")
    assert bench.rules == ["BJ-7"]
    assert not bench.ask(TellChoice, seat=1, choice=Choice.STAND).is_accepted
    assert bench.ask(TellCard, seat=1, card="9♣").is_accepted
    assert bench.table.state.procedures.advised.open == {}
    again = bench.ask(TellCard, seat=1, card="10♣")
    assert (again.is_accepted, again.rule) == (False, "BJ-7")
    bench.choose(1, Choice.STAND)


def test_bj2_a_card_at_an_empty_seat_is_an_advice_and_no_crash() -> None:
    bench = Bench(TOLD)
    bench.seats(1, 3)
    bench.card(4, "9♣")
    assert bench.rules == ["BJ-2"]
    assert bench.table.state.procedures.advised.state is AdviceState.RULING


def test_bj2_a_card_seen_where_none_is_due_is_an_advice_where_a_reader_reads_them() -> None:
    bench = Bench(READ)
    bench.seats(1, 3)
    bench.draw("9♣")
    assert bench.ask(TellCard, seat=3).is_accepted
    assert bench.rules == ["BJ-2"]


def test_bj2_a_card_is_told_once() -> None:
    bench = Bench(TOLD)
    bench.seats(1, 3)
    bench.card(1, "9♣")
    answer = bench.ask(TellCard, seat=1, card="9♣")
    assert (answer.is_accepted, answer.rule) == (False, "BJ-2")
    assert answer.text == "1 card is entered and the shuffler has given out 1"


def test_bj16_a_seat_comes_in_until_its_turn_and_cards_that_were_read_wait_for_the_seats() -> None:
    bench = Bench(READ)
    bench.draw("9♣")
    assert bench.state is S.BETS
    bench.seats(1, 3)
    assert bench.state is S.FIRST
    assert bench.ask(PlaceBet, seat=2, amount=1_000).is_accepted
    late = bench.ask(PlaceBet, seat=1, amount=1_000)
    assert (late.is_accepted, late.rule) == (False, "BJ-16")
    assert bench.table.state.procedures.blackjack.played is not None
    assert bench.table.state.procedures.blackjack.played.seats == (1, 2, 3)
    refused = bench.ask(TellSeats, seats=(1, 2))
    assert (refused.is_accepted, refused.rule) == (False, "BJ-2")


@pytest.mark.parametrize("seats", [(), (0,), (8,), (2, 2)])
def test_bj1_seats_that_the_table_has_not_are_refused(seats: tuple[int, ...]) -> None:
    answer = Bench(TOLD).ask(TellSeats, seats=seats)
    assert (answer.is_accepted, answer.rule) == (False, "BJ-1")


def test_jp8_a_jackpot_bet_without_a_main_bet_is_advised_when_the_cards_come() -> None:
    bench = Bench(replace(HOUSE_OF_BLACKJACK, jackpot=JACKPOT))
    assert bench.ask(MarkBets, seats=(1, 5)).is_accepted
    bench.seats(1, 3)
    bench.card(1, "9♣")
    (advice,) = bench.all_of(Advised)
    assert (advice.rule, advice.place, advice.decides) == ("JP-8", "seat 5", "floor supervisor")


def test_jp12_the_cards_of_a_jackpot_win_are_not_collected_before_it_is_paid() -> None:
    bench = Bench(replace(HOUSE_OF_BLACKJACK, jackpot=JACKPOT))
    bench.ask(MarkBets, seats=(1,))
    bench.seats(1, 3)
    bench.deal("A♠ 8♦ 9♠ A♥ 9♦ (7♥)", 1, 3)
    assert bench.ask(ClaimJackpot, seat=1, cards=("AS", "AH")).is_accepted
    bench.choose(1, Choice.SURRENDER)
    answer = bench.ask(CollectHand, seat=1)
    assert (answer.is_accepted, answer.rule) == (False, "JP-12")
    assert bench.ask(PayJackpot, by="S1", seats=(1,), amounts=(5_000,)).is_accepted
    assert bench.ask(CollectHand, seat=1).is_accepted


def test_bj6_on_a_soft_17_the_law_of_the_place_decides() -> None:
    for draws, state in ((False, S.OVER), (True, S.BANK)):
        law = replace(HOUSE_OF_BLACKJACK.jurisdiction, bank_draws_soft_17=draws)
        bench = dealt(replace(HOUSE_OF_BLACKJACK, jurisdiction=law), "9♣ 8♦ 6♠ 9♥ 9♦ (A♥)")
        bench.choose(1, Choice.STAND)
        bench.choose(3, Choice.STAND)
        bench.turn("A♥")
        assert bench.state is state
