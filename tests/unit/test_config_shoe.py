"""A table that is observed: one shoe, no shuffler, and the seats and decks of baccarat."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.readers.angel_eye_shoe import ShoeSettings
from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.configuration.shape import DeviceRole
from tableside.equipment import _plain_settings
from tableside.house import TableKind
from tests.support.config_files import TABLE, Edit, write_config

SHOE = """\
[[devices]]
name = "shoe"
role = "shoe"
driver = "angel-eye-shoe"
address = "tcp://192.0.2.17:4001"
serial_number = "AE-0001"
model = "Angel Eye II-EX"
"""
SHUFFLER = TABLE[TABLE.index('[[devices]]\nname = "shuffler"') : TABLE.index('[[devices]]\nname = "switches"')]


def table(old: str, new: str) -> Edit:
    return Edit("table", old, new)


OBSERVED = (
    table("seats = 7", 'kind = "shoe"\nseats = 9'),
    table("count = 3", "count = 4"),
    table("count = 3", "count = 4"),
    table(SHUFFLER, SHOE),
)


def test_a_shoe_and_no_shuffler_make_a_table(tmp_path: Path) -> None:
    path = write_config(tmp_path, *OBSERVED)
    assert [mistake for mistake in check(path) if mistake.is_refused] == []
    loaded = load_host(path)
    house = house_of(loaded, loaded.tables[0], 1)
    assert (house.kind, house.shoe, house.shuffler, house.seats) == (TableKind.SHOE, "shoe", "", 9)
    assert house.cards_at_table == 8 * 52


@pytest.mark.parametrize(
    ("edit", "key"),
    [
        (table("seats = 9", "seats = 15"), "table.seats"),
        (table("count = 4", "count = 1"), "decks"),
        (table(SHOE, SHUFFLER + SHOE), "devices"),
        (table(SHOE, ""), "devices"),
        (table("192.0.2.17:4001", "192.0.2.17:0"), "devices[0].address"),
        (table("[settings]", '[settings]\nround_end = "sensed"'), "settings.round_end"),
    ],
    ids=["15 seats", "5 decks", "a shuffler beside it", "no shoe", "no port", "rounds by sensors"],
)
def test_what_does_not_fit_a_shoe_is_refused(tmp_path: Path, edit: Edit, key: str) -> None:
    refused = {mistake.key for mistake in check(write_config(tmp_path, *OBSERVED, edit)) if mistake.is_refused}
    assert any(name.startswith(key) for name in refused), refused


def test_rounds_are_found_by_sensors_where_the_table_says_so(tmp_path: Path) -> None:
    for edits, is_sensed in (((), False), ((table("[settings]", '[settings]\nround_end = "sensed"'),), True)):
        loaded = load_host(write_config(tmp_path, *edits))
        assert house_of(loaded, loaded.tables[0], 1).rounds_are_sensed is is_sensed


def test_a_shoe_at_a_shufflers_table_is_refused(tmp_path: Path) -> None:
    refused = [m for m in check(write_config(tmp_path, table("[settings]", SHOE + "[settings]"))) if m.is_refused]
    assert refused
    assert all(mistake.key.startswith("devices") for mistake in refused), refused


@pytest.mark.parametrize(("written", "includes_stx"), [("", True), ("with-stx", True), ("without-stx", False)])
def test_what_the_check_of_a_block_covers_is_the_house_s_to_say(
    tmp_path: Path, written: str, includes_stx: bool
) -> None:
    line = f'bcc_span = "{written}"\n' if written else ""
    path = write_config(tmp_path, *OBSERVED, table(SHOE, SHOE + line))
    assert [mistake for mistake in check(path) if mistake.is_refused] == []
    (device,) = load_host(path).tables[0].devices_of(DeviceRole.SHOE)
    settings = _plain_settings(device)
    assert isinstance(settings, ShoeSettings)
    assert settings.bcc_includes_stx is includes_stx


@pytest.mark.parametrize(
    ("edit", "key", "words"),
    [
        (table(SHOE, SHOE + 'bcc_span = "with-etx"\n'), "devices[0].bcc_span", '"with-stx"'),
        (table('role = "switch_box"', 'role = "switch_box"\nbcc_span = "with-stx"'), "devices[1].bcc_span", "shoe"),
    ],
    ids=["another word", "another device"],
)
def test_a_span_that_makes_no_sense_is_told_where_it_stands(tmp_path: Path, edit: Edit, key: str, words: str) -> None:
    found = {mistake.key: mistake for mistake in check(write_config(tmp_path, *OBSERVED, edit))}
    assert words in str(found[key])
