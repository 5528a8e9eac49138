"""Rounds played by chance: every choice that the rules allow, cards of six decks, some drawn against the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tableside.cards import RANKS, SUITS, Card
from tableside.games import blackjack
from tableside.games.advice import Against
from tableside.games.blackjack import Choice, Phase, Round, current, due
from tableside.games.blackjack_bets import Bet, insure
from tableside.games.blackjack_hands import ACE, BANK, Fate, Hand, Spot
from tests.law.plain_blackjack import PlainHand

DECKS = 6
SEATS = 7
ADDED = 0.2  # so often somebody else bets on a seat too
WRONG = 0.02  # so often a card is drawn that nobody is to get
INSURED = 0.5  # so often a bet is insured that may be
CHOICES = tuple(Choice)
SET = [Card(rank, suit, "red") for rank in RANKS for suit in SUITS] * DECKS


def shoe(rng: random.Random) -> Iterator[Card]:
    """Cards in the order of a shuffled set; only so far as they are drawn."""
    left = SET.copy()
    while left:
        place = rng.randrange(len(left))
        left[place], left[-1] = left[-1], left[place]
        yield left.pop()


def bets(rng: random.Random) -> list[Bet]:
    """One to seven seats, some with bets of others too."""
    seats = sorted(rng.sample(range(1, SEATS + 1), rng.randint(1, SEATS)))
    own = [Bet(f"P{seat}", seat, 2 * rng.randint(1, 15)) for seat in seats]
    return own + [_added(rng, seat) for seat in seats if rng.random() < ADDED]


def _added(rng: random.Random, seat: int) -> Bet:
    along = {"split_along": rng.randint(0, 2), "is_doubled_along": rng.random() < 0.5}
    return Bet("Q", seat, 2 * rng.randint(1, 15), is_holder=False, **along)


class Teller:
    """Takes each step of a round; one that keeps the steps does it here."""

    def took(self, step: Callable[[Round], Round], played: Round) -> Round:
        """The round after the step. Raises `Against`."""
        return step(played)


class Insurer(Teller):
    """Puts up insurance by chance, as soon as the bank may offer it (BJ-12)."""

    def __init__(self, rng: random.Random, placed: list[Bet]) -> None:
        self.bets = placed
        self._rng, self._is_asked = rng, False

    def took(self, step: Callable[[Round], Round], played: Round) -> Round:
        """The round after the step; the first time that its bank shows an ace, everybody is asked."""
        after = super().took(step, played)
        if not self._is_asked and after.phase is Phase.PLAYERS and after.bank[0].rank == ACE and not after.is_open:
            self._is_asked = True
            self.bets = [self._asked(after, bet) for bet in self.bets]
        return after

    def _asked(self, played: Round, bet: Bet) -> Bet:
        if self._rng.random() < INSURED:
            return insure(played, bet, self._rng.randint(1, bet.amount // 2))
        return bet


def play(rng: random.Random, seats: tuple[int, ...], teller: Teller | None = None) -> tuple[Round, int]:
    """A whole round and how many cards were drawn for it."""
    take = (teller or Teller()).took
    played, cards, drawn = blackjack.begin(seats, draws_soft_17=rng.random() < 0.5), shoe(rng), 0
    while played.phase is not Phase.OVER:
        is_wrong = played.phase is Phase.PLAYERS and rng.random() < WRONG
        if due(played) is not None or is_wrong:
            is_hole = played.phase is Phase.FIRST and len(played.bank) == 1 and due(played) == BANK
            is_turned = rng.random() < WRONG if is_hole else not is_wrong or rng.random() < 0.5
            played = take(_dealt(next(cards), is_turned), played)
            drawn += 1
        elif (spot := current(played)) is not None:
            try:
                played = take(_by_chance(rng, played, spot), played)
            except Against:
                continue
        else:
            played = take(_turned, played)
    return (played if played.is_open else take(_turned, played)), drawn


def _dealt(card: Card, is_turned: bool) -> Callable[[Round], Round]:
    return lambda played: blackjack.deal(played, card, is_turned=is_turned)[0]


def _by_chance(rng: random.Random, played: Round, spot: Spot) -> Callable[[Round], Round]:
    """What whoever is asked wants; even money is for those who are asked nothing any more (BJ-12)."""
    choice = rng.choice(CHOICES)
    return _decided(Spot(rng.choice(played.seats)) if choice is Choice.EVEN_MONEY else spot, choice)


def _decided(spot: Spot, choice: Choice) -> Callable[[Round], Round]:
    return lambda played: blackjack.decide(played, spot, choice)[0]


def _turned(played: Round) -> Round:
    return blackjack.turn_hole(played, played.bank[1])[0]


def plainly(played: Round, hand: Hand) -> PlainHand:
    """A hand for the evaluator that was written apart."""
    return PlainHand(
        cards=[(card.rank, card.suit) for card in hand.cards],
        is_of_a_split=hand.is_split,
        doubled=hand.is_doubled,
        surrendered=hand.fate is Fate.SURRENDERED,
        took_even_money=hand.fate is Fate.PAID and played.bank[0].rank == ACE,
    )
