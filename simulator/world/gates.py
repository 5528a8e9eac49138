"""The gates that a face opens and shuts, and the meters it reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Gate:
    """Whether cards may pass, and how many still (None: any number)."""

    is_open: bool = False
    remaining: int | None = None

    @property
    def lets_pass(self) -> bool:
        return self.is_open and self.remaining != 0

    def open(self, remaining: int | None) -> None:
        self.is_open, self.remaining = True, remaining

    def close(self) -> None:
        self.is_open = False

    def passed(self, cards: int) -> None:
        if self.remaining is not None:
            self.remaining = max(0, self.remaining - cards)


@dataclass(slots=True)
class Meters:
    """Since boot; u32, they wrap."""

    cards_in: int = 0
    cards_out: int = 0
    jams: int = 0
