"""What takes too long for each change, on as many cores as there are: `make law`. Seeds are those of the tests, and on.

A million rounds of blackjack by chance; ten thousand faulty rounds found from sensors alone, for each kind of table.
"""

from __future__ import annotations

import multiprocessing
import random

from tableside.games.round_signals import Sign
from tests.law.sensed_play import Returns
from tests.law.test_blackjack_chance import ROUNDS, check_round
from tests.law.test_rounds_sensed import ROUNDS as SENSED_ROUNDS
from tests.law.test_rounds_sensed import check, played, without

MILLION = 1_000_000
SENSED_SEEDS = range(1, 4)
# By name: whether hands are swept into the tray one by one, when cards go back, which sensors the table lacks.
SENSED_TABLES: dict[str, tuple[bool, Returns, tuple[Sign, ...]]] = {
    "hands gathered, two gates and a counting tray": (False, Returns.AT_ONCE, ()),
    "hands gathered, two gates and no more": (False, Returns.AT_ONCE, (Sign.TRAY,)),
    "hands swept, two gates and a counting tray": (True, Returns.AT_ONCE, ()),
    "hands swept, two gates and no more": (True, Returns.AT_ONCE, (Sign.TRAY,)),
    "cards back after the next deal, gates and tray": (True, Returns.AFTER_NEXT_DEAL, ()),
    "a shoe with a reader and a counting tray": (True, Returns.AT_SHOES_END, (Sign.CARDS_IN,)),
}


def batch(number: int) -> int:
    """One batch under its own seed. Raises AssertionError where something does not hold."""
    rng = random.Random(f"rounds {number}")
    for _ in range(ROUNDS):
        check_round(rng)
    return ROUNDS


def found(what: tuple[str, int]) -> str:
    """One kind of table under one seed, in words. Raises AssertionError below the bar."""
    name, seed = what
    is_swept, returns, lacks = SENSED_TABLES[name]
    result = check(played(SENSED_ROUNDS, seed, sweeps_to_tray=is_swept, returns=returns), without(*lacks))
    return f"{name}, seed {seed}: {result.right:,} of {SENSED_ROUNDS:,} rounds right, {result.unsure} unsure"


def main() -> None:
    """Play them all and say so."""
    with multiprocessing.Pool() as pool:
        for told in pool.imap(found, [(name, seed) for name in SENSED_TABLES for seed in SENSED_SEEDS]):
            print(told, flush=True)
        rounds = sum(pool.imap_unordered(batch, range(MILLION // ROUNDS)))
    print(f"{rounds:,} rounds: no card and no unit of money was made or lost")


if __name__ == "__main__":
    main()
