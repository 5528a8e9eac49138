"""What people enter of a round of blackjack. Where a sensor tells it, nobody has to. `tableside.requests` has them all.

Seats count from 1 as at the table (BJ-1), the bank is seat 0; hands of a seat count from 1 too.
"""

from __future__ import annotations

from tableside.games.blackjack import Choice
from tableside.request_shapes import Request


class TellSeats(Request, frozen=True, kw_only=True):
    """These seats have a bet that was placed in time; no amounts are entered (BJ-2, BJ-16)."""

    seats: tuple[int, ...]


class PlaceBet(Request, frozen=True, kw_only=True):
    """A bet on a seat, in the currency's smallest unit (BJ-15 to BJ-17).

    `from_seat`: who has added it sits there; 0: the seat's own holder.
    """

    seat: int
    amount: int
    from_seat: int = 0


class AddToBet(Request, frozen=True, kw_only=True):
    """Insurance, or what an added bet does at a split or a double (BJ-12, BJ-18).

    `split_along`: on how many of the further hands an equal bet was added.
    """

    seat: int
    from_seat: int = 0
    insurance: int = 0
    split_along: int = 0
    is_doubled_along: bool = False


class TellCard(Request, frozen=True, kw_only=True):
    """A card lies at this seat: which one (`7C`), or that it lies face down.

    Where a reader has read it, no card is named: only where it lies, or what it is where it passed unread.
    """

    seat: int
    card: str = ""
    hand: int = 1
    is_face_down: bool = False


class TellChoice(Request, frozen=True, kw_only=True):
    """What a player has decided for a hand (BJ-4, BJ-10 to BJ-14)."""

    seat: int
    choice: Choice
    hand: int = 1


class TurnBankCard(Request, frozen=True, kw_only=True):
    """The bank's second card lies face up, and is this one; not named where a reader has read it.

    `while_dealing`: it was turned as it was dealt (BJ-3).
    """

    card: str = ""
    while_dealing: bool = False


class CollectHand(Request, frozen=True, kw_only=True):
    """The cards of a hand are collected (BJ-8, BJ-9; JP-12 goes first)."""

    seat: int
    hand: int = 1


class PayBets(Request, frozen=True, kw_only=True):
    """What went back to the owners of bets, stake and winnings together, by the seat at which each sits (BJ-19)."""

    seats: tuple[int, ...]
    amounts: tuple[int, ...]


AnyBlackjackRequest = TellSeats | PlaceBet | AddToBet | TellCard | TellChoice | TurnBankCard | CollectHand | PayBets
