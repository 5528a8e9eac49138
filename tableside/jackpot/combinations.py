"""Winning combinations as data: which of a hand's first cards make one (JP-5, JP-6)."""

from __future__ import annotations

import itertools
from collections import Counter
from enum import StrEnum
from typing import Annotated

import msgspec

from tableside.cards import RANKS, SUITS, Card

MIN_COUNTED, MAX_COUNTED = 2, 4  # JP-5: the first two, three or four cards
RED = frozenset({"♦", "♥"})


class Suits(StrEnum):
    """What the suits of a combination have to be."""

    ANY = "any"
    SAME_COLOUR = "same colour"
    SAME = "same suit"


class Ranks(StrEnum):
    """What the ranks have to be where none are named."""

    SAME = "same rank"
    RUN = "run"  # one after the other in rank, ace low or high


class Combination(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first `cards` cards, by named ranks in any order or by a rule, and by their suits; `suit` names one."""

    cards: Annotated[int, msgspec.Meta(ge=MIN_COUNTED, le=MAX_COUNTED)]
    ranks: tuple[str, ...] = ()
    rule: Ranks | None = None
    suits: Suits = Suits.ANY
    suit: str = ""

    def mistakes(self) -> tuple[str, ...]:
        """What makes no sense in it."""
        found = []
        if bool(self.ranks) == (self.rule is not None):
            found.append("give either ranks or a rule")
        if self.ranks and len(self.ranks) != self.cards:
            found.append(f"{len(self.ranks)} ranks for {self.cards} cards")
        found += [f"{rank!r} is no rank: {' '.join(RANKS)}" for rank in self.ranks if rank not in RANKS]
        if self.suit and (self.suit not in SUITS or self.suits is not Suits.SAME):
            found.append(f"suit {self.suit!r}: one of {' '.join(SUITS)}, with suits = 'same suit'")
        return tuple(found)

    def is_made_by(self, hand: tuple[Card, ...]) -> bool:
        """Whether the first cards of a hand make it; a hand of fewer cards does not."""
        first = hand[: self.cards]
        return len(first) == self.cards and self._ranks_fit(first) and self._suits_fit(first)

    def _ranks_fit(self, first: tuple[Card, ...]) -> bool:
        ranks = [card.rank for card in first]
        if self.ranks:
            return Counter(ranks) == Counter(self.ranks)
        if self.rule is Ranks.SAME:
            return len(set(ranks)) == 1
        return _is_run(ranks)

    def _suits_fit(self, first: tuple[Card, ...]) -> bool:
        suits = {card.suit for card in first}
        if self.suits is Suits.SAME_COLOUR:
            return suits <= RED or not suits & RED
        if self.suits is Suits.SAME:
            return len(suits) == 1 and (not self.suit or suits == {self.suit})
        return True


def _is_run(ranks: list[str]) -> bool:
    low = sorted(RANKS.index(rank) for rank in ranks)
    high = sorted(len(RANKS) if rank == RANKS[0] else RANKS.index(rank) for rank in ranks)
    return any(all(after - before == 1 for before, after in itertools.pairwise(places)) for places in (low, high))
