"""What holds in every round, whatever is dealt and decided: no card and no unit of money is made or lost."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from tableside.cards import RANKS, Card
from tableside.games.blackjack import Round
from tableside.games.blackjack_bets import Bet, Payment, Why, settle
from tableside.games.blackjack_hands import Fate, bank_draws, is_blackjack, total_of
from tests.law import plain_blackjack
from tests.law.blackjack_chance import SET, bets, play

BATCHES = 20
ROUNDS = 2_000  # of each batch; a million of them: `make law`
OUTSIDE_EVALUATOR = frozenset({Why.SPECIAL, Why.INSURANCE, Why.SURRENDERED, Why.EVEN_MONEY})


@pytest.mark.parametrize("batch", range(BATCHES))
def test_cards_and_money_are_conserved_in_rounds_by_chance(batch: int) -> None:
    rng = random.Random(f"rounds {batch}")
    for _ in range(ROUNDS):
        check_round(rng)


def check_round(rng: random.Random) -> None:
    placed = bets(rng)
    played, drawn = play(rng, tuple(bet.seat for bet in placed))
    _cards(played, drawn)
    _bank(played)
    paid = settle(played, placed)
    _money(placed, paid)
    _as_the_plain_evaluator_says(played, paid)
    assert settle(played, rng.sample(placed, len(placed))) == paid


def _cards(played: Round, drawn: int) -> None:
    assert len(played.cards) == drawn
    assert not Counter(map(str, played.cards)) - Counter(map(str, SET))
    assert not played.loose


def _bank(played: Round) -> None:
    """BJ-6, BJ-9: the bank never stopped short, and never drew where it had to stand."""
    before = played.bank[:-1] if len(played.bank) > 2 else ()
    if before:
        assert bank_draws(before, draws_soft_17=played.draws_soft_17)
    left = [hand for hands in played.hands.values() for hand in hands if hand.fate is Fate.STOOD]
    if any(not hand.is_blackjack for hand in left):
        assert not bank_draws(played.bank, draws_soft_17=played.draws_soft_17)
    if not left:
        assert len(played.bank) == 2


def _money(placed: list[Bet], paid: tuple[Payment, ...]) -> None:
    """Every first bet is settled, nobody gets more than 3 to 2 but for the special prize, and halves are exact."""
    assert {(bet.owner, bet.seat) for bet in placed} == {(payment.owner, payment.seat) for payment in paid}
    for payment in paid:
        assert 0 <= payment.back <= payment.staked * 5 // 2 or payment.why is Why.SPECIAL


def _as_the_plain_evaluator_says(played: Round, paid: tuple[Payment, ...]) -> None:
    bank = [card.rank for card in played.bank]
    for payment in paid:
        if payment.why not in OUTSIDE_EVALUATOR:
            hand = played.hands[payment.seat][payment.hand]
            ranks = [card.rank for card in hand.cards]
            expected = plain_blackjack.back(
                ranks, bank, payment.staked, natural=not hand.is_split, ace_low=hand.is_ace_one
            )
            assert payment.back == expected, (ranks, bank, payment)


def test_totals_and_blackjack_are_what_the_plain_evaluator_says() -> None:
    for ranks in itertools.combinations_with_replacement(RANKS, 4):
        for count in (2, 3, 4):
            hand = tuple(Card(rank, "♣", "red") for rank in ranks[:count])
            assert total_of(hand) == plain_blackjack.best(list(ranks[:count]))
            assert is_blackjack(hand) == (count == 2 and plain_blackjack.best(list(ranks[:2])) == 21)
