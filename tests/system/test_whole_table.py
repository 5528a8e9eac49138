"""Daemon, simulator and command line as processes, over pseudo-terminals."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tableside.exit_codes import ExitCode
from tests.support.processes import DEADLINE_S, Running, daemon, environment, simulated_table, tableside, until

pytestmark = pytest.mark.system
DEVICES = ("shuffler", "switches", "badges")


@dataclass
class Table:
    """A running table and its files."""

    running: Running
    config: Path
    folder: Path

    @property
    def journal(self) -> Path:
        return self.folder / "run" / "BJ-07.db"

    def is_connected(self) -> bool:
        devices = self.running.ask("status")["tables"]["BJ-07"]["devices"]
        return all(devices[name]["is_connected"] for name in DEVICES)

    def rows(self, kind: str) -> int:
        """How many rows of a type are durable."""
        with sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True) as reading:
            (count,) = reading.execute("SELECT count(*) FROM record WHERE type = ?", (kind,)).fetchone()
        reading.close()
        return int(count)


@contextmanager
def alive(folder: Path, config: Path) -> Iterator[Table]:
    with daemon(config, folder / "run" / "control.sock", folder / "log") as running:
        table = Table(running, config, folder)
        until(table.is_connected, lambda: running.log)
        yield table


@contextmanager
def command(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tableside", *arguments],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_from_ptys_to_the_record_and_back_through_a_kill(tmp_path: Path) -> None:
    """SIGKILL in the middle of a count: nothing is done twice, the same state, the chain holds; then a clean stop."""
    with simulated_table(tmp_path, pace=8) as config:
        with alive(tmp_path, config) as table:
            until(lambda: table.rows("CountEnded") == 1, lambda: table.running.log)  # a machine just switched on
            accepted = table.rows("CommandAccepted")
            counting = table.running.ask("count", "all", "--as", "S-201", "--id", "count-1")
            assert counting["answer"] == "accepted"
            until(lambda: table.rows("CommandAccepted") > accepted, lambda: table.running.log)
            table.running.end(signal.SIGKILL)
        assert table.rows("CountEnded") == 1, "killed in the middle"
        with alive(tmp_path, config) as table:
            assert table.running.ask("count", "all", "--as", "S-201", "--id", "count-1") == counting
            until(lambda: table.rows("CountEnded") == 2, lambda: table.running.log)
            assert table.running.end() == ExitCode.DONE, table.running.log
        assert table.rows("CountEnded") == 2
        counts = sqlite3.connect(table.journal).execute(
            "SELECT count(*) FROM record WHERE type = 'CommandIntended' AND instr(body, 'count all')"
        )
        assert counts.fetchone() == (2,)
        counts.connection.close()
        verified = tableside("journal", "verify", str(table.journal), "--explain")
        assert verified.returncode == ExitCode.DONE, verified.stdout + verified.stderr
        assert "every turn is decided as it was" in verified.stdout
        assert not (tmp_path / "run" / "BJ-07.db-wal").exists()


def test_a_technician_looks_listens_and_keeps_what_was_said(tmp_path: Path) -> None:
    """`diag` live and on a recording; Ctrl-C ends each with 130 (BR-065)."""
    with simulated_table(tmp_path) as config, alive(tmp_path, config) as table:
        socket = ("--socket", str(table.running.socket))
        assert tableside("diag", "status", *socket).returncode == ExitCode.DONE
        recording = tmp_path / "shuffler.jsonl"
        with command("diag", "trace", "shuffler", "--save", str(recording), *socket) as tracing:
            assert tracing.stdout is not None
            while "REPLY PING" not in tracing.stdout.readline():
                assert tracing.poll() is None
            tracing.send_signal(signal.SIGINT)
            assert tracing.wait(DEADLINE_S) == ExitCode.INTERRUPTED
            assert tracing.stderr is not None
            assert "Traceback" not in tracing.stderr.read()
        again = tableside("diag", "trace", "--recording", str(recording))
        assert again.returncode == ExitCode.DONE
        assert "PING" in again.stdout
        assert tableside("diag", "replay", str(recording)).returncode == ExitCode.DONE
        with command("diag", "watch", "--json", *socket) as watching:
            assert watching.stdout is not None
            until(lambda: table.running.ask("play", "call")["answer"] == "accepted", lambda: table.running.log)
            row = json.loads(watching.stdout.readline())
            assert row["table"] == "BJ-07"
            watching.send_signal(signal.SIGINT)
            assert watching.wait(DEADLINE_S) == ExitCode.INTERRUPTED
        stood = tableside("diag", "replay", str(table.journal), "--json")
        assert json.loads(stood.stdout)["devices"]["known"]["shuffler"]["model"] == "CSM-SIM"
        badges = tableside("diag", "trace", "none", *socket)
        assert badges.returncode == ExitCode.REFUSED
        assert "shuffler" in badges.stderr


def test_alerts_are_read_and_taken(tmp_path: Path) -> None:
    with simulated_table(tmp_path) as config, alive(tmp_path, config) as table:
        table.running.ask("play", "call")
        (alert,) = [one for one in table.running.ask("alerts") if one["text"] == "CALL-PRESSED"]
        taken = table.running.ask("take", str(alert["alert"]), "--as", "S-201")
        assert taken["answer"] == "accepted"
        read = tableside("alerts", "--socket", str(table.running.socket), "--language", "pt_PT")
        assert "taken S-201" in read.stdout
        refused = tableside("take", "999", "--as", "S-201", "--socket", str(table.running.socket))
        assert refused.returncode == ExitCode.REFUSED
        assert "alert 999 does not stand" in refused.stderr
