"""Command lines on the terminals that technicians have: a wide one, a narrow dumb one without UTF-8, a pipe."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import termios
from dataclasses import dataclass

from tests.support.processes import DEADLINE_S, ROOT

NARROW = 40


@dataclass(frozen=True, slots=True)
class Terminal:
    """`columns` 0 is a pipe; `environment` beside what every child gets."""

    name: str
    columns: int
    environment: tuple[tuple[str, str], ...]
    is_ascii: bool = False


UTF_8 = (("LANG", "C.UTF-8"), ("TERM", "xterm-256color"))
PLAIN = (("LANG", "C"), ("LC_ALL", "C"), ("TERM", "dumb"))
TERMINALS = (
    Terminal("wide", 100, UTF_8),
    Terminal("narrow", NARROW, UTF_8),
    Terminal("narrow, dumb, C", NARROW, PLAIN, is_ascii=True),
    Terminal("pipe", 0, UTF_8),
    Terminal("pipe, dumb, C", 0, PLAIN),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was printed, and the code it ended with. On a terminal both streams are one."""

    code: int
    out: bytes
    err: bytes = b""

    @property
    def text(self) -> str:
        """As the terminal takes it."""
        return self.out.decode("utf-8").replace("\r\n", "\n")


def run_on(terminal: Terminal, *arguments: str) -> Seen:
    """`tableside` with these arguments, to its end."""
    command = [sys.executable, "-m", "tableside", *arguments]
    environment = _environment(terminal)
    if not terminal.columns:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S, check=False
        )
        return Seen(done.returncode, done.stdout, done.stderr)
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, terminal.columns))
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        seen = bytearray()
        with contextlib.suppress(OSError):  # a terminal whose other end is shut
            while chunk := os.read(ours, 65_536):
                seen += chunk
        code = child.wait(DEADLINE_S)
    os.close(ours)
    return Seen(code, bytes(seen))


def _environment(terminal: Terminal) -> dict[str, str]:
    keeps = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**keeps, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **dict(terminal.environment)}
