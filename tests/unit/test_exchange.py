"""One damaged card where the law exchanges the deck or the whole set (SHOE-2): gathered, counted by back, replaced."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tableside.card_account import ASIDE, EXCHANGED, RESERVE, UNEXPLAINED
from tableside.cards import parse_card
from tableside.decisions import AlertRaised, IncidentClosed, IncidentOpened, ReserveFetched
from tableside.exchange_happenings import CardsExchanged, SingleCardAuthorised
from tableside.exchange_requests import AuthoriseSingleCard, ExchangeCards
from tableside.happenings import CardReplaced
from tableside.house import House
from tableside.locks import Scope, standing
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.requests import (
    AcknowledgeReport,
    BeginCardChange,
    BeginLoad,
    CloseTable,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    DismissSuspicion,
    EndRound,
    EnterSort,
    ReplaceCard,
    ReportDamaged,
    SortedDecks,
)
from tableside.shoe_requests import BackCount, BeginRound, CountBacks, CountDealt, GatherCards
from tests.support.hand_shoe import ALL, HAND_HOUSE, WHOLE, HandTable
from tests.support.session import feed, give_out, levels, open_table, unload
from tests.support.table import HOUSE, Table

SET_HOUSE = replace(HOUSE, jurisdiction=replace(HOUSE.jurisdiction, name="mo", damaged="set", damaged_in_shoe="set"))
SET_BY_HAND = replace(HAND_HOUSE, jurisdiction=SET_HOUSE.jurisdiction)
RED_DECK = (BackCount("red", 52),)
SEVEN = parse_card("7♣ red")


def damaged(house: House = HAND_HOUSE) -> HandTable:
    """A card is found torn in a round of a shoe by hand."""
    table = HandTable(house).playing()
    table.do(BeginRound)
    table.do(CountDealt, cards=9)
    table.do(ReportDamaged)
    return table


def gathered(house: House = HAND_HOUSE) -> HandTable:
    """Its round is over, the cards lie before the dealer."""
    table = damaged(house)
    table.do(EndRound)
    table.do(GatherCards, by="S1", why="a torn card")
    table.tap("S1")
    return table


def exchange(table: Table, out: tuple[BackCount, ...] = RED_DECK, reference: str = "seal 7") -> bool:
    return table.ask(ExchangeCards, out=out, reference=reference).is_accepted


# --- a shoe -------------------------------------------------------------------------------------------------


def test_shoe2_the_round_is_finished_and_the_next_one_waits() -> None:
    table = damaged()
    assert [raised.text for raised in table.all_of(AlertRaised)] == ["CARD-DAMAGED-DECK"]
    assert not standing(table.state, Scope.DEAL, is_round_open=True)
    table.do(EndRound)
    assert not table.ask(BeginRound, by="D1").is_accepted


def test_shoe2_the_whole_deck_is_exchanged_counted_by_back_and_all_backs_are_counted_before_the_next_shoe() -> None:
    table = gathered()
    assert exchange(table)
    assert (table.at(EXCHANGED), table.at(RESERVE), table.at(ASIDE)) == (52, 52, ALL)
    (row,) = table.all_of(CardsExchanged)
    assert (row.unit, row.out, row.expected) == ("deck", RED_DECK, RED_DECK)
    assert table.all_of(IncidentClosed)
    assert not table.state.incidents.open
    assert not table.state.alerts.standing
    assert table.where is HandShoeState.TO_COUNT
    refused = table.ask(ConfirmHandShuffled, by="D1")
    assert (refused.is_accepted, refused.rule) == (False, "SHOE-1")
    table.do(CountBacks, counts=WHOLE)
    table.do(ConfirmHandShuffled)
    table.cut(4).burnt()
    table.round()


def test_shoe2_no_shuffle_before_the_exchange() -> None:
    table = gathered()
    refused = table.ask(ConfirmHandShuffled, by="D1")
    assert (refused.is_accepted, refused.rule) == (False, "SHOE-2")


def test_shoe2_cards_that_are_missing_in_the_old_deck_are_told_with_both_numbers() -> None:
    table = gathered()
    assert exchange(table, (BackCount("red", 51),))
    assert (table.at(EXCHANGED), table.at(UNEXPLAINED), table.at(ASIDE)) == (51, 1, ALL)
    assert "51 cards taken out, 52 should have been there" in [opened.text for opened in table.all_of(IncidentOpened)]


@pytest.mark.parametrize(
    ("out", "reference"),
    [
        ((), "seal 7"),
        ((BackCount("green", 52),), "seal 7"),
        ((BackCount("red", 52), BackCount("blue", 52)), "seal 7"),
        ((BackCount("red", 53),), "seal 7"),
        (RED_DECK, " "),
    ],
    ids=["none", "no such back", "two decks", "too many", "nobody knows where"],
)
def test_shoe2_an_exchange_that_cannot_be_is_refused(out: tuple[BackCount, ...], reference: str) -> None:
    table = gathered()
    assert not exchange(table, out, reference)
    assert table.at(EXCHANGED) == 0


def test_shoe2_nothing_is_exchanged_while_cards_are_in_the_shoe_or_nobody_is_present() -> None:
    table = damaged()
    table.do(EndRound)
    assert not exchange(table), "nobody has tapped"
    table.tap("S1")
    refused = table.ask(ExchangeCards, out=RED_DECK, reference="seal 7")
    assert refused.text == "cards are still in: shoe, tray"


def test_shoe2_a_single_card_is_replaced_only_under_a_recorded_authorisation() -> None:
    table = damaged()
    table.tap("S1")
    fields = {"damaged": SEVEN, "envelope": "E-1", "replacement": SEVEN}
    refused = table.ask(ReplaceCard, **fields)
    assert (refused.is_accepted, refused.rule) == (False, "SHOE-2")
    assert not table.ask(AuthoriseSingleCard, by="S1", authorised_by="A. I.", reference="order 12").is_accepted
    assert not table.ask(AuthoriseSingleCard, by="M1", authorised_by="", reference="order 12").is_accepted
    table.do(AuthoriseSingleCard, by="M1", authorised_by="A. Inspector", reference="order 12")
    assert standing(table.state, Scope.DEAL, is_round_open=True), "the card alone is replaced at once"
    (row,) = table.all_of(SingleCardAuthorised)
    assert (row.authorised_by, row.reference, row.by) == ("A. Inspector", "order 12", "M1")
    table.do(ReplaceCard, by="S1", **fields)
    assert table.all_of(CardReplaced)
    table.do(ReportDamaged)
    table.tap("S1")
    assert not table.ask(ReplaceCard, **fields).is_accepted, "an authorisation is for one card"


def test_shoe2_a_card_that_was_sound_after_all_needs_no_exchange() -> None:
    table = damaged()
    table.do(DismissSuspicion, by="S1")
    table.do(EndRound)
    table.round()


def test_shoe2_where_the_set_is_exchanged_all_backs_are_and_more_cards_are_fetched() -> None:
    table = gathered(SET_BY_HAND)
    assert not exchange(table, RED_DECK)
    assert exchange(table, WHOLE)
    assert [fetched.cards for fetched in table.all_of(ReserveFetched)] == [ALL - 104]
    assert (table.at(EXCHANGED), table.at(RESERVE), table.at(ASIDE)) == (ALL, 0, ALL)
    assert table.state.account.brought == ALL + ALL


# --- a machine ----------------------------------------------------------------------------------------------


def unloaded_for_exchange() -> Table:
    """At a machine whose law exchanges the set: a card is damaged, the round finished, the cards changed."""
    table = open_table(SET_HOUSE)
    give_out(table, 5)
    assert table.ask(ReportDamaged, by="D1").is_accepted
    return table


def test_shoe2_at_a_machine_the_round_is_finished_and_the_set_comes_out_by_a_card_change() -> None:
    """CSM-1 where the law says *set*."""
    table = unloaded_for_exchange()
    assert not standing(table.state, Scope.DEAL, is_round_open=True)
    assert table.ask(EndRound).is_accepted
    feed(table, 5)
    levels(table, content=ALL)
    assert standing(table.state, Scope.DEAL)
    assert table.ask(BeginCardChange, by="S1").is_accepted
    assert not standing(table.state, Scope.DEAL), "else nothing comes out of the machine"
    unload(table, ALL)
    table.wait(2)  # so that the tap is another sighting
    table.tap("S1")
    assert table.ask(ExchangeCards, out=WHOLE, reference="seal 7").is_accepted
    groups = (SortedDecks("red", 3), SortedDecks("blue", 3))
    assert table.ask(EnterSort, by="D1", groups=groups).is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    assert "DAMAGED-UNREPORTED:1" in table.state.alerts.standing
    assert table.ask(AcknowledgeReport, by="M1", incident=1, reference="R-1").is_accepted
    assert not table.state.incidents.open


def test_shoe2_no_load_before_the_set_is_exchanged() -> None:
    """CSM-1 where the law says *set*."""
    table = unloaded_for_exchange()
    assert table.ask(EndRound).is_accepted
    feed(table, 5)
    levels(table, content=ALL)
    assert table.ask(BeginCardChange, by="S1").is_accepted
    unload(table, ALL)
    groups = (SortedDecks("red", 3), SortedDecks("blue", 3))
    assert table.ask(EnterSort, by="D1", groups=groups).is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled):
        assert table.ask(step, by="D1").is_accepted
    refused = table.ask(BeginLoad, by="D1", packets=3)
    assert (refused.is_accepted, refused.rule) == (False, "SHOE-2")


def test_csm1_where_the_single_card_is_replaced_nothing_larger_is_exchanged() -> None:
    table = open_table()
    assert table.ask(ReportDamaged, by="D1").is_accepted
    table.tap("S1")
    refused = table.ask(ExchangeCards, out=RED_DECK, reference="seal 7")
    assert (refused.is_accepted, refused.rule) == (False, "CSM-1")
