"""Light barriers that count passing cards: they drift with dust, and then they miss."""

from __future__ import annotations

import random
from dataclasses import dataclass

# The light that is left over the threshold, 1.0 when clean. Below WEAK the sensor itself reports it; below
# BLINDING it begins to miss cards (assumed: it reports before it fails, as margins are meant to).
WEAK_MARGIN = 0.35
BLINDING_MARGIN = 0.25
# A reader in normal order errs at most once per 100 decks (Dealer4 manual): 5,200 cards.
MISREADS_PER_CARD = 1 / 5_200
# Rollers shed this much light per card: from clean to weak in about 65,000 cards, some five days of play at
# 13,800 dealt a day, near the "clean every two sets" of the same manual (assumed).
DUST_PER_CARD = 1e-5


@dataclass(slots=True)
class CountingSensor:
    """One light barrier. `margin` 1.0 clean … 0.0 dark; `is_stuck`: never toggles."""

    rng: random.Random
    misreads_per_card: float = MISREADS_PER_CARD
    dust_per_card: float = DUST_PER_CARD
    margin: float = 1.0
    is_stuck: bool = False
    missed: int = 0

    def sees_card(self) -> bool:
        """One card (or two stuck together) passes. False: it was missed, which only the world knows."""
        self.margin = max(0.0, self.margin - self.dust_per_card)
        is_seen = not self.is_stuck and self.rng.random() >= self._miss_chance()
        if not is_seen:
            self.missed += 1
        return is_seen

    def count(self, cards: int) -> int:
        """Look at a resting group edge by edge: how many it finds."""
        return sum(self.sees_card() for _ in range(cards))

    @property
    def is_weak(self) -> bool:
        return self.margin < WEAK_MARGIN

    def _miss_chance(self) -> float:
        if self.margin >= BLINDING_MARGIN:
            return self.misreads_per_card
        return max(self.misreads_per_card, 1.0 - self.margin / BLINDING_MARGIN)
