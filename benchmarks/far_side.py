"""The far side of a pseudo-terminal, in a process of its own, as a device would be: it answers what it is asked.

`python -m benchmarks.far_side ROLE DESCRIPTOR` is that process. The roles answer with what was prepared before:
the far side of a comparison must cost little and the same for everybody.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tty
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[1]
READ_SIZE = 65_536

Answer = Callable[[bytes], bytes]  # what has come in one read, and what goes back


class FarSide:
    """`node` is the port to open, and `pid` the process behind it. Ends with the `with` block."""

    def __init__(self, role: str = "echo") -> None:
        self._role = role
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.node = os.ttyname(self._slave)

    def __enter__(self) -> FarSide:
        command = [sys.executable, "-m", "benchmarks.far_side", self._role, str(self._master)]
        self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[self._master])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)
        os.close(self._slave)


def _echo(data: bytes) -> bytes:
    return data


ROLES: Mapping[str, Callable[[], Answer]] = {"echo": lambda: _echo}


def main() -> None:
    """Answer for ever."""
    role, descriptor = sys.argv[1], int(sys.argv[2])
    answer = ROLES[role]()
    while data := os.read(descriptor, READ_SIZE):
        if reply := answer(data):
            os.write(descriptor, reply)


if __name__ == "__main__":
    main()
