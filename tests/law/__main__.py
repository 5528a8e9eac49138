"""A million rounds by chance, on as many cores as there are: `make law`. The seeds are those of the test, and on."""

from __future__ import annotations

import multiprocessing
import random

from tests.law.test_blackjack_chance import ROUNDS, check_round

MILLION = 1_000_000


def batch(number: int) -> int:
    """One batch under its own seed. Raises AssertionError where something does not hold."""
    rng = random.Random(f"rounds {number}")
    for _ in range(ROUNDS):
        check_round(rng)
    return ROUNDS


def main() -> None:
    """Play them all and say so."""
    with multiprocessing.Pool() as pool:
        played = sum(pool.imap_unordered(batch, range(MILLION // ROUNDS)))
    print(f"{played:,} rounds: no card and no unit of money was made or lost")


if __name__ == "__main__":
    main()
