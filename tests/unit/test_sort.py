"""The sort (CSM-6, SHOE-1): what is missing, too many or foreign is named by rank, suit and back."""

import pytest

from drivers import events
from tableside.card_account import ASIDE, TABLE, TRAY, UNEXPLAINED
from tableside.cards import Card, parse_card
from tableside.decisions import AlertRaised, IncidentClosed, IncidentOpened, StateKept
from tableside.happenings import SessionClosed
from tableside.requests import (
    AnnounceClosing,
    CloseTable,
    EndRound,
    EnterSort,
    HoldOver,
    OpenTable,
    ReplaceCard,
    ReportDamaged,
    SettleSort,
    SortedDecks,
)
from tableside.session_happenings import CardsSorted
from tests.support.session import WHOLE, closed, give_out, open_table, unload, unloaded
from tests.support.table import Table

BLUE = SortedDecks("blue", 3)


def card(text: str) -> Card:
    return parse_card(text)


def enter(table: Table, red: SortedDecks, blue: SortedDecks = BLUE) -> bool:
    return table.ask(EnterSort, by="D1", groups=(red, blue)).is_accepted


def finding(table: Table) -> CardsSorted:
    return table.all_of(CardsSorted)[-1]


def test_csm6_a_regular_sort_closes_the_day() -> None:
    table = closed()
    assert finding(table).is_regular
    assert [c.session for c in table.all_of(SessionClosed)] == [1]
    assert [kept.why for kept in table.all_of(StateKept)] == ["session 1 closed"]
    assert table.state.account.at(ASIDE) == 312
    assert table.state.incidents.open == {}


def test_csm6_no_sort_before_the_cards_are_out() -> None:
    table = open_table()
    assert not table.ask(EnterSort, by="D1", groups=WHOLE).is_accepted


def test_csm6_the_dealer_sorts() -> None:
    assert not unloaded().ask(EnterSort, by="S1", groups=WHOLE).is_accepted


def test_csm6_a_missing_card_is_named_by_rank_suit_and_back() -> None:
    """Three decks of one back with one card missing is reported as such, not as *deck 2*."""
    table = unloaded(311)
    assert enter(table, SortedDecks("red", 2, missing=(card("7♣ red"),)))
    assert [str(each) for each in finding(table).missing] == ["7♣ red"]
    raised = table.all_of(AlertRaised)[-1]
    assert (raised.text, raised.fields["cards"]) == ("SORT-MISSING", "1 7♣ red")
    assert table.all_of(IncidentOpened)[-1].text == "missing: 1 7♣ red"
    assert table.state.account.at(UNEXPLAINED) == 1


def test_csm6_a_double_card_is_named() -> None:
    table = unloaded(313)
    assert enter(table, SortedDecks("red", 3, too_many=(card("K♠ red"),)))
    assert [str(each) for each in finding(table).too_many] == ["K♠ red"]
    assert table.all_of(AlertRaised)[-1].text == "SORT-EXTRA"


def test_csm6_a_foreign_back_is_named() -> None:
    table = unloaded(313)
    assert enter(table, SortedDecks("red", 3, foreign=(card("A♥ green"),)))
    assert [str(each) for each in finding(table).foreign] == ["A♥ green"]
    assert table.all_of(AlertRaised)[-1].text == "SORT-FOREIGN"


def test_csm6_one_missing_one_double_one_foreign_are_each_named() -> None:
    table = unloaded(313)
    red = SortedDecks("red", 2, missing=(card("7♣ red"),), too_many=(card("8♦ red"),), foreign=(card("A♥ green"),))
    assert enter(table, red)
    assert table.all_of(IncidentOpened)[-1].text == "missing: 1 7♣ red; too many: 1 8♦ red; foreign: 1 A♥ green"
    texts = [raised.text for raised in table.all_of(AlertRaised)][-3:]
    assert texts == ["SORT-MISSING", "SORT-EXTRA", "SORT-FOREIGN"]
    assert table.state.account.at(UNEXPLAINED) == -1


@pytest.mark.parametrize(
    ("red", "why"),
    [
        (SortedDecks("red", 4), "4 complete decks of 3"),
        (SortedDecks("red", -1), "-1 complete decks of 3"),
        (SortedDecks("red", 2), "1 incomplete decks and 0 cards named as missing"),
        (SortedDecks("red", 3, missing=(card("7♣ red"),)), "1 equal cards missing from 0 incomplete decks"),
        (SortedDecks("red", 2, missing=(card("7♣ red"),) * 2), "2 equal cards missing from 1 incomplete decks"),
        (SortedDecks("red", 1, missing=(card("7♣ red"),)), "2 incomplete decks and 1 cards named as missing"),
        (SortedDecks("red", 2, missing=(card("7♣ blue"),)), "7♣ blue is not of this colour"),
        (SortedDecks("red", 3, foreign=(card("7♣ blue"),)), "7♣ blue is not foreign"),
        (SortedDecks("red", 3, too_many=(Card("11", "♣", "red"),)), "11♣ red is no card"),
        (SortedDecks("red", 3, too_many=(Card("joker", "", "red"),)), "joker red is no card"),  # SHOE-1
        (SortedDecks("red", 2, missing=(Card("joker", "", "red"),)), "joker red is no card"),  # SHOE-1
        (SortedDecks("red", 3, foreign=(Card("joker", "", "green"),)), "joker green is no card"),  # SHOE-1
    ],
    ids=str,
)
def test_an_entry_that_no_decks_can_give_is_refused(red: SortedDecks, why: str) -> None:
    answer = unloaded().ask(EnterSort, by="D1", groups=(red, BLUE))
    assert (answer.is_accepted, answer.rule) == (False, "CSM-6")
    assert why in answer.text


@pytest.mark.parametrize("backs", [(), ("red",), ("red", "red"), ("red", "blue", "green")])
def test_shoe1_each_back_colour_is_entered_once(backs: tuple[str, ...]) -> None:
    groups = tuple(SortedDecks(back, 3) for back in backs)
    answer = unloaded().ask(EnterSort, by="D1", groups=groups)
    assert (answer.is_accepted, "enter each once: blue, red" in answer.next_step) == (False, True)


def test_the_sort_explains_what_stood_unexplained() -> None:
    """A meter that missed a card: the count was short, the decks are whole, and the difference is explained."""
    table = unloaded(311)
    assert table.state.account.at(UNEXPLAINED) == 1
    assert enter(table, SortedDecks("red", 3))
    assert finding(table).is_regular
    assert table.state.account.at(UNEXPLAINED) == 0
    assert table.state.incidents.open == {}
    assert table.all_of(IncidentClosed)[-1].text == "sorted: 1 unexplained cards before, 0 after"
    assert not table.state.alerts.standing


def test_csm1_a_replaced_card_is_no_irregularity() -> None:
    """Compared with what was loaded, less the damaged card, plus its replacement."""
    table = open_table()
    give_out(table, 3)
    table.ask(ReportDamaged, by="D1")
    table.tap("S1")
    king = card("K♠ red")
    assert table.ask(ReplaceCard, by="S1", damaged=king, envelope="E-1", replacement=king).is_accepted
    table.ask(EndRound)
    table.ask(HoldOver)
    table.ask(AnnounceClosing, by="D1")
    unload(table, 309)
    assert enter(table, SortedDecks("red", 3))
    assert finding(table).is_regular
    assert table.state.account.at(ASIDE) == 312


def test_csm6_csm9_the_cards_of_the_tray_are_counted_too() -> None:
    table = open_table()
    give_out(table, 5)
    table.ask(EndRound)
    table.ask(HoldOver)
    table.notice(events.TrayLevel, "switches", cards=5)
    table.ask(AnnounceClosing, by="D1")
    unload(table, 307)
    answer = table.ask(EnterSort, by="D1", groups=WHOLE)
    assert (answer.is_accepted, answer.text) == (False, "5 cards lie in the tray")
    table.notice(events.TrayLevel, "switches", cards=0)
    assert table.ask(EnterSort, by="D1", groups=WHOLE).is_accepted
    account = table.state.account
    assert [account.at(place) for place in (ASIDE, TABLE, TRAY, UNEXPLAINED)] == [312, 0, 0, 0]


def irregular() -> Table:
    table = unloaded(311)
    enter(table, SortedDecks("red", 2, missing=(card("7♣ red"),)))
    return table


def test_a_card_that_is_found_is_sorted_again() -> None:
    table = irregular()
    assert enter(table, SortedDecks("red", 3))
    assert (finding(table).is_regular, table.state.incidents.open) == (True, {})
    assert not table.state.alerts.standing
    assert table.state.account.at(UNEXPLAINED) == 0


def test_an_irregular_sort_is_closed_over_by_a_supervisor_only() -> None:
    table = irregular()
    assert not table.ask(CloseTable, by="D1").is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    assert table.state.incidents.open, "it still waits for room management"


def test_room_management_decides_on_an_irregular_sort_also_after_closing() -> None:
    table = irregular()
    number = table.state.procedures.sort.incident
    table.ask(CloseTable, by="S1")
    table.ask(OpenTable, by="S1", dealer="D2")
    assert not table.ask(SettleSort, by="S1", incident=number, decision="deck sealed").is_accepted
    assert not table.ask(SettleSort, by="M1", incident=number, decision=" ").is_accepted
    assert not table.ask(SettleSort, by="M1", incident=number + 1, decision="deck sealed").is_accepted
    assert table.ask(SettleSort, by="M1", incident=number, decision="deck sealed").is_accepted
    assert (table.state.incidents.open, table.state.alerts.standing) == ({}, {})


def test_room_management_decides_before_closing_too() -> None:
    table = irregular()
    number = table.state.procedures.sort.incident
    assert table.ask(SettleSort, by="M1", incident=number, decision="deck sealed").is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    assert table.state.incidents.open == {}


def test_a_second_session_has_its_own_sort() -> None:
    table = closed()
    assert table.state.procedures.sort.state == "not due"
    assert table.state.procedures.load.state == "not begun"
    assert table.state.procedures.unload.state == "not begun"
