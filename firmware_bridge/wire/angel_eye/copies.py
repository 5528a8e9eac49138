"""Telling the copies of a telegram from the next one: a shoe sends each up to three times. Pure.

A copy has the seq and the content of a telegram that came just before. The same seq with another content is no copy:
something was lost or changed on the way, both count, and somebody hears of it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from firmware_bridge.wire.angel_eye.codes import COPIES
from firmware_bridge.wire.angel_eye.telegram import Telegram


@dataclass(frozen=True, slots=True)
class Fresh:
    """A telegram that came for the first time; `is_contradicting`: one with its seq said something else just now."""

    telegram: Telegram
    is_contradicting: bool = False


class Copies:
    """Remembers as many telegrams as each has copies: far fewer than a turn of the seq, so that none hides another."""

    def __init__(self) -> None:
        self._known: deque[Telegram] = deque(maxlen=COPIES)

    def take(self, telegram: Telegram) -> Fresh | None:
        """The telegram if it is new, None for a copy."""
        if telegram in self._known:
            return None
        is_contradicting = bool(self._known) and self._known[-1].seq == telegram.seq
        self._known.append(telegram)
        return Fresh(telegram, is_contradicting)

    def forget(self) -> None:
        """The shoe has started: its seq begins anew. The telegram that said so stays known."""
        while len(self._known) > 1:
            self._known.popleft()
