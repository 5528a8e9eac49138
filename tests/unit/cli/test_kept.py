"""`tableside diag trace --until`: what was kept of an incident, printed and as captures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmware_bridge.links.recording import Direction, Entry, Head
from firmware_bridge.wire.osdp.codes import CommandCode, ReplyCode
from firmware_bridge.wire.osdp.frame import Frame, encode_frame
from tableside.cli.failing import run_command
from tableside.cli.groups import tableside
from tableside.exit_codes import ExitCode

JAM = bytes.fromhex("0004D10510043412 0E02A40703011829021A0A01E24003027226B6EB00".replace(" ", ""))
POLL = encode_frame(Frame(1, False, 1, CommandCode.POLL))
ACK = encode_frame(Frame(1, True, 1, ReplyCode.ACK))
OFFSET_NS = 1_800_000_000_000_000_000


def run(*arguments: object) -> int:
    return run_command(tableside, [str(one) for one in arguments])


@pytest.fixture
def config(tmp_path: Path) -> Path:
    place = tmp_path / "run" / "traces" / "BJ-1" / "7"
    place.mkdir(parents=True)
    for device, profile, entries in (
        (
            "shuffler",
            "tdl",
            [Entry(2_000_000_000, Direction.IN, JAM), Entry(4_000_000_000, Direction.END, b"unplugged")],
        ),
        ("badges", "osdp", [Entry(1_000_000_001, Direction.OUT, POLL), Entry(3_000_000_000, Direction.IN, ACK)]),
    ):
        head = Head(device, profile, "none", is_message_based=False, wall_offset_ns=OFFSET_NS)
        lines = [head.encode(), *(entry.encode() for entry in entries)]
        (place / f"{device}.trace").write_text("\n".join(lines) + "\n", "utf-8")
    path = tmp_path / "host.toml"
    path.write_text('[host]\njournal_directory = "run"\n', "utf-8")
    return path


def test_all_cables_in_the_order_of_time(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diag", "trace", "--until", 7, "--config", config) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:3] for line in lines] == [
        ["badges", ">"],
        ["shuffler", "<"],
        ["badges", "<"],
        ["shuffler", "|"],
    ]
    assert lines[0].startswith("1800000001.000000")
    assert "NOTICE JAM" in lines[1]
    assert run("diag", "trace", "badges", "--until", 7, "--config", config, "--json") == ExitCode.DONE
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["device"] for each in told] == ["badges", "badges"]


def test_what_was_not_kept_is_said_with_what_was(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diag", "trace", "--until", 8, "--config", config) == ExitCode.NO_INPUT
    assert "there are: 7" in capsys.readouterr().err
    assert run("diag", "trace", "lamp", "--until", 7, "--config", config) == ExitCode.NO_DEVICE
    assert "badges, shuffler" in capsys.readouterr().err
    assert run("diag", "trace", "--until", 7, "--config", config.with_name("none.toml")) == ExitCode.NO_INPUT


def test_osdpcap_has_the_fields_of_its_format(config: Path) -> None:
    """libosdp-conformance, osdpcap-format.md: texts throughout, hex with blanks."""
    save = config.with_name("a.osdpcap")
    assert run("diag", "trace", "--until", 7, "--config", config, "--export", "osdpcap", "--save", save) == 0
    lines = [json.loads(line) for line in save.read_text("utf-8").splitlines()]
    assert lines[0] == {
        "timeSec": "1800000001",
        "timeNano": "000000001",
        "io": "output",
        "data": POLL.hex(" "),
        "osdpTraceVersion": "1",
        "osdpSource": "Tableside",
    }
    assert [line["io"] for line in lines] == ["output", "input"]


def test_a_capture_overwrites_nothing_and_needs_both_words(config: Path) -> None:
    save = config.with_name("a.pcapng")
    arguments = ("diag", "trace", "--until", 7, "--config", config, "--export", "pcapng")
    assert run(*arguments, "--save", save) == ExitCode.DONE
    assert run(*arguments, "--save", save) == ExitCode.CANNOT_CREATE
    assert run(*arguments) == ExitCode.USAGE
    assert run("diag", "trace", "shuffler", "--export", "pcapng", "--save", save) == ExitCode.USAGE
