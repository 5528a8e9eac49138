"""Two decks in turn: one in the machine while the other is dealt; counts, jams, presence; each deck by its colour."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Outcome, PermitKind, Place, Reason, Verb
from tableside.batch_happenings import DeckCounted, DeckMixed, DeckMoved
from tableside.batch_requests import CollectDeck, CountDeck, LoadDeck, ShuffleDeck, TakeOutDeck
from tableside.card_account import HOPPER, MACHINE, TABLE, UNEXPLAINED
from tableside.config import check, load_host
from tableside.configuration.house import house_of
from tableside.decisions import (
    AlertCleared,
    AlertRaised,
    CommandIntended,
    IncidentClosed,
    IncidentOpened,
    PermitGranted,
)
from tableside.house import DeckGroup, TableKind
from tableside.procedures.batch_slice import BatchState, place_of
from tableside.requests import BeginLoad, OpenTable
from tableside.state import TableState, encode_state, reduce
from tests.support.config_files import Edit, write_config
from tests.support.table import HOUSE, Table

HOUSE_OF_TWO = replace(
    HOUSE,
    kind=TableKind.BATCH,
    decks=(DeckGroup("red", 1, 1), DeckGroup("blue", 1, 1)),
    spare_shufflers=(),
    machine_capacity_cards=416,
)
DECK = 52


class Bench(Table):
    """A batch table, its machine heard and empty."""

    def __init__(self) -> None:
        super().__init__(HOUSE_OF_TWO)
        self.ready("shuffler")
        self.ready("switches")
        self.reader_ready()
        self.cards_in = self.cards_out = 0

    @property
    def where(self) -> BatchState:
        return self.state.procedures.batch.state

    def at(self, place: str) -> int:
        return self.state.account.at(place)

    def command(self, verb: Verb) -> CommandIntended:
        """The last command of that verb."""
        return [intended for intended in self.all_of(CommandIntended) if intended.verb is verb][-1]

    def load(self, back: str = "red", cards: int = DECK) -> None:
        """A deck goes in; so many cards pass the sensor."""
        self.wait(20)  # one tap is one sighting
        self.tap("S1")
        assert self.ask(LoadDeck, by="D1", back=back).is_accepted
        self.goes_in(cards)
        self.notice(events.PacketEnded, cards=cards)

    def goes_in(self, cards: int) -> None:
        self.cards_in += cards
        self.notice(events.CardsIn, meter=self.cards_in)

    def end(self, verb: Verb, outcome: Outcome, reason: Reason = Reason.NONE, moved: int = 0) -> None:
        number = self.command(verb).number
        self.give(events.CommandAnswered(device="shuffler", command=number, outcome=Outcome.STARTED))
        self.notice(events.CommandEnded, command=number, outcome=outcome, reason=reason, moved=moved)

    def mixed(self, back: str = "red") -> None:
        self.load(back)
        self.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
        assert self.where is BatchState.READY

    def comes_out(self, cards: int = DECK) -> None:
        assert self.ask(TakeOutDeck, by="D1").is_accepted
        self.cards_out += cards
        self.notice(events.CardsOut, meter=self.cards_out)
        self.end(Verb.EJECT_ALL, Outcome.DONE, moved=cards)


@pytest.fixture
def table() -> Bench:
    return Bench()


def test_a_deck_goes_in_is_mixed_and_is_not_cut(table: Bench) -> None:
    table.load()
    assert table.where is BatchState.MIXING
    granted = next(grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.FEED)
    assert (granted.limit_cards, granted.duration_ms) == (DECK, 2_000)
    assert table.command(Verb.SHUFFLE).argument == DECK
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    assert table.all_of(DeckMixed) == [DeckMixed(back="red", cards=DECK)]
    assert (table.at(MACHINE), table.at(place_of("blue")), table.at(HOPPER)) == (DECK, DECK, 0)


def test_two_decks_in_turn(table: Bench) -> None:
    """One is dealt while the other waits mixed in the machine; each is where the account says, by its colour."""
    in_machine, in_play = "red", ""
    table.mixed("red")
    for _ in range(6):
        table.comes_out()
        in_machine, in_play = ("blue" if in_machine == "red" else "red"), in_machine
        assert table.state.procedures.batch.in_play == in_play
        assert table.at(TABLE) == DECK
        table.mixed(in_machine)
        assert (table.at(MACHINE), table.at(TABLE)) == (DECK, DECK)
        refused = table.ask(TakeOutDeck, by="D1")
        assert (refused.is_accepted, refused.next_step) == (False, "collect it first")
        assert table.ask(CollectDeck, by="D1").is_accepted
        assert table.at(place_of(in_play)) == DECK
    assert not table.all_of(AlertRaised)
    assert not table.all_of(IncidentOpened)
    assert table.at(UNEXPLAINED) == 0


def test_no_deck_goes_in_without_a_supervisor(table: Bench) -> None:
    """CSM-5."""
    refused = table.ask(LoadDeck, by="D1", back="red")
    assert (refused.is_accepted, refused.rule) == (False, "CSM-5")
    assert table.where is BatchState.EMPTY


def test_a_lapse_stops_the_feed_and_a_tap_resumes_it(table: Bench) -> None:
    table.tap("S1")
    assert table.ask(LoadDeck, by="D1", back="red").is_accepted
    table.goes_in(20)
    table.wait(61)
    assert table.where is BatchState.PAUSED
    table.tap("S1")
    assert table.where is BatchState.LOADING
    granted = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.FEED][-1]
    assert granted.limit_cards == DECK - 20
    table.goes_in(DECK - 20)
    table.notice(events.PacketEnded, cards=DECK - 20)
    assert table.command(Verb.SHUFFLE).argument == DECK


@pytest.mark.parametrize(("found", "reason"), [(51, Reason.NO_CARDS), (53, Reason.NO_ROOM)])
def test_another_number_is_a_fact_with_its_procedure(table: Bench, found: int, reason: Reason) -> None:
    """A card missing, or too many: told with both numbers, not played, counted by hand under a name."""
    table.load()
    table.end(Verb.SHUFFLE, Outcome.FAILED, reason, moved=found)
    assert table.where is BatchState.DIFFERS
    alert = next(raised for raised in table.all_of(AlertRaised) if raised.text == "DECK-COUNT")
    assert (alert.fields["back"], alert.fields["n"], alert.fields["total"]) == ("red", str(found), "52")
    table.comes_out(found)
    assert table.all_of(DeckMoved)[-1].to == "hand count"
    assert table.state.procedures.batch.in_play == ""
    table.tap("S1")
    assert not table.ask(LoadDeck, by="D1", back="red").is_accepted
    assert not table.ask(CountDeck, by="D1", back="red", cards=found).is_accepted, "the supervisor counts"
    assert table.ask(CountDeck, by="S1", back="red", cards=found).is_accepted
    assert table.at(place_of("red")) == found
    assert table.at(UNEXPLAINED) == DECK - found
    assert table.all_of(DeckCounted)[-1].by == "S1"
    assert alert.alert in [cleared.alert for cleared in table.all_of(AlertCleared)]
    assert table.all_of(IncidentClosed)
    refused = table.ask(LoadDeck, by="D1", back="red")
    assert (refused.is_accepted, refused.rule) == (False, "SHOE-2"), "a deck that is not whole is replaced"


def test_mixed_again_the_number_was_right_and_still_a_person_says_so(table: Bench) -> None:
    table.load()
    table.end(Verb.SHUFFLE, Outcome.FAILED, Reason.NO_CARDS, moved=51)
    assert table.ask(ShuffleDeck, by="D1").is_accepted
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    assert table.where is BatchState.READY
    table.comes_out()
    assert table.state.procedures.batch.in_play == ""
    assert table.ask(CountDeck, by="S1", back="red", cards=DECK).is_accepted
    assert table.at(UNEXPLAINED) == 0
    table.mixed("red")
    table.comes_out()
    assert table.state.procedures.batch.in_play == "red"


def test_a_jam_in_the_lift_calls_the_supervisor_and_mixing_begins_again(table: Bench) -> None:
    """CSM-2: lamp, lock, the lid for him; then the machine mixes and counts anew."""
    table.load()
    table.notice(events.CardJammed, place=Place.CAROUSEL)
    table.end(Verb.SHUFFLE, Outcome.FAILED, Reason.FAULT, moved=20)
    assert table.where is BatchState.WAITING
    assert "JAM-CAROUSEL" in [raised.text for raised in table.all_of(AlertRaised)]
    assert not table.ask(ShuffleDeck, by="D1").is_accepted, "locked while the jam stands"
    assert not table.ask(TakeOutDeck, by="D1").is_accepted


def test_nothing_of_another_kind_of_table_runs_here_and_nothing_of_this_elsewhere(table: Bench) -> None:
    for request, fields in ((OpenTable, {"dealer": "D1"}), (BeginLoad, {"packets": 2})):
        refused = table.ask(request, by="S1", **fields)
        assert (refused.is_accepted, "batch table" in refused.text) == (False, True)
    other = Table()
    assert "no two decks" in other.ask(LoadDeck, by="D1", back="red").text


def test_cards_that_come_out_unasked_are_an_incident(table: Bench) -> None:
    """CSM-8."""
    table.mixed()
    table.notice(events.CardsOut, meter=1)
    assert table.all_of(IncidentOpened)


def test_a_restart_in_mid_rotation_goes_on(table: Bench) -> None:
    """The state is all in the journal's inputs: replayed, it is the same to the byte."""
    table.mixed("red")
    table.comes_out()
    table.mixed("blue")
    state = TableState(house=HOUSE_OF_TWO)
    for given in table.given:
        state, _ = reduce(state, given)
    assert encode_state(state) == encode_state(table.state)


KIND = (
    Edit("table", "seats = 7", 'seats = 7\nkind = "batch"'),
    Edit("table", "count = 3", "count = 1"),
    Edit("table", "count = 3", "count = 1"),
)
BATCH_MACHINE = Edit("table", 'driver = "tdl-continuous-shuffler"', 'driver = "tdl-batch-shuffler"')


def test_a_batch_table_in_its_file(tmp_path: Path) -> None:
    path = write_config(tmp_path, *KIND, BATCH_MACHINE)
    assert check(path) == []
    host = load_host(path)
    here = house_of(host, host.tables[0], 1)
    assert (here.kind, [group.decks for group in here.decks]) == (TableKind.BATCH, [1, 1])


@pytest.mark.parametrize(
    ("edits", "key", "allowed"),
    [
        (KIND, "devices[0].driver", "tdl-batch-shuffler"),
        ((BATCH_MACHINE,), "devices[0].driver", "continuous"),
        ((*KIND[:2], BATCH_MACHINE), "decks[1].count", "1 at a batch table"),
    ],
    ids=["another machine", "another table", "three decks of a colour"],
)
def test_a_batch_table_has_a_batch_machine_and_two_decks(
    tmp_path: Path, edits: tuple[Edit, ...], key: str, allowed: str
) -> None:
    found = {mistake.key: mistake.allowed for mistake in check(write_config(tmp_path, *edits))}
    assert allowed in found[key], found
