"""Faults out of rows: latched and not, flapping, gone and cleared, exchanged; the same from a journal and live."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Place
from tableside.diagnosis.errors import errors
from tableside.diagnosis.fault_words import fault_words
from tableside.diagnosis.faults_told import AWAY, EXCHANGE, JAM, TAMPERED, TECHNICIAN, ToldFault, faults_told
from tableside.reports.story import Told
from tableside.requests import CallTechnician, CardsTakenOut, ClearFault, InspectDevice, OpenLid
from tableside.rows import drafts_of_turn
from tableside.state import TableState, reduce
from tests.support.session import open_table
from tests.support.swaps import counted_out
from tests.support.table import HOUSE, Table

FEED_DRIVE, MARGIN = 4, 7


def rows(table: Table) -> list[Told]:
    """What the journal would hold."""
    told: list[Told] = []
    state = TableState(house=HOUSE)
    for given in table.given:
        state, decided = reduce(state, given)
        assert drafts_of_turn(given, decided)
        told += [Told(len(told) + 1 + at, given.wall_ns, what) for at, what in enumerate((given.what, *decided))]
    return told


def of(table: Table, what: str = "") -> list[ToldFault]:
    return [fault for fault in faults_told(rows(table)) if what in ("", fault.what)]


def cleared_jam(table: Table, place: Place = Place.EXIT) -> None:
    """A card sticks, the supervisor comes, opens, answers, closes."""
    table.notice(events.CardJammed, place=place)
    table.wait(60)
    table.tap("S1")
    assert table.ask(OpenLid, by="S1").is_accepted
    table.notice(events.LidOpened)
    table.notice(events.JamGone, place=place)
    assert table.ask(CardsTakenOut, by="S1", cards=1, now="table").is_accepted
    table.notice(events.LidClosed)


def test_a_jam_stands_until_a_supervisor_has_answered_for_the_cards() -> None:
    table = open_table()
    table.notice(events.CardJammed, place=Place.EXIT)
    (jam,) = of(table, JAM)
    assert (jam.device, jam.serial, jam.place, jam.is_latched, jam.stands) == ("shuffler", "000123", "exit", True, True)
    assert "running count compared" in jam.clears
    table.notice(events.JamGone, place=Place.EXIT)
    (jam,) = of(table, JAM)
    assert jam.gone_ns is not None
    assert jam.stands, "the device's word clears nothing"
    table = open_table()
    cleared_jam(table)
    (jam,) = of(table, JAM)
    assert not jam.stands
    assert jam.cleared_by == "S1"
    assert jam.needed == ""
    assert jam.cleared_ns is not None
    assert jam.cleared_ns - jam.began_ns >= 60 * 10**9


def test_a_latched_fault_is_cleared_by_name_and_a_margin_by_itself() -> None:
    table = open_table()
    for number, place in ((FEED_DRIVE, Place.FEED), (MARGIN, Place.EXIT)):
        table.notice(events.DeviceFaulted, fault=number, place=place)
        table.notice(events.DeviceFaultGone, fault=number, place=place)
    drive, margin = of(table)
    assert (drive.what, drive.stands, drive.gone_ns is None) == ("fault 4 (feed drive)", True, False)
    assert (margin.what, margin.stands) == (fault_words(MARGIN), False)
    assert table.ask(ClearFault, by="S1", device="shuffler", fault=FEED_DRIVE).is_accepted
    drive, _ = of(table)
    assert not drive.stands
    assert drive.cleared_by == "S1"


def test_a_flapping_fault_is_one_with_a_count() -> None:
    table = open_table()
    for _ in range(5):
        table.notice(events.DeviceFaulted, fault=FEED_DRIVE, place=Place.FEED)
        table.notice(events.DeviceFaultGone, fault=FEED_DRIVE, place=Place.FEED)
    (drive,) = of(table)
    assert drive.times == 5


def test_what_went_while_nobody_listened_is_gone() -> None:
    table = open_table()
    table.notice(events.DeviceFaulted, fault=MARGIN, place=Place.EXIT)
    table.give(events.DeviceLost(device="shuffler", why="unplugged"))
    table.wait(30)
    table.ready("shuffler", content=312)
    margin, away = of(table)
    assert not margin.stands
    assert (away.what, away.detail, away.stands) == (AWAY, "unplugged", False)


def test_a_short_loss_is_no_fault() -> None:
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="unplugged"))
    table.wait(3)
    table.ready("shuffler", content=312)
    assert of(table) == []


def test_an_opened_device_stands_until_somebody_has_looked() -> None:
    table = open_table()
    table.notice(events.Tampered, what="cover")
    (opened,) = of(table, TAMPERED)
    assert opened.stands
    assert table.ask(InspectDevice, by="S1", device="shuffler", finding="a loose screw").is_accepted
    assert not of(table, TAMPERED)[0].stands


def test_a_jam_that_needed_the_technician_or_an_exchange_says_so() -> None:
    table = open_table()
    table.notice(events.CardJammed, place=Place.CAROUSEL)
    table.tap("S1")
    assert table.ask(CallTechnician, by="S1").is_accepted
    assert of(table, JAM)[0].needed == TECHNICIAN
    (jam,) = of(counted_out(), JAM)
    assert (jam.needed, jam.stands) == (EXCHANGE, False)


def test_the_last_ones_of_a_device_newest_first() -> None:
    table = open_table()
    for place in (Place.EXIT, Place.FEED, Place.CAROUSEL):
        table.notice(events.CardJammed, place=place)
        table.wait(1)
    table.notice(events.DeviceFaulted, "switches", fault=MARGIN, place=Place.TRAY)
    told = errors("journal", [("BJ 3", rows(table))], "shuffler", 2)
    assert [line.place for line in told.faults] == ["carousel", "feed"]
    assert (told.known, told.standing) == (3, 3)
    assert {line.device for line in told.faults} == {"shuffler"}
    assert errors("journal", [("BJ 3", rows(table))], "000123", 9).known == 3
    assert errors("journal", [("BJ 3", rows(table))], "", 9).known == 4
    assert told.faults[0].is_latched
    assert not told.faults[0].is_cleared


@pytest.mark.parametrize(("number", "words"), [(1, "home position"), (200, "maker's own"), (90, "fault 90 (")])
def test_every_number_has_its_words(number: int, words: str) -> None:
    table = open_table()
    table.notice(events.DeviceFaulted, fault=number, place=Place.FEED)
    assert words in of(table)[0].what
