"""An echo on the far side of a pseudo-terminal, in a process of its own, as a device would be."""

from __future__ import annotations

import os
import pty
import select
import signal
import tty
from types import TracebackType


class PtyEcho:
    """`node` is the port to open; every byte comes back. Ends with the `with` block."""

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.node = os.ttyname(self._slave)
        self._child = 0

    def __enter__(self) -> PtyEcho:
        self._child = os.fork()
        if self._child == 0:
            self._run()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._master)
        os.close(self._slave)

    def _run(self) -> None:
        try:
            while True:
                select.select([self._master], [], [])
                os.write(self._master, os.read(self._master, 65_536))
        finally:
            os._exit(0)
