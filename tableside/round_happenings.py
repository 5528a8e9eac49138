"""What sensors alone say of rounds, at a table whose dealer has no DONE key. Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening


class RoundFoundOver(Happening, frozen=True, kw_only=True):
    """Sensors leave no doubt: the round was over at `over_ns` (monotonic); `next_cards` since are the next one's."""

    round: int
    why: str
    over_ns: int
    next_cards: int


class RoundDoubted(Happening, frozen=True, kw_only=True):
    """Whether the round is over, or was for a while, cannot be told by sensors: a person says so."""

    round: int
    why: str
    cards: int
