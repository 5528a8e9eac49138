"""A table's file where cards are shuffled by hand: no machine, and two special cards (SHOE-1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.house import SpecialCards, TableKind
from tests.support.config_files import TABLE, Edit, write_config

SWITCHES = '[[devices]]\nname = "switches"'
SHUFFLER = TABLE[TABLE.index('[[devices]]\nname = "shuffler"') : TABLE.index(SWITCHES)]
CARDS = '[special_cards]\ncut = "yellow"\nwarning = "green"\n\n'


def table(old: str, new: str) -> Edit:
    return Edit("table", old, new)


BY_HAND = (
    table("seats = 7", 'kind = "hand-shoe"\nseats = 7'),
    table(SHUFFLER, ""),
    table("[settings]", CARDS + "[settings]"),
)


def test_shoe1_a_table_without_a_machine_names_its_special_cards(tmp_path: Path) -> None:
    path = write_config(tmp_path, *BY_HAND)
    assert [mistake for mistake in check(path) if mistake.is_refused] == []
    loaded = load_host(path)
    house = house_of(loaded, loaded.tables[0], 1)
    assert (house.kind, house.shuffler, house.cards_at_table) == (TableKind.HAND_SHOE, "", 312)
    assert house.special_cards == SpecialCards("yellow", "green")
    assert (house.jurisdiction.damaged, house.jurisdiction.damaged_in_shoe) == ("card", "deck")


def test_shoe1_a_table_with_a_machine_may_name_them(tmp_path: Path) -> None:
    path = write_config(tmp_path, table("[settings]", CARDS + "[settings]"))
    assert [mistake for mistake in check(path) if mistake.is_refused] == []


@pytest.mark.parametrize(
    ("edit", "key", "said"),
    [
        (table('cut = "yellow"', 'cut = "red"'), "special_cards.cut", "SHOE-1"),
        (table('warning = "green"', 'warning = "blue"'), "special_cards.warning", "SHOE-1"),
        (table('warning = "green"', 'warning = "yellow"'), "special_cards.warning", "SHOE-1"),
        (table('warning = "green"', 'warning = "Green 5"'), "special_cards.warning", "small letters"),
        (table('warning = "green"\n', ""), "special_cards.warning", ""),
        (table(CARDS, ""), "special_cards", "SHOE-1"),
        (table("count = 3", "count = 2"), "decks", "SHOE-1"),
        (table("seats = 7", "seats = 9"), "table.seats", "BJ-1"),
        (table(SWITCHES, SHUFFLER + SWITCHES), "devices", ""),
    ],
    ids=["as a deck", "warning as a deck", "alike", "no colour", "one only", "none", "5 decks", "9 seats", "a machine"],
)
def test_shoe1_special_cards_are_unlike_the_decks_and_each_other(
    tmp_path: Path, edit: Edit, key: str, said: str
) -> None:
    """Refused at load, with the line and the rule (SHOE-1)."""
    refused = [mistake for mistake in check(write_config(tmp_path, *BY_HAND, edit)) if mistake.is_refused]
    (mistake,) = [mistake for mistake in refused if mistake.key.startswith(key)]
    assert said in mistake.allowed
    assert mistake.line > 0


def test_special_cards_mean_nothing_at_a_table_that_is_observed(tmp_path: Path) -> None:
    kind = table('kind = "hand-shoe"', 'kind = "batch"')
    refused = {mistake.key for mistake in check(write_config(tmp_path, *BY_HAND, kind)) if mistake.is_refused}
    assert "special_cards" in refused
