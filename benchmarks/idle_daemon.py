"""The daemon at rest: a closed table with all its devices, on pseudo-terminals, in a process of its own.

Its CPU against a bare loop that sends the same polls at the same times over pseudo-terminals of its own
(`benchmarks.bare_polls`), both running side by side and read in the same windows; and the memory that is resident.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.compare import ROUNDS, Reach, Row, rows
from benchmarks.cpu import cpu_ns
from benchmarks.far_side import FarSide
from tests.support.processes import ROOT, Running, daemon, environment, simulated_table, until

TABLE = "BJ-07"
DEVICES = ("shuffler", "spare", "switches", "badges")
TDL_DEVICES = 3
WINDOW_S = 10.0
REST_S = 3.0  # what was found at the start has been counted, told and written by then
OURS = "daemon at rest"
PEER = "bare loop, same polls"
MEMORY = "MB resident"
_KB_A_MB = 1_024


def measure(rounds: int = ROUNDS, window_s: float = WINDOW_S) -> list[Row]:
    """CPU and memory, a window each round."""
    cpu: dict[str, list[float]] = {OURS: [], PEER: []}
    memory_mb = []
    with _bare() as bare, _daemon() as ours:
        time.sleep(REST_S)
        for _ in range(rounds):
            before = cpu_ns(ours), cpu_ns(bare)
            time.sleep(window_s)
            cpu[OURS].append((cpu_ns(ours) - before[0]) / window_s / 1_000_000)
            cpu[PEER].append((cpu_ns(bare) - before[1]) / window_s / 1_000_000)
            memory_mb.append(_resident_mb(ours))
    return [
        *rows("daemon at rest, one table: CPU", OURS, cpu, [Reach(PEER, 3.0)], "ms a second"),
        Row("daemon at rest, one table: memory", Reach(MEMORY, 60), tuple(memory_mb), ""),
    ]


@contextmanager
def _daemon() -> Iterator[int]:
    """The process of a daemon whose devices are all there, and whose machine is counted."""
    with ExitStack() as end:
        folder = Path(end.enter_context(tempfile.TemporaryDirectory(prefix="idle-bench-")))
        config = end.enter_context(simulated_table(folder))
        running = end.enter_context(daemon(config, folder / "run" / "control.sock", folder / "log"))
        until(lambda: _is_at_rest(running), lambda: running.log)
        yield running.process.pid
        running.end()


def _is_at_rest(running: Running) -> bool:
    devices = running.ask("status")["tables"][TABLE]["devices"]
    return all(devices[name]["is_connected"] for name in DEVICES)


@contextmanager
def _bare() -> Iterator[int]:
    with ExitStack() as end:
        nodes = [end.enter_context(FarSide(role)).node for role in ("osdp", *["tdl"] * TDL_DEVICES)]
        command = [sys.executable, "-m", "benchmarks.bare_polls", *nodes]
        process = end.enter_context(subprocess.Popen(command, cwd=ROOT, env=environment()))
        end.callback(process.kill)
        yield process.pid


def _resident_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text("ascii")
    (resident,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(resident.split()[1]) / _KB_A_MB
