"""An electronic baccarat shoe: cards slide out of it one by one over its reader, and it reckons the game along.

It deals by the book of punto banco (player, banker, player, banker, then the third cards), knows whose card comes next
and what a hand is worth; what it cannot know it names as an error. No bytes, no clock of its own.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from .cards import Card, Pile, Printing, Rank

# Two cards each, and a third one each at most.
FIRST_CARDS, MOST_CARDS = 2, 3
NATURAL = 8
# What an error is called at the shoe itself (docs/protocols/angel-eye.md).
CANNOT_READ, OVER_DRAW, WRONG_BUTTON, BACK_AT_EXIT = 1, 2, 3, 4


# Where cards lie, at a table that has a shoe.
SHOE, DRAWN_CARDS = "shoe", "drawn from the shoe"


class Hand(Enum):
    """To whom a card is drawn."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"


class Outside(Enum):
    """Why a card that left the shoe belongs to no game."""

    LOCKED = "locked"
    ERROR = "error"


class Outcome(Enum):
    """How a game ended."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    FORCED = "ended by hand"


@dataclass(frozen=True, slots=True)
class ShoeSays:
    """Something that the shoe has noticed. Exactly what a kind needs is set."""

    kind: str
    card: Card | None = None  # None with a card's kind: it could not be read
    hand: Hand | None = None
    index: int = 0
    outside: Outside | None = None
    outcome: Outcome | None = None
    is_player_pair: bool = False
    is_banker_pair: bool = False
    code: int = 0
    is_on: bool = False


STARTED, STANDBY, CUT_CARD, DRAWN, AGAIN, OUTSIDE, RESULT, ERROR, CANCELLED, LOCK = (
    "started",
    "standby",
    "cut card",
    "drawn",
    "again",
    "outside",
    "result",
    "error",
    "cancelled",
    "lock",
)


class BaccaratShoe:
    """One shoe. `cards` lie in it, the top one comes next; `out` is where what was drawn lies."""

    def __init__(self, name: str, cards: Pile | None = None, out: Pile | None = None) -> None:
        self.name = name
        self.cards = cards if cards is not None else Pile(SHOE)
        self.out = out if out is not None else Pile(DRAWN_CARDS)
        self.is_powered = False
        self.is_locked = False
        self.error = 0
        self.cut_after: int | None = None  # so many cards from now the cut card comes
        self.hands: dict[Hand, list[Card]] = {Hand.PLAYER: [], Hand.BANKER: []}
        self.games: list[Outcome] = []
        self._said: deque[ShoeSays] = deque()
        self._last: ShoeSays | None = None

    # Power

    def power_on(self) -> None:
        """It knows nothing of a game; its lock stands as it stood (assumed)."""
        self.is_powered, self.error = True, 0
        self._begin_anew()
        self._say(ShoeSays(STARTED))
        if self.is_locked:
            self._say(ShoeSays(LOCK, is_on=True))
        self._say(ShoeSays(STANDBY))

    def power_off(self) -> None:
        """Cards can still be drawn: nobody hears of them."""
        self.is_powered = False
        self._said.clear()

    # Hands

    def draw(self) -> Card | None:
        """Pull one card. None: the shoe is empty."""
        if self.cut_after == 0:
            self.cut_after = None
            self._say(ShoeSays(CUT_CARD))
        if not len(self.cards):
            return None
        card = self.cards.top
        card.move_to(self.out)
        if self.cut_after is not None:
            self.cut_after -= 1
        if self.is_powered:
            self._read(card)
        return card

    def burn(self, cards: int) -> None:
        """Cards that are laid away before the first game."""
        for index in range(1, cards + 1):
            card = self.cards.top
            card.move_to(self.out)
            self._say(ShoeSays(DRAWN, card=_readable(card), hand=Hand.BURN, index=min(index, 10)))

    def push_back(self) -> None:
        """A card is pushed back into the mouth: the shoe notices, and stops."""
        self._fail(BACK_AT_EXIT)

    def press(self) -> None:
        """The result button: the game is over. Before it is complete that is an error."""
        outcome = self.outcome
        if outcome is None:
            self._fail(WRONG_BUTTON)
            return
        self._end(outcome)

    def end_by_hand(self) -> None:
        """A supervisor ends the game at the shoe, whatever has been drawn."""
        self._end(Outcome.FORCED)

    def turn_key(self, *, is_locked: bool) -> None:
        """The key switch."""
        if is_locked is not self.is_locked:
            self.is_locked = is_locked
            self._say(ShoeSays(LOCK, is_on=is_locked))

    def cancel_error(self) -> None:
        """The error button, once its cause is gone."""
        if self.error:
            code, self.error = self.error, 0
            self._say(ShoeSays(CANCELLED, code=code))

    def tell_again(self) -> None:
        """It tells its last card once more, as after an error that was cancelled."""
        if self._last is not None:
            last = self._last
            self._say(ShoeSays(AGAIN, card=last.card, hand=last.hand, index=last.index))

    # What a host may ask in its engineering mode

    def host_cancels(self, code: int) -> bool:
        """False: this error does not stand."""
        if code != self.error:
            return False
        self.cancel_error()
        return True

    # The game

    @property
    def next_hand(self) -> Hand | None:
        """Whose card comes next by the book; None: the game is complete."""
        player, banker = self.hands[Hand.PLAYER], self.hands[Hand.BANKER]
        if len(player) < FIRST_CARDS or len(banker) < FIRST_CARDS:
            return Hand.PLAYER if len(player) <= len(banker) else Hand.BANKER
        if max(worth(player[:FIRST_CARDS]), worth(banker[:FIRST_CARDS])) >= NATURAL:
            return None
        if len(player) == FIRST_CARDS and worth(player) <= 5:
            return Hand.PLAYER
        if len(banker) == FIRST_CARDS and _banker_draws(worth(banker), player):
            return Hand.BANKER
        return None

    @property
    def outcome(self) -> Outcome | None:
        """None: cards are still to come."""
        if self.next_hand is not None:
            return None
        player, banker = worth(self.hands[Hand.PLAYER]), worth(self.hands[Hand.BANKER])
        if player == banker:
            return Outcome.TIE
        return Outcome.PLAYER if player > banker else Outcome.BANKER

    def take_said(self) -> list[ShoeSays]:
        """What it has noticed since the last call."""
        said = list(self._said)
        self._said.clear()
        return said

    def _read(self, card: Card) -> None:
        seen = _readable(card)
        if self.is_locked or self.error:
            self._say(ShoeSays(OUTSIDE, card=seen, outside=Outside.LOCKED if self.is_locked else Outside.ERROR))
            return
        hand = self.next_hand
        if hand is None:
            self._fail(OVER_DRAW)
            self._say(ShoeSays(OUTSIDE, card=seen, outside=Outside.ERROR))
            return
        self.hands[hand].append(card)
        self._last = ShoeSays(DRAWN, card=seen, hand=hand, index=len(self.hands[hand]))
        self._say(self._last)
        if seen is None:
            self._fail(CANNOT_READ)

    def _end(self, outcome: Outcome) -> None:
        pairs = {hand: _is_pair(cards) for hand, cards in self.hands.items()}
        self.games.append(outcome)
        self._say(
            ShoeSays(
                RESULT,
                outcome=outcome,
                is_player_pair=pairs[Hand.PLAYER],
                is_banker_pair=pairs[Hand.BANKER],
            )
        )
        self._begin_anew()
        self._say(ShoeSays(STANDBY))

    def _begin_anew(self) -> None:
        self.hands = {Hand.PLAYER: [], Hand.BANKER: []}
        self._last = None

    def _fail(self, code: int) -> None:
        self.error = code
        self._say(ShoeSays(ERROR, code=code, is_on=True))

    def _say(self, said: ShoeSays) -> None:
        if self.is_powered:
            self._said.append(said)


def worth(cards: list[Card]) -> int:
    """What a hand is worth at baccarat: tens and pictures nothing, aces one, the last digit of the sum."""
    return sum(card.rank if card.rank < Rank.TEN else 0 for card in cards) % 10


def _banker_draws(banker: int, player: list[Card]) -> bool:
    """The third card of the bank, by what the player drew (punto banco)."""
    if len(player) < MOST_CARDS:
        return banker <= 5
    third = worth(player[FIRST_CARDS:])
    ranges = {3: range(10), 4: range(2, 8), 5: range(4, 8), 6: range(6, 8)}
    if banker <= 2:
        return True
    return banker in ranges and third in ranges[banker] and not (banker == 3 and third == NATURAL)


def _is_pair(cards: list[Card]) -> bool:
    return len(cards) >= FIRST_CARDS and cards[0].rank == cards[1].rank


def _readable(card: Card) -> Card | None:
    return card if card.printing is Printing.SOUND else None
