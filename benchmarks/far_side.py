"""The far side of a pseudo-terminal, in a process of its own, as a device would be: it answers what it is asked.

`python -m benchmarks.far_side ROLE DESCRIPTOR` is that process; what comes at its standard input goes out on the
cable unasked. The roles answer with what was prepared before: the far side of a comparison must cost little and the
same for everybody.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import tty
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from benchmarks.prepared import Answer, modbus_device, osdp_reader, tdl_device

ROOT = Path(__file__).parents[1]
READ_SIZE = 65_536


class FarSide:
    """`node` is the port to open. Ends with the `with` block."""

    def __init__(self, role: str = "echo") -> None:
        self._role = role
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.node = os.ttyname(self._slave)

    def __enter__(self) -> FarSide:
        command = [sys.executable, "-m", "benchmarks.far_side", self._role, str(self._master)]
        self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[self._master], stdin=subprocess.PIPE)
        return self

    def send(self, data: bytes) -> None:
        """Let the device say this by itself."""
        assert self._process.stdin is not None
        os.write(self._process.stdin.fileno(), data)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._process:  # closes the pipe and waits
            self._process.kill()
        os.close(self._master)
        os.close(self._slave)


def _echo(data: bytes) -> bytes:
    return data


ROLES: Mapping[str, Callable[[], Answer]] = {
    "echo": lambda: _echo,
    "tdl": tdl_device,
    "modbus": modbus_device,
    "osdp": osdp_reader,
}


def main() -> None:
    """Answer for ever."""
    role, descriptor = sys.argv[1], int(sys.argv[2])
    answer = ROLES[role]()
    standard_input = sys.stdin.fileno()
    while True:
        for ready in select.select([descriptor, standard_input], [], [])[0]:
            data = os.read(ready, READ_SIZE)
            if ready == standard_input and not data:
                return  # who started us is gone
            if reply := answer(data) if ready == descriptor else data:
                os.write(descriptor, reply)


if __name__ == "__main__":
    main()
