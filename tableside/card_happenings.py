"""What happened to cards that were read, as the tables of transitions tell each other (see `tableside.happenings`)."""

from __future__ import annotations

from tableside.happenings import Happening


class CardsTurnedUp(Happening, frozen=True, kw_only=True):
    """Of the cards that `device` has read in this round, these lie face up: their identities are no secret any more.

    `numbers` from 1 in the order of reading; `by` a person's staff id, empty where a rule of the game or the place of
    an antenna says so. A procedure that knows which cards are dealt open tells it so too.
    """

    device: str
    numbers: tuple[int, ...]
    by: str = ""
