"""`tableside journal` on files, without a daemon: shown, verified, exported, copied, reported."""

from __future__ import annotations

import itertools
import json
import sqlite3
from pathlib import Path

import pytest

from drivers import events
from drivers.events import KeyName
from tableside.cards import Card
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.exit_codes import ExitCode
from tableside.requests import EndRound, ReplaceCard
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table
from tests.support.written import written

KING = Card("K", "♠", "red")


@pytest.fixture
def table() -> Table:
    table = open_table()
    give_out(table, 5)
    table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    table.tap("S1")
    assert table.ask(ReplaceCard, damaged=KING, envelope="E-7", replacement=KING).is_accepted
    return table


def run(*arguments: object) -> int:
    return run_command(tableside, [str(one) for one in arguments])


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_rows_are_shown_as_lines_and_as_json(table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(table, tmp_path)
    assert run("journal", "show", file, "--last", 3) == ExitCode.DONE
    assert len(lines(capsys)) == 3
    assert run("journal", "show", file, "--type", "CardReplaced", "--json") == ExitCode.DONE
    (row,) = map(json.loads, lines(capsys))
    assert row["type"] == "CardReplaced"
    assert run("journal", "show", file, "--after", 10**6) == ExitCode.DONE
    assert lines(capsys) == []


def test_the_first_row_and_a_checkpoint_are_told_too(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(table, tmp_path, is_checkpointed=True)
    assert run("journal", "show", file) == ExitCode.DONE
    first, *_, last = lines(capsys)
    assert "Genesis table=" in first
    assert HOUSE.table in first
    assert " bytes=" in last
    assert "unreadable" not in first + last


def test_cards_of_the_open_round_are_not_named_by_any_command(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Secrets of the game: show, export, verify --explain, reports; named once the round is over."""
    file = written(table, tmp_path, is_checkpointed=True)
    for command in (
        ("show", file),
        ("show", file, "--json"),
        ("export", file),
        ("verify", file, "--explain"),
        ("verify", file, "--explain", "--json"),
        ("report", "damaged-cards", file),
        ("report", "session", file),
    ):
        assert run("journal", *command) == ExitCode.DONE, command
        out = capsys.readouterr().out
        assert "♠" not in out, command
        assert "u2660" not in out, command
    assert run("journal", "export", file) == ExitCode.DONE
    assert "names a card of the round in progress" in capsys.readouterr().err
    table.ask(EndRound, by="D1")
    file = written(table, tmp_path)
    for command in (("show", file), ("export", file), ("report", "damaged-cards", file)):
        assert run("journal", *command) == ExitCode.DONE
        assert "♠" in capsys.readouterr().out, command


def test_a_sound_journal_is_verified_and_decided_as_it_was(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(table, tmp_path)
    assert run("journal", "verify", file, "--explain") == ExitCode.DONE
    out = capsys.readouterr().out
    assert "the chain holds" in out
    assert "every turn is decided as it was" in out
    assert run("journal", "verify", file, "--json", "--explain") == ExitCode.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["is_sound"] is True
    assert told["deviations"] == 0


def test_a_changed_row_is_found_and_told(table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(table, tmp_path)
    _forge(file)
    assert run("journal", "verify", file) == ExitCode.FOUND
    out = capsys.readouterr().out
    assert "WRONG: row 9 is not what was hashed" in out
    assert run("journal", "report", "session", file) == ExitCode.FOUND
    assert "BROKEN" in capsys.readouterr().out


def _forge(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE record SET body = CAST('{}' AS BLOB) WHERE seq = 9")
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()


def test_what_today_decides_otherwise_is_listed(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(table, tmp_path)
    monkeypatch.setattr("tableside.procedures.rounds.CARDS_AFTER_STOP", 1)
    monkeypatch.setattr("tableside.procedures.damaged.REASON", "another word")
    assert run("journal", "verify", file, "--explain") == ExitCode.FOUND
    out = capsys.readouterr().out
    assert "decided otherwise by this version" in out
    assert "another word" in out


def test_a_copy_is_one_sound_file_and_an_export_can_be_read_by_others(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.ask(EndRound, by="D1")
    file, copy, out = written(table, tmp_path), tmp_path / "copy.db", tmp_path / "rows.jsonl"
    assert run("journal", "copy", file, copy) == ExitCode.DONE
    assert run("journal", "verify", copy) == ExitCode.DONE
    capsys.readouterr()
    assert run("journal", "export", copy, "--out", out) == ExitCode.DONE
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["previous"] == before["hash"] for before, row in itertools.pairwise(rows))


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_what_is_no_journal_is_refused_with_its_code(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = tmp_path / "none.db"
    assert run("journal", command, none) == ExitCode.NO_INPUT
    text = tmp_path / "text.db"
    text.write_text("this is no journal" * 100)
    assert run("journal", command, text) == ExitCode.DATA
    empty = tmp_path / "empty.db"
    empty.touch()
    assert run("journal", command, empty) == ExitCode.DATA
    assert "Traceback" not in capsys.readouterr().err
    assert run("journal", "report", "damaged-cards", none) == ExitCode.NO_INPUT
    assert run("journal", "report", "session", empty) == ExitCode.DATA
    assert run("journal", "copy", none, tmp_path / "to.db") == ExitCode.NO_INPUT
