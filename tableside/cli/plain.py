"""What is printed, on any terminal: a character that it does not have becomes a plain one, never a crash (BR-066)."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterable, Sequence

# What we print beyond ASCII, and what stands for it where it must.
PLAIN = {
    "→": "->",
    "…": "...",
    "–": "-",
    "·": "-",
    "×": "x",
    "■": "#",
    "▲": "^",
    "●": "o",
    "♣": "C",
    "♦": "D",
    "♥": "H",
    "♠": "S",
}
_HANDLER = "tableside-plain"


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def make_plain() -> None:
    """From now on stdout and stderr take everything."""
    codecs.register_error(_HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def say(text: str) -> None:
    """One line, seen at once by whoever reads along."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def warn(text: str) -> None:
    """One line to stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def say_json(value: object) -> None:
    """One line of JSON, ASCII only: the same on every terminal."""
    say(json.dumps(value, ensure_ascii=True))


def columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows as lines with their columns under each other, two blanks apart."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*texts, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in texts]
