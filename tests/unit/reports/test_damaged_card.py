"""The damaged-card report of CSM-1, made from the journal alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import KeyName, Place
from tableside.cards import Card
from tableside.journal.reader import JournalReader
from tableside.reports.damaged_card import damaged_card_report
from tableside.reports.paper import WIDTH
from tableside.reports.story import NoStory, read_story
from tableside.requests import AcknowledgeReport, DismissSuspicion, EndRound, ReplaceCard
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table
from tests.support.written import written

KING = Card("K", "♠", "red")
LISBON = replace(HOUSE, time_zone="Europe/Lisbon")


@pytest.fixture
def table() -> Table:
    table = open_table()
    give_out(table, 5)
    return table


def exchange(table: Table) -> None:
    table.notice(events.KeyPressed, "switches", key=KeyName.DAMAGED_CARD)
    table.wait(20)
    table.tap("S1")
    assert table.ask(ReplaceCard, damaged=KING, envelope="E-7", replacement=KING).is_accepted


def report(table: Table, folder: Path, incident: int | None = None) -> str:
    with JournalReader(written(table, folder)) as reader:
        return damaged_card_report(read_story(reader.rows.records()), (), incident)


def test_csm1_the_report_says_everything_that_the_rule_asks_for(table: Table, tmp_path: Path) -> None:
    exchange(table)
    assert table.ask(EndRound, by="D1").is_accepted
    incident = 1
    assert table.ask(AcknowledgeReport, by="M1", incident=incident, reference="2026/17").is_accepted
    text = report(table, tmp_path)
    words = " ".join(text.split())
    for part in (
        "Damaged cards: report to the inspection service (CSM-1)",
        "Inspecção-Geral de Jogos",
        "room management (chefia da sala de jogos)",
        "by the dealer's key",
        "Taken out:                K♠ red, envelope E-7",
        "Put in:                   K♠ red, from the reserve deck",
        "Sara Supervisor (S1)",
        "(whole): ",
        "damaged 1",
        "reserve 103",
        "Maria Manager (M1), reference 2026/17",
        "[row ",
        "holds from the first row",
        "SIMULATED",
    ):
        assert " ".join(part.split()) in words, part
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_csm1_what_is_not_reported_yet_is_said_so(table: Table, tmp_path: Path) -> None:
    exchange(table)
    assert "NOT YET" in report(table, tmp_path)


def test_the_card_of_an_open_round_is_not_named(table: Table, tmp_path: Path) -> None:
    exchange(table)
    assert "K♠" not in report(table, tmp_path)
    assert "a card, envelope E-7" in report(table, tmp_path)


def test_a_suspicion_that_was_dismissed_is_told_as_such(table: Table, tmp_path: Path) -> None:
    table.notice(events.CardSuspected, why="bent", place=Place.EXIT)
    assert table.ask(DismissSuspicion).is_accepted
    text = report(table, tmp_path)
    words = " ".join(text.split())
    assert "suspected by the machine" in words
    assert "looked at: the card is sound, by Sara Supervisor (S1)" in words
    assert "Reported:" not in text


def test_one_incident_is_picked_and_a_wrong_number_refused(table: Table, tmp_path: Path) -> None:
    exchange(table)
    assert "Incident 1" in report(table, tmp_path, 1)
    with pytest.raises(NoStory, match="no damaged card under incident 9"):
        report(table, tmp_path, 9)


def test_a_journal_without_damage_says_so(table: Table, tmp_path: Path) -> None:
    assert "No damaged card stands in this journal." in report(table, tmp_path)


def test_times_are_local_with_their_offset(tmp_path: Path) -> None:
    """BR-053: the offset is shown."""
    table = Table(LISBON)
    with JournalReader(written(table, tmp_path, house=LISBON)) as reader:
        story = read_story(reader.rows.records())
    assert story.time(1_790_000_000_000_000_000) == "2026-09-21 15:13:20 +01:00"
    assert story.time(1_800_000_000_000_000_000) == "2027-01-15 08:00:00 +00:00"


def test_an_empty_journal_makes_no_report() -> None:
    with pytest.raises(NoStory, match="names no house"):
        read_story([])
