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


class MarkBets(Request, frozen=True, kw_only=True):
    """Jackpot chips were collected by hand and replaced by markers at these seats (JP-4)."""

    seats: tuple[int, ...]


class ClaimJackpot(Request, frozen=True, kw_only=True):
    """A hand of this seat wins: its first cards in the order of the deal, such as `AS AH` (JP-5)."""

    seat: int
    cards: tuple[str, ...]


class PayJackpot(Request, frozen=True, kw_only=True):
    """The prizes were paid: how much at which seat, in the currency's smallest unit (JP-13)."""

    seats: tuple[int, ...]
    amounts: tuple[int, ...]


class DenyJackpot(Request, frozen=True, kw_only=True):
    """The check has shown that what this seat claims is no win."""

    seat: int
    finding: str
