"""Interleaved comparison: both sides in turn, nine rounds or more, medians and spread; nothing fails here."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 9  # fewer, and one busy moment of a shared machine decides the median


@dataclass(frozen=True, slots=True)
class Reach:
    """What one comparison is to reach: ours over the peer's. Without a bar it is only told.

    `least`: the ratio is to lie between it and the bar.
    """

    peer: str
    bar: float | None = None
    is_at_most: bool = True
    least: float | None = None

    def judged(self, ratio: float) -> str:
        """The bar, and whether the median keeps it."""
        if self.bar is None:
            return "no bar"
        is_reached = ratio <= self.bar if self.is_at_most else ratio >= self.bar
        bar = f"{'≤' if self.is_at_most else '≥'} {self.bar:g}"
        if self.least is not None:
            is_reached, bar = is_reached and ratio >= self.least, f"{self.least:g} to {self.bar:g}"
        return f"bar {bar}: {'reached' if is_reached else 'NOT REACHED'}"


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
        spread = f"{_figure(min(self.ratios))}-{_figure(max(self.ratios))}"
        return (
            f"{self.what:<46} / {self.reach.peer:<34} {_figure(median):>7}  ({spread:>13}, n={len(self.ratios)})"
            f"  {self.reach.judged(median):<21}  {self.absolute}"
        )


Measure = Callable[[], float]


def interleave(sides: Mapping[str, Measure], rounds: int = ROUNDS, slices: int = 1) -> dict[str, list[float]]:
    """One figure a round and side: the median of that many short slices, the sides taking turns slice by slice.

    Each turn begins with another side, so that none always runs behind the same neighbour.
    """
    names = list(sides)
    figures: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        taken: dict[str, list[float]] = {name: [] for name in names}
        for turn in range(number, number + slices):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                taken[name].append(sides[name]())
        for name in names:
            figures[name].append(statistics.median(taken[name]))
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


def _figure(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
