"""`docs/rules.md` says how each rule is held, and every test that it names exists and names the rule."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules.md"
HELD = ("enforced", "observed", "told by a person", "not yet")
# How many rules each family has.
FAMILIES = {
    "CSM": 12,
    "SHOE": 8,
    "BJ": 19,
    "JP": 13,
    "DECK": 12,
    "MISDEAL": 2,
    "DEAL": 9,
    "HOLD": 7,
    "STUD": 5,
    "CHIN": 13,
}
ID = re.compile(rf"(?<![a-z])({'|'.join(FAMILIES)})-?(\d+)(?!\d)", re.IGNORECASE)
# [test_rounds.py::test_that](../tests/unit/test_rounds.py)
LINK = re.compile(r"\[(\w+\.py)::(test_\w+)\]\(\.\./(tests/[\w/]+\.py)\)")


@dataclass(frozen=True)
class Row:
    """One obligation of the page."""

    number: int
    rule: str
    text: str
    held: tuple[str, ...]
    tests: tuple[tuple[str, str, str], ...]  # file's name and function as shown, path as linked
    cell: str


def read_rows() -> list[Row]:
    """Every row of every table, without the heads."""
    found = []
    for number, line in enumerate(PAGE.read_text("utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if len(cells) == 4 and cells[0] not in ("id", "---"):
            held = tuple(cells[2].split("; "))
            found.append(Row(number, cells[0], cells[1], held, tuple(LINK.findall(cells[3])), cells[3]))
    return found


ROWS = read_rows()


@cache
def named_in(path: Path) -> dict[str, frozenset[str]]:
    """Test function → rule ids that its name, its lines, its parameters or its module's description say."""
    source = path.read_text("utf-8")
    lines, tree = source.split("\n"), ast.parse(source)
    of_module = ids_in(ast.get_docstring(tree) or "")
    return {
        node.name: of_module | ids_in("\n".join(lines[first_line(node) - 1 : node.end_lineno]))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Where it begins, with what stands above its `def`."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def ids_in(text: str) -> frozenset[str]:
    """`CSM-2`, or `csm2` in a function's name, as they stand on the page."""
    return frozenset(f"{family.upper()}-{number}" for family, number in ID.findall(text))


def test_every_rule_has_its_row() -> None:
    wanted = {f"{family}-{number}" for family, most in FAMILIES.items() for number in range(1, most + 1)}
    assert wanted - {row.rule for row in ROWS} == set()


def test_no_row_names_a_rule_that_does_not_exist() -> None:
    numbered = {row.rule for row in ROWS if re.fullmatch(r"[A-Z]+-\d+", row.rule)}
    for rule in numbered:
        family, _, number = rule.partition("-")
        assert 1 <= int(number) <= FAMILIES[family], rule


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.rule}:{row.number}")
def test_a_row_says_how_it_is_held_and_by_which_test(row: Row) -> None:
    assert set(row.held) <= set(HELD)
    assert row.text.endswith(".")
    if row.held == ("not yet",):
        assert row.cell == ""
    else:
        assert row.tests, f"line {row.number}: {row.rule} is {', '.join(row.held)} and no test is named"
        assert LINK.sub("", row.cell).strip(" ,;") == "", f"line {row.number}: not a link to a test"
    for name, function, path in row.tests:
        assert Path(path).name == name, f"line {row.number}: {name} is shown, {path} is linked"
        assert (ROOT / path).is_file(), f"line {row.number}: {path} does not exist"
        assert function in named_in(ROOT / path), f"line {row.number}: {path} has no {function}"
        named = named_in(ROOT / path)[function]
        assert row.rule in named or not ID.fullmatch(row.rule), f"{path}::{function} does not name {row.rule}"


def test_a_rule_is_known_by_its_id_in_words_and_in_names() -> None:
    assert ids_in("CSM-12, test_shoe3_csm4_that; no CSM-, no xcsm5") == {"CSM-12", "SHOE-3", "CSM-4"}


def test_the_words_for_holding_are_explained_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    for word in HELD:
        assert f"**{word}**" in text
