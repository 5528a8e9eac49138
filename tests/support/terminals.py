"""Command lines on the terminals that technicians have: a wide one, a narrow dumb one without UTF-8, a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
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


# One process for many command lines, so that each does not wait for its imports: after each a line with its code.
_MARK = "@@ ended with"
_PROGRAM = f"""
import json, sys
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
for line in json.loads(sys.argv[1]):
    code = run_command(tableside, line)
    sys.stdout.write(f"{_MARK} {{int(code)}}\\n")
    sys.stdout.flush()
"""


def run_on(terminal: Terminal, lines: Sequence[Sequence[str]]) -> list[Seen]:
    """`tableside` with each of these arguments, one after the other, to its end."""
    command = [sys.executable, "-c", _PROGRAM, json.dumps([list(line) for line in lines])]
    environment = _environment(terminal)
    if not terminal.columns:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=4 * DEADLINE_S, check=False
        )
        assert not done.returncode, done.stderr
        return [Seen(one.code, one.out, done.stderr) for one in _apart(done.stdout)]
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, terminal.columns))
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        seen = bytearray()
        with contextlib.suppress(OSError):  # a terminal whose other end is shut
            while chunk := os.read(ours, 65_536):
                seen += chunk
        assert child.wait(DEADLINE_S) == 0, seen
    os.close(ours)
    return list(_apart(bytes(seen)))


def _apart(out: bytes) -> Iterator[Seen]:
    begin = 0
    for mark in re.finditer(rb"%s (\d+)\r?\n" % _MARK.encode(), out):
        yield Seen(int(mark[1]), out[begin : mark.start()])
        begin = mark.end()


def _environment(terminal: Terminal) -> dict[str, str]:
    keeps = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**keeps, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **dict(terminal.environment)}
