"""The sound part of a file, for rules across keys: whatever is broken reads as if it were not there."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tableside.configuration.locate import KeyPath


@dataclass(frozen=True, slots=True)
class Draft:
    """One table of a file with its place in it. Each reader gives None, or nothing, for what is absent or broken."""

    path: KeyPath
    values: Mapping[str | int, object]

    def at(self, *key: str | int) -> KeyPath:
        """The path of one of its keys."""
        return (*self.path, *key)

    def has(self, key: str) -> bool:
        """Whether the key is written down, be its value sound or broken."""
        return key in self.values

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def number(self, key: str, default: int | None = None) -> int | None:
        value = self.values.get(key, default)
        return value if isinstance(value, int) else None

    def flag(self, key: str) -> bool:
        return self.values.get(key) is True

    def date(self, key: str) -> datetime.date | None:
        value = self.values.get(key)
        return value if isinstance(value, datetime.date) else None

    def part(self, key: str) -> Draft:
        """A table of the file, empty where it is absent."""
        value = self.values.get(key)
        return Draft(self.at(key), value if isinstance(value, dict) else {})

    def parts(self, key: str) -> list[Draft]:
        """The tables of a list, `[[key]]`."""
        items = self.part(key)
        return [Draft(items.at(index), item) for index, item in items.values.items() if isinstance(item, dict)]

    def texts(self, key: str) -> Iterator[tuple[KeyPath, str]]:
        """The texts of a list with the path of each."""
        items = self.part(key)
        return ((items.at(index), item) for index, item in items.values.items() if isinstance(item, str))
