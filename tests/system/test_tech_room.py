"""From the tech room: the control socket through a path that SSH forwards, the files of the host not at hand."""

from __future__ import annotations

import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tableside.exit_codes import ExitCode
from tests.support.processes import DEADLINE_S, tableside
from tests.support.served_table import served

pytestmark = pytest.mark.system


@contextmanager
def forwarded(near: Path, far: Path) -> Iterator[None]:
    """Every connection at `near` goes on at `far`, bytes both ways: what sshd does with a stream of this kind."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(near))
        listening.listen()
        threads: list[threading.Thread] = []

        def serve() -> None:
            while True:
                try:
                    here, _ = listening.accept()
                except OSError:
                    return
                there = socket.socket(socket.AF_UNIX)
                there.connect(str(far))
                for source, target in ((here, there), (there, here)):
                    threads.append(threading.Thread(target=_pass, args=(source, target)))
                    threads[-1].start()

        server = threading.Thread(target=serve)
        server.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            server.join(DEADLINE_S)
            for thread in threads:
                thread.join(DEADLINE_S)


def _pass(source: socket.socket, target: socket.socket) -> None:
    try:
        while chunk := source.recv(65_536):
            target.sendall(chunk)
    except OSError:
        pass  # the other direction has ended it
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            continue  # it is gone already
        finally:
            end.close()


def test_every_question_goes_through_a_forwarded_socket(tmp_path: Path) -> None:
    room = tmp_path / "room"
    host = tmp_path / "host"
    for folder in (room, host):
        folder.mkdir()
    near, config, file = room / "bj-1.sock", room / "host.toml", room / "service.zip"
    with served(host) as table, forwarded(near, table.socket):
        for command in ("status", "errors", "stats", "pm", "sensors", "handover", "why shuffler", "work-order list"):
            done = tableside("diag", *command.split(), "--socket", str(near), "--config", str(config))
            assert done.returncode == ExitCode.DONE, (command, done.stderr)
        done = tableside("diag", "bundle", str(file), "--socket", str(near), "--config", str(config))
        assert done.returncode == ExitCode.DONE, done.stderr
        assert "config.json: the host's file is not here" in done.stdout
    with zipfile.ZipFile(file) as archive:
        assert "status.json" in archive.namelist()
    done = tableside("diag", "errors", "--socket", str(near), "--config", str(config))
    assert done.returncode == ExitCode.NO_DAEMON, "a socket that is named is not gone round"
