"""What every request has, and what is entered in one: the shapes that `tableside.requests` is made of."""

from __future__ import annotations

import msgspec

from tableside.cards import Card


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Any request. `second_way` holds the staff ids proved by PIN where the reader is away (semantics §2.1.9)."""

    id: str
    by: str = ""
    via: str = "cli"
    second_way: tuple[str, ...] = ()


class SortedDecks(msgspec.Struct, frozen=True):
    """The dealer's entry for one back colour: complete decks, and what does not fit, by name."""

    back: str
    complete: int
    missing: tuple[Card, ...] = ()
    too_many: tuple[Card, ...] = ()
    foreign: tuple[Card, ...] = ()
