"""What holds in every round, whatever is dealt and decided: no card and no unit of money is made or lost."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from tableside.cards import RANKS, Card
from tableside.games import blackjack_bets
from tableside.games.blackjack import Round
from tableside.games.blackjack_bets import Bet, Payment, Why, settle
from tableside.games.blackjack_hands import Fate, bank_draws, is_blackjack, total_of
from tests.law import plain_blackjack
from tests.law.blackjack_chance import SET, Insurer, bets, plainly, play

BATCHES = 20
ROUNDS = 2_000  # of each batch; a million of them: `make law`


@pytest.mark.parametrize("batch", range(BATCHES))
def test_cards_and_money_are_conserved_in_rounds_by_chance(batch: int) -> None:
    _check_rounds(random.Random(f"rounds {batch}"))


def _check_rounds(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        check_round(rng)


def check_round(rng: random.Random) -> None:
    placed = bets(rng)
    insurer = Insurer(rng, placed)
    played, drawn = play(rng, tuple({bet.seat: None for bet in placed}), insurer)
    placed = insurer.bets
    _cards(played, drawn)
    _bank(played)
    paid = settle(played, placed)
    _money(played, placed, paid)
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


def _money(played: Round, placed: list[Bet], paid: tuple[Payment, ...]) -> None:
    """What each bet had on the table and what goes back, exact to the unit: special prizes, insurance and all."""
    bank = [card.rank for card in played.bank]
    staked, back = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for payment in paid:
        staked[payment.owner, payment.seat] += payment.staked
        back[payment.owner, payment.seat] += payment.back
    assert {(bet.owner, bet.seat) for bet in placed} == staked.keys()
    for bet in placed:
        hands = [plainly(played, hand) for hand in played.hands[bet.seat]]
        further = len(hands) if bet.is_holder else bet.split_along
        plain = plain_blackjack.PlainBet(bet.amount, bet.insurance, further, bet.is_holder or bet.is_doubled_along)
        expected = plain_blackjack.paid_in_all(hands, bank, plain)
        assert (staked[bet.owner, bet.seat], back[bet.owner, bet.seat]) == expected, (hands, bank, bet, paid)


@pytest.mark.parametrize("why", Why)
def test_one_unit_too_much_is_found_out_whatever_it_is_paid_for(why: Why, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail: a settlement that pays one unit more of one kind does not pass it, and each kind is paid."""

    def generous(played: Round, placed: Iterable[Bet]) -> tuple[Payment, ...]:
        return tuple(
            replace(paid, back=paid.back + (paid.why is why)) for paid in blackjack_bets.settle(played, placed)
        )

    monkeypatch.setattr(f"{__name__}.settle", generous)
    _found_out(f"one unit, {why}")


def test_a_special_prize_paid_a_hundredfold_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blackjack_bets, "SPECIAL_TIMES", 100 * blackjack_bets.SPECIAL_TIMES)
    _found_out("special prize")


def _found_out(seed: str) -> None:
    with pytest.raises(AssertionError, match=r"PlainHand"):
        _check_rounds(random.Random(seed))


def test_totals_and_blackjack_are_what_the_plain_evaluator_says() -> None:
    for ranks in itertools.combinations_with_replacement(RANKS, 4):
        for count in (2, 3, 4):
            hand = tuple(Card(rank, "♣", "red") for rank in ranks[:count])
            assert total_of(hand) == plain_blackjack.best(list(ranks[:count]))
            assert is_blackjack(hand) == (count == 2 and plain_blackjack.best(list(ranks[:2])) == 21)
