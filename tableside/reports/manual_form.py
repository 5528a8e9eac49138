"""The numbered form on which a table is run by hand, as a printable text in the table's languages (semantics §4)."""

from __future__ import annotations

from collections.abc import Sequence

from tableside.journal.chain import Finding
from tableside.manual_happenings import FormIssued
from tableside.manual_requests import LateKind
from tableside.phrases import ENGLISH, phrase
from tableside.procedures.manual import LINES
from tableside.reports import paper
from tableside.reports.story import NoStory, Story

KIND = "form"
TITLE = "Manual operation: form"
# Each column and how many characters a hand needs for it.
COLUMNS = (("No.", 4), ("Time", 7), ("What", 10), ("Told in words", 33), ("Staff id", 10), ("Entered", 8))
NOTES = (
    "Write a line for each round, each card that goes in or out, each complaint, payment and change of people.",
    "Leave no line empty. Enter every line when the system is back, each under one's own badge; then count all cards.",
)


def manual_form(story: Story, findings: Sequence[Finding] = (), number: int | None = None) -> str:
    """The form of a number, the last one that was issued if none is named. Raises `NoStory` where there is none."""
    issued = [(told.wall_ns, told.what) for told in story.told if isinstance(told.what, FormIssued)]
    found = [(wall_ns, what) for wall_ns, what in issued if number in (None, what.form)]
    if not found:
        known = ", ".join(str(what.form) for _, what in issued) or "none: `tableside manual issue` gives one a number"
        raise NoStory(f"no form {number or ''} was issued; those that were: {known}")
    wall_ns, what = found[-1]
    languages = story.house.languages
    lines = paper.head(f"{_in_all(TITLE, languages)} {what.form}", story)
    lines += paper.field(_in_all("Issued", languages), f"{story.time(wall_ns)}, {story.person(what.by)}")
    for label in ("Ordered by", "From", "Until", "Why"):
        lines += [f"{_in_all(label, languages) + ':':<{paper.LABEL}}" + "_" * (paper.WIDTH - paper.LABEL)]
    lines += ["", "; ".join(phrase(KIND, kind.value, languages[0]) for kind in LateKind), ""]
    lines += _grid([phrase(KIND, name, languages[0]) for name, _ in COLUMNS], [""] * len(COLUMNS))
    for line in range(1, LINES + 1):
        lines += _grid([str(line), *[""] * (len(COLUMNS) - 1)], ["_"] * len(COLUMNS))
    for language in dict.fromkeys((*languages, ENGLISH)):
        lines += ["", *(part for note in NOTES for part in paper.wrapped(phrase(KIND, note, language)))]
    return "\n".join([*lines, *paper.foot(story, findings), *paper.signatures("Room management")]) + "\n"


def _in_all(text: str, languages: Sequence[str]) -> str:
    """The text in the table's languages, each once."""
    return " / ".join(dict.fromkeys(phrase(KIND, text, language) for language in languages))


def _grid(cells: Sequence[str], fill: Sequence[str]) -> list[str]:
    parts = zip(cells, fill, COLUMNS, strict=True)
    return [" ".join((cell or each * width).ljust(width) for cell, each, (_, width) in parts)]
