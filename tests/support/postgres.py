"""A PostgreSQL server of its own for a test: real, on loopback, killed and started again as the test likes."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

FOLDERS = ("/usr/lib/postgresql/*/bin",)
DEADLINE_S = 30.0
ACCOUNT = "postgres"  # the server refuses to run as root


def find(name: str) -> str | None:
    """Where one of the server's programs is; None where PostgreSQL is not installed."""
    places = [place for pattern in FOLDERS for place in sorted(glob.glob(f"{pattern}/{name}"))]
    return shutil.which(name) or next(iter(places), None)


def program(name: str) -> str:
    """The same, and a test that needs it is skipped."""
    return find(name) or pytest.skip("PostgreSQL is not installed")


class Postgres:
    """One server with an empty database. `start`, `kill` (as a power cut would) and `stop` it."""

    def __init__(self) -> None:
        self._account = ACCOUNT if os.geteuid() == 0 else None
        self._programs = {name: program(name) for name in ("initdb", "postgres")}
        self.folder = Path(tempfile.mkdtemp(prefix="tableside-ledger-"))
        if self._account:
            shutil.chown(self.folder, self._account)
        self._data = self.folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        options = ("-A", "trust", "-U", "test", "--no-sync", "-E", "UTF8", "--locale=C")
        self._run(self._programs["initdb"], "-D", str(self._data), *options)

    @property
    def address(self) -> str:
        """Where the ledger is."""
        return f"postgresql://test@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start, and wait until it answers."""
        words = (self._programs["postgres"], "-D", str(self._data), "-p", str(self.port), "-h", "127.0.0.1")
        log = (self.folder / "server.log").open("ab")
        self._process = subprocess.Popen(
            (*words, "-k", "", "-c", "max_connections=150"), stdout=log, stderr=log, user=self._account, cwd=self.folder
        )
        log.close()
        deadline = time.monotonic() + DEADLINE_S
        while not self._accepts():
            assert self._process.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.02)

    def _accepts(self) -> bool:
        """Its log says so since this start; a port that is open is not enough."""
        text = (self.folder / "server.log").read_text()
        return text.rfind("ready to accept connections") > text.rfind("starting PostgreSQL")

    def kill(self) -> None:
        """As a power cut would: nobody is told."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        """Stop, and leave nothing behind."""
        if self._process is not None:
            self._end(signal.SIGINT)
        shutil.rmtree(self.folder)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(DEADLINE_S)
        self._process = None

    def _run(self, *words: str) -> None:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, user=self._account, cwd=self.folder)
