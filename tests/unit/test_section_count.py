"""The section count: content by area against content and account, at quiet points only (CSM-2, CSM-6)."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Ability, Holding
from tableside.decisions import LevelsAsked
from tableside.happenings import DifferenceFound
from tableside.requests import EndRound
from tests.support.session import ALL, feed, give_out, open_table
from tests.support.table import ENFORCING, Table


def read(areas: tuple[int, ...], holding: Holding = Holding.ENFORCES) -> Table:
    """After a round whose cards are all back in, the machine tells a right content, and these areas."""
    table = open_table()
    known = table.state.devices.known["shuffler"]
    abilities = {**ENFORCING, Ability.CONTENT_BY_AREA: holding}
    table.ready(abilities=abilities, content=ALL, areas=(0, 18, ALL - 18), meter_in=known.meter_in)
    give_out(table, 5)
    assert table.ask(EndRound).is_accepted
    feed(table, 5)
    assert table.all_of(LevelsAsked)[-1].why == "return ended"
    table.give(events.LevelsRead(device="shuffler", boot=1, content=ALL, areas=areas, is_path_clear=True))
    return table


@pytest.mark.parametrize("areas", [(0, 18, ALL - 18), (0, 0, ALL), (ALL,)])
def test_areas_that_add_up_to_the_account_open_nothing(areas: tuple[int, ...]) -> None:
    assert read(areas).all_of(DifferenceFound) == []


def test_areas_that_do_not_add_up_are_a_difference_with_each_of_them_named() -> None:
    (found,) = read((0, 18, ALL - 19)).all_of(DifferenceFound)
    assert (found.place, found.observed, found.expected) == ("machine", ALL - 1, ALL)
    assert found.sensor == f"content by area (feed 0, exit 18, carousel {ALL - 19})"


def test_cards_at_the_feed_of_a_clear_path_are_a_difference_of_that_area() -> None:
    (found,) = read((2, 16, ALL - 18)).all_of(DifferenceFound)
    assert (found.place, found.observed, found.expected) == ("machine feed", 2, 0)


def test_areas_that_are_only_estimated_are_not_compared() -> None:
    assert read((0, 18, ALL - 40), Holding.OBSERVES).all_of(DifferenceFound) == []
