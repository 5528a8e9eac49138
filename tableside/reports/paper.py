"""How a document looks: lines of at most 78 characters, a head with what it is, a foot with what proves it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from tableside.journal.chain import Finding
from tableside.reports.story import Story

WIDTH = 78
LABEL = 26


def head(title: str, story: Story) -> list[str]:
    """Title, table, and the mark of what is not real."""
    lines = [title, "=" * len(title), ""]
    lines += field("Table", f"{story.house.table}, section {story.house.section.name}")
    lines += field("Jurisdiction", story.house.jurisdiction.name)
    lines += field("Profile", story.house.profile)
    if story.is_simulated:
        lines += field("SIMULATED", "devices of this record were simulated; it proves nothing about a real table")
    return lines


def section(title: str) -> list[str]:
    """A part of the document."""
    return ["", title, "-" * len(title)]


def field(label: str, value: str) -> list[str]:
    """A label and its value, wrapped beside it."""
    return textwrap.wrap(
        value, WIDTH, initial_indent=f"{label + ':':<{LABEL}}", subsequent_indent=" " * LABEL, break_long_words=True
    ) or [f"{label}:"]


def wrapped(text: str) -> list[str]:
    """Running text. Chinese has no blanks to break at: such a line stays whole."""
    return textwrap.wrap(text, WIDTH, break_long_words=False)


def entry(when: str, text: str) -> list[str]:
    """Something that happened, and when."""
    return textwrap.wrap(f"{when}  {text}", WIDTH, subsequent_indent=" " * (len(when) + 2))


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows with their columns under each other."""
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def foot(story: Story, findings: Sequence[Finding]) -> list[str]:
    """Which record the document rests on, and whether its chain holds."""
    lines = section("Evidence")
    genesis = story.genesis
    lines += field("Journal", f"table {genesis.table}, epoch {genesis.epoch:08X}, up to row {story.last_seq}")
    lines += field("Hash of the last row", story.last_hash.hex())
    lines += field("Chain", "holds from the first row" if not findings else f"BROKEN: {len(findings)} findings")
    lines += [line for finding in findings for line in field("", finding.text)]
    if story.unreadable:
        lines += field("Rows of a later version", f"{story.unreadable}, not in this document")
    return lines


def signatures(*roles: str) -> list[str]:
    """Places to sign."""
    lines = [""]
    for role in roles:
        lines += ["", f"{role + ':':<{LABEL}}" + "_" * (WIDTH - LABEL)]
    return lines
