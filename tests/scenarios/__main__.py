"""Whole table-days in virtual time with the field's faults: `make table-day`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.scenarios.test_table_day import play_day
from tests.support.jumping_loop import run_virtual

TABLE_DAY = 600  # rounds (semantics §7)


def main() -> int:
    """Play the days and tell what was found. The exit code is 1 where something was."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenarios", description=__doc__)
    parser.add_argument("--rounds", type=int, default=TABLE_DAY, help="of each day")
    parser.add_argument("--seeds", type=int, default=1, help="how many days")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first day's seed")
    given = parser.parse_args()
    failed = 0
    for seed in range(given.first, given.first + given.seeds):
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows = run_virtual(play_day(Path(folder), seed, given.rounds), seed=seed)
            except AssertionError as found:
                failed += 1
                print(f"seed {seed}: {found}", flush=True)
                continue
        told = ", ".join(f"{rows[kind]:,} {kind}" for kind in ("CardsLeft", "JackpotPaid", "JamOpened", "CountEnded"))
        print(
            f"seed {seed}: {given.rounds} rounds in {time.perf_counter() - began:.0f} s, no checker fired ({told})",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
