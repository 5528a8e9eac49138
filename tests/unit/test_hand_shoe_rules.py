"""What the rules ask of a shoe by hand, followed by a table: count, cut, warning card, last round, interruption."""

from __future__ import annotations

import pytest

from tableside.advice_happenings import Advised
from tableside.card_account import ASIDE, SHOE, TRAY, UNEXPLAINED
from tableside.decisions import AlertRaised, IncidentClosed, IncidentOpened, LockAdded, RequestAnswered
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.requests import (
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    EndRound,
    OpenTable,
)
from tableside.shoe_happenings import (
    BacksCounted,
    PlayInterrupted,
    ShoeCut,
    ShoeOver,
    WarningCardSeen,
)
from tableside.shoe_requests import (
    BackCount,
    BeginRound,
    CountBacks,
    CountDealt,
    CutCards,
    GatherCards,
    InterruptPlay,
    ShowWarningCard,
    SpreadCards,
)
from tests.support.hand_shoe import ALL, SEATS, WHOLE, HandTable

S = HandShoeState


@pytest.fixture
def table() -> HandTable:
    return HandTable()


def refused(answer: RequestAnswered, rule: str) -> RequestAnswered:
    assert (answer.is_accepted, answer.rule) == (False, rule), answer
    assert answer.next_step
    return answer


# --- opening ------------------------------------------------------------------------------------------------


def test_shoe3_the_cards_are_shown_counted_mixed_shuffled_in_this_order(table: HandTable) -> None:
    table.do(OpenTable, by="S1", dealer="D1")
    assert table.where is S.TO_COUNT
    refused(table.ask(ConfirmMixed, by="D1"), "CSM-4")
    table.do(ConfirmShown)
    table.do(ConfirmMixed)
    refused(table.ask(ConfirmHandShuffled, by="D1"), "SHOE-1")
    table.do(CountBacks, counts=WHOLE)
    table.do(ConfirmHandShuffled)
    assert table.where is S.TO_CUT


def test_shoe1_cards_of_a_colour_that_are_missing_are_told_with_both_numbers_and_no_shoe_is_made(
    table: HandTable,
) -> None:
    table.do(OpenTable, by="S1", dealer="D1")
    table.do(CountBacks, counts=(BackCount("blue", 156), BackCount("red", 155)))
    assert table.where is S.TO_COUNT
    (opened,) = table.all_of(IncidentOpened)
    assert opened.text == "red: 155 counted, 156 brought"
    assert (table.at(ASIDE), table.at(UNEXPLAINED)) == (ALL - 1, 1)
    assert [raised.text for raised in table.all_of(AlertRaised)] == ["SHOE-BACKS-DIFFER"]
    assert not table.all_of(BacksCounted)[0].is_whole
    table.do(CountBacks, by="S1", counts=WHOLE)
    assert (table.at(ASIDE), table.at(UNEXPLAINED), table.where) == (ALL, 0, S.TO_SHUFFLE)
    assert table.all_of(IncidentClosed)
    assert not table.state.alerts.standing


@pytest.mark.parametrize("counts", [(), WHOLE[:1], (*WHOLE, BackCount("green", 1)), (BackCount("red", 500), WHOLE[1])])
def test_shoe1_a_count_names_each_colour_once_with_a_number_that_it_can_have(
    table: HandTable, counts: tuple[BackCount, ...]
) -> None:
    table.do(OpenTable, by="S1", dealer="D1")
    refused(table.ask(CountBacks, by="D1", counts=counts), "SHOE-1")


# --- cut ----------------------------------------------------------------------------------------------------


def test_shoe4_the_right_to_cut_goes_round_the_table_from_shoe_to_shoe(table: HandTable) -> None:
    table.opened()
    rights = []
    for seat in (2, 4, 6, 2):
        table.cut(seat).burnt()
        rights.append(table.all_of(ShoeCut)[-1].right)
        table.to_last_round()
        table.round()
        table.next_cut()
    assert rights == [2, 4, 6, 2]


def test_shoe4_a_seat_that_does_not_want_it_is_passed_over_and_the_row_says_whose_turn_it_was(
    table: HandTable,
) -> None:
    table.opened().cut(4)
    (cut,) = table.all_of(ShoeCut)
    assert (cut.right, cut.seat, cut.occupied) == (2, 4, SEATS)


def test_shoe4_nobody_wants_it_the_inspector_cuts_and_the_next_shoe_is_a_start_of_play(table: HandTable) -> None:
    table.opened().cut(4).burnt()
    table.to_last_round()
    table.round()
    table.next_cut()
    table.cut(0, inspector="I1").burnt()
    assert table.all_of(ShoeCut)[-1].right == 6
    table.to_last_round()
    table.round()
    table.next_cut()
    table.cut(2)
    assert table.all_of(ShoeCut)[-1].right == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"occupied": SEATS, "seat": 3},
        {"occupied": (2, 2), "seat": 2},
        {"occupied": (8,), "seat": 8},
        {"occupied": SEATS, "seat": 0},
        {"occupied": SEATS, "seat": 0, "inspector": "D1"},
        {"occupied": SEATS, "seat": 2, "inspector": "I1"},
    ],
    ids=["nobody sits there", "a seat twice", "no such seat", "inspector not named", "no inspector", "two cutters"],
)
def test_shoe4_who_cannot_have_cut_is_refused(table: HandTable, fields: dict[str, object]) -> None:
    table.opened()
    refused(table.ask(CutCards, by="D1", **fields), "SHOE-4")
    assert table.where is S.TO_CUT


@pytest.mark.parametrize(("occupied", "behind"), [(SEATS, 50), ((4,), 156)])
def test_shoe5_it_is_said_where_the_warning_card_goes(table: HandTable, occupied: tuple[int, ...], behind: int) -> None:
    table.opened().cut(4, occupied)
    assert table.all_of(ShoeCut)[0].behind == behind
    assert table.at(SHOE) == ALL


# --- the warning card ---------------------------------------------------------------------------------------


def test_shoe7_out_in_a_round_that_round_is_the_last(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    table.do(ShowWarningCard)
    assert table.all_of(WarningCardSeen)[0].round == 1
    assert [raised.text for raised in table.all_of(AlertRaised)] == ["SHOE-LAST-ROUND"]
    assert [lock.reason for lock in table.all_of(LockAdded)] == ["shoe is over"]
    table.do(EndRound)
    assert table.where is S.OVER
    answer = refused(table.ask(BeginRound, by="D1"), "SHOE-7")
    assert "shuffle, cut, burn" in answer.next_step


def test_shoe7_out_just_before_a_round_that_round_is_still_played(table: HandTable) -> None:
    table.playing()
    table.do(ShowWarningCard)
    table.round()
    assert table.where is S.OVER
    refused(table.ask(BeginRound, by="D1"), "SHOE-7")


def test_shoe7_shown_twice_is_one(table: HandTable) -> None:
    table.playing()
    table.do(ShowWarningCard)
    table.do(ShowWarningCard)
    assert len(table.all_of(WarningCardSeen)) == 1


def test_shoe7_the_next_shoe_frees_what_the_last_round_locked(table: HandTable) -> None:
    table.playing()
    table.to_last_round()
    table.round()
    assert "deal:shoe is over" in table.state.locks.standing
    table.next_cut()
    table.cut(4).burnt()
    assert not table.state.locks.standing
    assert not table.state.alerts.standing
    table.round()
    assert [over.shoe for over in table.all_of(ShoeOver)] == [1]


def test_shoe5_in_its_place_nobody_is_asked(table: HandTable) -> None:
    table.playing()
    table.to_last_round()
    (seen,) = table.all_of(WarningCardSeen)
    assert (seen.after, seen.place) == (256, 262)
    assert not table.all_of(Advised)


def test_shoe5_far_from_its_place_the_floor_supervisor_is_asked(table: HandTable) -> None:
    table.playing()
    table.round()
    table.do(ShowWarningCard)
    (advised,) = table.all_of(Advised)
    assert (advised.rule, advised.decides) == ("SHOE-5", "floor supervisor")
    assert advised.happened == "the warning card came after 18 cards; its place is after 262"


def test_shoe5_in_a_round_that_is_counted_at_its_end_it_is_compared_then(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    table.do(ShowWarningCard)
    assert not table.all_of(Advised)
    table.do(EndRound)
    table.do(CountDealt, cards=17)
    (advised,) = table.all_of(Advised)
    assert advised.happened == "the warning card came after 1 to 18 cards; its place is after 262"


def test_shoe5_where_rounds_were_not_counted_nobody_says_that_it_lay_wrong(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    table.do(EndRound)
    table.do(ShowWarningCard)
    assert table.all_of(WarningCardSeen)[0].after is None
    assert not table.all_of(Advised)


# --- interruption -------------------------------------------------------------------------------------------


def test_shoe8_the_cards_are_spread_only_between_rounds_and_the_next_cut_begins_anew(table: HandTable) -> None:
    table.opened().cut(4).burnt()
    table.do(BeginRound)
    refused(table.ask(SpreadCards, by="D1", why="no players"), "SHOE-8")
    table.do(CountDealt, cards=9)
    table.do(EndRound)
    refused(table.ask(SpreadCards, by="D1", why=" "), "SHOE-8")
    table.do(SpreadCards, why="no players")
    assert (table.where, table.at(ASIDE), table.at(TRAY), table.at(SHOE)) == (S.SPREAD, ALL - 10, 10, 0)
    assert table.all_of(PlayInterrupted)[0].is_spread
    refused(table.ask(BeginRound, by="D1"), "SHOE-7")
    table.do(GatherCards)
    assert (table.where, table.at(ASIDE)) == (S.TO_SHUFFLE, ALL)
    table.do(ConfirmHandShuffled)
    table.cut(2)
    assert table.all_of(ShoeCut)[-1].right == 2


def test_shoe4_an_interruption_without_a_spread_leaves_the_shoe_and_begins_the_turn_anew(table: HandTable) -> None:
    table.opened().cut(2).burnt()
    table.do(InterruptPlay, why="no bets")
    table.to_last_round()
    table.round()
    table.next_cut()
    table.cut(2)
    assert table.all_of(ShoeCut)[-1].right == 2


def test_a_shoe_is_taken_apart_early_by_a_supervisor_who_says_why(table: HandTable) -> None:
    table.playing()
    refused(table.ask(GatherCards, by="D1", why="torn"), "SHOE-4")
    refused(table.ask(GatherCards, by="S1"), "SHOE-7")
    table.do(GatherCards, by="S1", why="a torn card")
    assert (table.where, table.at(ASIDE)) == (S.TO_SHUFFLE, ALL)
