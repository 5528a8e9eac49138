"""How a hand of blackjack goes, as far as cards move: values, players' wishes, the bank (BJ-2 to BJ-11). Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

TWENTY_ONE = 21
BANK_STANDS_ON = 17  # BJ-6
# No player stands below this (BJ-4), and none of ours draws above.
LOWEST_STAND, HIGHEST_STAND = 12, 18
SPLIT_CHANCE = 0.4
DOUBLE_CHANCE = 0.3
VALUES = {"A": 1, "J": 10, "Q": 10, "K": 10}


def value_of(card: str) -> int:
    """Of one card as people say it (`K♠ red`), the ace as one."""
    rank = card.partition(" ")[0][:-1]
    return VALUES.get(rank) or int(rank)


def total(cards: Sequence[str]) -> int:
    """The best total: one ace counts eleven where that passes nothing (BJ-7)."""
    hard = sum(value_of(card) for card in cards)
    has_ace = any(card[0] == "A" for card in cards)
    return hard + 10 if has_ace and hard + 10 <= TWENTY_ONE else hard


def is_blackjack(cards: Sequence[str]) -> bool:
    """An ace with a ten or a figure in the first two (BJ-8)."""
    return len(cards) == 2 and total(cards) == TWENTY_ONE


def is_bust(cards: Sequence[str]) -> bool:
    """Lost at once (BJ-9)."""
    return total(cards) > TWENTY_ONE


def bank_draws(cards: Sequence[str]) -> bool:
    """Sixteen or less (BJ-6)."""
    return total(cards) < BANK_STANDS_ON


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody on a seat, with a style."""

    seat: str
    stands_on: int
    splits: bool
    doubles: bool

    @classmethod
    def sits_down(cls, seat: str, rng: random.Random) -> Player:
        """A new guest."""
        return cls(
            seat,
            rng.randint(LOWEST_STAND, HIGHEST_STAND),
            splits=rng.random() < SPLIT_CHANCE,
            doubles=rng.random() < DOUBLE_CHANCE,
        )

    def wants_split(self, cards: Sequence[str]) -> bool:
        """A first pair of one value (BJ-10)."""
        return self.splits and len(cards) == 2 and value_of(cards[0]) == value_of(cards[1])

    def wants_double(self, cards: Sequence[str]) -> bool:
        """Nine, ten or eleven with two cards: one more card and no other (BJ-11)."""
        return self.doubles and len(cards) == 2 and sum(value_of(card) for card in cards) in (9, 10, 11)

    def wants_card(self, cards: Sequence[str]) -> bool:
        """Until the style is content."""
        return total(cards) < self.stands_on
