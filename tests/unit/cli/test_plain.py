"""Printing on any terminal (BR-066), and the code that each failure ends with (BR-065)."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import click
import pytest

from tableside.cli.answered import in_words, settle
from tableside.cli.failing import Failed, run_command
from tableside.cli.plain import columns
from tableside.exit_codes import ExitCode
from tests.support.processes import ROOT, tableside

ENCODINGS = ("ascii", "cp1252", "cp936", "utf-8")
PROGRAM = (
    "from tableside.cli.plain import make_plain, say, say_json\n"
    "make_plain()\n"
    "say('→ 7♣ João 莊荷 … ■')\n"
    "say_json({'name': 'João 莊荷'})\n"
)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_terminal_without_a_character_shows_a_plain_one(encoding: str, tmp_path: Path) -> None:
    """BR-066: no traceback, and JSON is the same everywhere."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "LANG": "C"},
        capture_output=True,
        timeout=30,
        check=True,
    )
    text, told = done.stdout.splitlines()
    assert told == rb'{"name": "Jo\u00e3o \u838a\u8377"}'
    if encoding == "ascii":
        assert text == b"-> 7C Jo?o ?? ... #"
    else:
        assert text.decode(encoding)


def test_columns_stand_under_each_other() -> None:
    assert columns([("a", 1), ("long", 22)]) == ["a     1", "long  22"]


def failing(error: BaseException) -> int:
    @click.command()
    def command() -> None:
        raise error

    return run_command(command, [])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Failed(ExitCode.NO_DAEMON, "none"), ExitCode.NO_DAEMON),
        (click.UsageError("no"), ExitCode.USAGE),
        (click.BadParameter("no"), ExitCode.USAGE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (click.Abort(), ExitCode.INTERRUPTED),
        (ZeroDivisionError(), ExitCode.SOFTWARE),
    ],
)
def test_each_failure_has_its_code(error: BaseException, code: ExitCode, capsys: pytest.CaptureFixture[str]) -> None:
    """BR-065: failures are returned, not only printed; messages on stderr."""
    assert failing(error) == code
    seen = capsys.readouterr()
    assert not seen.out
    assert "Traceback" not in seen.err


def test_the_page_of_exit_codes_names_each() -> None:
    page = (ROOT / "docs" / "howto" / "exit-codes.md").read_text("utf-8")
    for code in ExitCode:
        assert f"| {code.value} | {code.name.lower().replace('_', ' ')} |" in page


def test_a_refusal_says_what_why_and_what_next(capsys: pytest.CaptureFixture[str]) -> None:
    answer: dict[str, object] = {
        "id": "1",
        "answer": "refused",
        "table": "BJ-1",
        "rule": "CSM-5",
        "text": "loaded already",
        "next_step": "play",
    }
    with pytest.raises(Failed) as failed:
        settle(answer, as_json=False)
    assert failed.value.code == ExitCode.REFUSED
    assert str(failed.value) == "BJ-1: refused (CSM-5): loaded already\n  → play"
    assert in_words({"id": "", "answer": "mistaken", "mistakes": ["id: is missing"]}).endswith("- id: is missing")
    with pytest.raises(Failed):
        settle(answer, as_json=True)
    assert capsys.readouterr().out.startswith('{"id": "1"')


def test_nobody_there_nobody_listening_and_no_file_have_codes(tmp_path: Path) -> None:
    gone = str(tmp_path / "none.sock")
    assert tableside("status", "--socket", gone).returncode == ExitCode.NO_DAEMON
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead.sock"))
    assert tableside("status", "--socket", str(tmp_path / "dead.sock")).returncode == ExitCode.NO_DAEMON
    assert tableside("status", "--config", str(tmp_path / "none.toml")).returncode == ExitCode.NO_INPUT
    (tmp_path / "bad.toml").write_text("[host]\n")
    assert tableside("status", "--config", str(tmp_path / "bad.toml")).returncode == ExitCode.CONFIG
    assert tableside("load", "packet").returncode == ExitCode.USAGE
    assert tableside("no-such-thing").returncode == ExitCode.USAGE


def test_a_daemon_that_hangs_up_leaves_the_outcome_unknown_and_says_how_to_ask_again(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "rude.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def hang_up() -> None:
            connection, _ = listening.accept()
            connection.recv(100)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        done = tableside("play", "call", "--socket", str(path), "--id", "mine-1")
        thread.join()
    assert done.returncode == ExitCode.OUTCOME_UNKNOWN
    assert "--id mine-1" in done.stderr
