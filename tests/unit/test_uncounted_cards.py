"""Two cards that stuck together, or one that a sensor missed: what lies outside is counted, and the machine's count
says where the card is (CSM-10, CSM-11, semantics §2.2).
"""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import PermitKind, Place, Verb
from tableside.card_account import HOPPER, MACHINE, TABLE, TRAY, UNEXPLAINED
from tableside.decisions import CommandIntended, LevelsAsked, PermitGranted
from tableside.happenings import CardsHeldOver, CardsReturned, DifferenceFound, DifferenceSettled, SessionReady
from tableside.locks import Scope, standing
from tableside.procedures.awaited import AWAITED_S
from tableside.procedures.differences import AGAIN_S, PATH_TRIES_MAX
from tableside.requests import CountHeldOver, EndRound, HandCount, LoadPacket
from tests.support.session import ALL, feed, give_out, levels, load_packet, loading, open_table
from tests.support.table import Table
from tests.unit.test_differences import DEALT, after_round, count

UNCOUNTED = "passed the machine's sensor uncounted"


def alerts_at(table: Table) -> dict[str, str]:
    """Standing alerts by text, with the number of cards that they speak of."""
    return {alert.text: alert.fields.get("n", "") for alert in table.state.alerts.standing.values()}


def one_awaited() -> Table:
    """Five were dealt and five laid into the hopper, and the machine counted four."""
    table = after_round(open_table(), returned=DEALT - 1)
    table.notice(events.PacketEnded, cards=DEALT - 1)
    return table


def one_too_many() -> Table:
    """Six came out as five; five are in again, and the sixth lies in the hopper: the dealer has taken it out."""
    table = after_round(open_table())
    levels(table, ALL)
    return table


def test_csm10_cards_that_do_not_come_call_the_supervisor() -> None:
    table = one_awaited()
    table.wait(AWAITED_S - 1)
    assert not alerts_at(table)
    table.wait(2)
    assert alerts_at(table) == {"CARDS-AWAITED": "1"}
    feed(table, 1)
    assert not alerts_at(table), "the dealer had it in his hand"


def test_while_something_keeps_the_cards_out_nobody_is_called_for_them() -> None:
    table = one_awaited()
    table.notice(events.CardJammed, place=Place.FEED)
    table.wait(2 * AWAITED_S)
    assert list(alerts_at(table)) == ["JAM-FEED"]


def test_cards_that_went_in_uncounted_are_found_by_one_count_and_need_nobody() -> None:
    table = one_awaited()
    table.wait(AWAITED_S + 1)
    assert table.ask(CountHeldOver, cards=0).is_accepted
    assert "CARDS-AWAITED" not in alerts_at(table)
    found = table.all_of(DifferenceFound)[-1]
    assert (found.place, found.observed, found.expected) == (TABLE, 0, 1)
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["difference", "count"]
    count(table, ALL)
    assert table.all_of(DifferenceSettled)[-1].how == UNCOUNTED
    account = table.state.account
    assert (account.at(MACHINE), account.at(TABLE), account.at(UNEXPLAINED)) == (ALL, 0, 0)
    assert not standing(table.state, Scope.DEAL)
    assert not table.state.incidents.open
    assert not alerts_at(table)
    assert table.all_of(PermitGranted)[-1].what is PermitKind.DEAL


def test_cards_that_came_out_uncounted_are_laid_by_said_and_go_in_with_the_next_round() -> None:
    table = one_too_many()
    assert table.ask(CountHeldOver, cards=1).is_accepted
    assert table.all_of(CardsHeldOver)[-1].cards == 1
    count(table, ALL - 1)
    assert table.all_of(DifferenceSettled)[-1].how == UNCOUNTED
    account = table.state.account
    assert (account.at(MACHINE), account.at(TABLE), account.at(UNEXPLAINED)) == (ALL - 1, 1, 0)
    give_out(table, DEALT)
    table.ask(EndRound)
    assert table.all_of(PermitGranted)[-1].limit_cards == DEALT + 1
    feed(table, DEALT + 1)
    assert table.state.account.at(MACHINE) == ALL
    assert not table.state.incidents.open


def test_a_count_that_errs_is_made_again_and_still_finds_them() -> None:
    table = one_awaited()
    table.ask(CountHeldOver, cards=0)
    count(table, ALL - 2)  # it should find ALL
    count(table, ALL)
    assert table.all_of(DifferenceSettled)[-1].how == UNCOUNTED
    assert table.state.account.at(MACHINE) == ALL


@pytest.mark.parametrize(("said", "text", "n"), [(0, "COUNT-SHORT", ALL - 1), (3, "COUNT-LONG", ALL + 2)])
def test_a_card_that_is_neither_outside_nor_in_the_machine_is_searched_for(said: int, text: str, n: int) -> None:
    table = one_awaited()
    table.ask(CountHeldOver, cards=said)
    count(table, ALL - 1)
    assert not alerts_at(table), "a count may err: a second one follows by itself"
    count(table, ALL - 1)
    assert alerts_at(table) == {text: str(n)}
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["difference"]
    assert table.ask(HandCount, by="S1", place=TABLE, cards=said).is_accepted
    assert table.state.account.at(UNEXPLAINED) == 1 - said
    assert table.state.procedures.rounds.held_over == said
    assert not standing(table.state, Scope.DEAL)
    assert not alerts_at(table)


def test_a_count_that_agrees_is_only_held_over() -> None:
    table = one_awaited()
    assert table.ask(CountHeldOver, cards=1).is_accepted
    assert not table.all_of(DifferenceFound)
    assert table.all_of(CardsReturned)[-1].held_over == 1
    assert table.state.account.at(TABLE) + table.state.account.at(TRAY) == 1


def test_what_a_hand_count_elsewhere_left_unexplained_is_explained_by_the_count() -> None:
    """A packet's card that the in meter never saw: the hopper is empty, and the machine holds one more."""
    table = loading()
    load_packet(table, 104)
    load_packet(table, 104)
    assert table.ask(LoadPacket, by="D1", cards=104).is_accepted
    feed(table, 103)
    table.notice(events.PacketEnded, cards=103)
    assert alerts_at(table) == {"PACKET-DIFFERS": ""}
    assert table.ask(HandCount, by="S1", place=HOPPER, cards=0).is_accepted
    assert not alerts_at(table)
    assert table.state.account.at(UNEXPLAINED) == 1
    levels(table, ALL - 1)
    assert table.all_of(SessionReady)
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["count"]
    count(table, ALL)
    assert (table.state.account.at(MACHINE), table.state.account.at(UNEXPLAINED)) == (ALL, 0)
    assert not table.state.incidents.open


# --- something lies in the path ---------------------------------------------------------------------------------


def test_csm10_a_card_left_in_the_hopper_is_told_once_the_machine_should_be_still() -> None:
    table = after_round(open_table())
    for _ in range(PATH_TRIES_MAX):
        levels(table, ALL, is_path_clear=False)
        assert not alerts_at(table), "it may be moving"
        table.wait(AGAIN_S + 0.1)
        assert table.all_of(LevelsAsked)[-1].why == "return ended"
    levels(table, ALL, is_path_clear=False)
    assert list(alerts_at(table)) == ["CARD-LEFT"]
    table.ask(CountHeldOver, cards=1)
    assert any(command.verb is Verb.COUNT_ALL for command in table.all_of(CommandIntended))
    levels(table, ALL)
    assert "CARD-LEFT" not in alerts_at(table)


def test_a_path_that_clears_while_it_is_looked_at_tells_nothing() -> None:
    table = after_round(open_table())
    levels(table, ALL, is_path_clear=False)
    table.wait(AGAIN_S + 0.1)
    levels(table, ALL)
    assert not alerts_at(table)
    assert not table.state.procedures.differences.asked
