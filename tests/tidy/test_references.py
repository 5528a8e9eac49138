"""What code and documents cite by number exists: sections of the semantics and of TDL, the design rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.test_tidy import text_of, tracked

ROOT = Path(__file__).parents[2]
HEADING = re.compile(r"^#{2,3} (\d+(?:\.\d+)?) ", re.MULTILINE)
ITEM = re.compile(r"^(\d+)\. ", re.MULTILINE)
NUMBER = r"\d+(?:\.\d+)*"
MORE = rf"(?:(?:, | and | to )§?{NUMBER}(?![\w%]))*"
CITED = {
    "semantics": re.compile(rf"semantics (§{NUMBER}{MORE})"),
    "TDL": re.compile(rf"(?:TDL|tdl\.md) (§?{NUMBER}{MORE})"),
    "design rule": re.compile(rf"design rules? ({NUMBER})"),
}


def sections(page: str) -> set[str]:
    """Numbers of headings, and of the items of a numbered list as heading.item."""
    parts = HEADING.split((ROOT / page).read_text("utf-8"))
    found = set()
    for number, text in zip(parts[1::2], parts[2::2], strict=True):
        found |= {number, *(f"{number}.{item}" for item in ITEM.findall(text))}
    return found


def design_rules() -> set[str]:
    _, _, rules = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## Design rules")
    return set(ITEM.findall(rules.partition("\n## ")[0]))


EXIST = {
    "semantics": sections("docs/semantics.md"),
    "TDL": sections("docs/protocols/tdl.md"),
    "design rule": design_rules(),
}


def cited(what: str) -> Iterator[tuple[str, str]]:
    """Each number cited, with its place."""
    for path in tracked():
        if path.suffix in (".py", ".md", ".toml") and path != Path(__file__):
            for match in CITED[what].finditer(text_of(path) or ""):
                for number in re.findall(NUMBER, match[1]):
                    yield number, f"{path.relative_to(ROOT)}: {match[0]}"


@pytest.mark.parametrize("what", CITED)
def test_what_is_cited_by_number_exists(what: str) -> None:
    found = list(cited(what))
    assert found, "the scan finds how things are cited"
    assert [place for number, place in found if number not in EXIST[what]] == []


def test_nothing_is_cited_that_is_not_part_of_the_project() -> None:
    """A section sign belongs to the semantics, or to a standard that the line names."""
    ours = re.compile(r"(?:design|protocols|field|texts|libraries|TDL) §")
    places = [
        str(path.relative_to(ROOT)) for path in tracked() if path != Path(__file__) and ours.search(text_of(path) or "")
    ]
    assert places == []
