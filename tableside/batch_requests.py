"""What people ask of a batch table: two decks in turn through one machine. `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request


class LoadDeck(Request, frozen=True, kw_only=True):
    """The deck of this back colour lies in the hopper: it is taken in, mixed and counted."""

    back: str


class ShuffleDeck(Request, frozen=True, kw_only=True):
    """What is in the machine, a whole deck or the stub of one, is mixed and counted again."""


class TakeOutDeck(Request, frozen=True, kw_only=True):
    """What is in the machine comes out: a whole deck into play where its count agreed, a stub aside.

    Where the count did not agree, to be counted by hand.
    """


class DealPacket(Request, frozen=True, kw_only=True):
    """So many cards of the deck in the machine come out as one packet; what is left inside is the stub."""

    cards: int


class PutBackCards(Request, frozen=True, kw_only=True):
    """So many cards of the deck in the machine lie in the hopper: they go back in, and all is mixed and counted.

    0: all that lie outside.
    """

    cards: int = 0


class CollectDeck(Request, frozen=True, kw_only=True):
    """The deck in play is gathered and out of play: no round is open on it."""


class CountDeck(Request, frozen=True, kw_only=True):
    """The floor supervisor has counted the deck of this back colour by hand."""

    back: str
    cards: int


class ReplaceDeck(Request, frozen=True, kw_only=True):
    """The floor supervisor withdraws the deck of this back colour and brings the reserve deck of the same colour."""

    back: str


AnyDeckRequest = (
    LoadDeck | ShuffleDeck | TakeOutDeck | DealPacket | PutBackCards | CollectDeck | CountDeck | ReplaceDeck
)
