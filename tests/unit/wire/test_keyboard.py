"""Strokes from reports, characters from strokes: vectors from HID 1.11 appendix C and the HID Usage Tables."""

from __future__ import annotations

import pytest

from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.keyboard.reports import BadReport, Stroke, StrokeReader, reports_of

CODE = "AB-0123456789@"  # of BR-030


def strokes(*reports: str) -> list[Stroke]:
    reader = StrokeReader()
    return [stroke for report in reports for stroke in reader.feed(bytes.fromhex(report))]


def test_the_sequence_of_the_specification() -> None:
    """HID 1.11 appendix C: left alt, control and delete, one after the other: nothing here is a character."""
    seen = strokes("0400000000000000", "0500000000000000", "05004c0000000000", "0500000000000000", "0000000000000000")
    assert seen == [Stroke(0x4C, is_command=True)]


def test_a_key_that_stays_down_is_one_stroke() -> None:
    """Also while others go down beside it, in whatever place of the report it then stands."""
    seen = strokes("0000040000000000", "0000040000000000", "0000050400000000", "0000050000000000", "0000050600000000")
    assert [stroke.key for stroke in seen] == [4, 5, 6]


def test_the_same_key_twice_needs_to_be_let_go() -> None:
    assert len(strokes("0000040000000000", "0000000000000000", "0000040000000000")) == 2


@pytest.mark.parametrize("held", ["02", "20", "22"])
def test_either_shift_is_shift(held: str) -> None:
    assert strokes(f"{held}00040000000000") == [Stroke(4, is_shifted=True)]


@pytest.mark.parametrize("report", ["", "00", "000004", "00" * 9, "0000010101010101", "0000020000000000"])
def test_what_tells_of_lost_strokes_is_no_report(report: str) -> None:
    with pytest.raises(BadReport):
        strokes(report)


@pytest.mark.parametrize("name", MAPS)
def test_each_map_types_and_reads_the_same(name: str) -> None:
    """BR-030: the host's own map and its caps lock have no part in it; only positions travel."""
    key_map = MAPS[name]
    reader = StrokeReader()
    seen = [stroke for report in reports_of(key_map.strokes(CODE)) for stroke in reader.feed(report)]
    assert "".join(key_map.character(stroke) or "?" for stroke in seen) == CODE


@pytest.mark.parametrize(
    ("name", "key", "is_shifted", "character"),
    [
        ("us", 0x1F, True, "@"),
        ("us", 0x1C, False, "y"),
        ("us", 0x38, False, "/"),
        ("de", 0x1C, False, "z"),
        ("de", 0x1D, True, "Y"),
        ("de", 0x38, False, "-"),
        ("de", 0x24, True, "/"),
        ("pt", 0x2D, False, "'"),
        ("pt", 0x38, False, "-"),
        ("pt", 0x27, True, "="),
        ("de", 0x2E, False, None),
        ("pt", 0x32, False, None),
    ],
)
def test_keys_that_differ(name: str, key: int, is_shifted: bool, character: str | None) -> None:
    """Dead keys are none."""
    assert MAPS[name].character(Stroke(key, is_shifted=is_shifted)) == character


@pytest.mark.parametrize("name", MAPS)
def test_no_two_keys_of_a_map_are_confused_with_command_keys(name: str) -> None:
    assert all(not stroke.is_command for stroke in MAPS[name].characters)
    assert {MAPS[name].character(Stroke(key)) for key in range(0x1E, 0x28)} == set("1234567890")


def test_a_text_that_no_key_types_is_refused() -> None:
    with pytest.raises(ValueError, match="'ß'"):
        MAPS["us"].strokes("ß")
