"""Pages of protocols that others made: each statement says where it comes from, and what we only assume is counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROTOCOLS = Path(__file__).parents[2] / "docs" / "protocols"
# Ours, specified by these pages themselves: nothing in them is assumed of anybody else's device.
OUR_OWN = frozenset({"control.md", "journal.md", "northbound.md", "paging.md", "tdl.md"})
# Has tags of another form, and is counted by tests/unit/simulator/test_simulated_shuffler_page.py.
COUNTED_ELSEWHERE = frozenset({"simulated-shuffler.md"})
# The page itself says how much it assumes: more with each assumption, less with each device that somebody looks into.
STATED = re.compile(r"^Assumed on this page: (\d+)\.$", re.MULTILINE)
TAG = re.compile(r"\[([DOA])\]")
LEGEND = re.compile(r"^- \*\*\[([DOA])\]\*\* (documented|observed|assumed)\b", re.MULTILINE)


def foreign_pages() -> list[str]:
    return sorted(page.name for page in PROTOCOLS.glob("*.md") if page.name not in OUR_OWN | COUNTED_ELSEWHERE)


def tags_of(name: str) -> list[str]:
    """Every tag of a page, its legend apart."""
    text = (PROTOCOLS / name).read_text("utf-8")
    return TAG.findall(LEGEND.sub("", text))


def test_the_pages_are_found() -> None:
    assert {"alpha.md", "angel-eye.md", "osdp.md"} <= set(foreign_pages())
    assert {page.name for page in PROTOCOLS.glob("*.md")} >= OUR_OWN | COUNTED_ELSEWHERE


@pytest.mark.parametrize("name", foreign_pages())
def test_the_legend_says_what_the_tags_mean(name: str) -> None:
    legend = dict(LEGEND.findall((PROTOCOLS / name).read_text("utf-8")))
    assert legend == {"D": "documented", "O": "observed", "A": "assumed"}


@pytest.mark.parametrize("name", foreign_pages())
def test_the_assumed_ones_are_counted(name: str) -> None:
    stated = STATED.findall((PROTOCOLS / name).read_text("utf-8"))
    counted = str(tags_of(name).count("A"))
    assert stated == [counted], f"say *Assumed on this page: {counted}.* behind the legend: each new one is somebody's"


@pytest.mark.parametrize("name", foreign_pages())
def test_nothing_is_assumed_alone(name: str) -> None:
    """A page that only assumes describes no protocol."""
    tags = tags_of(name)
    assert tags.count("D") + tags.count("O") >= tags.count("A")
