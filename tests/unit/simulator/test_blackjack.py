"""Hands of blackjack, as far as cards move (BJ-4 to BJ-11)."""

from __future__ import annotations

import random

import pytest

from simulator.blackjack import Player, bank_draws, is_blackjack, is_bust, total


@pytest.mark.parametrize(
    ("cards", "value"),
    [
        (["A♠ red", "K♦ blue"], 21),
        (["A♠ red", "A♦ blue"], 12),
        (["A♠ red", "A♦ blue", "9♣ red"], 21),
        (["A♠ red", "6♦ blue", "K♣ red"], 17),
        (["10♠ red", "Q♦ blue", "2♣ red"], 22),
    ],
)
def test_one_ace_counts_eleven_where_that_passes_nothing(cards: list[str], value: int) -> None:
    assert total(cards) == value
    assert is_bust(cards) is (value > 21)


def test_blackjack_is_made_of_two_cards() -> None:
    assert is_blackjack(["A♠ red", "J♦ red"])
    assert not is_blackjack(["7♠ red", "7♦ red", "7♣ red"])


def test_the_bank_draws_to_sixteen_and_stands_on_soft_seventeen() -> None:
    assert bank_draws(["10♠ red", "6♦ red"])
    assert not bank_draws(["10♠ red", "7♦ red"])
    assert not bank_draws(["A♠ red", "6♦ red"])


def test_a_player_splits_a_pair_doubles_on_nine_to_eleven_and_stops_where_content() -> None:
    player = Player("seat 1", stands_on=16, splits=True, doubles=True)
    assert player.wants_split(["K♠ red", "10♦ blue"])
    assert not player.wants_split(["K♠ red", "9♦ blue"])
    assert player.wants_double(["4♠ red", "6♦ blue"])
    assert not player.wants_double(["4♠ red", "4♦ blue", "2♣ red"])
    assert player.wants_card(["10♠ red", "5♦ blue"])
    assert not player.wants_card(["10♠ red", "6♦ blue"])


def test_no_player_draws_on_twenty_one() -> None:
    """BJ-4."""
    rng = random.Random(1)
    assert not any(Player.sits_down("seat 1", rng).wants_card(["10♠ red", "6♦ red", "5♣ red"]) for _ in range(200))
