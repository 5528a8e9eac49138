"""How far a rate from few events can be believed: exact intervals, without any package. Pure.

Poisson counts: F. Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28 (1936), 437-442. The
incomplete gamma function behind it: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.5.29 (series) and
6.5.31 (continued fraction). The median of a sample: by ranks, from the binomial distribution with one half
(W. R. Thompson, Annals of Mathematical Statistics 7 (1936), 122-128).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

CONFIDENCE = 0.95
METHOD = "95 %, exact for a Poisson count (Garwood 1936)"
MEDIAN_METHOD = "95 %, exact by ranks (Thompson 1936)"
# Both expansions gain at least a digit every few terms near their border; far more than this is a mistake.
_MOST_TERMS = 100_000
_CLOSE = 1e-14
_TINY = 1e-300
# Halvings of a search: more than a double can tell apart.
_HALVINGS = 200


def poisson_interval(count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Between which means a count of `count` is not surprising. Raises `ValueError` where it is negative."""
    if count < 0:
        raise ValueError(f"{count} is no count of events")
    rest = (1.0 - confidence) / 2.0
    high = _solved(lambda mean: _at_most(count, mean), rest, count)
    if count == 0:
        return 0.0, high
    return _solved(lambda mean: _at_most(count - 1, mean), 1.0 - rest, count), high


def median(values: Sequence[float]) -> float:
    """The middle one, or the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2.0


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Between which of the values the median of all such lies; None where there are too few to say (below six)."""
    ordered = sorted(values)
    size = len(ordered)
    kept: tuple[float, float] | None = None
    outside = 0.0
    for rank in range(size // 2):
        outside += 2.0 * math.comb(size, rank) / 2.0**size
        if outside > 1.0 - confidence:
            break
        kept = ordered[rank], ordered[size - 1 - rank]
    return kept


def _at_most(count: int, mean: float) -> float:
    """P(at most `count` events): the upper incomplete gamma function Q(count + 1, mean)."""
    order = count + 1.0
    if mean <= 0.0:
        return 1.0
    weight = math.exp(order * math.log(mean) - mean - math.lgamma(order))
    return 1.0 - weight * _series(order, mean) if mean < order + 1.0 else weight * _fraction(order, mean)


def _series(order: float, mean: float) -> float:
    term = total = 1.0 / order
    for step in range(1, _MOST_TERMS):
        term *= mean / (order + step)
        total += term
        if term < total * _CLOSE:
            return total
    raise ArithmeticError(f"no end of the series for {order}, {mean}")


def _fraction(order: float, mean: float) -> float:
    """Lentz's way of reckoning a continued fraction from its front."""
    lead = mean + 1.0 - order
    above, below = 1.0 / _TINY, 1.0 / lead
    total = below
    for step in range(1, _MOST_TERMS):
        weight = -step * (step - order)
        lead += 2.0
        below = weight * below + lead
        below = 1.0 / (below if abs(below) > _TINY else _TINY)
        above = lead + weight / above
        above = above if abs(above) > _TINY else _TINY
        total *= above * below
        if abs(above * below - 1.0) < _CLOSE:
            return total
    raise ArithmeticError(f"no end of the fraction for {order}, {mean}")


def _solved(chance: Callable[[float], float], wanted: float, count: int) -> float:
    """The mean at which a falling chance is as wanted."""
    low, high = 0.0, 2.0 * count + 20.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if chance(middle) > wanted else (low, middle)
    return (low + high) / 2.0
