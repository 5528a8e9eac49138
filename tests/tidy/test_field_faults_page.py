"""`docs/field-faults.md` links each field report to tests that name it, and knows every report that a test names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "field-faults.md"
LINK = re.compile(r"\[(\w+\.py)::(test_\w+)\]\(\.\./(tests/[\w/]+\.py)\)")
ID = re.compile(r"br[-_]?(\d{3})", re.IGNORECASE)
NO_TEST = ("**Waits**: ", "**Cannot be had** here: ")


@dataclass(frozen=True)
class Row:
    """One report."""

    number: str
    here: str
    tests: tuple[tuple[str, str, str], ...]  # file's name and function as shown, path as linked


def read_rows() -> Iterator[Row]:
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| BR-"):
            number, _, _, here, cell = (part.strip() for part in line.strip("|").split("|"))
            yield Row(number.removeprefix("BR-"), here, tuple(LINK.findall(cell)))


ROWS = tuple(read_rows())


@cache
def named_in(path: Path) -> dict[str, frozenset[str]]:
    """Test function → ids that its name, its lines or its module's description say."""
    source = path.read_text("utf-8")
    lines, tree = source.split("\n"), ast.parse(source)
    of_module = frozenset(ID.findall(ast.get_docstring(tree) or ""))
    return {
        node.name: of_module | frozenset(ID.findall("\n".join(lines[node.lineno - 1 : node.end_lineno])))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_report_stands_once() -> None:
    numbers = [row.number for row in ROWS]
    assert numbers
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_a_report_has_tests_that_name_it_or_a_reason(row: Row) -> None:
    if not row.tests:
        assert row.here.startswith(NO_TEST), "neither a test nor a reason"
    for name, function, path in row.tests:
        assert Path(path).name == name, f"{name} is shown, {path} is linked"
        assert row.number in named_in(ROOT / path)[function], f"{path}::{function} does not name BR-{row.number}"


def test_no_report_that_a_test_names_is_missing_or_said_to_wait() -> None:
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    named = {number for path in files for number in ID.findall(path.read_text("utf-8"))}
    assert named - {row.number for row in ROWS if row.tests} == set()
