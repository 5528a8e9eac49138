"""What `[jackpot]` and its ledger may not say: each mistake with its line and rule, all in one run (JP-2, JP-7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.jackpot.settings import JackpotSettings
from tests.support.config_files import Edit, write_config
from tests.unit.daemon.test_ledger import JACKPOT

DISPLAY = """
[[devices]]
name = "sign"
role = "display"
driver = "tdl-display"
address = "tcp://127.0.0.1:4001"
serial_number = "000444"
model = "SIGN"
display_characters = {characters}
"""
SERVER = "postgresql://tableside@ledger.example:5432/casino"


def written(folder: Path, *edits: tuple[str, str], more: str = "", profile: str = "lab") -> Path:
    text = JACKPOT
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return write_config(folder, Edit("host", '"lab"', f'"{profile}"'), Edit("table", "", text + more))


def found(path: Path) -> dict[str, str]:
    """By key: the line that it stands in, and what is said."""
    return {
        mistake.key: f"{mistake.file.read_text('utf-8').splitlines()[mistake.line - 1]} | {mistake}"
        for mistake in check(path)
    }


def test_a_sound_one_is_taken_and_the_table_knows_the_ledgers_name_only(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert check(path) == []
    host = load_host(path)
    house = house_of(host, host.tables[0], 1)
    assert type(house.jackpot) is JackpotSettings
    assert house.jackpot_ledger == "grand"


def test_jp2_jp7_all_that_is_wrong_is_told_at_once_each_with_line_and_rule(tmp_path: Path) -> None:
    told = found(
        written(
            tmp_path,
            ("start = 1000000", "start = 999999"),
            ('"EUR"', '"ZZZ"'),
            ("increment = 7500", "increment = 0.75"),
            ('approved_by = "Inspection service, dispatch 12"\n', ""),
            ("approved_on = 2026-11-01", "approved_on = 0"),
        )
    )
    for key, line, rule in (
        ("jackpot.start", "start = 999999", "JP-7"),
        ("jackpot.currency", 'currency = "ZZZ"', "JP-2"),
        ("jackpot.increment", "increment = 0.75", "JP-2"),
        ("jackpot.approved_by", "[jackpot]", "JP-2"),
        ("jackpot.approved_on", "approved_on = 0", "JP-2"),
    ):
        shown, _, said = told[key].partition(" | ")
        assert shown.startswith(line), key
        assert rule in said, (key, said)


LEDGERS: list[tuple[str, tuple[tuple[str, str], ...], str, str]] = [
    ("no name", (('ledger_name = "grand"\n', ""),), "jackpot.ledger_name", "several jackpots"),
    ("a name without a ledger", (('ledger = "sqlite:ledger.db"\n', ""),), "jackpot.ledger_name", "without a ledger"),
    ("no file", (("sqlite:ledger.db", "sqlite:"),), "jackpot.ledger", "names no file"),
    ("no folder", (("sqlite:ledger.db", "sqlite:nowhere/l.db"),), "jackpot.ledger", "is not there"),
    ("another database", (("sqlite:ledger.db", "mysql://h/db"),), "jackpot.ledger", "is no ledger"),
    ("no database", (("sqlite:ledger.db", "postgresql://h"),), "jackpot.ledger", "is no ledger"),
    ("a password", (("sqlite:ledger.db", "postgresql://u:secret@h/db"),), "jackpot.ledger", "a password stands in it"),
    ("one behind it", (("sqlite:ledger.db", "postgresql://u@h/db?password=x"),), "jackpot.ledger", "a password"),
    (
        "a password for a file",
        (('"grand"', '"grand"\nledger_password_file = "p"'),),
        "jackpot.ledger_password_file",
        "means nothing",
    ),
    (
        "a password file that is not there",
        (("sqlite:ledger.db", SERVER), ('"grand"', '"grand"\nledger_password_file = "p"')),
        "jackpot.ledger_password_file",
        "is not there",
    ),
]


@pytest.mark.parametrize(("says", "edits", "key", "word"), LEDGERS, ids=[case[0] for case in LEDGERS])
def test_a_ledger_that_cannot_be_is_told_at_its_key(
    tmp_path: Path, says: str, edits: tuple[tuple[str, str], ...], key: str, word: str
) -> None:
    told = found(written(tmp_path, *edits))
    assert word in told[key], told
    assert "secret" not in told[key].partition(" | ")[2], says


def test_a_password_file_that_others_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("test password\n")
    edits = (("sqlite:ledger.db", SERVER), ('"grand"', '"grand"\nledger_password_file = "p"'))
    (tmp_path / "p").chmod(0o644)
    assert "chmod 600" in found(written(tmp_path, *edits))["jackpot.ledger_password_file"]
    (tmp_path / "p").chmod(0o600)
    place = load_host(written(tmp_path, *edits)).tables[0].ledger
    assert place is not None
    assert (place.address, place.password_file) == (SERVER, tmp_path / "p")


def test_in_production_a_ledger_elsewhere_is_spoken_to_in_checked_tls_or_not_at_all(tmp_path: Path) -> None:
    told = found(written(tmp_path, ("sqlite:ledger.db", SERVER), profile="production"))
    assert "not encrypted" in told["jackpot.ledger"]
    told = found(written(tmp_path, ("sqlite:ledger.db", f"{SERVER}?sslmode=verify-full"), profile="production"))
    assert "jackpot.ledger" not in told


def test_br059_an_amount_that_a_display_could_not_show_is_refused_at_load(tmp_path: Path) -> None:
    """Start and limit: what is sure to come must fit (JP-3, JP-7)."""
    assert found(written(tmp_path, more=DISPLAY.format(characters=16))) == {}
    told = found(written(tmp_path, ("start = 1000000", "start = 100000000"), more=DISPLAY.format(characters=12)))
    assert "sign cannot show" in told["jackpot.start"]
    limited = ("start = 1000000", "start = 1000000\nlimit = 100000000")
    told = found(written(tmp_path, limited, more=DISPLAY.format(characters=12)))
    assert "sign cannot show" in told["jackpot.limit"]
