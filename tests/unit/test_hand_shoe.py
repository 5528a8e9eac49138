"""A shoe that is shuffled by hand, followed by a table: rounds, each card in the account, recovery, readers."""

from __future__ import annotations

import json

import msgspec
import pytest

from firmware_bridge.clock import Instant, WallQuality
from tableside.card_account import ASIDE, SHOE, TABLE, TRAY
from tableside.cli.standing import standing_lines
from tableside.control.curtain import Curtain
from tableside.control.views import state_view
from tableside.decisions import IncidentOpened, RequestAnswered
from tableside.happenings import RoundEnded, RoundStarted
from tableside.outputs.texts import Texts
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.procedures.session import SessionState
from tableside.requests import (
    AnnounceClosing,
    BeginLoad,
    CloseTable,
    EndRound,
    EnterSort,
    ReportDamaged,
    RuleRound,
    SortedDecks,
    StopPlay,
)
from tableside.shoe_happenings import (
    ShoeCleared,
    ShoeReady,
)
from tableside.shoe_requests import (
    BeginRound,
    BurnCard,
    CountDealt,
    CutCards,
    FillShoe,
    GatherCards,
    InterruptPlay,
    ShowWarningCard,
)
from tableside.state import TableState, encode_state, reduce
from tests.support.hand_shoe import ALL, HAND_HOUSE, READER_HOUSE, SEATS, HandTable
from tests.support.session import open_table
from tests.support.table import WALL_START_NS

S = HandShoeState


@pytest.fixture
def table() -> HandTable:
    return HandTable()


def refused(answer: RequestAnswered, rule: str) -> RequestAnswered:
    assert (answer.is_accepted, answer.rule) == (False, rule), answer
    assert answer.next_step
    return answer


# --- burn, rounds -------------------------------------------------------------------------------------------


def test_shoe6_no_round_before_a_card_is_burnt_and_it_lies_in_the_tray(table: HandTable) -> None:
    table.opened().cut(2)
    refused(table.ask(BeginRound, by="D1"), "SHOE-6")
    table.do(BurnCard)
    assert (table.at(SHOE), table.at(TRAY)) == (ALL - 1, 1)
    assert table.all_of(ShoeReady)
    assert table.state.procedures.session.state is SessionState.OPEN
    refused(table.ask(BurnCard, by="D1"), "SHOE-7")


def test_rounds_are_counted_with_their_cards_in_the_account(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    table.do(CountDealt, cards=17)
    assert (table.at(SHOE), table.at(TABLE), table.at(TRAY)) == (ALL - 18, 17, 1)
    table.do(EndRound)
    assert (table.at(TABLE), table.at(TRAY)) == (0, 18)
    assert [(ended.round, ended.cards) for ended in table.all_of(RoundEnded)] == [(1, 17)]
    table.round()
    assert table.all_of(RoundStarted)[-1].round == 2


def test_cards_of_a_round_may_be_told_after_it(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    table.do(EndRound)
    assert table.shoe.uncounted == 1
    table.do(CountDealt, cards=17)
    assert (table.shoe.uncounted, table.at(TRAY), table.at(SHOE)) == (0, 18, ALL - 18)


def test_a_round_that_is_ruled_void_ends(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    refused(table.ask(RuleRound, by="S1", ruling="perhaps"), "CSM-2")
    table.do(RuleRound, by="S1", ruling="goes on")
    assert table.where is S.IN_ROUND
    table.do(RuleRound, by="S1", ruling="void")
    assert (table.where, table.all_of(RoundEnded)[-1].how) == (S.READY, "void")


def test_a_stop_holds_the_next_round(table: HandTable) -> None:
    table.playing()
    table.do(StopPlay, by="")
    refused(table.ask(BeginRound, by="D1"), "CSM-2")


@pytest.mark.parametrize("cards", [0, ALL])
def test_no_more_cards_than_the_shoe_has(table: HandTable, cards: int) -> None:
    table.playing()
    table.do(BeginRound)
    refused(table.ask(CountDealt, by="D1", cards=cards), "SHOE-5")


# --- closing ------------------------------------------------------------------------------------------------


def test_closing_takes_all_cards_together_to_be_sorted(table: HandTable) -> None:
    table.playing()
    table.round()
    table.do(AnnounceClosing)
    assert table.state.procedures.session.state is SessionState.SORTING
    assert (table.all_of(ShoeCleared)[0].cards, table.at(ASIDE), table.where) == (ALL, ALL, S.NONE)
    table.do(EnterSort, groups=(SortedDecks("red", 3), SortedDecks("blue", 3)))
    table.do(CloseTable)
    assert table.state.procedures.session.state is SessionState.CLOSED


def test_no_closing_in_a_round(table: HandTable) -> None:
    table.playing()
    table.do(BeginRound)
    refused(table.ask(AnnounceClosing, by="D1"), "CSM-6")


def test_cards_in_the_shoe_are_not_left_behind(table: HandTable) -> None:
    table.opened().cut(2)
    refused(table.ask(CloseTable, by="S1"), "CSM-6")
    table.do(GatherCards, by="S1", why="nobody came")
    table.do(CloseTable, by="S1")


# --- which table --------------------------------------------------------------------------------------------


def test_a_table_without_a_machine_refuses_what_is_a_machines(table: HandTable) -> None:
    table.opened()
    refused(table.ask(BeginLoad, by="D1", packets=3), "SHOE-4")


def test_a_table_with_a_machine_and_no_special_cards_refuses_what_is_a_shoes() -> None:
    refused(open_table().ask(BurnCard, by="D1"), "SHOE-1")


def test_nobody_of_no_role_acts_at_the_shoe(table: HandTable) -> None:
    table.opened()
    for kind, fields in ((CutCards, {"occupied": SEATS, "seat": 2}), (FillShoe, {}), (ShowWarningCard, {})):
        assert not table.ask(kind, by="T1", **fields).is_accepted
    assert table.where is S.TO_CUT


# --- recovery, facts ----------------------------------------------------------------------------------------


def test_shoe4_the_turn_and_all_else_is_the_journals_after_a_power_cut(table: HandTable) -> None:
    """A replay of the inputs gives the state to the byte: shoe, turn, cards, locks."""
    table.opened().cut(4).burnt()
    table.round()
    table.do(InterruptPlay, why="no bets")
    table.to_last_round()
    table.do(BeginRound)
    state = TableState(house=HAND_HOUSE)
    for given in table.given:
        state, _ = reduce(state, given)
    assert encode_state(state) == encode_state(table.state)
    assert state.procedures.hand_shoe.cut_turn == table.shoe.cut_turn


def test_what_a_reader_sees_says_the_same_as_people() -> None:
    """SHOE-6, SHOE-7: burn, first card, further ones."""
    table = HandTable(READER_HOUSE)
    table.opened().cut(2)
    table.passes(1)
    assert (table.where, table.at(TRAY)) == (S.READY, 1)
    assert table.all_of(ShoeReady)[0].seen_by == "eye"
    table.passes(1)
    assert (table.where, table.all_of(RoundStarted)[0].round) == (S.IN_ROUND, 1)
    table.passes(4)
    assert (table.at(TABLE), table.state.procedures.rounds.dealt) == (5, 5)
    refused(table.ask(CountDealt, by="D1", cards=5), "SHOE-5")
    table.do(EndRound)
    assert (table.at(TRAY), table.shoe.uncounted) == (6, 0)


def test_shoe7_a_card_after_the_last_round_is_an_incident_and_stops_play_until_somebody_has_said_what_it_was() -> None:
    table = HandTable(READER_HOUSE)
    table.opened().cut(2)
    table.passes(1)
    table.do(ShowWarningCard)
    table.passes(9)
    table.do(EndRound)
    assert table.where is S.OVER
    table.passes(1)
    assert "card out of an idle shoe" in [opened.kind for opened in table.all_of(IncidentOpened)]
    assert (table.at(TABLE), len(table.all_of(RoundStarted))) == (1, 1)
    assert any("unexpected" in lock for lock in table.state.locks.standing)


def test_a_card_dealt_under_a_stop_is_an_incident() -> None:
    table = HandTable(READER_HOUSE)
    table.opened().cut(2)
    table.passes(1)
    table.do(StopPlay, by="")
    table.passes(1)
    table.passes(1)
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["dealt while stopped"]
    assert "DEALT-WHILE-STOPPED:" in table.state.alerts.standing


def test_the_damaged_card_stops_the_next_round(table: HandTable) -> None:
    table.playing()
    table.do(ReportDamaged)
    refused(table.ask(BeginRound, by="D1"), "CSM-1")


def test_the_status_says_whose_turn_the_next_cut_is(table: HandTable) -> None:
    """SHOE-4, for the people at the table."""
    table.opened().cut(4).burnt()
    table.do(BeginRound)
    table.do(EndRound)
    lines = status_of(table)
    assert "  shoe 1 by hand: 1 cards out; the next cut begins after seat 4" in lines
    assert "    1 rounds of it were not counted" in lines
    table.do(InterruptPlay, why="no bets")
    assert "  shoe 1 by hand: 1 cards out; the next cut begins with the lowest occupied seat" in status_of(table)


def status_of(table: HandTable) -> list[str]:
    """What `tableside status` prints of it."""
    now = Instant(table.now_ns, WALL_START_NS + table.now_ns, WallQuality.SIMULATED)
    view = state_view(table.state, Texts(("en",), "UTC"), Curtain(), now)
    return standing_lines(json.loads(msgspec.json.encode(view)))
