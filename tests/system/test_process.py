"""The daemon as a process, its devices absent: start, second start, clean stop, kill, and what is left (BR-062)."""

from __future__ import annotations

import fcntl
import signal
from pathlib import Path

import pytest

from tableside.exit_codes import ExitCode
from tests.support.config_files import Edit, write_config
from tests.support.processes import Running, daemon, tableside

pytestmark = pytest.mark.system


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_daemon_without_devices_stays_up_answers_and_stops_cleanly(tmp_path: Path) -> None:
    """BR-062 (d), (e): it waits for its devices, and a console goes through it."""
    config = write_config(tmp_path)
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        status = running.ask("status")
        assert status["tables"]["BJ-1"]["stopped"] == ""
        assert not status["tables"]["BJ-1"]["devices"]["shuffler"]["is_connected"]
        assert running.ask("play", "stop", "--why", "a test")["answer"] == "accepted"
        assert running.end() == ExitCode.DONE, running.log
    assert files(tmp_path / "run") == ["BJ-1.db", "badge-digest.key", "card-seal.key", "daemon.lock", "session-numbers"]
    assert not (tmp_path / "control.sock").exists()


def test_a_signal_that_comes_as_soon_as_it_answers_ends_it_cleanly(tmp_path: Path, unused_tcp_port: int) -> None:
    """What serves the page is loaded after the socket listens, which takes a moment."""
    config = write_config(tmp_path, Edit("host", "", f"\n[page]\nport = {unused_tcp_port}\n"))
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        assert running.end() == ExitCode.DONE, running.log


def test_a_second_start_is_refused_naming_the_first_which_goes_on(tmp_path: Path) -> None:
    """BR-062 (a)."""
    config = write_config(tmp_path)
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        second = tableside("run", "--config", str(config))
        assert second.returncode == ExitCode.HELD
        assert f"process {running.process.pid}" in second.stderr
        assert running.ask("status")["pid"] == running.process.pid


def test_what_a_dead_process_left_is_no_proof_of_life(tmp_path: Path) -> None:
    """BR-062 (b), (c): the lock file names a living foreign process, the socket is dead: it starts."""
    config = write_config(tmp_path)
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        running.end(signal.SIGKILL)
    assert (tmp_path / "control.sock").exists()
    (tmp_path / "run" / "daemon.lock").write_text("process 1, host init, control socket none\n")
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        assert running.ask("status")["tables"]["BJ-1"]["stopped"] == ""
        assert running.end() == ExitCode.DONE


def test_a_lock_held_by_another_refuses(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    (tmp_path / "run").mkdir()
    with (tmp_path / "run" / "daemon.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        refused = tableside("run", "--config", str(config))
    assert refused.returncode == ExitCode.HELD


def test_a_broken_configuration_is_told_whole_and_starts_nothing(tmp_path: Path) -> None:
    """BR-068."""
    config = write_config(tmp_path, Edit("table", "seats = 7", "seats = 70"), Edit("host", '"pit-1"', '"pit 1"'))
    for arguments in (("run", "--config", str(config)), ("config", "check", str(config))):
        refused = tableside(*arguments)
        assert refused.returncode == ExitCode.CONFIG
        told = refused.stdout + refused.stderr
        assert "seats" in told
        assert "host.name" in told
        assert "Traceback" not in told


def test_ctrl_c_ends_a_console_daemon_cleanly(tmp_path: Path) -> None:
    """BR-065."""
    config = write_config(tmp_path)
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        assert running.end(signal.SIGINT) == ExitCode.INTERRUPTED
    assert files(tmp_path / "run") == ["BJ-1.db", "badge-digest.key", "card-seal.key", "daemon.lock", "session-numbers"]


def test_a_kill_loses_no_row_and_numbers_of_sessions_are_not_used_again(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        first: Running = running
        answer = first.ask("play", "stop", "--id", "once")
        number = int((tmp_path / "run" / "session-numbers").read_text())
        first.end(signal.SIGKILL)
    with daemon(config, tmp_path / "control.sock", tmp_path / "log") as running:
        assert running.ask("play", "stop", "--id", "once") == answer
        assert int((tmp_path / "run" / "session-numbers").read_text()) > number
