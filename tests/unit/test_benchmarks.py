"""The benchmarks run: one tiny round of each. How fast anything was is printed by `make bench` and judged nowhere."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks import (
    alpha_amount,
    blackjack_rounds,
    command_line,
    hub_day,
    idle_daemon,
    jackpot_shown,
    jam_alert,
    journal_rows,
    ledger,
    link_cost,
    northbound_event,
    reader_bus,
    request_reply,
    serial_round_trip,
    short_day,
    usb_round_trip,
)
from benchmarks.compare import Reach, Row, interleave, rows
from benchmarks.table_day import CARDS, table_day
from drivers import events
from tableside.procedures.session import SessionState
from tableside.state import TableState, reduce
from tests.scenarios.virtual_house import ROOT
from tests.support.postgres import find
from tests.support.session import ALL
from tests.support.table import HOUSE


def assert_measured(made: list[Row], *peers: str) -> None:
    assert [row.reach.peer for row in made] == list(peers)
    for row in made:
        assert all(ratio > 0 for ratio in row.ratios), row.text()


def test_sides_take_turns_and_a_round_is_the_median_of_its_slices() -> None:
    order: list[str] = []
    given = {"a": iter((1.0, 9.0, 2.0, 4.0)), "b": iter((2.0, 2.0, 2.0, 2.0))}

    def side(name: str) -> float:
        order.append(name)
        return next(given[name])

    figures = interleave({"a": lambda: side("a"), "b": lambda: side("b")}, rounds=2, slices=2)
    assert "".join(order) == "abba" + "baab"
    assert figures == {"a": [5.0, 3.0], "b": [2.0, 2.0]}
    (row,) = rows("what", "a", figures, [Reach("b", 2.0)], "s")
    assert row.ratios == (2.5, 1.5)
    assert "2.00  (    1.50-2.50, n=2)  bar ≤ 2: reached" in row.text()


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        (Reach("peer", 2.0), "bar ≤ 2: NOT REACHED"),
        (Reach("peer", 2.0, is_at_most=False), "bar ≥ 2: reached"),
        (Reach("peer"), "no bar"),
        (Reach("peer", 3.2, least=2.8), "bar 2.8 to 3.2: reached"),
        (Reach("peer", 3.2, least=3.1), "bar 3.1 to 3.2: NOT REACHED"),
    ],
)
def test_a_bar_is_kept_or_not_and_said_either_way(reach: Reach, said: str) -> None:
    assert said in Row("what", reach, (1.0, 3.0, 4.0), "").text()


def test_serial_round_trip() -> None:
    peers = [reach.peer for reach in serial_round_trip.REACHES]
    assert_measured(serial_round_trip.measure(rounds=1, slices=1), *peers)


def test_a_bus_of_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """In real time, with a window of a second instead of ten: 32 readers are polled, and 31 beside a dead one."""
    monkeypatch.setattr(reader_bus, "WINDOW_S", 1.0)
    assert_measured(reader_bus.measure(rounds=1), reader_bus.FLOOR, reader_bus.ALIVE)


def test_journal_rows() -> None:
    assert_measured(journal_rows.measure(rounds=1, slices=1), journal_rows.PEER)


@pytest.mark.system
def test_link_cost() -> None:
    assert_measured(link_cost.measure(rounds=1, window_s=2.0, counts=(1, 2)), "a link of 1")


def test_request_reply() -> None:
    assert_measured(request_reply.measure(rounds=1, slices=1), request_reply.PEER, request_reply.PEER)


def test_usb_round_trip() -> None:
    assert_measured(usb_round_trip.measure(rounds=1, slices=1), usb_round_trip.PEER)


def test_jam_alert() -> None:
    assert_measured(jam_alert.measure(rounds=1, samples=3, rested=1), *[jam_alert.PEER] * 3)


def test_jackpot_shown() -> None:
    assert_measured(jackpot_shown.measure(rounds=1, samples=1), *(3 * (jackpot_shown.PEER,)))


def test_alpha_amount() -> None:
    assert_measured(alpha_amount.measure(rounds=1, samples=2), alpha_amount.PEER)


def test_hub_day() -> None:
    """The measurement itself refuses a hub that ends in another state than the recorded day."""
    assert_measured(hub_day.measure(rounds=1, played=2), hub_day.PEER)


def test_table_day_is_a_day_on_which_all_is_well() -> None:
    day = table_day(played=3)
    kinds = Counter(type(given.what) for given in day)
    assert kinds[events.CardsOut] == kinds[events.CardsIn] == ALL + 3 * CARDS
    state = TableState(house=HOUSE)
    for given in day:
        state, _ = reduce(state, given)
    assert state.procedures.rounds.number == 3
    assert state.procedures.session.state is SessionState.CLOSED
    assert not state.locks.standing
    assert not state.incidents.last


@pytest.mark.system
def test_idle_daemon() -> None:
    assert_measured(idle_daemon.measure(rounds=1, window_s=1.5), idle_daemon.PEER, idle_daemon.MEMORY)


def test_short_day() -> None:
    """With the shortest scenario that there is."""
    assert_measured(short_day.measure(rounds=1, scenario=ROOT / "scenarios" / "first_rounds.toml"), short_day.PEER)


def test_northbound_event() -> None:
    if northbound_event.PROGRAM is None:
        pytest.skip("mosquitto is not installed (Debian: apt-get install mosquitto)")
    assert_measured(northbound_event.measure(rounds=1, samples=3), northbound_event.PEER)


def test_ledger() -> None:
    if find("postgres") is None:
        pytest.skip("PostgreSQL is not installed")
    assert_measured(ledger.measure(rounds=1), ledger.PEER)


def test_blackjack_rounds() -> None:
    assert_measured(blackjack_rounds.measure(rounds=1), blackjack_rounds.PEER)


def test_the_command_line_against_bare_programs() -> None:
    assert_measured(command_line.measure(rounds=1, slices=1), command_line.BARE, command_line.BARE_ASKING)
