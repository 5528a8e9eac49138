"""Chip slots in a table's file: which seats, what a chip is worth, who approved it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tableside.config import load_host
from tableside.configuration.check import check
from tableside.configuration.house import house_of
from tests.support.config_files import Edit, write_config

SLOTS = """
[[devices]]
name = "slots"
role = "chip_slots"
driver = "tdl-slots"
address = "serial:///dev/serial/by-id/slots?baud=115200"
serial_number = "000555"
model = "SLOT"
seats = [1, 2, 5]
"""
CHIP = """
jackpot_chip_value = 500
jackpot_chip_currency = "EUR"
jackpot_approved_by = "Inspection"
jackpot_approved_on = 2026-01-15
"""


def slots(*changes: tuple[str, str]) -> tuple[Edit, Edit]:
    text, chip = SLOTS, CHIP
    for old, new in changes:
        assert old in text + chip
        text, chip = text.replace(old, new), chip.replace(old, new)
    return Edit("table", "", text), Edit("table", "[settings]\n", "[settings]" + chip)


def test_sound_chip_slots_are_taken(tmp_path: Path) -> None:
    host = write_config(tmp_path, *slots())
    assert check(host) == []
    (house,) = [house_of(load_host(host), table, 1) for table in load_host(host).tables]
    assert [(one.name, one.seats, one.collects) for one in house.chip_slots] == [("slots", (1, 2, 5), True)]
    assert (house.chip_value, house.chip_currency) == (500, "EUR")
    assert "slots" not in house.others


@pytest.mark.parametrize(
    ("changes", "key", "problem"),
    [
        ((("seats = [1, 2, 5]\n", ""),), "seats", "is missing"),
        ((("[1, 2, 5]", "[1, 2, 9]"),), "[2]", "9"),
        ((("[1, 2, 5]", "[1, 2, 2]"),), "seats", "names seat 2"),
        ((("[1, 2, 5]", "[]"),), "seats", ""),
        ((("tdl-slots", "tdl-display"),), "driver", "drives no chip_slots"),
        ((("jackpot_chip_value = 500\n", ""),), "jackpot_chip_value", "is missing"),
        ((('jackpot_approved_by = "Inspection"\n', ""),), "jackpot_approved_by", "is missing"),
        ((('"EUR"', '"ZZZ"'),), "jackpot_chip_currency", "ZZZ"),
        ((("= 500", "= 0"),), "jackpot_chip_value", "0"),
    ],
)
def test_what_chip_slots_cannot_be_is_said_with_its_key(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], key: str, problem: str
) -> None:
    """JP-2, JP-3, JP-10: one slot a seat, one value of a chip, and who approved it."""
    found = [one for one in check(write_config(tmp_path, *slots(*changes))) if (one.key or "").endswith(key)]
    assert found, check(write_config(tmp_path, *slots(*changes)))
    assert any(problem in one.problem for one in found), found


ACCEPTOR = """
[[devices]]
name = "slot-{seat}"
role = "chip_slots"
driver = "cctalk-slot"
address = "serial:///dev/serial/by-id/slots?baud=9600"
serial_number = "{seat}"
model = "SR5"
seats = [{seat}]
cctalk_address = {address}
chip_position = 3
"""


def acceptors(*changes: tuple[str, str]) -> tuple[Edit, Edit]:
    text = ACCEPTOR.format(seat=1, address=11) + ACCEPTOR.format(seat=2, address=12)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return Edit("table", "", text), Edit("table", "[settings]\n", "[settings]" + CHIP)


def test_acceptors_of_one_bus_are_taken_and_collect_nothing(tmp_path: Path) -> None:
    host = write_config(tmp_path, *acceptors())
    assert check(host) == []
    (house,) = [house_of(load_host(host), table, 1) for table in load_host(host).tables]
    assert [(one.name, one.seats, one.collects) for one in house.chip_slots] == [
        ("slot-1", (1,), False),
        ("slot-2", (2,), False),
    ]


@pytest.mark.parametrize(
    ("changes", "key", "problem"),
    [
        ((("cctalk_address = 12\n", ""),), "cctalk_address", "is missing"),
        ((("chip_position = 3\n", ""),), "chip_position", "is missing"),
        ((("seats = [1]", "seats = [1, 3]"),), "seats", "names several seats"),
        ((("cctalk_address = 12", "cctalk_address = 11"),), "cctalk_address", "is 11"),
        ((('serial_number = "2"', 'serial_number = "A2"'),), "serial_number", "A2"),
        ((('"cctalk-slot"', '"tdl-slots"'),), "cctalk_address", "means nothing"),
    ],
)
def test_what_acceptors_cannot_be_is_said_with_its_key(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], key: str, problem: str
) -> None:
    found = [one for one in check(write_config(tmp_path, *acceptors(*changes))) if (one.key or "").endswith(key)]
    assert found, check(write_config(tmp_path, *acceptors(*changes)))
    assert any(problem in one.problem for one in found), found
