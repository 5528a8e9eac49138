"""Blackjack hands: what cards count, and what they make (BJ-7, BJ-8, BJ-11, BJ-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from tableside.cards import RANKS, Card

TOP = 21
ACE_EXTRA = 10  # an ace is 1 or 11 (BJ-7)
TEN = 10
VALUES: Mapping[str, int] = {rank: min(place, TEN) for place, rank in enumerate(RANKS, start=1)}
ACE = "A"
UNREAD_RANK = "?"  # a card that passed unread: the dealer names it
# BJ-13: three cards of one suit with these ranks, or three of this rank.
SPECIAL_RUN = frozenset({"6", "7", "8"})
SPECIAL_TRIPS = "7"
SPECIAL_CARDS = 3
FIRST_CARDS = 2
DOUBLE_TOTALS = frozenset({9, 10, 11})  # BJ-11
BANK_STANDS = 17  # BJ-6


BANK_SEAT = 0


class Spot(msgspec.Struct, frozen=True, order=True):
    """Where a card belongs: a hand of a seat, or the bank (seat 0)."""

    seat: int
    hand: int = 0


BANK = Spot(BANK_SEAT)


class Fate(StrEnum):
    """How far a hand has come."""

    PLAYING = "playing"
    STOOD = "stood"
    LOST = "lost"  # above 21 (BJ-9)
    SURRENDERED = "surrendered"  # BJ-14
    PAID = "paid"  # a blackjack that is paid before the bank plays (BJ-8), or as even money (BJ-12)


# Fates after which a hand has no part in what the bank still does.
OUT = frozenset({Fate.LOST, Fate.SURRENDERED, Fate.PAID})


class Hand(msgspec.Struct, frozen=True):
    """Cards in the order in which they came. `is_ace_one`: an ace was counted as 1 to double, and stays 1 (BJ-11)."""

    cards: tuple[Card, ...] = ()
    is_split: bool = False
    is_doubled: bool = False
    is_ace_one: bool = False
    fate: Fate = Fate.PLAYING

    @property
    def total(self) -> int:
        """The total that counts: the highest up to 21, else the lowest."""
        return total_of(self.cards, is_ace_one=self.is_ace_one)

    @property
    def is_blackjack(self) -> bool:
        """Ace with a ten or figure in the first two; after a split it is only 21 (BJ-8)."""
        return not self.is_split and is_blackjack(self.cards)


def low_total(cards: Iterable[Card]) -> int:
    """Every ace as 1."""
    return sum(VALUES[card.rank] for card in cards)


def total_of(cards: tuple[Card, ...], *, is_ace_one: bool = False) -> int:
    """BJ-7: an ace is 11 where that keeps the total within 21, else 1."""
    low = low_total(cards)
    has_ace = any(card.rank == ACE for card in cards)
    is_soft = has_ace and not is_ace_one and low + ACE_EXTRA <= TOP
    return low + ACE_EXTRA if is_soft else low


def is_soft(cards: tuple[Card, ...]) -> bool:
    """An ace counts 11 in it."""
    return total_of(cards) != low_total(cards)


def is_blackjack(cards: tuple[Card, ...]) -> bool:
    """Two cards that make 21: no other two do but an ace with a ten or figure."""
    return len(cards) == FIRST_CARDS and total_of(cards) == TOP


def can_become_blackjack(open_card: Card) -> bool:
    """The bank's open card is an ace, a figure or a ten (BJ-8)."""
    return VALUES[open_card.rank] in (VALUES[ACE], TEN)


def is_pair(cards: tuple[Card, ...]) -> bool:
    """Two cards of the same value, of whatever suits (BJ-10, as commonly stated)."""
    return len(cards) == FIRST_CARDS and VALUES[cards[0].rank] == VALUES[cards[1].rank]


def is_special(cards: tuple[Card, ...]) -> bool:
    """6-7-8 of one suit, or three sevens, in three cards (BJ-13)."""
    if len(cards) != SPECIAL_CARDS:
        return False
    ranks, suits = {card.rank for card in cards}, {card.suit for card in cards}
    return ranks == {SPECIAL_TRIPS} or (ranks == SPECIAL_RUN and len(suits) == 1)


def doubling(cards: tuple[Card, ...]) -> tuple[bool, bool]:
    """Whether two cards may be doubled (9, 10 or 11), and whether an ace then stays 1 (BJ-11).

    An ace with an eight or nine makes 9 or 10 only with the ace as 1. An ace with a ten makes 21, on which no card
    is given (BJ-4), so it is not an 11 to double on.
    """
    low = low_total(cards)
    may = len(cards) == FIRST_CARDS and low in DOUBLE_TOTALS and total_of(cards) != TOP
    return may, may and any(card.rank == ACE for card in cards)


def bank_draws(cards: tuple[Card, ...], *, draws_soft_17: bool) -> bool:
    """The bank's duty: it draws on 16 or less and stands on 17 or more (BJ-6), soft 17 as the jurisdiction says."""
    total = total_of(cards)
    return total < BANK_STANDS or (total == BANK_STANDS and is_soft(cards) and draws_soft_17)
