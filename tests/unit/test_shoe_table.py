"""A table with a shoe: games begin with the player's first card and with nothing else; what goes wrong is recorded.

Tests 7, 8 and 9 of docs/protocols/angel-eye.md at the table: *told again* opens no round, a card outside a game counts
into no hand, errors come and go.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import card_events as facts
from drivers.card_events import OutsideMode, Target, Winner
from firmware_bridge.clock import NS_PER_S
from tableside.decisions import AlertRaised, CardsToOpen, IncidentOpened, LineShown
from tableside.happenings import RoundEnded, RoundStarted
from tableside.inputs import CardsOpened, DaemonStarted, OpenedCard
from tableside.procedures.card_identities import MOST_SEALED, UNOPENED
from tableside.procedures.shoe import ORDER_TEXT, OUT_OF_ORDER, OUTSIDE, OUTSIDE_TEXT, RESTARTED, RESTARTED_TEXT
from tableside.procedures.shoe_slice import ORDER, objection
from tableside.requests import (
    BeginLoad,
    CallSupervisor,
    ClearAlert,
    EndRound,
    OpenTable,
    ResumePlay,
    SettleIncident,
    StopPlay,
)
from tests.support.samples import SEALED
from tests.support.situations import SHOE_HOUSE, shoe_table
from tests.support.table import Table

P, B = Target.PLAYER, Target.BANKER


def draw(table: Table, *cards: tuple[Target, int]) -> None:
    for target, index in cards:
        table.give(facts.CardDrawn(device="shoe", card=SEALED, target=target, index=index))


def result(table: Table, winner: Winner = Winner.PLAYER) -> None:
    table.give(facts.GameEnded(device="shoe", winner=winner, is_player_pair=True))


def rounds(table: Table) -> list[int]:
    return [started.round for started in table.all_of(RoundStarted)]


def incidents(table: Table) -> list[str]:
    return [incident.kind for incident in table.state.incidents.open.values()]


def alerts(table: Table) -> set[str]:
    return {alert.text for alert in table.state.alerts.standing.values()}


def test_games_are_rounds_and_their_cards_are_opened_when_they_are_over() -> None:
    table = shoe_table()
    for count in (4, 5, 6):
        draw(table, *ORDER[:count])
        result(table)
    draw(table, *ORDER[:4], ORDER[5])  # the player stood
    result(table, Winner.TIE)
    assert [(ended.round, ended.how, ended.cards) for ended in table.all_of(RoundEnded)] == [
        (1, "told", 4),
        (2, "told", 5),
        (3, "told", 6),
        (4, "told", 5),
    ]
    assert [(wish.round, len(wish.cards)) for wish in table.all_of(CardsToOpen)] == [(1, 4), (2, 5), (3, 6), (4, 5)]
    assert [card.place for card in table.all_of(CardsToOpen)[0].cards] == [
        "player 1",
        "banker 1",
        "player 2",
        "banker 2",
    ]
    assert table.state.procedures.shoe.result == "tie, player pair"
    assert not incidents(table)
    assert not alerts(table)


def test_no_card_leaves_while_its_game_goes_on() -> None:
    table = shoe_table()
    draw(table, *ORDER[:4])
    assert table.all_of(CardsToOpen) == []
    assert "♠" not in str(table.state)


@pytest.mark.parametrize(
    ("card", "why"),
    [
        ((P, 2), "without the first card"),
        ((B, 1), "without the first card"),
        ((B, 3), "without the first card"),
        ((Target.UNKNOWN, 1), "without the first card"),
    ],
)
def test_out_of_order_begins_no_round(card: tuple[Target, int], why: str) -> None:
    table = shoe_table()
    draw(table, card)
    assert rounds(table) == []
    assert why in table.all_of(IncidentOpened)[-1].text
    assert alerts(table) == {ORDER_TEXT}


@pytest.mark.parametrize("told", [facts.ShoeLockTold(device="shoe", is_locked=True), "error"])
def test_a_card_that_is_told_while_locked_or_in_error_begins_no_round(told: facts.ShoeLockTold | str) -> None:
    table = shoe_table()
    table.give(facts.ShoeErrorBegan(device="shoe", code=7, is_stopped=True) if isinstance(told, str) else told)
    draw(table, (P, 1))
    assert rounds(table) == []
    assert incidents(table) == [OUT_OF_ORDER]
    assert "was drawn while" in table.all_of(IncidentOpened)[-1].text


def test_a_card_told_twice_begins_no_round_and_counts_once() -> None:
    table = shoe_table()
    draw(table, (P, 1), (P, 1), (B, 1), (B, 1))
    assert rounds(table) == [1]
    assert table.state.procedures.shoe.drawn == ((P, 1), (B, 1))
    assert incidents(table) == [OUT_OF_ORDER], "one, which the second is added to"
    draw(table, (P, 2), (B, 2))
    result(table)
    draw(table, (P, 1))
    assert rounds(table) == [1, 2]


def test_a_copy_of_what_was_heard_before_a_restart_is_no_second_card() -> None:
    """A shoe says each thing three times; a daemon that dies between two of them hears the last as the first."""
    table = shoe_table()
    draw(table, (P, 1), (B, 1))
    table.now_ns += 60 * NS_PER_S
    table.give(facts.CardReaderReady(device="shoe", model="SHOE"))
    draw(table, (B, 1))
    assert not incidents(table)
    draw(table, (P, 2), (B, 2))
    result(table)
    table.give(facts.CardReaderReady(device="shoe", model="SHOE"))
    result(table)
    assert not incidents(table)
    assert len(table.all_of(RoundEnded)) == 1
    table.now_ns += 3 * NS_PER_S
    result(table)
    assert incidents(table) == [OUT_OF_ORDER]


def test_what_is_told_again_opens_no_round() -> None:
    """Test 7: and one that was never told before lies on the table all the same."""
    table = shoe_table()
    table.give(facts.CardDrawnAgain(device="shoe", card=SEALED, target=P, index=1))
    assert rounds(table) == []
    assert incidents(table) == [OUT_OF_ORDER]
    table = shoe_table()
    draw(table, (P, 1), (B, 1))
    table.give(facts.CardDrawnAgain(device="shoe", card=SEALED, target=B, index=1))
    assert not incidents(table)
    table.give(facts.CardDrawnAgain(device="shoe", card=SEALED, target=P, index=2))
    assert incidents(table) == [OUT_OF_ORDER]
    draw(table, (B, 2))
    result(table)
    assert table.all_of(RoundEnded)[-1].cards == 4


def test_a_card_outside_a_game_counts_into_no_hand_and_begins_none() -> None:
    """Test 8."""
    table = shoe_table()
    draw(table, (P, 1), (B, 1))
    for mode in (OutsideMode.LOCKED, OutsideMode.ERROR):
        table.give(facts.CardDrawnOutside(device="shoe", card=SEALED, mode=mode))
    assert table.state.procedures.shoe.drawn == ((P, 1), (B, 1))
    assert incidents(table) == [OUTSIDE]
    assert next(iter(table.state.alerts.standing.values())).fields["n"] == "2"
    table = shoe_table()
    table.give(facts.CardDrawnOutside(device="shoe", card=SEALED, mode=OutsideMode.SETTING))
    assert rounds(table) == []
    assert alerts(table) == {OUTSIDE_TEXT}


def test_errors_come_and_go_and_those_that_touched_a_card_wait_for_a_word() -> None:
    """Test 9."""
    table = shoe_table()
    draw(table, (P, 1))
    for code in (3, 4):
        table.give(facts.ShoeErrorBegan(device="shoe", code=code, is_stopped=True))
    assert table.state.procedures.shoe.errors == (3, 4)
    assert [alert.text for alert in table.all_of(AlertRaised)] == ["SHOE-ERROR", "SHOE-ERROR"]
    assert incidents(table) == ["shoe error"], "a wrong button touched no card"
    table.give(facts.ShoeErrorEnded(device="shoe", code=3))
    assert table.state.procedures.shoe.errors == (4,)
    table.give(facts.ShoeErrorEnded(device="shoe", code=4))
    assert alerts(table) == set()
    number = next(iter(table.state.incidents.open))
    assert table.ask(SettleIncident, incident=int(number), finding="card straightened").is_accepted
    assert not incidents(table)
    table.give(facts.ShoeErrorBegan(device="shoe", code=7, is_stopped=False))
    assert alerts(table) == set()
    assert table.all_of(LineShown)[-1].text == "SHOE-NOTED"


def test_the_lock_is_a_line_and_stands_in_the_state() -> None:
    table = shoe_table()
    for is_locked in (True, True, False):
        table.give(facts.ShoeLockTold(device="shoe", is_locked=is_locked))
        assert table.state.procedures.shoe.is_locked is is_locked
    assert [line.text for line in table.all_of(LineShown)] == ["SHOE-LOCKED", "SHOE-UNLOCKED"]


def test_a_card_that_was_lost_on_the_way_does_not_make_all_later_ones_wrong() -> None:
    table = shoe_table()
    draw(table, (P, 1), (P, 2), (B, 2), (P, 3))
    assert len(table.all_of(IncidentOpened)) == 1
    assert "banker 1 was due" in table.all_of(IncidentOpened)[0].text
    result(table)
    assert table.all_of(RoundEnded)[-1].cards == 4


def test_a_result_without_a_game_ends_none_and_one_too_early_is_said() -> None:
    table = shoe_table()
    result(table)
    assert table.all_of(RoundEnded) == []
    assert incidents(table) == [OUT_OF_ORDER]
    table = shoe_table()
    draw(table, (P, 1))
    result(table)
    assert "a result after 1 card(s)" in table.all_of(IncidentOpened)[0].text
    table = shoe_table()
    draw(table, (P, 1))
    result(table, Winner.FORCED)
    assert not incidents(table)
    assert table.all_of(RoundEnded)[-1].how == "void"


def test_a_shoe_that_forgets_its_game_ends_it_with_the_next_ones_first_card() -> None:
    """Its cards stay sealed until then: on the felt the game goes on."""
    table = shoe_table()
    draw(table, (P, 1), (B, 1))
    table.give(facts.ShoeErrorBegan(device="shoe", code=7, is_stopped=True))
    table.give(facts.ShoeStarted(device="shoe"))
    assert alerts(table) == {RESTARTED_TEXT}
    assert incidents(table) == [RESTARTED]
    assert table.all_of(RoundEnded) == []
    draw(table, (P, 1))
    assert [(ended.round, ended.how) for ended in table.all_of(RoundEnded)] == [(1, "elsewhere")]
    assert rounds(table) == [1, 2]
    assert table.state.procedures.shoe.drawn == ((P, 1),)
    assert [card.place for card in table.all_of(CardsToOpen)[0].cards] == ["player 1", "banker 1"], "and not the next"
    assert len(table.state.procedures.card_identities.read) == 1
    draw(table, (P, 1))
    assert rounds(table) == [1, 2], "only once"


def test_cut_card_and_burnt_cards() -> None:
    """SHOE-6, SHOE-7: what burns in no game is no game; cards of the next shoe end the announcement."""
    table = shoe_table()
    draw(table, (Target.BURN_TELLING, 1), (Target.BURN, 1), (Target.BURN, 2))
    assert rounds(table) == []
    assert table.state.procedures.shoe.burnt == 3
    assert not incidents(table)
    table.give(facts.CutCardSeen(device="shoe"))
    assert alerts(table) == {"SHOE-CUT-CARD"}
    draw(table, *ORDER[:4])
    result(table)
    draw(table, (Target.BURN_TELLING, 1))
    assert alerts(table) == set()
    assert table.state.procedures.shoe.burnt == 1
    table.give(facts.CutCardSeen(device="shoe"))
    number = next(iter(table.state.alerts.standing.values())).number
    assert table.ask(ClearAlert, alert=number).is_accepted, "a house that burns nothing says so by hand"
    draw(table, (P, 1), (Target.BURN, 1))
    assert incidents(table) == [OUT_OF_ORDER]


def test_a_card_drawn_under_an_asked_stop_is_said_once_a_game() -> None:
    table = shoe_table()
    assert table.ask(StopPlay).is_accepted
    draw(table, *ORDER[:4])
    assert incidents(table) == ["dealt while stopped"]
    assert "DEALT-WHILE-STOPPED" in alerts(table)
    assert table.ask(ResumePlay).is_accepted
    result(table)
    draw(table, (P, 1))
    assert len(table.all_of(IncidentOpened)) == 1


def test_nothing_that_begins_a_procedure_is_taken_and_what_makes_it_safer_is() -> None:
    table = shoe_table()
    for kind, fields in ((OpenTable, {"dealer": "D1"}), (BeginLoad, {"packets": 2}), (EndRound, {})):
        answer = table.ask(kind, **fields)
        assert not answer.is_accepted
        assert (answer.rule, "observed only" in answer.text) == ("SHOE-7", True)
        assert answer.next_step
    assert table.ask(CallSupervisor).is_accepted
    assert "CALL-PRESSED" in alerts(table)


def test_a_shoe_of_another_table_touches_nothing() -> None:
    table = shoe_table()
    table.give(facts.CardDrawn(device="other", card=SEALED, target=P, index=1))
    assert rounds(table) == []
    assert incidents(table) == ["unexpected"]
    assert not table.state.locks.standing


def test_a_shoe_that_is_not_there_is_missed_from_the_start_and_when_it_goes() -> None:
    """No session has to be opened for it; a line that opens and stays mute is there, and known to have said nothing."""
    table = Table(SHOE_HOUSE)
    table.wait(9)
    assert alerts(table) == {"SHOE-SILENT"}
    table.give(facts.CardReaderReady(device="shoe", model="SHOE", serial="1", has_spoken=False))
    assert alerts(table) == set()
    assert not table.state.devices.known["shoe"].has_spoken
    table.give(facts.CardReaderReady(device="shoe", model="SHOE", serial="1"))
    assert table.state.devices.known["shoe"].has_spoken
    table.give(facts.CardReaderLost(device="shoe", why="cable"))
    assert not table.state.devices.known["shoe"].is_connected
    table.wait(9)
    assert alerts(table) == {"SHOE-SILENT"}


def test_what_cannot_be_read_calls_somebody_once_and_is_looked_at() -> None:
    table = shoe_table()
    for _ in range(3):
        table.give(facts.CardReaderTroubled(device="shoe", why="a telegram that is none"))
    (alert,) = table.state.alerts.standing.values()
    assert (alert.text, alert.times) == ("CARD-READER-TROUBLED", 1)
    assert not table.ask(ClearAlert, by="D1", alert=alert.number).is_accepted
    assert table.ask(ClearAlert, by="T1", alert=alert.number).is_accepted


def test_a_setting_that_somebody_changed_is_a_line() -> None:
    table = shoe_table()
    table.give(facts.ShoeSettingChanged(device="shoe", register="01", value="00FF"))
    assert table.all_of(LineShown)[-1].fields == {"table": "BAC 1", "register": "01", "value": "00FF"}


# --- identities ---------------------------------------------------------------------------------------------


def test_what_was_to_be_opened_when_the_daemon_died_is_opened_at_its_next_start() -> None:
    table = shoe_table()
    draw(table, *ORDER[:4])
    result(table)
    table.give(DaemonStarted(version="t", clock_boot="boot-1", house=SHOE_HOUSE))
    wishes = table.all_of(CardsToOpen)
    assert len(wishes) == 2
    assert wishes[0] == wishes[1]
    opened = CardsOpened(round=1, cards=(OpenedCard(device="shoe", place="player 1", card="8♠"),))
    for _ in range(2):
        table.give(opened)
    assert table.state.procedures.card_identities.opening == {}
    assert not incidents(table)
    table.give(DaemonStarted(version="t", clock_boot="boot-1", house=SHOE_HOUSE))
    assert len(table.all_of(CardsToOpen)) == 2


def test_a_card_that_cannot_be_opened_is_an_incident() -> None:
    table = shoe_table()
    draw(table, *ORDER[:4])
    result(table)
    table.give(CardsOpened(round=1, cards=(OpenedCard(device="shoe", place="player 1", card=""),)))
    assert incidents(table) == [UNOPENED]


def test_what_is_kept_sealed_is_bounded_and_said() -> None:
    table = shoe_table()
    outside = facts.CardDrawnOutside(device="shoe", card=SEALED, mode=OutsideMode.LOCKED)
    for _ in range(MOST_SEALED + 2):
        table.give(outside)
    assert len(table.state.procedures.card_identities.read) == MOST_SEALED
    assert incidents(table).count(UNOPENED) == 1


def test_the_order_of_the_book() -> None:
    assert objection((), (P, 1)) == ""
    assert objection(ORDER[:4], (B, 3)) == "", "the player stood"
    assert objection(ORDER[:4], (P, 3)) == ""
    assert "late" in objection((*ORDER[:4], (B, 3)), (P, 3))
    assert "twice" in objection(ORDER[:2], (B, 1))
    assert "no card of a game" in objection(ORDER[:2], (P, 4))
    assert "was due" in objection(ORDER[:2], (P, 3))


def test_other_tables_take_no_request_away() -> None:
    """`observed` refuses at shoe tables only."""
    table = Table(replace(SHOE_HOUSE, kind=Table().state.house.kind))
    assert "observed only" not in table.ask(EndRound).text
