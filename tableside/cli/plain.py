"""What is printed, on any terminal: a character that it does not have becomes a plain one, never a crash (BR-066).

On a terminal, long lines are broken between words at its width; what goes to a file or a pipe is not. No escape codes.
"""

from __future__ import annotations

import codecs
import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

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
# What a person sets to say that a terminal has no more than ASCII; Python itself would assume UTF-8 (PEP 538, 540).
_ASCII_LOCALES = ("C", "POSIX")
_OWN_ENVIRONMENT = Path("/proc/self/environ")
# Narrower than this, words are not broken any further by us.
LEAST_COLUMNS = 20


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(sign: str) -> str:
    """What stands for a sign: ours, its letter without accents, or else its number; never a question mark."""
    bare = "".join(part for part in unicodedata.normalize("NFKD", sign) if part.isascii())
    return PLAIN.get(sign) or bare or f"<U+{ord(sign):04X}>"


def make_plain() -> None:
    """From now on stdout and stderr take everything."""
    codecs.register_error(_HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            encoding = "ascii" if stream.isatty() and _is_ascii_asked_for(environment_at_start()) else None
            reconfigure(errors=_HANDLER, encoding=encoding)


def environment_at_start() -> dict[str, str]:
    """The variables as the shell set them: Python has put its own LC_CTYPE into `os.environ` meanwhile."""
    try:
        given = _OWN_ENVIRONMENT.read_bytes()
    except OSError:
        return dict(os.environ)
    pairs = (item.partition("=") for item in given.decode("utf-8", "replace").split("\0") if item)
    return {name: value for name, _, value in pairs}


def _is_ascii_asked_for(environment: Mapping[str, str]) -> bool:
    if environment.get("PYTHONIOENCODING") or environment.get("PYTHONUTF8"):
        return False  # whoever sets these says what the terminal takes
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "")
    return locale in _ASCII_LOCALES


def can_show(text: str) -> bool:
    """Whether stdout has every letter of it; our own signs do not count, they have plain ones."""
    try:
        "".join(sign for sign in text if sign not in PLAIN).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def say(text: str) -> None:
    """One line, seen at once by whoever reads along; broken between words where a terminal is narrower."""
    say_as_it_is(_on(sys.stdout, text))


def say_as_it_is(text: str) -> None:
    """One line, however long: for programs."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _on(stream: TextIO, text: str) -> str:
    """As a terminal shows it: what stands for a sign that it has not may be wider than the sign."""
    if not stream.isatty():
        return text
    encoding = stream.encoding or "ascii"
    shown = text.encode(encoding, stream.errors or "strict").decode(encoding)
    return "\n".join(fitted(shown, shutil.get_terminal_size().columns))


def fitted(text: str, columns: int) -> list[str]:
    """Text as lines of so many columns at most where words allow; what goes on stands two further in."""
    return [part for line in text.split("\n") for part in _fitted_line(line, max(columns, LEAST_COLUMNS))]


def _fitted_line(line: str, columns: int) -> Iterator[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    while width_of(line) > columns:
        fitting = _letters_of(line, columns)
        at = line.rfind(" ", len(line) - len(line.lstrip()) + 1, fitting + 1)
        at = fitting if at < 0 else at
        yield line[:at].rstrip()
        indent = indent if len(indent) < columns // 2 else "  "
        line = indent + line[at:].lstrip()
    yield line


def _letters_of(line: str, columns: int) -> int:
    """How many letters fill so many columns."""
    taken = 0
    for count, sign in enumerate(line):
        taken += width_of(sign)
        if taken > columns:
            return count
    return len(line)


def width_of(text: str) -> int:
    """Columns that a text takes: Chinese signs take two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def warn(text: str) -> None:
    """One line to stderr, broken between words where a terminal is narrower."""
    sys.stderr.write(f"{_on(sys.stderr, text)}\n")
    sys.stderr.flush()


def say_json(value: object) -> None:
    """One line of JSON, ASCII only: the same on every terminal."""
    say_as_it_is(json.dumps(value, ensure_ascii=True))


def columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows as lines with their columns under each other, two blanks apart."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join(cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]
