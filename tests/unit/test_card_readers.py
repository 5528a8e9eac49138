"""What a card reader saw go by is held against what the machine gave out: at the round's end, and not in a hurry."""

from __future__ import annotations

from msgspec.structs import replace

from drivers import card_events, events
from tableside.decisions import CardsToOpen, IncidentClosed, IncidentOpened
from tableside.happenings import CountWanted
from tableside.procedures.card_readers import KIND, SETTLE_S, TEXT, ReaderState
from tableside.requests import EndRound
from tests.support.samples import SEALED
from tests.support.session import feed, give_out, open_table
from tests.support.table import Table


class ReadTable:
    """An open table whose cards pass a reader; both are known to count the same from here on."""

    def __init__(self) -> None:
        self.table = open_table()
        self.table.state = replace(self.table.state, house=replace(self.table.state.house, card_readers=("eye",)))
        self.meter = 0
        self.table.ready("eye", content=None, areas=None)
        self.round(3)

    def see(self, cards: int) -> None:
        """So many cards go by the reader."""
        self.meter += cards
        self.table.notice(events.CardsOut, "eye", meter=self.meter)

    def deal(self, cards: int, seen: int | None = None) -> None:
        give_out(self.table, cards)
        if seen != 0:
            self.see(cards if seen is None else seen)

    def over(self) -> None:
        assert self.table.ask(EndRound).is_accepted

    def round(self, cards: int, seen: int | None = None) -> None:
        """Dealt, over, and all back in the machine."""
        self.deal(cards, seen)
        self.over()
        feed(self.table, cards)

    @property
    def state(self) -> ReaderState:
        return self.table.state.procedures.card_readers.state

    def incidents(self) -> list[str]:
        return [incident.kind for incident in self.table.state.incidents.open.values()]

    def alerts(self) -> set[str]:
        return {alert.text for alert in self.table.state.alerts.standing.values()}


def test_rounds_that_agree_say_nothing_and_no_card_moves_twice() -> None:
    read = ReadTable()
    before = read.table.state.account
    for cards in (7, 12, 4):
        read.round(cards)
        read.table.wait(SETTLE_S + 1)
    assert read.table.all_of(IncidentOpened) == []
    assert read.table.state.account == before, "a card that is seen twice is one card"


def test_a_card_that_is_still_on_its_way_when_the_round_ends_is_no_difference() -> None:
    read = ReadTable()
    read.deal(7, 6)
    read.over()
    read.table.wait(SETTLE_S - 1)
    read.see(1)
    read.table.wait(2)
    assert read.table.all_of(IncidentOpened) == []


def test_a_difference_that_stays_is_an_incident_with_both_numbers_and_a_count() -> None:
    read = ReadTable()
    read.deal(7, 8)
    read.over()
    read.table.wait(SETTLE_S + 1)
    assert read.state is ReaderState.DIFFERING
    assert read.table.all_of(IncidentOpened)[-1].text == "eye saw 8 card(s) go by, shuffler says it gave out 7"
    assert TEXT in read.alerts()
    assert read.table.all_of(CountWanted)[-1].why == "card reader"


def test_the_machines_count_says_which_was_right() -> None:
    read = ReadTable()
    read.deal(7, 6)
    read.over()
    feed(read.table, 7)
    read.table.wait(SETTLE_S + 1)
    assert read.incidents() == [KIND]
    number = next(iter(read.table.state.commands.open.values())).number
    read.table.notice(events.CommandEnded, command=number, outcome=events.Outcome.DONE, moved=0)
    read.table.give(
        events.LevelsRead(device="shuffler", boot=1, content=312, areas=(0, 0, 312), is_path_clear=True, meter_out=10)
    )
    assert read.incidents() == []
    assert "the reader miscounted" in read.table.all_of(IncidentClosed)[-1].text
    assert TEXT not in read.alerts()
    assert read.state is ReaderState.AGREEING


def test_where_the_next_round_begins_at_once_the_same_difference_twice_is_enough() -> None:
    read = ReadTable()
    read.round(7, 8)
    read.deal(3)
    read.table.wait(SETTLE_S + 1)  # the cards of the next round fall: the two never agree
    assert read.incidents() == []
    read.over()
    assert read.incidents() == [KIND]


def test_a_reader_that_was_away_tells_what_it_missed_and_one_that_restarted_cannot() -> None:
    read = ReadTable()
    read.table.give(events.DeviceLost(device="eye", why="cable"))
    read.deal(7, 0)
    read.over()
    read.table.wait(SETTLE_S + 1)
    assert read.incidents() == [], "nobody can say yet"
    read.table.ready("eye", content=None, areas=None, meter_out=10)
    read.see(7)
    feed(read.table, 7)
    read.round(5)
    read.table.wait(SETTLE_S + 1)
    assert read.incidents() == []
    read.table.restarted("eye", boot=2, content=None, areas=None)
    read.meter = 0
    read.round(5, 3)
    read.table.wait(SETTLE_S + 1)
    assert read.incidents() == [], "of this round it may have missed some"
    read.round(5, 3)
    read.table.wait(SETTLE_S + 1)
    assert read.incidents() == [KIND], "from here on it counts"


def test_lost_notices_make_it_blind_for_the_round_and_are_said_themselves() -> None:
    read = ReadTable()
    read.deal(7, 3)
    read.table.notice(events.NoticesLost, "eye", how_many=4)
    read.over()
    read.table.wait(SETTLE_S + 1)
    assert KIND not in read.incidents()


def test_what_it_read_is_opened_with_the_round() -> None:
    read = ReadTable()
    read.deal(3)
    for count in range(1, 4):
        read.table.notice(card_events.CardPassed, "eye", card=SEALED, count=count, back=2 if count == 1 else None)
    assert read.table.all_of(CardsToOpen) == []
    read.over()
    (wish,) = read.table.all_of(CardsToOpen)
    assert [card.place for card in wish.cards] == ["card 1, back blue", "card 2", "card 3"]


def test_a_reader_that_is_wrong_or_faulty_stops_no_play() -> None:
    read = ReadTable()
    read.table.give(events.DeviceRejected(device="eye", why="another model"))
    read.table.notice(events.DeviceFaulted, "eye", fault=6, place=events.Place.EXIT)
    assert {"DEVICE-WRONG", "DEVICE-WARNING"} <= read.alerts()
    assert not read.table.state.locks.standing


def test_a_reader_that_goes_away_is_told_and_the_game_goes_on() -> None:
    read = ReadTable()
    read.table.give(events.DeviceLost(device="eye", why="cable"))
    read.table.wait(9)
    assert read.alerts() == {"CARD-READER-SILENT"}
    assert not read.table.state.locks.standing
    read.table.ready("eye", content=None, areas=None, meter_out=3)
    assert read.alerts() == set()


def test_a_table_without_a_reader_counts_nothing() -> None:
    table: Table = open_table()
    give_out(table, 5)
    assert table.state.procedures.card_readers.counts == {}
