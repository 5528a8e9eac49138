"""Feature reports of blink(1): golden bytes, and what is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.blink1.reports import (
    AskVersion,
    BadReport,
    Colour,
    Command,
    Fade,
    Play,
    ReadColour,
    ReadLine,
    SetLine,
    SetNow,
    Version,
    Watchdog,
    decode_colour,
    decode_command,
    decode_line,
    decode_version,
    encode_answer,
    encode_command,
)

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "blink1.json").read_text("utf-8"))["commands"]
COMMANDS: tuple[Command, ...] = (
    SetNow((255, 0, 0)),
    Fade((255, 0, 0), 100),
    ReadColour(),
    Watchdog(is_on=True, ms=10_000, start=0, end=2),
    Watchdog(is_on=False, ms=0, start=0, end=0, stays_lit=False),
    Play(is_on=True, start=0, end=2),
    SetLine(1, (0, 0, 0), 500),
    ReadLine(1),
    AskVersion(),
)


@pytest.mark.parametrize(("vector", "command"), zip(VECTORS, COMMANDS, strict=True), ids=lambda each: str(each)[:40])
def test_golden_reports(vector: dict[str, str], command: Command) -> None:
    assert encode_command(command) == bytes.fromhex(vector["bytes"])
    assert decode_command(bytes.fromhex(vector["bytes"])) == command


def test_answers_are_read_also_when_padded() -> None:
    assert decode_colour(encode_answer(Colour((1, 2, 3))) + b"\0") == Colour((1, 2, 3))
    assert decode_line(encode_answer(SetLine(31, (9, 8, 7), 500))) == SetLine(31, (9, 8, 7), 500)
    assert decode_version(encode_answer(Version(2, 4))).text == "2.4"


def test_what_is_no_answer_to_the_question_is_refused() -> None:
    """A report that another program's question left in the lamp is nobody's colour."""
    with pytest.raises(BadReport, match="no answer to 'r'"):
        decode_colour(encode_answer(Version(2, 4)))
    with pytest.raises(BadReport, match="no answer"):
        decode_version(b"")
    with pytest.raises(BadReport, match="no two digits"):
        decode_version(bytes((1, ord("v"), 0, 0xFF, 0, 0, 0, 0)))


def test_a_time_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="655350 are allowed"):
        encode_command(Fade((0, 0, 0), 655_360))


@given(st.binary(max_size=20))
def test_any_bytes_are_a_command_or_refused(data: bytes) -> None:
    try:
        command = decode_command(data)
    except BadReport:
        return
    assert decode_command(encode_command(command)) == command
