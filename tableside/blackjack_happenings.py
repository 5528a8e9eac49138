"""What happens in a round of blackjack, whether a sensor or a person has told it. Rows of the journal.

Seats count from 1, the bank is seat 0; hands of a seat count from 1.
"""

from __future__ import annotations

from tableside.happenings import Happening


class HandsBegun(Happening, frozen=True, kw_only=True):
    """The first card of a round that is followed: these seats had a bet in time (BJ-2, BJ-16)."""

    round: int
    seats: tuple[int, ...]


class BetPlaced(Happening, frozen=True, kw_only=True):
    """A bet lies on a seat; `owner` sits at that seat himself, or has added it from his own (BJ-15 to BJ-17)."""

    seat: int
    owner: str
    amount: int
    by: str


class BetChanged(Happening, frozen=True, kw_only=True):
    """An insurance, or what an added bet does at a split or double (BJ-12, BJ-18)."""

    seat: int
    owner: str
    insurance: int
    split_along: int
    is_doubled_along: bool
    by: str


class HandDealt(Happening, frozen=True, kw_only=True):
    """A card lies at a hand. `card` is empty where it lies face down or passed unread; `how`: *reader* or *told*."""

    round: int
    seat: int
    hand: int
    card: str
    how: str


class CardVoid(Happening, frozen=True, kw_only=True):
    """A card belongs to nobody and lies in the discard tray (BJ-3, BJ-5, BJ-6)."""

    round: int
    card: str


class ChoiceTaken(Happening, frozen=True, kw_only=True):
    """A player has decided."""

    round: int
    seat: int
    hand: int
    choice: str
    by: str


class BankTurned(Happening, frozen=True, kw_only=True):
    """The bank's second card lies face up. `how`: *reader* or *told*."""

    round: int
    card: str
    how: str


class DealerTold(Happening, frozen=True, kw_only=True):
    """What the rules have the dealer do at once, such as pay a blackjack; nothing is decided on it."""

    round: int
    rule: str
    text: str
    next_step: str


class HandsOver(Happening, frozen=True, kw_only=True):
    """Nobody gets a card any more: the bank's total, and each hand in words (BJ-6, BJ-9)."""

    round: int
    bank: int
    hands: tuple[str, ...]


class HandCollected(Happening, frozen=True, kw_only=True):
    """The cards of a hand were collected."""

    round: int
    seat: int
    hand: int
    by: str


class BetsPaid(Happening, frozen=True, kw_only=True):
    """What went back to each owner: as due (BJ-19)."""

    round: int
    owners: tuple[str, ...]
    amounts: tuple[int, ...]
    by: str


class HandsUnsure(Happening, frozen=True, kw_only=True):
    """From here on the round's cards are counted and its hands are not followed, and why."""

    round: int
    why: str
