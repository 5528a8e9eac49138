"""Playing cards as people name them: rank, suit, back. Fixed-width text, never numbers (design rule 11)."""

from __future__ import annotations

import msgspec

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("♣", "♦", "♥", "♠")
_SUIT_LETTERS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
TEN = "T"  # how many people write a ten
CARDS_PER_DECK = 52  # SHOE-1: no jokers


class Card(msgspec.Struct, frozen=True, order=True):
    """One card. Equal backs cannot be told apart by deck, so there is no deck here (semantics §4)."""

    rank: str
    suit: str
    back: str

    def __str__(self) -> str:
        return f"{self.rank}{self.suit} {self.back}"


def parse_card(text: str) -> Card:
    """Read `7♣ red`, `7C red`, `10h blue` or `T♥ blue`. Raises ValueError that says what is allowed."""
    face, _, back = text.strip().partition(" ")
    rank, suit = face[:-1].upper(), face[-1:].upper()
    suit = _SUIT_LETTERS.get(suit, suit)
    rank = "10" if rank == TEN else rank
    if rank not in RANKS or suit not in SUITS or not back.strip():
        raise ValueError(
            f"{text!r} is no card: write rank ({' '.join(RANKS)}), suit ({' '.join(SUITS)} or C D H S) "
            "and back, as in '7♣ red'"
        )
    return Card(rank, suit, back.strip())
