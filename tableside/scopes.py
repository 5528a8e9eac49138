"""What a lock can forbid: locks, the catalogue of texts and the permits all name it."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """What a lock forbids."""

    DEAL = "deal"
    FEED = "feed"
    LID = "lid"
    JACKPOT_BETS = "jackpot bets"
