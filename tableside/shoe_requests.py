"""What people ask of a shoe that is shuffled by hand (SHOE-2 to SHOE-8). `tableside.requests` has them all."""

from __future__ import annotations

import msgspec

from tableside.request_shapes import Request


class BackCount(msgspec.Struct, frozen=True):
    """So many cards of one back colour, counted by a person."""

    back: str
    cards: int


class CountBacks(Request, frozen=True, kw_only=True):
    """All cards lie before the dealer and were counted, each back colour apart (SHOE-1)."""

    counts: tuple[BackCount, ...]


class CutCards(Request, frozen=True, kw_only=True):
    """The cards were cut: who sits where, and the seat that cut; 0 is the table inspector, by staff id (SHOE-4)."""

    seat: int
    occupied: tuple[int, ...] = ()
    inspector: str = ""


class FillShoe(Request, frozen=True, kw_only=True):
    """The warning card lies in its place, and the cards are in the shoe (SHOE-5)."""


class BurnCard(Request, frozen=True, kw_only=True):
    """One card was taken from the shoe and lies in the discard tray (SHOE-6)."""


class BeginRound(Request, frozen=True, kw_only=True):
    """The cards of a round are dealt from the shoe from here on."""


class CountDealt(Request, frozen=True, kw_only=True):
    """So many cards were dealt from a shoe that no reader watches, in this round or the one that has just ended."""

    cards: int


class ShowWarningCard(Request, frozen=True, kw_only=True):
    """The warning card has come out (SHOE-7)."""


class InterruptPlay(Request, frozen=True, kw_only=True):
    """Play stops for want of players or bets; the shoe stays as it is, the right to cut begins anew (SHOE-4)."""

    why: str


class SpreadCards(Request, frozen=True, kw_only=True):
    """Play stops for want of players or bets, and all cards lie spread face up on the table (SHOE-8)."""

    why: str


class GatherCards(Request, frozen=True, kw_only=True):
    """All cards lie together, to be shuffled; before the shoe is over a floor supervisor says why."""

    why: str = ""


class BeginHandShoe(Request, frozen=True, kw_only=True):
    """The machine is down: it is emptied, and cards are dealt by hand, for an open incident, or as `why` says.

    `why` is needed too where a spare is ready and is not taken.
    """

    incident: int = 0
    why: str = ""


class EmptyByHand(Request, frozen=True, kw_only=True):
    """The machine was emptied by hand: so many cards, all that the table has, lie before the dealer, counted."""

    cards: int


class EndHandShoe(Request, frozen=True, kw_only=True):
    """The cards go back into a machine, in so many packets; `device` where it is another one than before."""

    packets: int
    device: str = ""


AnyShoeRequest = (
    BeginHandShoe
    | EmptyByHand
    | EndHandShoe
    | CountBacks
    | CutCards
    | FillShoe
    | BurnCard
    | BeginRound
    | CountDealt
    | ShowWarningCard
    | InterruptPlay
    | SpreadCards
    | GatherCards
)
