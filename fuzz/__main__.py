"""`python -m fuzz [--seconds N] [--jobs N] [--must] [NAME …]`: each target for so long, in a process of its own.

A target that finds something is told with the bytes, and the others still run; the end is 1 then. Without atheris
nothing is fuzzed, which is said, and the end is 0; with `--must`, as CI has it, 1. `--again NAME HEX` judges these
bytes once.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from fuzz.targets import TARGETS

ROOT = Path(__file__).parents[1]
LONG_S = 900
INPUT_MAX_BYTES = 4096  # more than any frame of ours; longer ones say nothing new and cost time
INPUT_LIMIT_S = 10  # for one input of that size, cut in three ways; a codec needs milliseconds
MEMORY_LIMIT_MB = 512
GRACE_S = 60  # for start, instrumenting and the last input
TAIL_LINES = 30


def fuzz(name: str, seconds: int, folder: Path) -> str:
    """Run one target; empty, or what it found."""
    seeds, found = folder / name / "seeds", folder / name / "found"
    for made in (seeds, found):
        made.mkdir(parents=True)
    for number, seed in enumerate(TARGETS[name].seeds()):
        (seeds / f"{number:04d}").write_bytes(seed)
    limits = {
        "max_total_time": seconds,
        "max_len": INPUT_MAX_BYTES,
        "timeout": INPUT_LIMIT_S,
        "rss_limit_mb": MEMORY_LIMIT_MB,
        "artifact_prefix": f"{found}/",
        "print_final_stats": 1,
    }
    arguments = [*(f"-{key}={value}" for key, value in limits.items()), str(seeds)]
    command = [sys.executable, "-m", "fuzz.one", name, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False, timeout=seconds + GRACE_S
    )
    lines = done.stderr.splitlines()
    tried = next((line.split()[-1] for line in lines if "number_of_executed_units" in line), "?")
    if done.returncode == 0:
        print(f"{name}: {tried} inputs, nothing found", flush=True)
        return ""
    kept = [f"{path.name} {path.read_bytes().hex()}" for path in sorted(found.iterdir())]
    return "\n".join(
        [f"{name}: FOUND after {tried} inputs", *done.stdout.splitlines()[-TAIL_LINES:], *lines[-TAIL_LINES:], *kept]
    )


def fuzz_all(names: Sequence[str], seconds: int, jobs: int) -> int:
    """Every named target; 1 where one of them found something."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, ThreadPoolExecutor(jobs) as pool:
        told = [text for text in pool.map(lambda name: fuzz(name, seconds, Path(folder)), names) if text]
    for text in told:
        print(text, file=sys.stderr)
    return 1 if told else 0


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Any bytes against every codec.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(TARGETS)}; all if none is named")
    parser.add_argument("--seconds", type=int, default=LONG_S, help=f"for each target ({LONG_S})")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (1)")
    parser.add_argument("--must", action="store_true", help="without atheris the end is 1, not 0")
    parser.add_argument("--again", nargs=2, metavar=("NAME", "HEX"), help="judge these bytes once")
    given = parser.parse_args(words)
    if given.again:
        TARGETS[given.again[0]].oracle.check(bytes.fromhex(given.again[1]))
        return 0
    if unknown := [name for name in given.names if name not in TARGETS]:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(TARGETS)}")
    if find_spec("atheris") is None:
        print("SKIPPED: atheris is not installed (pip install 'tableside[fuzz]', Linux on x86-64): nothing was fuzzed")
        return 1 if given.must else 0
    return fuzz_all(given.names or list(TARGETS), given.seconds, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
