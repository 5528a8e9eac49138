"""What is wrong with a configuration, said so that it can be mended without a second run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

import msgspec

from tableside.configuration.locate import KeyPath

# Below 0.6 `difflib` offers words that share a few letters by chance.
NEARNESS = 0.6
# Said of a key that is not there; such a finding may be an effect of another one.
MISSING = "is missing"


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
    """The most similar of `words`, or nothing."""
    return next(iter(get_close_matches(word, words, n=1, cutoff=NEARNESS)), "")


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence."""
    return ", ".join(words)
