"""Physical cards and the heaps they lie in.

A card is one piece of plastic: two kings of spades of one back differ here, though nobody at the table can
tell them apart. It lies in exactly one pile, always: `Card.move_to` is the only way to move one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import IntEnum, StrEnum

# From here on a roller or an eye can tell that a card is not flat (assumed: about three card thicknesses).
BENT_UM = 1_000
# A fold across the card: no roller moves it any more (assumed).
CREASED_UM = 6_000


class Suit(IntEnum):
    """Suits in the order of TDL 14.2."""

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4


class Rank(IntEnum):
    """Ranks, ace low."""

    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13


class Back(StrEnum):
    """Back colours of the house's decks, and of a deck that is not the house's."""

    RED = "red"
    BLUE = "blue"
    GREEN = "green"


class Printing(StrEnum):
    """How well the face can be read."""

    SOUND = "sound"
    FADED = "faded"


RANK_SIGNS = "A23456789TJQK"
SUIT_SIGNS = "♣♦♥♠"


class ConservationError(AssertionError):
    """A card is nowhere or twice: the world itself is broken, never the device."""


class Card:
    """One card. `passes` is its wear: how often a machine has moved it."""

    __slots__ = ("back", "bend_um", "deck", "is_askew", "is_sticky", "passes", "pile", "printing", "rank", "suit")

    def __init__(self, deck: int, rank: Rank, suit: Suit, back: Back, pile: Pile) -> None:
        self.deck = deck
        self.rank = rank
        self.suit = suit
        self.back = back
        self.printing = Printing.SOUND
        self.passes = 0
        self.bend_um = 0
        self.is_sticky = False
        self.is_askew = False  # lies crosswise before a roller: jams once, is none the worse for it
        self.pile = pile
        pile.receive(self)

    @property
    def face(self) -> str:
        """Rank and suit as people write them: `K♠`."""
        return RANK_SIGNS[self.rank - 1] + SUIT_SIGNS[self.suit - 1]

    @property
    def is_bent(self) -> bool:
        return self.bend_um >= BENT_UM

    @property
    def is_creased(self) -> bool:
        return self.bend_um >= CREASED_UM

    def move_to(self, pile: Pile, *, under: bool = False) -> None:
        """Take it from where it lies and lay it on top of `pile` (or under it)."""
        self.pile.give(self)
        self.pile = pile
        pile.receive(self, under=under)

    def slip_into(self, pile: Pile, place: int) -> None:
        """Take it from where it lies and push it into `pile`, `place` cards above the bottom."""
        self.pile.give(self)
        self.pile = pile
        pile.receive(self, place=place)

    def __repr__(self) -> str:
        return f"{self.face} {self.back} deck {self.deck} in {self.pile.name}"


class Pile:
    """Cards in order, the last one on top."""

    __slots__ = ("_cards", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._cards: list[Card] = []

    def __len__(self) -> int:
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(tuple(self._cards))

    def __contains__(self, card: object) -> bool:
        return card in self._cards

    @property
    def top(self) -> Card:
        return self._cards[-1]

    @property
    def bottom(self) -> Card:
        return self._cards[0]

    def receive(self, card: Card, *, under: bool = False, place: int | None = None) -> None:
        """For `Card` alone."""
        if under or place is not None:
            self._cards.insert(place or 0, card)
        else:
            self._cards.append(card)

    def give(self, card: Card) -> None:
        """For `Card` alone. Raises `ConservationError` for a card that does not lie here."""
        if self._cards and self._cards[-1] is card:
            self._cards.pop()
            return
        try:
            self._cards.remove(card)
        except ValueError:
            raise ConservationError(f"{card.face} is not in {self.name}") from None

    def move_all(self, to: Pile) -> int:
        """Lay the whole pile on top of another, order kept. Returns how many cards moved."""
        moved = len(self._cards)
        for card in tuple(self._cards):
            card.move_to(to)
        return moved

    def wash(self, rng: random.Random) -> None:
        """Mix it by hand, thoroughly."""
        rng.shuffle(self._cards)

    def find(self, face: str, back: Back | None = None) -> Card | None:
        """The first card from the top with this face (and back), as a person looking for it would."""
        for card in reversed(self._cards):
            if card.face == face and back in (None, card.back):
                return card
        return None


def new_deck(number: int, back: Back, pile: Pile) -> list[Card]:
    """A sealed deck of 52, no jokers, in factory order, laid on `pile`."""
    return [Card(number, rank, suit, back, pile) for suit in Suit for rank in Rank]


def assert_conserved(cards: Iterable[Card], piles: Iterable[Pile]) -> None:
    """Every card lies in exactly one of these piles, and where it says. Raises `ConservationError`."""
    seen: Counter[int] = Counter()
    for pile in piles:
        for card in pile:
            seen[id(card)] += 1
            if card.pile is not pile:
                raise ConservationError(f"{card!r} found in {pile.name}")
    known = list(cards)
    for card in known:
        if seen[id(card)] != 1:
            raise ConservationError(f"{card!r} lies in {seen[id(card)]} places")
    if len(seen) != len(known):
        raise ConservationError(f"{len(seen)} cards lie here, {len(known)} were brought")
