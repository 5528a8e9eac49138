"""What people ask for about the jackpot. `tableside.requests` has them all."""

from __future__ import annotations

from enum import StrEnum

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


class WhyNoBet(StrEnum):
    """Why a jackpot chip is no bet."""

    NO_MAIN_BET = "no main bet"  # JP-8
    SECOND = "second chip"  # JP-10
    VALUE = "another value"  # JP-10
    LATE = "late"  # JP-11
    UNKNOWN = "unknown"


class RefuseChip(Request, frozen=True, kw_only=True):
    """The dealer has given a chip back: it is no bet of this round, and why."""

    seat: int
    chip: WhyNoBet


class MarkBets(Request, frozen=True, kw_only=True):
    """Jackpot chips were collected by hand and replaced by markers at these seats (JP-4)."""

    seats: tuple[int, ...]


class ClaimJackpot(Request, frozen=True, kw_only=True):
    """A hand of this seat wins: its first cards in the order of the deal, such as `AS AH` (JP-5).

    `is_against_reader`: a supervisor has looked, and the card reader saw something else.
    """

    seat: int
    cards: tuple[str, ...]
    is_against_reader: bool = False


class PayJackpot(Request, frozen=True, kw_only=True):
    """The prizes were paid: how much at which seat, in the currency's smallest unit (JP-13)."""

    seats: tuple[int, ...]
    amounts: tuple[int, ...]


class DenyJackpot(Request, frozen=True, kw_only=True):
    """The check has shown that what this seat claims is no win."""

    seat: int
    finding: str
