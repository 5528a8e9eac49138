"""What is wrong with a configuration, said so that it can be mended without a second run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from tableside.configuration.locate import KeyPath

# How many slips of the finger make a word another word: the length up to which so many are believed.
SLIPS_UP_TO = ((4, 1), (8, 2), (64, 3))
# Said of a key that is not there; such a finding may be an effect of another one.
MISSING = "is missing"
_DIGITS = re.compile(r"[0-9]+")


class Severity(StrEnum):
    """Whether a mistake stops the daemon."""

    REFUSED = "refused"
    WARNING = "warning"


class Finding(msgspec.Struct, frozen=True):
    """Something wrong at one key of one file, before its place in the text is known."""

    path: KeyPath
    problem: str
    allowed: str = ""
    nearest: str = ""
    severity: Severity = Severity.REFUSED


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mistake:
    """A finding with its file and place. `str` gives the line that people read."""

    file: Path
    line: int
    column: int
    key: str
    problem: str
    allowed: str = ""
    nearest: str = ""
    severity: Severity = Severity.REFUSED

    @property
    def is_refused(self) -> bool:
        """Whether the configuration cannot be used because of it."""
        return self.severity is Severity.REFUSED

    def __str__(self) -> str:
        parts = [f"{self.file}:{self.line}:{self.column}: {self.severity}: "]
        parts.append(f"{self.key}: {self.problem}." if self.key else f"{self.problem}.")
        if self.nearest:
            parts.append(f' Did you mean "{self.nearest}"?')
        if self.allowed:
            parts.append(f" Allowed: {self.allowed}.")
        return "".join(parts)


def key_text(path: KeyPath) -> str:
    """A path as people write it: `devices[0].address`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def nearest_of(word: str, words: Iterable[str]) -> str:
    """The one of `words` that was most likely meant, or nothing: a wrong guess costs more than none.

    Near is what a few slips of the finger make of it; names that differ in digits alone (`S-1`, `S-2`) are different
    things.
    """
    most = next((slips for length, slips in SLIPS_UP_TO if len(word) <= length), 0)
    near = sorted((_slips(word, known), known) for known in words if not _differ_in_digits(word, known))
    return near[0][1] if near and near[0][0] <= most else ""


def _differ_in_digits(one: str, other: str) -> bool:
    """Whether nothing but numbers tells them apart."""
    return one != other and _DIGITS.sub("0", one) == _DIGITS.sub("0", other)


def _slips(typed: str, meant: str) -> int:
    """How many letters were left out, added, exchanged or swapped with the next one."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for i, letter in enumerate(typed, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(meant, 1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == meant[j - 2] and typed[i - 2] == wanted:
                slips = min(slips, older[j - 2] + 1)
            row.append(slips)
    return row[-1]


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence."""
    return ", ".join(words)
