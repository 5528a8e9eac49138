"""What may leave the daemon, and what stays behind the curtain (secrets of the game, of people). Pure.

A card's identity is shown once it lies face up or its round has ended; what the journal holds of cards within the
round in progress leaves as *a card*. Badge numbers and keyed digits never leave.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tableside.cards import Card
from tableside.happenings import RoundEnded, RoundStarted

A_CARD = "a card"
KEPT_BACK = "…"
# What proves a person: whoever knows it could stand in for him.
SECRETS: frozenset[tuple[str, str]] = frozenset({("BadgeSeen", "badge"), ("CodeKeyed", "code")})


class Curtain:
    """Follows a table's rows, to know which of them belong to the round that is still open."""

    def __init__(self, open_since: int | None = None) -> None:
        """`open_since`: the row with which the present round began, None where none is open."""
        self._open_since = open_since

    def follow(self, seq: int, what: object) -> None:
        """Take the next row."""
        if isinstance(what, RoundStarted):
            self._open_since = seq
        elif isinstance(what, RoundEnded):
            self._open_since = None

    def hides(self, seq: int) -> bool:
        """True for rows whose cards are still secret."""
        return self._open_since is not None and seq >= self._open_since

    @property
    def is_down(self) -> bool:
        """A round is open: what the table holds of cards now is secret."""
        return self._open_since is not None


def shown(value: object, *, hides_cards: bool) -> object:
    """A struct of the table as JSON values, without what must not leave."""
    if isinstance(value, Card):
        return A_CARD if hides_cards else str(value)
    if isinstance(value, msgspec.Struct):
        kind = type(value).__name__
        return {
            name: KEPT_BACK if (kind, name) in SECRETS else shown(getattr(value, name), hides_cards=hides_cards)
            for name in value.__struct_fields__
        }
    if isinstance(value, Mapping):
        return {str(key): shown(item, hides_cards=hides_cards) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [shown(item, hides_cards=hides_cards) for item in value]
    return value
