"""The stub of a batch shuffler: mixed again, with or without what was dealt; decks that are not whole."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Outcome, PermitKind, Place, Reason, Verb
from tableside.batch_happenings import CardsPutBack, DeckMixed, DeckMoved, DeckReplaced, PacketDealt
from tableside.batch_requests import (
    CollectDeck,
    CountDeck,
    DealPacket,
    LoadDeck,
    PutBackCards,
    ReplaceDeck,
    ShuffleDeck,
    TakeOutDeck,
)
from tableside.card_account import DAMAGED, MACHINE, RESERVE, TABLE, UNEXPLAINED
from tableside.decisions import AlertCleared, AlertRaised, IncidentOpened, PermitGranted
from tableside.procedures.batch_slice import BatchState, place_of
from tableside.requests import CardsTakenOut, OpenLid
from tests.unit.test_batch import DECK
from tests.unit.test_batch_packets import Packets


@pytest.fixture
def table() -> Packets:
    return Packets()


# --- the stub -----------------------------------------------------------------------------------------------


def test_the_stub_is_mixed_again_on_the_supervisors_word_only(table: Packets) -> None:
    """CSM-3: mixed by the machine, not cut."""
    table.packet(15)
    refused = table.ask(ShuffleDeck, by="D1")
    assert (refused.is_accepted, refused.rule) == (False, "CSM-3")
    assert table.ask(ShuffleDeck, by="S1").is_accepted
    assert table.command(Verb.SHUFFLE).argument == 37
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=37)
    assert table.all_of(DeckMixed)[-1] == DeckMixed(back="red", cards=37, is_stub=True)
    table.packet(5)
    assert table.all_of(PacketDealt)[-1] == PacketDealt(back="red", packet=2, cards=5, left=32)


def test_a_stub_with_another_number_is_told_and_comes_out_to_be_counted(table: Packets) -> None:
    table.packet(15)
    assert table.ask(ShuffleDeck, by="S1").is_accepted
    table.end(Verb.SHUFFLE, Outcome.FAILED, Reason.NO_CARDS, moved=36)
    assert table.where is BatchState.DIFFERS
    assert "DECK-COUNT" in table.standing()
    table.comes_out(36)
    assert table.all_of(DeckMoved)[-1].to == "hand count"
    assert table.ask(CollectDeck, by="D1").is_accepted
    assert table.ask(CountDeck, by="S1", back="red", cards=51).is_accepted
    assert (table.at(place_of("red")), table.at(UNEXPLAINED)) == (51, 1)


def test_dealt_cards_go_back_to_the_stub_under_presence_and_all_is_mixed(table: Packets) -> None:
    """CSM-5: no card goes in without a supervisor."""
    table.packet(15)
    table.wait(20)
    refused = table.ask(PutBackCards, by="D1")
    assert (refused.is_accepted, refused.rule) == (False, "CSM-5")
    table.back(15)
    assert table.all_of(CardsPutBack) == [CardsPutBack(back="red", cards=15, by="D1")]
    feed = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.FEED][-1]
    assert feed.limit_cards == 15
    assert table.command(Verb.SHUFFLE).argument == DECK
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    assert table.all_of(DeckMixed)[-1] == DeckMixed(back="red", cards=DECK)
    assert table.state.procedures.batch.in_play == ""
    table.comes_out()
    assert table.state.procedures.batch.in_play == "red", "whole again, it may be played"


def test_some_go_back_and_the_others_stay_in_play(table: Packets) -> None:
    table.packet(15)
    table.back(3, said=3)
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=40)
    assert table.accounted == {MACHINE: 40, TABLE: 12, place_of("blue"): DECK}
    assert table.all_of(DeckMixed)[-1].is_stub
    assert table.ask(PutBackCards, by="D1", cards=13).text == "12 cards of the red deck lie outside"


def test_collected_cards_go_back_to_the_stub_and_none_is_dealt_before(table: Packets) -> None:
    table.packet(15)
    assert table.ask(CollectDeck, by="D1").is_accepted
    assert "15 cards of the red deck not in the machine" in table.ask(DealPacket, by="D1", cards=5).text
    table.back(15)
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    assert table.accounted == {MACHINE: DECK, place_of("blue"): DECK}
    table.packet(5)


def test_the_stub_comes_out_aside_and_the_deck_goes_in_whole_only(table: Packets) -> None:
    table.packet(15)
    table.comes_out(37)
    assert table.all_of(DeckMoved)[-1].to == "aside"
    assert table.accounted == {TABLE: 15, place_of("red"): 37, place_of("blue"): DECK}
    table.tap("S1")
    assert not table.ask(LoadDeck, by="D1", back="red").is_accepted, "part of it is in play"
    assert table.ask(CollectDeck, by="D1").is_accepted
    table.mixed("red")
    assert not table.all_of(IncidentOpened)


def test_nothing_is_collected_while_a_packet_comes_out(table: Packets) -> None:
    table.begins(10)
    table.comes(4)
    assert table.ask(CollectDeck, by="D1").text == "packet 1 comes out"


def test_a_deck_whose_coming_out_was_stopped_is_not_dealt_from(table: Packets) -> None:
    assert table.ask(TakeOutDeck, by="D1").is_accepted
    table.comes(10)
    table.end(Verb.EJECT_ALL, Outcome.FAILED, Reason.PERMIT, moved=10)
    assert table.ask(ShuffleDeck, by="D1").is_accepted
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=42)
    assert table.ask(DealPacket, by="D1", cards=5).next_step == "take the rest out"
    assert table.ask(PutBackCards, by="D1").next_step == "take the rest out"
    table.comes_out(42)
    assert (table.at(TABLE), table.state.procedures.batch.in_play) == (DECK, "red")


def test_a_card_that_stuck_at_the_feed_lies_aside_until_it_is_put_back(table: Packets) -> None:
    """CSM-2 in a load: what goes in is mixed, and is no whole deck."""
    table.packet(15)
    table.wait(20)
    table.tap("S1")
    assert table.ask(PutBackCards, by="D1").is_accepted
    table.goes_in(5)
    table.notice(events.CardJammed, place=Place.FEED)
    table.wait(20)
    table.tap("S1")
    assert table.ask(OpenLid, by="S1").is_accepted
    table.notice(events.LidOpened)
    assert table.ask(CardsTakenOut, by="S1", cards=1, now="table").is_accepted
    table.notice(events.JamGone, place=Place.FEED)
    table.notice(events.LidClosed)
    table.goes_in(9)
    table.notice(events.PacketEnded, cards=14)
    assert table.command(Verb.SHUFFLE).argument == 51
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=51)
    assert table.all_of(DeckMixed)[-1].is_stub
    assert table.accounted == {MACHINE: 51, place_of("red"): 1, place_of("blue"): DECK}
    assert "1 card of the red deck" in table.ask(DealPacket, by="D1", cards=5).text
    table.back(1)
    table.end(Verb.SHUFFLE, Outcome.DONE, moved=DECK)
    assert table.all_of(DeckMixed)[-1] == DeckMixed(back="red", cards=DECK)


# --- a deck that is not whole -------------------------------------------------------------------------------


def test_a_card_that_the_machine_did_not_give_calls_somebody(table: Packets) -> None:
    """CSM-6: the account has 52, 51 came out."""
    table.comes_out(51)
    assert "DECK-COUNT" in table.standing()
    assert table.all_of(DeckMoved)[-1].to == "hand count"
    assert (table.at(place_of("red")), table.at(UNEXPLAINED)) == (51, 1)


def short_deck() -> Packets:
    table = Packets()
    table.comes_out(51)
    assert table.ask(CountDeck, by="S1", back="red", cards=51).is_accepted
    return table


def test_a_missing_card_stays_an_alert_until_it_is_found() -> None:
    """SHOE-2: a hand count that finds 51 is no end of the matter."""
    table = short_deck()
    assert table.standing() == ["DECK-NOT-WHOLE"]
    alert = table.all_of(AlertRaised)[-1]
    assert (alert.fields["back"], alert.fields["n"], alert.fields["total"]) == ("red", "51", "52")
    assert table.ask(CountDeck, by="S1", back="red", cards=DECK).is_accepted
    assert table.standing() == []
    assert table.at(UNEXPLAINED) == 0
    assert alert.alert in [cleared.alert for cleared in table.all_of(AlertCleared)]


def test_or_until_the_reserve_deck_of_its_colour_is_brought() -> None:
    table = short_deck()
    assert not table.ask(ReplaceDeck, by="D1", back="red").is_accepted, "the supervisor decides"
    assert table.ask(ReplaceDeck, by="S1", back="blue").text == "the blue deck is whole by the account"
    said = table.ask(ReplaceDeck, by="S1", back="red")
    assert (said.is_accepted, said.rule) == (True, "SHOE-2")
    assert table.all_of(DeckReplaced) == [DeckReplaced(back="red", withdrawn=51, by="S1")]
    assert (table.at(DAMAGED), table.at(place_of("red")), table.at(RESERVE)) == (51, DECK, DECK)
    assert table.at(UNEXPLAINED) == 1, "the card that nobody found"
    assert table.standing() == []
    table.mixed("red")


def test_there_is_one_reserve_deck_of_each_colour() -> None:
    table = short_deck()
    assert table.ask(ReplaceDeck, by="S1", back="red").is_accepted
    assert table.ask(CountDeck, by="S1", back="red", cards=50).is_accepted
    refused = table.ask(ReplaceDeck, by="S1", back="red")
    assert (refused.is_accepted, refused.text) == (False, "no whole reserve deck with red backs is left")
