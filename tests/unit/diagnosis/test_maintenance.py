"""What is due: cards and hours since the work was recorded by the machine's serial number, over several journals."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from tableside.diagnosis.handover import handover_told
from tableside.diagnosis.maintenance import Upkeep, upkeep_told
from tableside.house import House, Maintenance
from tableside.machine_requests import RecordMachine, Standing
from tableside.requests import EndRound
from tests.support.session import feed, give_out, levels, open_table
from tests.support.table import HOUSE, WALL_START_NS, Table
from tests.unit.diagnosis.test_statistics import story_of

HOUR_S = 3_600
LIMITS = (
    Maintenance("cleaning", after_cards=100),
    Maintenance("feed rollers", model="CSM-SIM", after_hours=20),
    Maintenance("belt", model="OTHER", after_cards=1),
    Maintenance("cards", after_hours=8),
)
CARED: House = replace(HOUSE, maintenance=LIMITS)


def told(table: Table, serial: str = "") -> dict[str, Upkeep]:
    until_ns = WALL_START_NS + table.now_ns
    return {one.what: one for one in upkeep_told("journal", [story_of(table, CARED)], until_ns, serial).upkeep}


def play(table: Table, rounds: int) -> None:
    for _ in range(rounds):
        give_out(table, 10)
        assert table.ask(EndRound, by="D1").is_accepted
        feed(table, 10)
        table.notice(events.PacketEnded, cards=10)
        levels(table, content=312)


def test_cards_and_hours_gather_until_the_work_is_recorded() -> None:
    table = open_table(CARED)
    play(table, 9)
    table.wait(19 * HOUR_S)
    first = told(table)
    assert (first["cleaning"].cards, first["cleaning"].state, first["cleaning"].done) == (90, "soon", False)
    assert first["feed rollers"].state == "soon"
    assert first["cards"].state == "due"
    assert "belt" not in first, "that is of another model"
    play(table, 2)
    assert told(table)["cleaning"].state == "due"
    answer = table.ask(
        RecordMachine, by="T1", serial="000123", standing=Standing.IN_SERVICE, parts=("Cleaning", "feed rollers 12-B")
    )
    assert answer.is_accepted, answer
    after = told(table)
    assert (after["cleaning"].cards, after["cleaning"].state, after["cleaning"].done) == (0, "well", True)
    assert after["feed rollers"].hours == pytest.approx(0)
    assert after["cards"].state == "due", "clean rollers make no new cards"


def test_what_is_recorded_and_not_set_is_told_without_a_limit() -> None:
    table = open_table(CARED)
    assert table.ask(
        RecordMachine, by="T1", serial="000123", standing=Standing.IN_SERVICE, parts=("fan 7",)
    ).is_accepted
    play(table, 1)
    fan = told(table, "000123")["fan 7"]
    assert (fan.state, fan.percent, fan.cards) == ("no limit", None, 10)
    assert "cards" not in told(table, "000123")


def test_the_next_shift_reads_what_stands_and_what_was_done() -> None:
    table = open_table(CARED)
    table.notice(events.DeviceFaulted, fault=4, place=events.Place.FEED)
    table.wait(9 * HOUR_S)
    assert table.ask(
        RecordMachine, by="T1", serial="000124", standing=Standing.WORKSHOP, parts=(), note="carousel squeaks"
    ).is_accepted
    until_ns = WALL_START_NS + table.now_ns
    (one,) = handover_told("journal", [story_of(table, CARED)], until_ns, hours=8).tables
    assert one.session
    assert [fault.device for fault in one.faults] == ["shuffler"]
    assert any("BJ 3" in note.text for note in one.alerts)
    assert [note.text for note in one.done] == ["machine 000124 is workshop (carousel squeaks), by T1"]
    assert [due.what for due in one.upkeep if due.state == "due"] == ["cards"]
    later = handover_told("journal", [story_of(table, CARED)], until_ns + 9 * HOUR_S * 10**9, hours=8)
    assert later.tables[0].done == ()
