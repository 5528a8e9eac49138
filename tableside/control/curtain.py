"""What may leave the daemon, and what stays behind the curtain (secrets of the game, of people). Pure.

A card's identity is shown once it lies face up or its round has ended; what the journal holds of other cards within
the round in progress leaves as *a card*. Badge numbers and keyed digits never leave.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from tableside.cards import RANKS, SUITS, TEN, Card
from tableside.happenings import RoundEnded, RoundStarted
from tableside.inputs import OpenedCard
from tableside.procedures.read_cards import ReadCard
from tableside.sealing import PREFIX

A_CARD = "a card"
# A face as `Card` writes it, or a person in a sentence, its back with it where that stands behind.
FACE = re.compile(rf"(?:{'|'.join((*RANKS, TEN))})[{''.join(SUITS)}](?: [a-z]+)?")
KEPT_BACK = "…"
# What these name was opened: it lies face up, or its round is over, whichever round is open now.
OPENED = (OpenedCard, ReadCard)
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
        kind, hides_cards = type(value).__name__, hides_cards and not isinstance(value, OPENED)
        return {
            name: KEPT_BACK if (kind, name) in SECRETS else shown(getattr(value, name), hides_cards=hides_cards)
            for name in value.__struct_fields__
        }
    if isinstance(value, Mapping):
        return {str(key): shown(item, hides_cards=hides_cards) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [shown(item, hides_cards=hides_cards) for item in value]
    if isinstance(value, str) and value.startswith(PREFIX):
        return A_CARD  # nobody out there can open it, and nobody need know how it looks
    if isinstance(value, str) and hides_cards:
        return FACE.sub(A_CARD, value)  # a sentence may name a card, such as the note of an exchange
    return value


def names_card(value: object) -> bool:
    """Whether a struct names a card, as such or in a sentence."""
    return shown(value, hides_cards=True) != shown(value, hides_cards=False)
