"""`tableside diag` on files: recordings in words and as facts, a journal's table as it stood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmware_bridge.links.recording import Direction, Entry, Head
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.cli.row_types import known_types
from tableside.configuration.device_rules import DRIVERS
from tableside.exit_codes import ExitCode
from tests.support.session import give_out, open_table
from tests.support.written import written

# Bytes of the specification's examples (docs/protocols/tdl.md).
JAM = "00 04 D1 05 10 04 34 12 0E 02 A4 07 03 01 18 29 02 1A 0A 01 E2 40 03 02 72 26 B6 EB 00"
CARDS_OUT = "00 04 D1 05 02 04 34 12 10 02 A4 07 03 01 18 2A 02 1A 0C 01 E3 FC 03 19 04 B7 9B 55 67 98 00"
ACK = "00 03 D1 06 01 04 34 12 06 02 A2 09 03 01 18 29 28 57 62 EA 00"


def run(*arguments: object) -> int:
    return run_command(tableside, [str(one) for one in arguments])


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    lines = [Head("shuffler", "tdl", "none", is_message_based=False).encode()]
    for at_s, (direction, text) in enumerate(
        [(Direction.IN, JAM), (Direction.IN, JAM), (Direction.OUT, ACK), (Direction.IN, CARDS_OUT)]
    ):
        lines.append(Entry(at_s * 10**9, direction, bytes.fromhex(text)).encode())
    lines.append(Entry(5 * 10**9, Direction.END, b"unplugged").encode())
    path = tmp_path / "shuffler.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_recording_is_told_message_by_message(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diag", "trace", "--recording", recording) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert "< NOTICE JAM: boot=3 number=41" in lines[0]
    assert "> NOTICE_ACK: boot=3 number=41" in lines[2]
    assert "| unplugged" in lines[4]
    assert run("diag", "trace", "--recording", recording, "--json") == ExitCode.DONE
    assert json.loads(capsys.readouterr().out.splitlines()[0])["data"] == bytes.fromhex(JAM).hex()


def test_a_recording_is_made_into_facts_each_notice_once(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diag", "replay", recording, "--json") == ExitCode.DONE
    facts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [fact["type"] for fact in facts] == ["CardJammed", "CardsOut"]
    assert facts[0]["body"]["place"] == "exit"
    assert facts[1]["body"]["meter"] == 1207
    assert run("diag", "replay", recording) == ExitCode.DONE
    assert "NOTICE 3" in capsys.readouterr().out


def test_a_journal_tells_how_the_table_stood_at_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = open_table()
    before = len(table.given) + len(table.decided) + 1
    give_out(table, 5)
    file = written(table, tmp_path)
    assert run("diag", "replay", file, "--at", before, "--json") == ExitCode.DONE
    then = json.loads(capsys.readouterr().out)
    assert then["account"]["balances"]["machine"] == 312
    assert run("diag", "replay", file, "--json") == ExitCode.DONE
    now = json.loads(capsys.readouterr().out)
    assert now["account"]["balances"]["machine"] == 307
    assert now["row"] > then["row"]
    assert run("diag", "replay", file) == ExitCode.DONE
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"after row {now['row']}, ")
    assert told[1].startswith(f"table {now['table']}")
    assert any("machine 307" in line for line in told)
    assert len(told) < 24, "one screen"
    assert run("diag", "replay", file, "--at", 0) == ExitCode.DATA


def test_what_is_no_recording_has_its_code(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = tmp_path / "none"
    assert run("diag", "replay", none) == ExitCode.NO_INPUT
    assert run("diag", "trace", "--recording", none) == ExitCode.NO_INPUT
    text = tmp_path / "text"
    text.write_text("hello\n")
    assert run("diag", "replay", text) == ExitCode.DATA
    assert run("diag", "trace", "--recording", text) == ExitCode.DATA
    assert run("diag", "trace") == ExitCode.USAGE
    assert run("diag", "trace", "shuffler", "--recording", recording) == ExitCode.USAGE
    other = tmp_path / "other"
    other.write_text(Head("meter", "modbus", "none", is_message_based=False).encode() + "\n")
    assert run("diag", "trace", "--recording", other) == ExitCode.DATA
    assert run("diag", "replay", other) == ExitCode.DATA
    cut = tmp_path / "cut"
    cut.write_text(recording.read_text()[:-30])
    assert run("diag", "replay", cut) == ExitCode.DONE
    seen = capsys.readouterr()
    assert "ends in the middle of a line" in seen.err
    assert "Traceback" not in seen.err


def test_a_type_that_no_row_has_is_refused_before_anybody_waits_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diag", "watch", "--type", "LockAdded", "--type", "AlertRased", "--socket", "/nowhere") == ExitCode.USAGE
    said = capsys.readouterr().err
    assert 'no row has the type "AlertRased". Did you mean "AlertRaised"?' in said
    assert "LockRemoved" in said
    assert run("diag", "watch", "--type", "Nonsense", "--socket", "/nowhere") == ExitCode.USAGE
    assert "Did you mean" not in capsys.readouterr().err
    assert run("diag", "watch", "--type", "LockAdded", "--socket", "/nowhere") == ExitCode.NO_DAEMON


def test_every_kind_of_row_is_among_the_types() -> None:
    known = known_types()
    assert {"DaemonStarted", "CardsOut", "EndRound", "LockAdded", "RoundEnded", "CardsToOpen"} <= set(known)
    assert len(known) == len(set(known))


@pytest.mark.parametrize("driver", DRIVERS)
def test_no_driver_that_is_tried_at_an_address_ends_in_a_fault_of_ours(driver: str) -> None:
    """What only the table's file can tell is asked for; a port that is not there is named."""
    ended = run("diag", "why", "serial:///dev/ttyNone?baud=9600", "--driver", driver)
    assert ended in (ExitCode.USAGE, ExitCode.FOUND)
