"""A part that does not let itself be stopped: the process ends all the same, with a code that says so."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tableside.exit_codes import ExitCode
from tests.support.config_files import write_config
from tests.support.processes import DEADLINE_S, environment, tableside, until

pytestmark = pytest.mark.system

PROGRAM = """
import asyncio, sys
from pathlib import Path
from tableside import process
from tableside.config import load_host
from tableside.table_host import TableHost

async def close(self):
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

TableHost.close = close
process.STOP_LIMIT_S = 0.5
sys.exit(process.run_daemon(load_host(Path(sys.argv[1]))))
"""


def test_it_ends_with_a_code_and_says_what_it_waited_for(tmp_path: Path) -> None:
    config, log = write_config(tmp_path), tmp_path / "log"
    with log.open("wb") as said:
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(config)], env=environment(), stderr=said)
    socket = str(tmp_path / "control.sock")
    until(lambda: tableside("status", "--socket", socket).returncode == 0, lambda: log.read_text("utf-8"))
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE_S) == ExitCode.SOFTWARE
    text = log.read_text("utf-8")
    assert '"event":"stop_late"' in text
    assert '"event":"hang_up_ignored"' in text
    verified = tableside("journal", "verify", str(tmp_path / "run" / "BJ-1.db"))
    assert verified.returncode == ExitCode.DONE, verified.stdout
