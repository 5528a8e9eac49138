"""Rounds of blackjack through tracking and settlement, against the plain evaluation of the same finished hands.

The same rounds of a full table, played by chance beforehand, are told again card by card and decision by decision to
`tableside.games.blackjack`, then settled. The peer only evaluates hands that lie there already: totals, blackjack, what
goes back of each stake, in loops over lists.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows
from tableside.games import blackjack
from tableside.games.blackjack import Round
from tableside.games.blackjack_bets import Bet, Payment, settle
from tests.law import plain_blackjack
from tests.law.blackjack_chance import SEATS, Teller, play

PLAYED = 200
OURS = "tracked and settled"
PEER = "plain evaluation"

Step = Callable[[Round], Round]


@dataclass(frozen=True, slots=True)
class Told:
    """One round: what was told, the bets, and what the plain evaluation gets."""

    steps: Sequence[Step]
    bets: Sequence[Bet]
    draws_soft_17: bool
    hands: Sequence[tuple[list[str], list[str], int, bool, bool]]


class _Recorder(Teller):
    """Plays as `Teller` does, and keeps each step that was taken."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def took(self, step: Step, played: Round) -> Round:
        after = step(played)
        self.steps.append(step)
        return after


def _told(number: int) -> Told:
    rng, recorder = random.Random(f"bench {number}"), _Recorder()
    bets = [Bet(f"P{seat}", seat, 1_000) for seat in range(1, SEATS + 1)]
    played, _ = play(rng, tuple(range(1, SEATS + 1)), recorder)
    return Told(recorder.steps, bets, played.draws_soft_17, [_plain(played, each) for each in settle(played, bets)])


def _plain(played: Round, payment: Payment) -> tuple[list[str], list[str], int, bool, bool]:
    hand = played.hands[payment.seat][payment.hand]
    ranks, bank = [card.rank for card in hand.cards], [card.rank for card in played.bank]
    return ranks, bank, payment.staked, not hand.is_split, hand.is_ace_one


def _ours(told: Sequence[Told]) -> float:
    started = time.process_time()
    for each in told:
        played = blackjack.begin(tuple(range(1, SEATS + 1)), draws_soft_17=each.draws_soft_17)
        for step in each.steps:
            played = step(played)
        settle(played, each.bets)
    return 1e6 * (time.process_time() - started) / len(told)


def _peer(told: Sequence[Told]) -> float:
    started = time.process_time()
    for each in told:
        for ranks, bank, stake, natural, ace_low in each.hands:
            plain_blackjack.back(ranks, bank, stake, natural=natural, ace_low=ace_low)
    return 1e6 * (time.process_time() - started) / len(told)


def measure(rounds: int = ROUNDS) -> list[Row]:
    """CPU of a round of seven seats."""
    told = [_told(number) for number in range(PLAYED)]
    figures = interleave({OURS: lambda: _ours(told), PEER: lambda: _peer(told)}, rounds, slices=3)
    return rows("CPU of a blackjack round", OURS, figures, [Reach(PEER, 25.0)], "µs")
