"""The daemon under a real systemd: ready, watched, restarted, and left alone where a new start cannot help.

A user's manager in a mount namespace of its own: the machine's systemd, if any, is not touched. Skipped, with the
reason, where that cannot be had. What needs a system manager (accounts, sandbox, devices) is read by
`systemd-analyze verify` only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import DEADLINE_S, ROOT, environment, simulated_table, until

UNIT = ROOT / "docs" / "howto" / "tableside.service"
MANAGER = next(
    (path for path in map(Path, ("/usr/lib/systemd/systemd", "/lib/systemd/systemd")) if path.exists()), None
)
# Lines that a user's manager can obey; the others belong to a system's.
OBEYED = re.compile(r"(Type|NotifyAccess|Restart\w*|TimeoutStopSec|StartLimit\w*)=")
WATCHDOG_S = 3
RUN = "/run/user-of-a-test"
INSIDE = f"""
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system {RUN}
chmod 700 {RUN}
exec "$0" --user --log-target=console --log-level=info --unit=basic.target
"""
pytestmark = pytest.mark.system
needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")


def can_have_a_manager() -> bool:
    if MANAGER is None or os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("nsenter") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


needs_manager = pytest.mark.skipif(
    not can_have_a_manager(), reason="needs root, systemd and a mount namespace (Debian: apt-get install systemd)"
)


@needs_analyze
def test_systemd_reads_every_line_of_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "tableside.service"
    unit.write_text(re.sub("ExecStart=\\S+", "ExecStart=/bin/true", UNIT.read_text("utf-8")), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    about_us = [line for line in done.stderr.splitlines() if "tableside.service" in line]
    assert (done.returncode, about_us) == (0, [])


class Manager:
    """A user's manager with the unit loaded."""

    def __init__(self, folder: Path, config: Path) -> None:
        home = folder / "home"
        units = home / ".config" / "systemd" / "user"
        units.mkdir(parents=True)
        lines = [line for line in UNIT.read_text("utf-8").splitlines() if OBEYED.match(line)]
        start = f"ExecStart={sys.executable} -m tableside run --config {config}"
        more = f"WorkingDirectory={ROOT}\nEnvironment=PYTHONPATH={ROOT}\nWatchdogSec={WATCHDOG_S}"
        unit = [line for line in lines if line.startswith("StartLimit")]
        service = [line for line in lines if not line.startswith("StartLimit")]
        (units / "tableside.service").write_text(
            "\n".join(["[Unit]", *unit, "[Service]", start, more, *service]) + "\n"
        )
        self._log = folder / "manager.log"
        with self._log.open("wb") as said:
            self.process = subprocess.Popen(
                ["unshare", "-m", "bash", "-c", INSIDE, str(MANAGER)],
                env=environment(HOME=str(home), XDG_RUNTIME_DIR=RUN),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def ctl(self, *words: str) -> str:
        inside = ["nsenter", "-t", str(self.process.pid), "-m", "systemctl", "--user", *words]
        done = subprocess.run(
            inside,
            env=environment(XDG_RUNTIME_DIR=RUN),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        return done.stdout

    def shown(self, key: str) -> str:
        return self.ctl("show", "tableside", f"--property={key}", "--value").strip()

    def until(self, **wanted: str) -> None:
        until(
            lambda: all(self.shown(key) == value for key, value in wanted.items()),
            lambda: self.ctl("show", "tableside", "-p", "ActiveState,SubState,NRestarts,Result,MainPID") + self.log,
        )


@pytest.fixture
def config(tmp_path: Path, unused_tcp_port: int) -> Iterator[Path]:
    with simulated_table(tmp_path, edits={"port = 8377": f"port = {unused_tcp_port}"}) as file:
        yield file


@pytest.fixture
def manager(tmp_path: Path, config: Path) -> Iterator[Manager]:
    made = Manager(tmp_path, config)
    try:
        until(lambda: "active" in made.ctl("is-active", "basic.target"), lambda: made.log)
        yield made
    finally:
        made.ctl("stop", "tableside")
        made.process.terminate()
        made.process.wait(DEADLINE_S)


@needs_manager
def test_ready_is_said_when_it_answers_and_a_stop_is_clean(manager: Manager, config: Path) -> None:
    manager.ctl("start", "tableside")
    assert manager.shown("ActiveState") == "active", manager.log
    asked = [sys.executable, "-m", "tableside", "diag", "status", "--json", "--config", str(config)]
    done = subprocess.run(asked, env=environment(), capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert json.loads(done.stdout)["pid"] == int(manager.shown("MainPID"))
    manager.ctl("stop", "tableside")
    manager.until(ActiveState="inactive", Result="success")


@needs_manager
def test_a_daemon_that_makes_no_progress_is_ended_and_started_anew(manager: Manager) -> None:
    manager.ctl("start", "tableside")
    first = int(manager.shown("MainPID"))
    os.kill(first, signal.SIGSTOP)  # what a hung loop looks like from outside
    manager.until(NRestarts="1", ActiveState="active")
    assert int(manager.shown("MainPID")) != first


@needs_manager
def test_a_power_cut_of_the_process_is_a_new_start(manager: Manager) -> None:
    manager.ctl("start", "tableside")
    os.kill(int(manager.shown("MainPID")), signal.SIGKILL)
    manager.until(NRestarts="1", ActiveState="active")


@needs_manager
def test_a_wrong_configuration_is_not_tried_again(manager: Manager, config: Path) -> None:
    config.write_text(config.read_text("utf-8").replace("[host]", "[hosts]"), "utf-8")
    manager.ctl("start", "tableside")
    manager.until(ActiveState="failed", ExecMainStatus="78", NRestarts="0")
