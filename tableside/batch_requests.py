"""What people ask of a batch table: two decks in turn through one machine. `tableside.requests` has them all."""

from __future__ import annotations

from tableside.request_shapes import Request


class LoadDeck(Request, frozen=True, kw_only=True):
    """The deck of this back colour lies in the hopper: it is taken in, mixed and counted."""

    back: str


class ShuffleDeck(Request, frozen=True, kw_only=True):
    """What is in the machine is mixed and counted again."""


class TakeOutDeck(Request, frozen=True, kw_only=True):
    """The deck in the machine comes out whole: into play where its count agreed, else to be counted by hand."""


class CollectDeck(Request, frozen=True, kw_only=True):
    """The deck in play is gathered and out of play: no round is open on it."""


class CountDeck(Request, frozen=True, kw_only=True):
    """The floor supervisor has counted the deck of this back colour by hand."""

    back: str
    cards: int


AnyDeckRequest = LoadDeck | ShuffleDeck | TakeOutDeck | CollectDeck | CountDeck
