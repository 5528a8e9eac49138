"""How long a technician waits for the first answer: our command line against a bare click program that does as little.

Each figure is a whole process, from its start to its end, on the same machine and the same Python. What is asked
answers both sides alike: a thread that reads a line and writes the status of a table with three devices.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows

ROOT = Path(__file__).parents[1]
HELP_BAR, STATUS_BAR = 1.3, 2.0
BARE = "a bare click program"
BARE_ASKING = "bare click that asks one question"

_BARE_HELP = """
import click
@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def program():
    "Run the hardware of a casino card table."
@program.command()
def status():
    "How it is."
program()
"""
_BARE_ASKING = """
import json, socket, sys
import click
@click.command()
@click.argument("path")
def ask(path):
    "Ask one question."
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.sendall(json.dumps({"id": "1", "act": "status"}).encode() + b"\\n")
        with line.makefile("rb") as answers:
            click.echo(json.loads(answers.readline())["answer"])
ask()
"""
_DEVICE = {
    "model": "CSM-SIM",
    "serial": "000123",
    "firmware": "1.0",
    "trust": "self-reported",
    "silent_ms": 12,
    "is_connected": True,
    "losses": 0,
    "why_away": "",
    "ended_by": "",
    "counts": {"bytes_in": 12_000, "bytes_out": 9_000, "frames_in": 800, "garbage": {"bad_check": 1}},
}
_STATUS = {
    "host": "pit-1",
    "version": "0.1.0",
    "profile": "lab",
    "pid": 1,
    "loop": {"lag_ms": 0.1, "most_lag_ms": 3.0, "late_samples": 0},
    "space": {"/": "enough"},
    "refused_tables": {},
    "tables": {
        "BJ-1": {
            "stopped": "",
            "locked": "",
            "codes_ignored": {},
            "row": 4_000,
            "journal": {"journal_bytes": 1_000_000, "reserve_rows": 0, "troubles": []},
            "devices": dict.fromkeys(("shuffler", "switches", "badges"), _DEVICE),
            "ledger": None,
            "restarts": {},
        }
    },
}


@contextmanager
def _answering() -> Iterator[str]:
    """The path of a socket at which somebody answers until the end."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        path = str(Path(folder) / "control.sock")
        listening.bind(path)
        listening.listen()

        def serve() -> None:
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    return
                with line, line.makefile("rwb") as both:
                    asked = json.loads(both.readline())
                    both.write(json.dumps({"id": asked["id"], "answer": "told", "what": _STATUS}).encode() + b"\n")
                    both.flush()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield path
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def _seconds(*arguments: str) -> float:
    """A Python process with these arguments, from start to end."""
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return time.perf_counter() - begin


def measure(rounds: int = ROUNDS, slices: int = 3) -> list[Row]:
    """`tableside --help`, and `tableside diag status`."""
    helped = interleave(
        {
            "ours": lambda: _seconds("-m", "tableside", "--help"),
            BARE: lambda: _seconds("-c", _BARE_HELP, "--help"),
        },
        rounds,
        slices,
    )
    with _answering() as path:
        asked = interleave(
            {
                "ours": lambda: _seconds("-m", "tableside", "diag", "status", "--socket", path),
                BARE_ASKING: lambda: _seconds("-c", _BARE_ASKING, path),
            },
            rounds,
            slices,
        )
    return [
        *rows("tableside --help", "ours", helped, [Reach(BARE, HELP_BAR)], "s"),
        *rows("tableside diag status", "ours", asked, [Reach(BARE_ASKING, STATUS_BAR)], "s"),
    ]
