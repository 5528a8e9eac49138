"""Bets at a table that follows blackjack: taken, added to, settled, paid (BJ-8, BJ-12, BJ-15 to BJ-19)."""

from __future__ import annotations

import pytest

from tableside.blackjack_happenings import BetChanged, BetPlaced, BetsPaid
from tableside.blackjack_requests import AddToBet, PayBets, PlaceBet, TurnBankCard
from tableside.games.blackjack import Choice
from tableside.procedures.blackjack_slice import BlackjackState
from tests.support.blackjack import Bench

S = BlackjackState


def bet(bench: Bench, seat: int, amount: int, from_seat: int = 0) -> tuple[bool, str]:
    answer = bench.ask(PlaceBet, seat=seat, amount=amount, from_seat=from_seat)
    return answer.is_accepted, answer.rule


def add(bench: Bench, **fields: object) -> tuple[bool, str]:
    answer = bench.ask(AddToBet, **fields)
    return answer.is_accepted, answer.rule


def pay(bench: Bench, **by_seat: int) -> tuple[bool, str, str]:
    seats = tuple(int(name.removeprefix("s")) for name in by_seat)
    answer = bench.ask(PayBets, seats=seats, amounts=tuple(by_seat.values()))
    return answer.is_accepted, answer.rule, answer.text


def with_bets(cards: str, *bets: tuple[int, int, int]) -> Bench:
    """A round in which these bets lie: seat, amount, from seat."""
    bench = Bench()
    for seat, amount, from_seat in bets:
        assert bet(bench, seat, amount, from_seat) == (True, "BJ-15")
    bench.deal(cards, *sorted({seat for seat, _, _ in bets}))
    return bench


@pytest.mark.parametrize(
    ("amount", "rule"), [(0, "BJ-15"), (999, "BJ-15"), (1_500, "BJ-15"), (31_000, "BJ-17"), (300_000, "BJ-17")]
)
def test_bj15_bj17_a_bet_that_cannot_be_is_refused(amount: int, rule: str) -> None:
    assert bet(Bench(), 1, amount) == (False, rule)


def test_bj17_all_bets_on_a_seat_stay_within_the_maximum() -> None:
    bench = Bench()
    assert bet(bench, 1, 20_000)[0]
    assert bet(bench, 1, 11_000, from_seat=2) == (False, "BJ-17")
    assert bet(bench, 1, 10_000, from_seat=2)[0]
    assert bet(bench, 1, 1_000) == (False, "BJ-17"), "one bet an owner and seat"
    assert [(one.owner, one.amount) for one in bench.all_of(BetPlaced)] == [("seat 1", 20_000), ("seat 2", 10_000)]


def test_bj16_no_bet_comes_after_the_first_card_of_its_seat() -> None:
    bench = with_bets("9♣ 8♦ 10♠ 7♣ 9♦ (7♥)", (1, 1_000, 0), (3, 1_000, 0))
    assert not bet(bench, 5, 1_000)[0]
    other = Bench()
    assert bet(other, 3, 1_000)[0]
    other.card(3, "9♣")
    assert bet(other, 3, 1_000, from_seat=4) == (False, "BJ-16")
    assert bet(other, 5, 1_000)[0]
    assert bet(other, 1, 1_000) == (False, "BJ-16")


def test_bj19_what_goes_back_is_what_is_due_and_else_refused_with_both_sums() -> None:
    bench = with_bets("9♣ 8♦ 10♠ 9♠ 8♥ (7♥)", (1, 2_000, 0), (3, 1_000, 0))
    bench.choose(1, Choice.STAND)
    bench.choose(3, Choice.STAND)
    assert pay(bench, s1=4_000) == (
        False,
        "BJ-2",
        "not while blackjack is with the bank",
    )
    bench.turn("7♥")
    assert pay(bench, s1=4_000, s3=1_000) == (False, "BJ-19", "seat 3: due 0, paid 1000")
    assert pay(bench, s1=4_000, s3=0)[:2] == (True, "BJ-19")
    assert pay(bench, s1=4_000, s3=0) == (False, "BJ-19", "the bets of this round are paid")
    (paid,) = bench.all_of(BetsPaid)
    assert (paid.owners, paid.amounts) == (("seat 1", "seat 3"), (4_000, 0))


def test_bets_may_be_paid_after_the_round_was_ended_and_not_after_the_next_ones() -> None:
    bench = with_bets("9♣ 10♠ 9♠ (7♥)", (1, 2_000, 0))
    bench.choose(1, Choice.STAND)
    bench.turn("7♥")
    bench.end()
    assert pay(bench, s1=3_999)[1] == "BJ-19"
    assert pay(bench, s1=4_000)[0]
    assert bet(bench, 2, 1_000)[0]
    assert pay(bench, s1=4_000) == (False, "BJ-19", "the cards do not say yet what is due")


def test_bj8_a_blackjack_is_paid_3_to_2_and_a_tie_is_void() -> None:
    bench = with_bets("A♣ 9♦ 9♠ K♥ 9♣ (9♥)", (1, 2_000, 0), (3, 2_000, 0))
    bench.choose(3, Choice.STAND)
    bench.turn("9♥")
    assert pay(bench, s1=5_000, s3=2_000)[0]


def test_bj12_insurance_against_an_ace_up_to_half_and_paid_2_to_1() -> None:
    bench = with_bets("9♣ A♠ 9♠ (K♥)", (1, 2_000, 0))
    assert add(bench, seat=1, insurance=1_500) == (False, "BJ-12")
    assert add(bench, seat=1, insurance=1_000) == (True, "BJ-18")
    assert add(bench, seat=1, insurance=500) == (False, "BJ-12")
    bench.choose(1, Choice.STAND)
    bench.turn("K♥")
    assert pay(bench, s1=3_000)[0]
    assert [one.insurance for one in bench.all_of(BetChanged)] == [1_000]


def test_bj12_no_insurance_where_the_bank_shows_no_ace() -> None:
    bench = with_bets("9♣ 10♠ 9♠ (K♥)", (1, 2_000, 0))
    assert add(bench, seat=1, insurance=1_000) == (False, "BJ-12")


def test_bj12_even_money_is_paid_and_out() -> None:
    bench = with_bets("A♣ A♠ K♠ (K♥)", (1, 2_000, 0))
    assert bench.state is S.BANK
    bench.choose(1, Choice.EVEN_MONEY)
    assert bench.state is S.OVER
    assert pay(bench, s1=4_000)[0]


def test_bj18_an_added_bet_follows_a_split_or_a_double_only_where_its_owner_adds() -> None:
    bench = with_bets("8♣ 10♠ 8♠ (7♥)", (1, 1_000, 0), (1, 1_000, 2))
    assert add(bench, seat=1, from_seat=2, split_along=1) == (False, "BJ-18")
    bench.choose(1, Choice.SPLIT)
    assert add(bench, seat=1, split_along=1) == (False, "BJ-18"), "the holder's own"
    assert add(bench, seat=1, from_seat=3, split_along=1) == (False, "BJ-17")
    assert add(bench, seat=1, from_seat=2) == (False, "BJ-18")
    assert add(bench, seat=1, from_seat=2, is_doubled_along=True) == (False, "BJ-18")
    assert add(bench, seat=1, from_seat=2, split_along=1) == (True, "BJ-18")
    for hand in (1, 2):
        bench.card(1, "10♦", hand=hand)
        bench.choose(1, Choice.STAND, hand=hand)
    bench.turn("7♥")
    assert pay(bench, s1=4_000, s2=4_000)[0]


def test_bj17_on_a_vacant_seat_the_highest_bet_decides() -> None:
    bench = with_bets("8♣ 10♠ 8♠ (7♥)", (1, 1_000, 4), (1, 2_000, 5))
    bench.choose(1, Choice.SPLIT)
    for hand in (1, 2):
        bench.card(1, "10♦", hand=hand)
        bench.choose(1, Choice.STAND, hand=hand)
    bench.turn("7♥")
    assert pay(bench, s4=2_000, s5=8_000)[0], "who decides has split with both hands, the other keeps his first"


def test_bj14_half_a_bet_goes_back_at_surrender() -> None:
    bench = with_bets("9♣ 10♠ 7♠ (7♥)", (1, 1_000, 0))
    bench.choose(1, Choice.SURRENDER)
    assert pay(bench, s1=500)[0]


def test_bj13_the_special_prize_is_on_top() -> None:
    bench = with_bets("6♣ 10♠ 7♣ (7♥)", (1, 1_000, 0))
    bench.choose(1, Choice.DRAW)
    bench.card(1, "8♣")
    bench.turn("7♥")
    assert pay(bench, s1=5_000)[0]


@pytest.mark.parametrize(("seats", "amounts"), [((1,), ()), ((1, 1), (1, 2)), ((), (5,))])
def test_bj19_sums_without_owners_are_refused(seats: tuple[int, ...], amounts: tuple[int, ...]) -> None:
    bench = with_bets("9♣ 10♠ 7♠ (7♥)", (1, 1_000, 0))
    bench.choose(1, Choice.SURRENDER)
    answer = bench.ask(PayBets, seats=seats, amounts=amounts)
    assert (answer.is_accepted, answer.rule) == (False, "BJ-19")


def test_a_bank_card_is_named_where_no_reader_reads_it() -> None:
    bench = with_bets("9♣ 10♠ 7♠ (7♥)", (1, 1_000, 0))
    answer = bench.ask(TurnBankCard)
    assert (answer.is_accepted, answer.rule) == (False, "BJ-7")
