"""A real broker on a free loopback port, where mosquitto is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.certificates import Authority
from tests.support.collector import DEADLINE_S

PROGRAM = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
needs_mosquitto = pytest.mark.skipif(
    PROGRAM is None, reason="mosquitto is not installed (Debian: apt-get install mosquitto)"
)


class Mosquitto:
    """One broker: started, stopped, frozen and started anew on the same port, with nothing kept."""

    host = "127.0.0.1"

    def __init__(self, directory: Path, settings: str = "allow_anonymous true") -> None:
        self.port = free_port()
        self._config = directory / "mosquitto.conf"
        self._log = directory / "mosquitto.log"
        self._config.write_text(
            f"listener {self.port} {self.host}\n{settings}\nset_tcp_nodelay true\n"
            "persistence false\nlog_dest stderr\nlog_type all\n"
            "user root\n",  # else it would change to an account that may not read our directory
            encoding="utf-8",
        )
        self._process: subprocess.Popen[bytes] | None = None

    def configure(self, settings: str) -> None:
        """Other settings altogether, with their own listener."""
        self._config.write_text(settings, encoding="utf-8")

    def start(self) -> None:
        """Start it and wait until it answers."""
        assert PROGRAM is not None
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, "-c", str(self._config)], stderr=log, stdout=log)
        end_s = time.monotonic() + DEADLINE_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), 1):
                return
            if self._process.poll() is not None or time.monotonic() > end_s:
                raise AssertionError(f"mosquitto did not start:\n{self._log.read_text(encoding='utf-8')}")
            time.sleep(0.01)

    def stop(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)
            self._process = None

    def freeze(self) -> None:
        """It keeps its connections and says nothing more."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Undo `freeze`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    @property
    def log(self) -> str:
        """What it said so far."""
        return self._log.read_text(encoding="utf-8")


@contextlib.contextmanager
def running_mosquitto(directory: Path) -> Iterator[Mosquitto]:
    """A broker for the length of a block."""
    broker = Mosquitto(directory)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


@contextlib.contextmanager
def secure_mosquitto(directory: Path, *names: str) -> Iterator[Mosquitto]:
    """One that asks for certificates; `names` get theirs in the same folder."""
    authority = Authority(directory)
    for name in ("broker", *names):
        authority.issue(name)
    files = f"cafile {directory}/ca.crt\ncertfile {directory}/broker.crt\nkeyfile {directory}/broker.key\n"
    broker = Mosquitto(directory, f"{files}require_certificate true\nallow_anonymous true")
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker for one test."""
    if PROGRAM is None:
        pytest.skip("mosquitto is not installed (Debian: apt-get install mosquitto)")
    with running_mosquitto(tmp_path) as broker:
        yield broker


def open_sockets() -> int:
    """How many this process has."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found += os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
    return found


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
