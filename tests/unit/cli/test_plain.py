"""Printing on any terminal (BR-066), and the code that each failure ends with (BR-065)."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
import sys
import termios
from pathlib import Path

import click
import pytest

from tableside.cli.alert_lines import alert_lines
from tableside.cli.answered import in_words, settle
from tableside.cli.failing import Failed, run_command
from tableside.cli.plain import _is_ascii_asked_for, columns, fitted, width_of
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
        assert text == b"-> 7C Joao <U+838A><U+8377> ... #"
    else:
        assert text.decode(encoding)


@pytest.mark.parametrize(
    ("environment", "is_ascii"),
    [
        ({"LANG": "C"}, True),
        ({"LC_ALL": "POSIX", "LANG": "pt_PT.UTF-8"}, True),
        ({"LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"}, False),
        ({"LANG": "C", "PYTHONIOENCODING": "utf-8"}, False),
        ({}, False),  # nobody said anything: as Python takes it
    ],
)
def test_a_terminal_that_is_said_to_have_ascii_alone_gets_no_more(environment: dict[str, str], is_ascii: bool) -> None:
    """Python takes LANG=C for UTF-8; who set it sees what the terminal makes of that."""
    assert _is_ascii_asked_for(environment) is is_ascii


def on_a_terminal(program: str, columns: int, **environment: str) -> str:
    """What a program writes to a pseudo-terminal of so many columns."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    keeps = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={**keeps, "PYTHONPATH": str(ROOT), **environment},
        stdout=theirs,
        stderr=theirs,
    ) as child:
        os.close(theirs)
        seen = bytearray()
        with contextlib.suppress(OSError):  # a terminal whose other end is shut
            while chunk := os.read(ours, 4096):
                seen += chunk
        assert child.wait(30) == 0
    os.close(ours)
    return seen.decode("utf-8").replace("\r\n", "\n")


def test_a_narrow_terminal_breaks_lines_between_words() -> None:
    program = (
        "from tableside.cli.plain import make_plain, say, say_json\nmake_plain()\n"
        "say('  → Open the lid, take the card out, close the lid, and go on.')\nsay_json('x' * 60)"
    )
    seen = on_a_terminal(program, 40, LANG="C.UTF-8", TERM="dumb")
    assert seen.splitlines() == [
        "  → Open the lid, take the card out,",
        "    close the lid, and go on.",
        '"' + "x" * 60 + '"',
    ]


def test_a_terminal_with_lang_c_sees_plain_letters_and_no_escape_codes() -> None:
    program = "from tableside.cli.plain import make_plain, say\nmake_plain()\nsay('→ João')"
    assert on_a_terminal(program, 80, LANG="C", TERM="xterm-256color") == "-> Joao\n"


def test_wide_signs_are_counted_as_two_columns() -> None:
    assert fitted("出牌口卡牌。" * 5, 24) == ["出牌口卡牌。" * 2, "  出牌口卡牌。出牌口卡牌", "  。出牌口卡牌。"]
    assert fitted("short", 40) == ["short"]
    assert fitted("", 40) == [""]
    assert all(width_of(line) <= 24 for line in fitted("a b " * 40 + "word" * 20, 24))


ALERT = {
    "alert": 3,
    "class": 1,
    "since_local": "12:00:00",
    "times": 1,
    "taken_by": "",
    "asked": ["S-201"],
    "rides": "",
    "lines": {
        "zh_Hant_MO": ["出牌口卡牌。", "打開蓋子"],
        "pt_PT": ["Atenção: cartão preso.", "Abra"],
        "en": ["Card stuck.", "Open the lid."],
    },
}


@pytest.mark.parametrize(
    ("encoding", "wanted", "said", "notice"),
    [
        ("utf-8", None, "出牌口卡牌。", ""),
        ("ascii", None, "Card stuck.", "cannot show zh_Hant_MO: en instead"),
        ("ascii", "pt_PT", "Card stuck.", "cannot show pt_PT: en instead"),
        ("latin-1", "pt_PT", "Atenção: cartão preso.", ""),
        ("latin-1", None, "Atenção: cartão preso.", "cannot show zh_Hant_MO: pt_PT instead"),
    ],
)
def test_an_alert_is_told_in_a_language_that_the_terminal_can_show(
    encoding: str, wanted: str | None, said: str, notice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Question marks tell nobody what to do."""
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    lines = list(alert_lines([ALERT], wanted))
    assert said in "\n".join(lines)
    assert (notice in lines[0]) if notice else len(lines) == 3


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(Failed, match="there are zh_Hant_MO, pt_PT, en") as failed:
        list(alert_lines([ALERT], "pt_BR"))
    assert failed.value.code == ExitCode.USAGE


def test_columns_stand_under_each_other() -> None:
    assert columns([("莊荷", 1), ("x", 2)]) == ["莊荷  1", "x     2"]
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
