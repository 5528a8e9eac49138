"""Telling the copies of a telegram from the next one: a shoe sends each up to three times. Pure.

A copy has the seq and the content of a telegram that came just before. The same seq with another content is no copy:
something was lost or changed on the way, both count, and somebody hears of it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from firmware_bridge.wire.angel_eye.codes import COPIES
from firmware_bridge.wire.angel_eye.telegram import Telegram

# The telegram that came last may be repeated whenever: nothing new could look like it. One before that is a copy only
# so soon (assumed): a shoe that is switched off and on counts its seq anew, and says the same again as at its start.
LATE_COPY_S = 2.0


@dataclass(frozen=True, slots=True)
class Fresh:
    """A telegram that came for the first time; `is_contradicting`: one with its seq said something else just now."""

    telegram: Telegram
    is_contradicting: bool = False


class Copies:
    """Remembers as many telegrams as each has copies: far fewer than a turn of the seq, so that none hides another."""

    def __init__(self) -> None:
        self._known: deque[tuple[Telegram, float]] = deque(maxlen=COPIES)

    def take(self, telegram: Telegram, now_s: float) -> Fresh | None:
        """The telegram if it is new, None for a copy. `now_s` on any clock that only goes forward."""
        if any(
            known == telegram and (place == 0 or now_s - first_s < LATE_COPY_S)
            for place, (known, first_s) in enumerate(reversed(self._known))
        ):
            return None
        is_contradicting = bool(self._known) and self._known[-1][0].seq == telegram.seq
        self._known.append((telegram, now_s))
        return Fresh(telegram, is_contradicting)
