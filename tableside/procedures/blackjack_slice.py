"""What is known of the round of blackjack that is followed; how it goes on is in `blackjack_follow`.

The cards lie in the pure rules' `Round`. A card that a reader has read and that may not be known yet stands there as
one without rank, under the number that the reader gave it (`face_down`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.cards import Card
from tableside.games.blackjack import Phase, Round
from tableside.games.blackjack_bets import Bet
from tableside.games.blackjack_hands import UNREAD_RANK, Hand, Spot
from tableside.games.blackjack_seats import first_cards_of
from tableside.games.blackjack_seats import in_words as hands_in_words
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

UNREAD = "?"  # the suit of a card that passed unread, or that somebody says lies face down


class BlackjackState(StrEnum):
    """Derived: how far the round has come whose hands are followed."""

    NONE = "not followed here"
    BETS = "taking bets"
    FIRST = "dealt"
    PLAYERS = "with the players"
    BANK = "with the bank"
    OVER = "over"
    COUNTED = "counted only"


_OF_PHASE = {
    Phase.FIRST: BlackjackState.FIRST,
    Phase.PLAYERS: BlackjackState.PLAYERS,
    Phase.BANK: BlackjackState.BANK,
    Phase.OVER: BlackjackState.OVER,
}


class KeptRound(msgspec.Struct, frozen=True):
    """The rules' `Round` as the journal's checkpoints can keep it: the hands of each seat in the order of `seats`."""

    seats: tuple[int, ...]
    hands: tuple[tuple[Hand, ...], ...]
    draws_soft_17: bool
    bank: tuple[Card, ...]
    is_open: bool
    tray: tuple[Card, ...]
    loose: tuple[Card, ...]
    asked: Spot | None
    phase: Phase
    is_unsure: bool

    @classmethod
    def of(cls, played: Round) -> KeptRound:
        """The same round, to be kept."""
        rest = {name: getattr(played, name) for name in cls.__struct_fields__ if name != "hands"}
        return cls(hands=tuple(played.hands[seat] for seat in played.seats), **rest)

    @property
    def played(self) -> Round:
        """The same round, for the rules."""
        rest = {name: getattr(self, name) for name in self.__struct_fields__ if name != "hands"}
        return Round(hands=dict(zip(self.seats, self.hands, strict=True)), **rest)


class BlackjackSlice(msgspec.Struct, frozen=True):
    """`kept`: the hands, once somebody has told the seats. `round`: its number, 0 before its first card.

    `homes`: each owner's own seat. `queue`: numbers of cards that the reader has read and of which is not known yet
    where they lie. `last_count`: of the last card of this round, as the reader counts. `hole`: the number of the bank's
    second card, where a reader has read it, and `hole_place` as the reader names it. `placed`: cards that were
    followed; `scraps`: that are none of the game. `is_entered`: somebody tells what players decide. `unsure`: why the
    hands are not followed any more. `is_ended`: the round is over; its bets may still be paid. By seat, as antennas
    see them there: `lying` cards and `chips`; these outlast the round.
    """

    kept: KeptRound | None = None
    round: int = 0
    bets: tuple[Bet, ...] = ()
    homes: dict[str, int] = {}
    queue: tuple[int, ...] = ()
    last_count: int = 0
    hole: int = 0
    hole_place: str = ""
    is_hole_mistake: bool = False
    placed: int = 0
    scraps: int = 0
    is_entered: bool = False
    collected: tuple[Spot, ...] = ()
    is_paid: bool = False
    unsure: str = ""
    is_ended: bool = False
    lying: dict[str, int] = {}
    chips: dict[str, int] = {}

    @property
    def played(self) -> Round | None:
        """The round for the rules; None as long as nobody has told the seats."""
        return None if self.kept is None else self.kept.played

    @property
    def has_cards(self) -> bool:
        """A card of this round was followed, or waits to be."""
        return bool(self.placed or self.queue)


def read(state: TableState, _what: object) -> BlackjackState:
    """Derived from the slice."""
    here = state.procedures.blackjack
    if state.house.blackjack is None:
        return BlackjackState.NONE
    if here.is_ended:
        return BlackjackState.BETS
    if here.unsure:
        return BlackjackState.COUNTED
    if here.kept is None or not here.placed:
        return BlackjackState.BETS
    return _OF_PHASE[here.kept.phase]


def of(turn: Turn) -> BlackjackSlice:
    return turn.state.procedures.blackjack


def put(turn: Turn, *, played: Round | None = None, **changes: object) -> None:
    """Change the slice; `played` where the round has gone on."""
    if played is not None:
        changes["kept"] = KeptRound.of(played)
    procedures = turn.state.procedures
    changed = replace(procedures.blackjack, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, blackjack=changed))


def begin_anew(turn: Turn) -> None:
    """The last round is over and paid, or not to be: nothing of it stands any more."""
    procedures = turn.state.procedures
    fresh = BlackjackSlice(lying=procedures.blackjack.lying, chips=procedures.blackjack.chips)
    turn.state = replace(turn.state, procedures=replace(procedures, blackjack=fresh))


def in_words(state: TableState) -> tuple[str, ...]:
    """Each hand of the round in a line, as everybody at the table sees it; why, where hands are not followed."""
    here = state.procedures.blackjack
    if state.house.blackjack is None or here.is_ended or not here.has_cards:
        return ()
    if here.unsure:
        return (f"counted only: {here.unsure}",)
    return hands_in_words(here.played) if here.played is not None else ("seats with a bet are not told",)


def held(state: TableState) -> frozenset[int]:
    """Seats whose cards lie open until a jackpot is paid (JP-12)."""
    return frozenset(win.seat for win in state.procedures.jackpot.wins)


def first_cards(state: TableState) -> Mapping[int, tuple[tuple[Card, ...], ...]]:
    """By seat, the cards of each of its hands in the order in which they were dealt, as far as they are known (JP-5).

    Empty where hands are not followed, or not any more. A hand ends before its first card that nobody knows.
    """
    kept = state.procedures.blackjack
    if kept.played is None or kept.unsure or state.house.blackjack is None:
        return {}
    return first_cards_of(kept.played)


def face_down(number: int, back: str) -> Card:
    """The card that a reader gave this number, as long as it may not be known."""
    return Card(UNREAD_RANK, str(number), back)


def unread(back: str) -> Card:
    """A card that passed unread, or that somebody has told of as lying face down."""
    return Card(UNREAD_RANK, UNREAD, back)


def number_of(card: Card) -> int | None:
    """The reader's number of a card that may not be known yet; None for all others."""
    return int(card.suit) if card.rank == UNREAD_RANK and card.suit != UNREAD else None
