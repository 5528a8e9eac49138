"""What the rules said about something that happened, and what people decided. Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening


class Advised(Happening, frozen=True, kw_only=True):
    """Advice number `number`: what happened, the rule, its ruling, what hands do next, and whose decision it is."""

    number: int
    rule: str
    happened: str
    ruling: str
    next_step: str
    decides: str
    place: str
    round: int


class Decided(Happening, frozen=True, kw_only=True):
    """The decision that was taken on an advice, under a badge; `is_against` the ruling that was advised."""

    number: int
    rule: str
    decision: str
    is_against: bool
    by: str


class AdviceLapsed(Happening, frozen=True, kw_only=True):
    """Nobody decides on it any more, and why: play has gone on over it."""

    number: int
    rule: str
    why: str
