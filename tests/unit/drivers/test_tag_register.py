"""The file that says what each tag is: whole numbers only, nothing guessed, every mistake with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.readers.tag_register import (
    Card,
    Chip,
    RegisterRefused,
    is_number,
    parse_register,
    read_register,
)

GOOD = """
# red decks
D0AC1F62              card  8♠
04A1B2C3D4E580        card  A♦   # an NTAG
00112233445566778899  chip  2500
00000001              chip  500
"""


def test_a_register(tmp_path: Path) -> None:
    """BR-032: four, seven and ten bytes; zeros in front count."""
    file = tmp_path / "tags.txt"
    file.write_text(GOOD, "utf-8")
    assert read_register(file) == {
        "32:D0AC1F62": Card("8♠"),
        "56:04A1B2C3D4E580": Card("A♦"),
        "80:00112233445566778899": Chip(2500),
        "32:00000001": Chip(500),
    }


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("D0AC1F6 card 8♠", "8, 14 or 20"),
        ("d0ac1f62 card 8♠", "upper-case"),
        ("EDBA996 card 8♠", "8, 14 or 20"),
        ("00000000 card 8♠", "all its digits are the same"),
        ("FFFFFFFFFFFFFF card 8♠", "all its digits are the same"),
        ("08AC1F62 card 8♠", "drawn anew"),
        ("D0AC1F62 card 10♠", "is no card"),
        ("D0AC1F62 card 8S", "is no card"),
        ("D0AC1F62 chip 2.50", "whole number"),
        ("D0AC1F62 chip 0", "whole number"),
        ("D0AC1F62 chip -5", "whole number"),
        ("D0AC1F62 chip ٥", "whole number"),
        ("D0AC1F62 chip 99999999999", "whole number"),
        ("D0AC1F62 plaque 500", "neither card nor chip"),
        ("D0AC1F62 card", "2 words"),
        ("D0AC1F62 card 8♠ red", "4 words"),
        ("00000001 chip 100", "stands there already"),
    ],
)
def test_mistakes_name_their_line(line: str, mistake: str) -> None:
    with pytest.raises(RegisterRefused, match=f"line 7: .*{mistake}"):
        parse_register(GOOD + line)


def test_every_mistake_at_once() -> None:
    with pytest.raises(RegisterRefused, match=r"line 1: .*line 3: "):
        parse_register("x card 8♠\n\nD0AC1F62 cards 8♠")


def test_a_seven_byte_number_may_begin_with_08() -> None:
    assert parse_register("08AC1F62000000 card 8♠") == {"56:08AC1F62000000": Card("8♠")}


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "tags.txt"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(RegisterRefused, match="no UTF-8"):
        read_register(file)


@pytest.mark.parametrize(("uid", "is_one"), [("00000000", False), ("FF" * 7, False), ("00000001", True), ("FE", True)])
def test_what_comes_from_nowhere_is_no_number(uid: str, is_one: bool) -> None:
    """BR-035: all zeros, all F."""
    assert is_number(bytes.fromhex(uid)) is is_one
