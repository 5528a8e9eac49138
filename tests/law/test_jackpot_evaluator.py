"""Jackpot combinations and sums against an evaluator written apart, whatever the pay table (JP-5, JP-6, JP-13)."""

from __future__ import annotations

import itertools
import random

import pytest
from msgspec.structs import replace

from tableside.cards import RANKS, SUITS, Card
from tableside.jackpot.combinations import Combination, Ranks, Suits
from tableside.jackpot.settings import OddUnits, Prize
from tableside.jackpot.wins import Win, pay_out
from tests.law.jackpot_table import SETTINGS
from tests.support.jackpot import JackpotTable

COLOUR = {"♣": "black", "♠": "black", "♦": "red", "♥": "red"}
# The ace stands below the two and above the king, and never between them.
IN_A_ROW = [*RANKS, RANKS[0]]
HANDS = 40_000
PAYMENTS = 5_000
FEWEST_OF_EACH = 100


def plainly(combination: Combination, hand: tuple[Card, ...]) -> bool:
    """The words of the pay table, one after the other."""
    first = hand[: combination.cards]
    if len(first) < combination.cards:
        return False
    ranks = [card.rank for card in first]
    if combination.ranks:
        fits = any(list(order) == ranks for order in itertools.permutations(combination.ranks))
    elif combination.rule is Ranks.SAME:
        fits = len(set(ranks)) == 1
    else:
        rows = [IN_A_ROW[at : at + len(ranks)] for at in range(len(IN_A_ROW) - len(ranks) + 1)]
        fits = any(sorted(row) == sorted(ranks) for row in rows)
    if combination.suits is Suits.SAME_COLOUR:
        return fits and len({COLOUR[card.suit] for card in first}) == 1
    if combination.suits is Suits.SAME:
        return fits and {card.suit for card in first} in ({combination.suit or first[0].suit},)
    return fits


def by_chance(rng: random.Random) -> Combination:
    """Any line that a pay table may have."""
    cards, suits = rng.randint(2, 4), rng.choice(list(Suits))
    suit = rng.choice(SUITS) if suits is Suits.SAME and rng.random() < 0.5 else ""
    if rng.random() < 0.5:
        return Combination(cards=cards, rule=rng.choice(list(Ranks)), suits=suits, suit=suit)
    return Combination(cards=cards, ranks=tuple(rng.choices("AKQ", k=cards)), suits=suits, suit=suit)


def test_jp6_any_pay_table_is_evaluated_as_its_words_say() -> None:
    rng = random.Random("pay tables")
    seen = {True: 0, False: 0}
    for _ in range(HANDS):
        combination = by_chance(rng)
        assert combination.mistakes() == ()
        few = rng.choice((RANKS, ("A", "K", "Q"), ("A",)))  # hands that win now and then
        suits = rng.choice((SUITS, ("♥",), ("♣", "♠")))
        hand = tuple(Card(rng.choice(few), rng.choice(suits), "red") for _ in range(rng.randint(1, 5)))
        is_made = combination.is_made_by(hand)
        assert is_made is plainly(combination, hand), (combination, hand)
        seen[is_made] += 1
    assert min(seen.values()) > FEWEST_OF_EACH


def plainly_paid(lines: list[Prize], value: int, wins: list[Win], *, is_odd_paid: bool) -> tuple[dict[Win, int], int]:
    """What each win is paid, pot in hand: prize by prize and seat by seat; the top divides what is left."""
    paid: dict[Win, int] = {}
    pot = value
    for number, line in enumerate(lines):
        here = {win.seat: win for win in wins if win.prize == number}
        is_top = line.amount is None and line.share is None
        for seat in sorted(here) if not is_top else ():
            asked = line.amount if line.amount is not None else value * (line.share or 0) // 10_000
            paid[here[seat]] = asked if asked < pot else pot
            pot -= paid[here[seat]]
        if is_top and here:
            for win in here.values():
                paid[win] = pot // len(here)
            rest = pot - sum(paid[win] for win in here.values())
            for seat in sorted(here)[: rest if is_odd_paid else 0]:
                paid[here[seat]] += 1
                rest -= 1
            pot = rest
    return paid, pot


def test_jp13_any_wins_are_paid_as_the_words_say_in_whatever_order_they_are_told() -> None:
    rng = random.Random("payments")
    short = 0
    for _ in range(PAYMENTS):
        combination = SETTINGS.prizes[0].combination
        lower = [
            Prize(name=str(place), combination=combination, amount=rng.randint(1, 5_000))
            if rng.random() < 0.5
            else Prize(name=str(place), combination=combination, share=rng.randint(1, 5_000))
            for place in range(rng.randint(0, 3))
        ]
        lines = [*lower, Prize(name="top", combination=combination)]
        odd = rng.choice(list(OddUnits))
        settings = replace(SETTINGS, prizes=tuple(lines), odd_units=odd)
        seats = rng.sample(range(1, 8), rng.randint(1, 7))
        wins = [Win(rng.randrange(len(lines)), 0, seat) for seat in seats]
        value = rng.randint(1, 30_000)
        paid = pay_out(settings, value, wins)
        expected, left = plainly_paid(lines, value, wins, is_odd_paid=odd is OddUnits.FIRST_SEATS)
        assert {payout.win: payout.amount for payout in paid.payouts} == expected, (lines, value, wins)
        assert (paid.left, paid.left + sum(expected.values())) == (left, value)
        assert pay_out(settings, value, rng.sample(wins, len(wins))) == paid
        short += any(amount == 0 for amount in expected.values())
    assert short > FEWEST_OF_EACH, "pots that are too small for all"


@pytest.mark.parametrize("order", itertools.permutations((2, 5, 6)))
def test_jp3_the_order_in_which_chips_are_told_changes_nothing(order: tuple[int, ...]) -> None:
    first, other = JackpotTable(), JackpotTable()
    for table, seats in ((first, (2, 5, 6)), (other, order)):
        table.slots_ready()
        for seat in seats:
            table.chip(seat)
    assert first.state.chips == other.state.chips
    assert first.state.procedures.jackpot_bets == other.state.procedures.jackpot_bets
