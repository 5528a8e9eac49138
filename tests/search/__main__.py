"""`python -m tests.search --seeds N --from K`: a long search; a failing seed is told with its shortened story."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import msgspec

from tests.search.play import ACTS, play_seed, play_story, shortened
from tests.search.story import Story


def main() -> int:
    """Play seeds, tell what was found. The exit code is 1 where something was."""
    parser = argparse.ArgumentParser(prog="python -m tests.search", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first one")
    parser.add_argument("--acts", type=int, default=ACTS, help="how many acts a story")
    parser.add_argument("--shorten", type=int, default=200, metavar="TRIES", help="0: tell the story as it is")
    parser.add_argument("--story", type=Path, help="play the story of a file instead (JSON)")
    parser.add_argument("--keep", type=Path, help="a folder for failing stories, as JSON")
    given = parser.parse_args()
    if given.story is not None:
        played = play_story(msgspec.json.decode(given.story.read_bytes(), type=Story))
        print("\n".join(played.findings) or "nothing found")
        return 1 if played.findings else 0
    failed = 0
    for seed in range(given.first, given.first + given.seeds):
        began = time.perf_counter()
        played = play_seed(seed, given.acts)
        took = time.perf_counter() - began
        print(f"seed {seed}: {took:.1f} s, {played.rows} rows, {played.seen} {played.kind or 'ok'}", flush=True)
        if not played.findings:
            continue
        failed += 1
        story = shortened(played.story, played.kind, given.shorten) if given.shorten else played.story
        again = play_story(story)
        findings = again.findings or played.findings
        print(f"  found: {findings[0]}\n{story}", flush=True)
        if given.keep is not None:
            given.keep.mkdir(parents=True, exist_ok=True)
            (given.keep / f"{seed}.json").write_bytes(msgspec.json.encode(story))
    print(f"{given.seeds} seeds, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
