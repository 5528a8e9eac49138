"""What a look at the host finds: one line of fact, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tableside.config import HostConfig


class Verdict(StrEnum):
    """How bad it is."""

    WELL = "well"
    ADVICE = "advice"  # works, and a night will come when it does not
    WRONG = "wrong"  # a table does not run, or cannot be believed
    UNTOLD = "cannot tell"


@dataclass(frozen=True, slots=True)
class Symptom:
    """One finding. `remedy` is empty where all is well."""

    verdict: Verdict
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Ward:
    """What is looked at. `root`: where /proc, /sys, /dev and /etc lie; `is_clock_kept`: None where nobody can tell."""

    host: HostConfig
    root: Path = Path("/")
    is_clock_kept: Callable[[], bool | None] = lambda: None

    def file(self, path: str | Path) -> Path:
        """An absolute path of the host's, under `root`."""
        return self.root / str(path).lstrip("/")

    def text(self, path: str | Path) -> str | None:
        """A small file's content; None where it cannot be read."""
        try:
            return self.file(path).read_text("utf-8", "replace").strip()
        except OSError:
            return None


Look = Callable[[Ward], Iterator[Symptom]]


def well(what: str) -> Symptom:
    """Nothing to do."""
    return Symptom(Verdict.WELL, what)
