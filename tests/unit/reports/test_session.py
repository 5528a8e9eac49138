"""The session's report: figures that add up, and every kind of row that matters in words."""

from __future__ import annotations

import typing
from pathlib import Path

import msgspec
import pytest

from drivers import events
from drivers.events import Place
from tableside import (
    blackjack_happenings,
    happenings,
    jackpot_happenings,
    round_happenings,
    service_happenings,
    session_happenings,
    shoe_happenings,
)
from tableside.cards import Card
from tableside.happenings import Happening
from tableside.house import House
from tableside.journal.reader import JournalReader
from tableside.reports.lines import LINES
from tableside.reports.paper import WIDTH
from tableside.reports.session import figures_of, session_report, sessions
from tableside.reports.story import NoStory, Story, read_story
from tableside.requests import DecideAdvice, EndRound, RaiseComplaint
from tests.support.blackjack import Bench
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table
from tests.support.written import written

# Happenings that need no line of their own: others tell the same, or they are between the tables only.
SILENT = {
    blackjack_happenings.BankTurned,
    blackjack_happenings.BetChanged,
    blackjack_happenings.BetPlaced,
    blackjack_happenings.BetsPaid,
    blackjack_happenings.ChoiceTaken,
    blackjack_happenings.DealerTold,
    blackjack_happenings.HandCollected,
    blackjack_happenings.HandDealt,
    blackjack_happenings.HandsBegun,
    blackjack_happenings.HandsOver,
    blackjack_happenings.HandsUnsure,
    happenings.BadgeRefused,
    happenings.BadgeTapped,
    happenings.CardsEntered,
    happenings.CardsHandled,
    happenings.CardsLeft,
    happenings.CardsPassed,
    happenings.CardsReturned,
    happenings.CommandClosed,
    happenings.CountWanted,
    happenings.DeviceCame,
    happenings.DeviceWent,
    happenings.LevelsFound,
    happenings.PermitSpent,
    happenings.PresenceMissed,
    happenings.QuietPointReached,
    happenings.RoundEnded,
    happenings.RoundStarted,
    happenings.SessionReady,
    jackpot_happenings.BetsClosed,
    jackpot_happenings.ChipBet,
    jackpot_happenings.ChipsCollected,
    jackpot_happenings.JackpotRaised,
    jackpot_happenings.LedgerChanged,
    jackpot_happenings.LedgerWanted,
    round_happenings.RoundFoundOver,
    session_happenings.EmptyWanted,
    session_happenings.LoadWanted,
    session_happenings.NextSessionWanted,
    session_happenings.UnloadWanted,
    shoe_happenings.ShoeCardsLeft,
    service_happenings.AlertMuted,
    service_happenings.DealTestBegun,
    service_happenings.ProvingCardsMoved,
}


SAMPLES: dict[object, object] = {Card: Card("K", "♠", "red"), House: HOUSE}


def story(table: Table, folder: Path) -> Story:
    with JournalReader(written(table, folder)) as reader:
        return read_story(reader.rows.records())


def played() -> Table:
    table = open_table()
    give_out(table, 5)
    table.ask(RaiseComplaint, by="")
    table.notice(events.CardJammed, place=Place.EXIT)
    table.wait(40)
    return table


def test_every_happening_has_a_line_or_a_reason_to_have_none() -> None:
    known = set(Happening.__subclasses__())
    assert known - set(LINES) == SILENT
    assert not SILENT & set(LINES)


@pytest.mark.parametrize("kind", LINES, ids=lambda kind: kind.__name__)
def test_every_line_can_be_said(kind: type, tmp_path: Path) -> None:
    what = kind(**{field.name: _sample(field.type) for field in msgspec.structs.fields(kind)})
    said = LINES[kind](story(Table(), tmp_path), what)
    assert said
    assert "object at" not in said


def _sample(kind: typing.Any) -> object:
    if typing.get_origin(kind) is tuple:
        return ()
    if isinstance(kind, type) and issubclass(kind, str):
        return next(iter(kind)) if hasattr(kind, "__members__") else "text"
    if kind is bool:
        return True
    if kind in (int, float):
        return 3
    return SAMPLES.get(kind)


def test_figures_follow_the_rows(tmp_path: Path) -> None:
    table = played()
    (session,) = sessions(story(table, tmp_path)) or [None]
    assert session is not None
    figures = figures_of(session)
    assert figures.jams == {"exit": 1}
    assert figures.alerts[1] == 1
    assert figures.escalated >= 1
    assert figures.brought == table.state.account.brought
    balances = {place: cards for place, cards in figures.balances.items() if cards}
    assert balances == {place: cards for place, cards in table.state.account.balances.items() if cards}


def test_the_report_is_printable_and_says_what_happened(tmp_path: Path) -> None:
    table = played()
    text = session_report(story(table, tmp_path))
    for part in ("Figures", "Complaint 1, round 1 (CSM-12)", "Jam at the exit", "balanced", "is not closed"):
        assert part in text, part
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_a_session_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoStory, match="it has none"):
        session_report(story(Table(), tmp_path))


def test_an_ended_round_counts_its_cards(tmp_path: Path) -> None:
    table = open_table()
    give_out(table, 5)
    table.ask(EndRound, by="D1")
    (session,) = sessions(story(table, tmp_path))
    assert (figures_of(session).rounds, figures_of(session).dealt) == (1, 5)


def test_what_no_person_did_names_nobody(tmp_path: Path) -> None:
    """A jam whose path came free by itself was not cleared by "nobody"."""
    told = story(Table(), tmp_path)
    freed = happenings.JamCleared(place=Place.EXIT, taken_out=1, by="")
    assert LINES[happenings.JamCleared](told, freed) == "Jam at the exit cleared, 1 card out"
    by_sara = happenings.JamCleared(place=Place.EXIT, taken_out=1, by="S1")
    assert LINES[happenings.JamCleared](told, by_sara) == "Jam at the exit cleared, by Sara Supervisor (S1), 1 card out"


def test_hands_advice_and_decisions_are_counted(tmp_path: Path) -> None:
    bench = Bench()
    bench.seats(1, 3)
    bench.card(4, "9♣")
    bench.table.tap("S1")
    assert bench.ask(DecideAdvice, by="S1", number=1, decision="it counts there", is_against=True).is_accepted
    bench.end()
    text = session_report(story(bench.table, tmp_path))
    assert "0 rounds followed, 1 counted only" in text
    assert "1, decided: 1, against it: 1" in text
    assert "Advice 1 decided, AGAINST the advice: it counts there" in " ".join(text.split())
