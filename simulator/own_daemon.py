"""The daemon as a process of our own: for a scenario that kills and starts it, where no launcher does that."""

from __future__ import annotations

import asyncio
import shlex
import socket
import sys
from contextlib import suppress
from pathlib import Path

# A table host that starts beside other work has its control socket up within this.
START_LIMIT_S = 30.0
LOOK_S = 0.1
# It ends cleanly within five seconds of SIGTERM (docs/howto/run-a-table.md); longer is no clean end.
STOP_LIMIT_S = 15.0


class DaemonRefused(Exception):
    """It does not start: says what was tried, and what it said last stands above on the terminal."""


class OwnDaemon:
    """A `HostProcess`: started by its command line, killed as by kill -9, stopped at the end."""

    def __init__(self, command: str, control_socket: Path) -> None:
        self._command = command
        self._control_socket = control_socket
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Returns once its control socket answers. Raises `DaemonRefused`."""
        try:
            words = shlex.split(self._command)
            # Its log goes to our error output: what people read of the scenario stays apart.
            self._process = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=sys.stderr
            )
        except (OSError, ValueError) as error:
            raise DaemonRefused(f"cannot start {self._command!r}: {error}") from None
        try:
            async with asyncio.timeout(START_LIMIT_S):
                while not self._answers():
                    if self._process.returncode is not None:
                        raise DaemonRefused(
                            f"{self._command!r} ended at once, with exit code {self._process.returncode}"
                        )
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            text = f"{self._command!r} has no control socket at {self._control_socket} after {START_LIMIT_S:g} s"
            raise DaemonRefused(f"{text}: does its host's file name another one?") from None

    async def kill(self) -> None:
        """As by kill -9; nothing where it is dead already."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def stop(self) -> None:
        """Let it end by itself; killed where it does not."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_LIMIT_S):
                await self._process.wait()
        await self.kill()

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.connect(str(self._control_socket))
            except OSError:
                return False
        return True
