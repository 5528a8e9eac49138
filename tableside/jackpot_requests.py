"""What people ask for about the jackpot. `tableside.requests` has them all."""

from __future__ import annotations

from drivers.events import Shown
from tableside.request_shapes import Request


class LockBets(Request, frozen=True, kw_only=True):
    """NO MORE BETS: the jackpot bets are locked."""


class ShowJackpot(Request, frozen=True, kw_only=True):
    """What the jackpot displays show from now on: a word, or an *amount* in the currency's smallest unit."""

    what: Shown
    amount: int = 0
    currency: str = ""


class SettleChips(Request, frozen=True, kw_only=True):
    """Somebody has looked into the chip slots: these seats have a jackpot bet in this round, and no others."""

    seats: tuple[int, ...]
    finding: str
