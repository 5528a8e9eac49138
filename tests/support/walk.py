"""Pages that are walked: blocks are the files, edits are applied, commands run, their output compared.

What a page may have, each fence behind a paragraph whose last line names its file in backticks and ends with a colon:

- a block of any language but `diff` and `console`: the whole of a new file;
- a `diff` block: lines that begin with a blank or `-` must stand in the file together, once; `-` goes, `+` comes; a
  line `@@` parts two places of one file;
- a `console` block: `$ command`, which ends with 0, then what it prints. `…` stands for any text within a line, alone
  for any lines. A command that ends with `&` goes on; what it prints first is waited for. A question (`tableside …`)
  is asked again until it answers so.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
ANY = "…"
DEADLINE_S = 30.0
# Tests within the walk: as long as a slow machine takes.
COMMAND_LIMIT_S = 400.0
PLACE_BREAK = "@@"
_FENCE = re.compile(r"^(`{3,})(\w*)$")
_NAMED = re.compile(r"`([\w./-]+)`:$")


class WalkBroken(AssertionError):
    """The page and the project have drifted apart: says where."""


@dataclass(frozen=True)
class Block:
    """One fence; `path` is the file that it is or changes."""

    line: int
    language: str
    path: str
    text: str


@dataclass
class Walk:
    """One walk in a folder of its own."""

    page: Path
    folder: Path
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def take(self) -> None:
        """From the first block to the last. Raises `WalkBroken`."""
        try:
            for block in blocks(self.page.read_text("utf-8")):
                self._block(block)
        finally:
            self._end()

    def _block(self, block: Block) -> None:
        where = f"{self.page.name}:{block.line}"
        if block.language == "console":
            for command, expected in commands(block.text):
                self._run(where, command, expected)
            return
        if not block.path:
            raise WalkBroken(f"{where}: the paragraph before a block names its file and ends with a colon")
        path = self.folder / block.path
        if block.language == "diff":
            path.write_text(patched(path.read_text("utf-8"), block.text, where), "utf-8")
            return
        if path.exists():
            raise WalkBroken(f"{where}: {block.path} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")

    def _run(self, where: str, command: str, expected: str) -> None:
        if command.endswith("&"):
            self._start(where, command.rstrip(" &"), expected)
            return
        deadline = time.monotonic() + DEADLINE_S
        is_question = command.startswith("tableside ")
        while True:
            words = shlex.split(command)
            done = subprocess.run(
                words,
                cwd=self.folder,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=COMMAND_LIMIT_S,
            )
            if done.returncode == 0 and fits(done.stdout, expected):
                return
            if not is_question or time.monotonic() > deadline:
                ended = f"{where}: {command}, exit code {done.returncode}"
                raise WalkBroken(f"{ended}\n--- the page shows\n{expected}\n--- it printed\n{done.stdout}")
            time.sleep(0.2)

    def _start(self, where: str, command: str, expected: str) -> None:
        log = self.folder / f"walk-{len(self.running)}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                shlex.split(command),
                cwd=self.folder,
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.running.append(process)
        deadline = time.monotonic() + DEADLINE_S
        while not fits(log.read_text("utf-8"), f"{expected}\n{ANY}" if expected else ANY):
            if time.monotonic() > deadline or process.poll() is not None:
                raise WalkBroken(
                    f"{where}: {command}\n--- awaited\n{expected}\n--- it printed\n{log.read_text('utf-8')}"
                )
            time.sleep(0.1)

    @property
    def _environment(self) -> dict[str, str]:
        """The project's own programs, of the copy; nothing of the test that walks."""
        programs = self.folder / "walk-bin"
        if not programs.is_dir():
            programs.mkdir()
            for name, module in (("tableside", "tableside"), ("tableside-sim", "simulator")):
                script = programs / name
                script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n', "utf-8")
                script.chmod(0o755)
        path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "TABLESIDE", "COV"))
        }
        return {**kept, "PATH": path, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def _end(self) -> None:
        for process in reversed(self.running):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=DEADLINE_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def blocks(page: str) -> Iterator[Block]:
    """Every fence of a page, in order."""
    lines = page.splitlines()
    at, before = 0, ""
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is None:
            before = lines[at].rstrip() or before
            at += 1
            continue
        end = lines.index(fence[1], at + 1)
        named = _NAMED.search(before)
        yield Block(at + 1, fence[2], named[1] if named else "", "".join(f"{line}\n" for line in lines[at + 1 : end]))
        at, before = end + 1, ""


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a console with what it shall print."""
    for piece in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, expected = piece.partition("\n")
        yield command.strip(), expected.rstrip("\n")


def fits(printed: str, expected: str) -> bool:
    """Whether a program printed what the page shows."""
    pattern = ""
    for line in expected.splitlines():
        if line == ANY:
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\\n]*?".join(re.escape(part) for part in line.split(ANY)) + r"[ ]*\n"
    text = printed.rstrip("\n") + "\n" if printed.strip() else ""
    return re.fullmatch(pattern, text) is not None


def patched(text: str, diff: str, where: str) -> str:
    """A file with the lines of a diff block in their places. Raises `WalkBroken` where a place is not there once."""
    for place in re.split(rf"^{PLACE_BREAK}\n", diff, flags=re.MULTILINE):
        lines = place.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        found = len(re.findall(rf"^{re.escape(old)}", text, flags=re.MULTILINE))
        if found != 1:
            raise WalkBroken(f"{where}: stands {found} times in the file, and has to stand there once:\n{old}")
        text = re.sub(rf"^{re.escape(old)}", lambda _match, new=new: new, text, flags=re.MULTILINE)
    return text


def lines_of(page: str) -> tuple[int, int]:
    """How much a walk writes: lines of new files of the product, without tests, and lines added to files there are."""
    new = added = 0
    for block in blocks(page):
        if block.language == "diff":
            added += sum(line.startswith("+") for line in block.text.splitlines())
        elif block.language == "python" and not block.path.startswith("tests/"):
            new += sum(bool(line.strip()) for line in block.text.splitlines())
    return new, added
