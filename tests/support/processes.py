"""Real processes of the product in tests: started, asked, ended; nothing is left behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.mosquitto import free_port

ROOT = Path(__file__).parents[2]
DEADLINE_S = 30.0


def environment(**more: str) -> dict[str, str]:
    """What a child of a test gets."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **more}


def tableside(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command line to its end."""
    command = [sys.executable, "-m", "tableside", *arguments]
    return subprocess.run(
        command, env=environment(**more), capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )


class Running:
    """A daemon of its own process."""

    def __init__(self, config: Path, control: Path, log: Path) -> None:
        self.config = config
        self.socket = control
        self._log = log
        with log.open("ab") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tableside", "run", "--config", str(config)],
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )

    @property
    def log(self) -> str:
        """What it said."""
        return self._log.read_text("utf-8")

    def ask(self, *arguments: str) -> Any:
        """A command line with --json, its one line."""
        done = tableside(*arguments, "--socket", str(self.socket), "--json")
        assert done.stdout, done.stderr + self.log
        return json.loads(done.stdout)

    def told(self, act: str, **keys: object) -> Any:
        """A read, such as `state`, asked at the socket itself."""
        said = self._said({"id": "read", "act": act, **keys})
        assert said["answer"] == "told", said
        return said["what"]

    def asked(self, act: str, staff: str, fields: Mapping[str, object]) -> Any:
        """An act of a person, asked at the socket itself under an id of its own."""
        message = {"id": uuid.uuid4().hex, "act": act, "fields": fields}
        return self._said(message | ({"staff": staff} if staff else {}))

    def _said(self, message: Mapping[str, object]) -> Any:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(DEADLINE_S)
            line.connect(str(self.socket))
            line.sendall(json.dumps(message).encode() + b"\n")
            with line.makefile("rb") as answers:
                return json.loads(answers.readline())

    def until_answering(self) -> None:
        """Wait until it takes connections."""
        until(lambda: self.process.poll() is not None or self._is_answered(), lambda: self.log)
        assert self.process.poll() is None, self.log

    def _is_answered(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.socket))
            except OSError:  # not there yet, or left by one that was killed
                return False
            return True

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end."""
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)


def until(is_so: Callable[[], object], what: Callable[[], str]) -> None:
    """Wait in real time for a named state."""
    end_s = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < end_s, what()
        time.sleep(0.02)


@contextmanager
def daemon(config: Path, control: Path, log: Path) -> Iterator[Running]:
    """A daemon that answers; killed at the end if it still runs."""
    running = Running(config, control, log)
    try:
        running.until_answering()
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait(DEADLINE_S)


# Where the demo's switch box listens; here each table has a port of its own.
DEMO_PORT = "tcp://127.0.0.1:47107"


@contextmanager
def simulated_table(folder: Path, *, pace: int = 20, edits: Mapping[str, str] | None = None) -> Iterator[Path]:
    """The demo's table simulated by a process of its own, on pseudo-terminals and TCP; gives the host's file.

    `edits`: what is to stand in the demo's files instead, such as an address. The simulation is a laboratory's.
    """
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(
        ROOT / "demo", folder / "demo", ignore=ignored, dirs_exist_ok=True
    )  # a test may have put a key there
    _edit(folder / "demo", {DEMO_PORT: f"tcp://127.0.0.1:{free_port()}", **(edits or {})})
    (folder / "run" / "dev").mkdir(parents=True)
    plan, log = folder / "demo" / "simulation.toml", folder / "simulator.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "simulator", "serve", str(plan), "--pace", str(pace), "--lab"],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        nodes = re.findall(r"serial://\.\./(run/dev/\w+)", plan.read_text("utf-8"))
        opened = [folder / "run" / "simulator.sock", *(folder / node for node in nodes)]
        until(
            lambda: process.poll() is not None or all(path.exists() for path in opened),
            lambda: log.read_text("utf-8"),
        )
        assert process.poll() is None, log.read_text("utf-8")
        yield folder / "demo" / "host.toml"
    finally:
        process.terminate()
        process.wait(DEADLINE_S)


def _edit(folder: Path, edits: Mapping[str, str]) -> None:
    """Replace in every file of a configuration; what is found nowhere is a mistake of the test."""
    texts = {path: path.read_text("utf-8") for path in folder.glob("*.toml")}
    for old, new in edits.items():
        assert any(old in text for text in texts.values()), old
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    for path, text in texts.items():
        path.write_text(text, "utf-8")
