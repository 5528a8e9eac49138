"""`[blackjack]` of a table's file: limits are held to BJ-15 before anybody plays by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.games.blackjack_settings import BlackjackSettings
from tests.support.config_files import Edit, write_config

LIMITS = '[blackjack]\ncurrency = "EUR"\nminimum = 1000\nmaximum = 30000\n'


def with_limits(text: str = LIMITS) -> Edit:
    return Edit("table", "[settings]", f"{text}\n[settings]")


def test_a_table_without_it_follows_no_hands(tmp_path: Path) -> None:
    host = load_host(write_config(tmp_path))
    assert house_of(host, host.tables[0], 1).blackjack is None


@pytest.mark.parametrize(("law", "draws"), [("pt", False), ("mo", True)])
def test_bj6_soft_17_is_the_jurisdictions(tmp_path: Path, law: str, draws: bool) -> None:
    host = load_host(write_config(tmp_path, with_limits(), Edit("table", '"pt"', f'"{law}"')))
    house = house_of(host, host.tables[0], 1)
    assert house.blackjack == BlackjackSettings(currency="EUR", minimum=1_000, maximum=30_000)
    assert house.jurisdiction.bank_draws_soft_17 is draws


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("30000", "31000", "blackjack.maximum", "at most 30000, 30 times the minimum (BJ-15)"),
        ("30000", "1500", "blackjack.maximum", "a multiple of the minimum 1000 (BJ-15)"),
        ("= 1000", "= 999", "blackjack.minimum", "an even number of smallest units"),
        ("= 1000", "= 1000.5", "blackjack.minimum", "decimal point"),
        ('"EUR"', '"ZZZ"', "blackjack.currency", 'is "ZZZ"'),
        ('"EUR"', '"ZZZ"', "blackjack.currency", "(BJ-15)"),
        ("minimum", "minimun", "blackjack.minimun", '"minimum"'),
    ],
)
def test_bj15_what_cannot_be_is_refused_with_line_and_rule(
    tmp_path: Path, old: str, new: str, key: str, words: str
) -> None:
    found = {mistake.key: mistake for mistake in check(write_config(tmp_path, with_limits(LIMITS.replace(old, new))))}
    assert key in found, list(map(str, found.values()))
    assert words in str(found[key])
    assert found[key].line > 1


def test_hands_are_followed_where_a_shuffler_counts_the_rounds(tmp_path: Path) -> None:
    batch = Edit("table", "seats = 7", 'seats = 7\nkind = "batch"')
    assert "blackjack" in {mistake.key for mistake in check(write_config(tmp_path, with_limits(), batch))}
