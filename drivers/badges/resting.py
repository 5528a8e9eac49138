"""Which badges lie before a reader: one arrival a presence, however often the reader repeats itself (BR-033).

A badge is gone after three clean polls without it and two seconds, whichever is later (semantics of *held*).
Pure: fed with reads, the reader's count of clean polls, and time (s).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

CLEAN_POLLS_TO_GONE = 3
GONE_AFTER_S = 2.0
# A hand that taps stays before the reader for about so long; whoever is seen for longer holds the badge there.
HELD_AFTER_S = 1.5


class Change(Enum):
    """What became of a badge."""

    ARRIVED = auto()
    HELD = auto()  # it arrived a while ago, and is still there
    TAKEN_AWAY = auto()  # it had been held


@dataclass(slots=True)
class _Resting:
    since_s: float
    seen_at_s: float
    clean_polls: int  # the reader's count when it was last seen
    is_held: bool = False


class RestingBadges:
    """The badges before one reader."""

    def __init__(self) -> None:
        self._resting: dict[str, _Resting] = {}

    def seen(self, badge: str, clean_polls: int, now_s: float) -> list[tuple[str, Change]]:
        """A read of a badge; first whatever has gone meanwhile is said."""
        changes = self.gone(clean_polls, now_s)
        resting = self._resting.get(badge)
        if resting is None:
            self._resting[badge] = _Resting(now_s, now_s, clean_polls)
            return [*changes, (badge, Change.ARRIVED)]
        resting.seen_at_s, resting.clean_polls = now_s, clean_polls
        if not resting.is_held and now_s - resting.since_s >= HELD_AFTER_S:
            resting.is_held = True
            changes.append((badge, Change.HELD))
        return changes

    def gone(self, clean_polls: int, now_s: float) -> list[tuple[str, Change]]:
        """Badges that have gone by now; those that had only been tapped go without a word."""
        changes = []
        for badge, resting in list(self._resting.items()):
            is_clean = clean_polls - resting.clean_polls >= CLEAN_POLLS_TO_GONE
            if is_clean and now_s - resting.seen_at_s >= GONE_AFTER_S:
                del self._resting[badge]
                if resting.is_held:
                    changes.append((badge, Change.TAKEN_AWAY))
        return changes

    def look_at_s(self) -> float | None:
        """When `gone` may have something to say; None where no badge rests."""
        return min((resting.seen_at_s + GONE_AFTER_S for resting in self._resting.values()), default=None)

    def forget(self) -> None:
        """Nobody knows any more what lies there."""
        self._resting.clear()
