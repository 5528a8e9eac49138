"""Where each key of a TOML text stands. `tomllib` reads values but gives no positions; people need them.

Works on text that `tomllib` accepts: the grammar is checked there, so this reader only has to find keys.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import NamedTuple

# Names of tables and keys, and indices into arrays: ("devices", 0, "address").
KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# A closing delimiter may be preceded by one or two quotes that belong to the text.
_STRINGS = (
    ('"""', re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL)),
    ("'''", re.compile(r"'''(?:[^']|'(?!''))*'{3,5}", re.DOTALL)),
    ('"', re.compile(r'"(?:[^"\\\n]|\\.)*"')),
    ("'", re.compile(r"'[^'\n]*'")),
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


class Position(NamedTuple):
    """A place in a text; both count from 1, the column in characters."""

    line: int
    column: int


def locate(text: str) -> dict[KeyPath, Position]:
    """Each table, key and array item of a valid TOML text, with the place of its name (an item: of its value)."""
    return _Reader(text).read()


def nearest_position(positions: dict[KeyPath, Position], path: KeyPath) -> Position:
    """The place of `path`, or of the innermost table around it that is written down."""
    while path and path not in positions:
        path = path[:-1]
    return positions.get(path, Position(1, 1))


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._positions: dict[KeyPath, Position] = {}
        self._lengths: dict[KeyPath, int] = {}  # of arrays of tables, so far

    def read(self) -> dict[KeyPath, Position]:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)
        return self._positions

    def _header(self) -> KeyPath:
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        parts = self._key()
        self._at += 2 if is_array else 1
        path: KeyPath = ()
        for name, position in parts[:-1]:
            path = self._newest((*path, name))
            self._positions.setdefault(path, position)
        name, position = parts[-1]
        path = (*path, name)
        self._positions.setdefault(path, position)
        if not is_array:
            return path
        self._lengths[path] = self._lengths.get(path, 0) + 1
        path = self._newest(path)
        self._positions[path] = position
        return path

    def _newest(self, path: KeyPath) -> KeyPath:
        """`path` itself, or where it names an array of tables its last element so far."""
        return (*path, self._lengths[path] - 1) if path in self._lengths else path

    def _pair(self, table: KeyPath) -> None:
        path = table
        for name, position in self._key():
            path = (*path, name)
            self._positions.setdefault(path, position)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _key(self) -> list[tuple[str, Position]]:
        """A dotted key: its names with their places; stops before whatever follows it."""
        parts: list[tuple[str, Position]] = []
        while True:
            self._skip(_SPACE)
            position = self._position(self._at)
            parts.append((self._name(), position))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _name(self) -> str:
        if self._text[self._at] not in "\"'":
            return self._skip(_BARE_KEY)
        written = self._string()
        name = tomllib.loads(f"name = {written}")["name"]
        assert isinstance(name, str)
        return name

    def _value(self, path: KeyPath) -> None:
        first = self._text[self._at]
        if first == "[":
            self._array(path)
        elif first == "{":
            self._inline_table(path)
        elif first in "\"'":
            self._string()
        else:
            self._skip(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        self._at += 1
        self._skip(_BLANK)
        index = 0
        while self._text[self._at] != "]":
            self._positions[(*path, index)] = self._position(self._at)
            self._value((*path, index))
            index += 1
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        self._skip(_SPACE)
        while self._text[self._at] != "}":
            self._pair(path)
            self._skip(_SPACE)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_SPACE)
        self._at += 1

    def _string(self) -> str:
        for opening, pattern in _STRINGS:
            if self._text.startswith(opening, self._at):
                return self._skip(pattern)
        raise AssertionError("called at a quote only")

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        assert match is not None, f"tomllib accepted what stands at {self._position(self._at)}"
        self._at = match.end()
        return match.group()

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)
