"""What one more serial link costs: CPU a link of a process with 8, 16, 32 and 64 of them, at play rate.

Four hosts run at once (`benchmarks.playing_host`), each with its own devices (`benchmarks.playing_devices`, also for
what play rate is), and every window measures all four: whatever else the machine does meets them alike. A window in
which a link did not bring its notices is refused. Flat means that a link of 64 costs what one of 8 does.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

from benchmarks.compare import ROUNDS, Reach, Row, rows
from benchmarks.cpu import cpu_ns
from benchmarks.playing_devices import NOTICE_PERIOD_S

ROOT = Path(__file__).parents[1]
COUNTS = (8, 16, 32, 64)
WINDOW_S = 10.0
DEADLINE_S = 30.0
LOOK_S = 0.2
WHAT = "CPU a serial link at play rate"
LATE_NOTICES = 1.5  # a window may begin behind one and end before the next


class Host:
    """A process with so many links."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def notices(self) -> list[int]:
        """Of each link, since the start."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [int(number) for number in self.process.stdout.readline().split()]


@contextmanager
def _module(name: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _host(count: int) -> Iterator[Host]:
    """With every link at play."""
    with _module("playing_devices", str(count)) as devices:
        assert devices.stdout is not None
        nodes = [line.strip() for line in islice(devices.stdout, count)]
        with _module("playing_host", *nodes) as process:
            host = Host(process)
            deadline_s = time.monotonic() + DEADLINE_S
            while min(host.notices()) < 1:
                if time.monotonic() > deadline_s:
                    raise TimeoutError(f"{count} links do not play: {host.notices()}")
                time.sleep(LOOK_S)
            yield host


def measure(rounds: int = ROUNDS, window_s: float = WINDOW_S, counts: Sequence[int] = COUNTS) -> list[Row]:
    """A row for each number of links, against the least."""
    with ExitStack() as end:
        hosts = {count: end.enter_context(_host(count)) for count in counts}
        figures: dict[str, list[float]] = {_name(count): [] for count in counts}
        for _ in range(rounds):
            for count, cost in _window(hosts, window_s).items():
                figures[_name(count)].append(cost)
    least, *more = counts
    reach = Reach(_name(least), 1.2, least=0.8)
    return [row for count in more for row in rows(WHAT, _name(count), figures, [reach], f"µs a second, {count} links")]


def _window(hosts: dict[int, Host], window_s: float) -> dict[int, float]:
    """CPU of each host in one window, in microseconds a second and link."""
    notices = {count: host.notices() for count, host in hosts.items()}
    begun_s = time.monotonic()
    cpu = {count: cpu_ns(host.process.pid) for count, host in hosts.items()}
    time.sleep(window_s)
    spent = {count: cpu_ns(host.process.pid) - cpu[count] for count, host in hosts.items()}
    passed_s = time.monotonic() - begun_s
    for count, host in hosts.items():
        brought = min(after - before for after, before in zip(host.notices(), notices[count], strict=True))
        if brought < passed_s / NOTICE_PERIOD_S - LATE_NOTICES:
            raise RuntimeError(f"{count} links are not at play rate: one brought {brought} notices in {passed_s:.1f} s")
    return {count: ns / 1_000 / passed_s / count for count, ns in spent.items()}


def _name(count: int) -> str:
    return f"a link of {count}"
