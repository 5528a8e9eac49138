"""What sensors tell of a round, and what can be concluded of it (`rounds_sensed`)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Sign(StrEnum):
    """What a sensor, or the link to it, can tell; the last two are a person's word."""

    CARDS_OUT = "cards out"
    CARDS_IN = "cards in"
    TRAY = "tray"  # so many cards lie there, steady
    DISTURBED = "disturbed"  # a jam, an open lid, a stop: a pause that has its own reason
    AWAY = "away"  # the machine is not heard
    ALL_TOLD = "all told"  # it is heard again and has told all that it kept
    LOOK = "look"  # nothing but time has passed
    TOLD_OVER = "told over"
    TOLD_GOES_ON = "told it goes on"


class Signal(NamedTuple):
    """One of them, at a monotonic time in ns; `cards` is how many went by, or how many lie there."""

    sign: Sign
    at_ns: int
    cards: int = 0


class Began(NamedTuple):
    """A round's first card came out."""

    at_ns: int
    cards: int


class Over(NamedTuple):
    """The round of `cards` was over at that time. `next_cards` that came out since are the next round's first ones.

    Not `is_sure`: there is no round in it by the rules, or more than one; a person says what it was.
    """

    at_ns: int
    cards: int
    next_cards: int
    why: str
    is_sure: bool = True


class Awaited(NamedTuple):
    """Nothing has come for so long that somebody may be asked; a sensor may still tell."""

    at_ns: int


class Doubted(NamedTuple):
    """Whether the round is over, or was for a while, cannot be told from sensors; it is counted on as one."""

    at_ns: int
    why: str


Verdict = Began | Over | Awaited | Doubted
