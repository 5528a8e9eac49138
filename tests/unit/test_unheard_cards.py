"""Cards that went by while no daemon listened: a board's counters went on, and what they cannot tell is not guessed."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.counters import CounterReadings
from tableside import meters
from tests.support.session import open_table
from tests.support.table import Table

WIDE = 1 << 16


def at(cards_in: int, cards_out: int, modulus: int = WIDE) -> CounterReadings:
    return CounterReadings(cards_in=cards_in, cards_out=cards_out, modulus=modulus)


@pytest.mark.parametrize(
    ("known", "moved", "now", "passed"),
    [
        (at(10, 20), (5, 7), at(15, 27), (0, 0)),
        (at(10, 20), (5, 7), at(16, 30), (1, 3)),
        (at(WIDE - 2, 0), (1, 0), at(3, 0), (4, 0)),
        (at(500, 500), (0, 0), at(0, 0), None),
        (at(0, 0), (0, 0), at(0, 0, 1 << 32), None),
        (None, (0, 0), at(0, 0), None),
    ],
)
def test_what_counters_can_tell(
    known: CounterReadings | None, moved: tuple[int, int], now: CounterReadings, passed: tuple[int, int] | None
) -> None:
    """BR-057: over their wrap; a counter that went back lost its power, and tells nothing."""
    assert meters.unheard(known, moved, now) == passed


def dealing_on_a_board() -> Table:
    """A table whose machine is watched through a board with counters, in a round of four cards."""
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="the daemon stops"))
    table.ready(boot=7, counters=at(400, 90), is_content_unverified=False)
    return table


def test_the_first_time_that_a_board_is_met_nobody_knows_what_is_inside() -> None:
    assert dealing_on_a_board().state.devices.known["shuffler"].is_content_unverified


def test_what_passed_between_two_daemons_is_posted() -> None:
    table = dealing_on_a_board()
    before = table.state.account.at("machine")
    table.notice(events.CardsOut, "shuffler", meter=2)
    table.give(events.DeviceLost(device="shuffler", why="the daemon stops"))
    table.ready(boot=8, counters=at(400, 95))
    assert table.state.account.at("machine") == before - 5


def test_a_board_that_was_without_power_meanwhile_leaves_the_content_unverified() -> None:
    table = dealing_on_a_board()
    before = table.state.account.at("machine")
    table.ready(boot=8, counters=at(0, 0))
    assert table.state.account.at("machine") == before
    assert table.state.devices.known["shuffler"].is_content_unverified


def test_a_cable_that_was_out_verifies_nothing() -> None:
    """The same boot again: its meters go on, and what was unverified before is so still."""
    table = dealing_on_a_board()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready(boot=7, counters=at(400, 90))
    assert table.state.devices.known["shuffler"].is_content_unverified
