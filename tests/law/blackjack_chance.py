"""Rounds played by chance: every choice that the rules allow, cards of six decks, some drawn against the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tableside.cards import RANKS, SUITS, Card
from tableside.games import blackjack
from tableside.games.advice import Against
from tableside.games.blackjack import Choice, Phase, Round, current, due
from tableside.games.blackjack_bets import Bet
from tableside.games.blackjack_hands import BANK

DECKS = 6
SEATS = 7
ADDED = 0.2  # so often somebody else bets on a seat too
WRONG = 0.02  # so often a card is drawn that nobody is to get
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


def play(rng: random.Random, seats: tuple[int, ...]) -> tuple[Round, int]:
    """A whole round and how many cards were drawn for it."""
    played, cards, drawn = blackjack.begin(seats, draws_soft_17=rng.random() < 0.5), shoe(rng), 0
    while played.phase is not Phase.OVER:
        is_wrong = played.phase is Phase.PLAYERS and rng.random() < WRONG
        if due(played) is not None or is_wrong:
            is_hole = played.phase is Phase.FIRST and len(played.bank) == 1 and due(played) == BANK
            is_turned = rng.random() < WRONG if is_hole else not is_wrong or rng.random() < 0.5
            played, _ = blackjack.deal(played, next(cards), is_turned=is_turned)
            drawn += 1
        elif (spot := current(played)) is not None:
            try:
                played, _ = blackjack.decide(played, spot, rng.choice(CHOICES))
            except Against:
                continue
        else:
            played, _ = blackjack.turn_hole(played, played.bank[1])
    if not played.is_open:
        played, _ = blackjack.turn_hole(played, played.bank[1])
    return played, drawn
