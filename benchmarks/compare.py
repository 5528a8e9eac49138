"""Interleaved comparison: both sides in turn, nine rounds or more, medians and spread; nothing fails here."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 9  # fewer, and one busy moment of a shared machine decides the median


@dataclass(frozen=True, slots=True)
class Reach:
    """What one comparison is to reach: ours over the peer's."""

    peer: str
    bar: float
    is_at_most: bool = True

    def is_reached(self, ratio: float) -> bool:
        """Whether the median keeps the bar."""
        return ratio <= self.bar if self.is_at_most else ratio >= self.bar


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. Ratios of each round, and the absolute figures, printed and judged by nobody."""

    what: str
    reach: Reach
    ratios: tuple[float, ...]
    absolute: str

    def text(self) -> str:
        """Median, spread (least to greatest), bar, and whether it was reached."""
        median = statistics.median(self.ratios)
        sign = "≤" if self.reach.is_at_most else "≥"
        verdict = "reached" if self.reach.is_reached(median) else "NOT REACHED"
        spread = f"{min(self.ratios):.2f}-{max(self.ratios):.2f}"
        return (
            f"{self.what:<52} / {self.reach.peer:<34} {median:8.2f}  ({spread:>13}, n={len(self.ratios)})"
            f"  bar {sign} {self.reach.bar:g}: {verdict:<11}  {self.absolute}"
        )


Measure = Callable[[], float]


def interleave(sides: Mapping[str, Measure], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Measure every side once a round, beginning with another one each round."""
    names = list(sides)
    figures: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            figures[name].append(sides[name]())
    return figures


def rows(
    what: str, ours: str, figures: Mapping[str, Sequence[float]], reaches: Sequence[Reach], unit: str
) -> list[Row]:
    """Ours against each peer, round by round."""
    mine = figures[ours]
    made = []
    for reach in reaches:
        peer = figures[reach.peer]
        ratios = tuple(a / b for a, b in zip(mine, peer, strict=True))
        absolute = f"{statistics.median(mine):.3g} against {statistics.median(peer):.3g} {unit}"
        made.append(Row(what, reach, ratios, absolute))
    return made
