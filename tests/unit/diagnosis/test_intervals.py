"""Exact intervals, against published tables and by simulation."""

from __future__ import annotations

import random

import pytest

from tableside.diagnosis.intervals import median, median_interval, poisson_interval

# Garwood's limits at 95 %, as in E. L. Crow and R. S. Gardner, Biometrika 46 (1959), 441-453, table of central limits.
GARWOOD = {0: (0.0, 3.689), 1: (0.0253, 5.572), 2: (0.2422, 7.225), 5: (1.6235, 11.668), 10: (4.7954, 18.390)}


@pytest.mark.parametrize("count", GARWOOD)
def test_limits_are_those_of_the_tables(count: int) -> None:
    assert poisson_interval(count) == pytest.approx(GARWOOD[count], abs=1e-3)


@pytest.mark.parametrize("count", [1, 30, 400, 20_000])
def test_a_count_lies_within_its_own_limits_which_narrow(count: int) -> None:
    low, high = poisson_interval(count)
    assert low < count < high
    wider = poisson_interval(count, 0.99)
    assert wider[0] < low
    assert wider[1] > high
    more = poisson_interval(4 * count)
    assert (more[1] - more[0]) / (4 * count) < (high - low) / count


def test_the_limits_hold_the_mean_at_least_as_often_as_they_say() -> None:
    chance = random.Random(20)
    mean, days, held = 3.0, 4_000, 0
    for _ in range(days):
        count, left = 0, chance.expovariate(1.0)
        while left < mean:
            count, left = count + 1, left + chance.expovariate(1.0)
        low, high = poisson_interval(count)
        held += low <= mean <= high
    assert held / days >= 0.95


def test_no_count_below_none() -> None:
    with pytest.raises(ValueError, match="no count"):
        poisson_interval(-1)


def test_the_median_and_between_which_it_lies() -> None:
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5
    assert median_interval([1, 2, 3, 4, 5]) is None  # 1 - 2/32 is below 95 %
    assert median_interval([6, 5, 4, 3, 2, 1]) == (1, 6)  # 1 - 2/64
    assert median_interval(range(1, 21)) == (6, 15)  # Thompson's table
