"""What answers at the cable of the machine that stands by stops nobody (CSM-8)."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.events import DeviceRejected
from tableside.requests import BeginSwap
from tests.support.session import open_table
from tests.support.swaps import SPARE, both_tap
from tests.support.table import HOUSE, Table

WRONG = f"SPARE-WRONG:{SPARE}"


def with_a_wrong_spare() -> Table:
    table = open_table()
    table.give(DeviceRejected(device=SPARE, why="another model"))
    return table


def test_a_wrong_device_at_the_spares_cable_is_told_and_stops_nothing() -> None:
    table = with_a_wrong_spare()
    alert = table.state.alerts.standing[WRONG]
    assert alert.level == 2
    assert not table.state.locks.standing
    table.give(DeviceRejected(device=SPARE, why="another model"))
    assert table.state.alerts.standing[WRONG].times == 1, "once for as long as it stands"
    table.ready(SPARE)
    assert WRONG not in table.state.alerts.standing


def test_a_spare_that_may_not_be_used_is_not_brought_in() -> None:
    """A device that says it is simulated is connected all the same: production refuses it as a spare."""
    table = open_table()
    table.state = replace(table.state, house=replace(HOUSE, profile="production"))
    table.ready(SPARE)
    assert WRONG in table.state.alerts.standing
    assert not table.state.locks.standing
    both_tap(table)
    number = next(iter(table.state.incidents.open.values())).number
    answer = table.ask(BeginSwap, by="S1", spare=SPARE, incident=number)
    assert not answer.is_accepted
    assert "may use" in answer.text


def test_the_machine_in_play_stops_as_before() -> None:
    table = open_table()
    table.give(DeviceRejected(device="shuffler", why="another model"))
    assert {lock.reason for lock in table.state.locks.standing.values()} == {"wrong device shuffler"}
