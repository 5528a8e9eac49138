"""A key overtakes what the machine kept while its cable or the daemon was away (semantics §1.3, §4; tdl.md 8)."""

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import KeyName, PermitKind
from tableside.decisions import IncidentOpened, PermitGranted
from tableside.happenings import CardsHeldOver, CardsReturned, CardsToldLate, RoundEnded, RoundStarted
from tableside.locks import Scope, standing
from tableside.requests import HoldOver
from tests.support.table import Table
from tests.unit.test_rounds import deal, insert, open_table


@pytest.fixture
def table() -> Table:
    """Two cards of the first round are out and told."""
    table = open_table()
    deal(table, 2)
    return table


def connect(table: Table, kept: int, **changes: object) -> None:
    """The shuffler is connected; so many notices wait in it."""
    levels = table.state.devices.known["shuffler"]
    oldest, newest = levels.notice + 1, levels.notice + kept
    table.ready("shuffler", oldest_notice=oldest, newest_notice=newest, permits=(PermitKind.DEAL,), **changes)


def lose(table: Table) -> None:
    table.give(events.DeviceLost(device="shuffler", why="cable"))


def tell(table: Table, meter_out: int) -> None:
    table.notice(events.CardsOut, meter=meter_out)


def done(table: Table) -> None:
    table.notice(events.KeyPressed, "switches", key=KeyName.DONE)


def is_quiet(table: Table) -> bool:
    """Nothing was thought to be wrong."""
    return not table.all_of(IncidentOpened) and not standing(table.state, Scope.DEAL, is_round_open=False)


@pytest.mark.parametrize("is_back_first", [True, False], ids=["the key overtakes", "the key comes while it is away"])
def test_cards_told_after_done_are_of_the_round_that_is_over(table: Table, *, is_back_first: bool) -> None:
    lose(table)
    if is_back_first:
        connect(table, kept=1)
        done(table)
    else:
        done(table)
        connect(table, kept=1)
    tell(table, 10)
    assert [(ended.round, ended.cards) for ended in table.all_of(RoundEnded)] == [(1, 2)]
    assert table.all_of(CardsToldLate) == [CardsToldLate(round=1, cards=8)]
    assert is_quiet(table)
    feed = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.FEED]
    assert [grant.limit_cards for grant in feed] == [10], "no permit before all is told"
    insert(table, 10)
    assert table.all_of(CardsReturned) == [CardsReturned(round=1, cards=10, held_over=0)]


def test_a_card_after_all_is_told_is_still_unexpected(table: Table) -> None:
    lose(table)
    connect(table, kept=1)
    done(table)
    tell(table, 3)
    tell(table, 4)
    assert [incident.kind for incident in table.all_of(IncidentOpened)] == ["card out of round"]


def test_cards_told_late_are_held_over_with_the_others(table: Table) -> None:
    lose(table)
    done(table)
    table.ask(HoldOver)
    connect(table, kept=1)
    tell(table, 10)
    assert table.state.procedures.rounds.held_over == 10
    tell(table, 11)
    assert [started.round for started in table.all_of(RoundStarted)] == [1, 2]
    assert [held.cards for held in table.all_of(CardsHeldOver)] == [2]
    assert is_quiet(table)


def test_cards_told_late_wait_for_the_next_deal_with_the_others(table: Table) -> None:
    house = table.state.house
    table.state = replace(table.state, house=replace(house, jurisdiction=replace(house.jurisdiction, reinsert="after")))
    lose(table)
    connect(table, kept=1)
    done(table)
    tell(table, 10)
    assert table.state.procedures.rounds.lag == 10
    assert is_quiet(table)


@pytest.mark.parametrize("is_back_first", [True, False], ids=["the key overtakes", "the key comes while it is away"])
@pytest.mark.parametrize("reinsert", ["at once", "after"])
def test_a_round_of_which_no_card_was_told_before_done_ends_when_all_is_told(
    table: Table, reinsert: str, *, is_back_first: bool
) -> None:
    """Cards, then DONE, while the daemon was dead; the switch box is back before the shuffler."""
    done(table)
    insert(table, 2)
    if reinsert == "after":
        house = table.state.house
        jurisdiction = replace(house.jurisdiction, reinsert=reinsert)
        table.state = replace(table.state, house=replace(house, jurisdiction=jurisdiction))
    lose(table)
    if is_back_first:
        connect(table, kept=2)
        done(table)
    else:
        done(table)
        connect(table, kept=2)
    assert [ended.round for ended in table.all_of(RoundEnded)] == [1], "no card of a second one is known"
    tell(table, 3)
    tell(table, 7)
    assert [(ended.round, ended.cards, ended.how) for ended in table.all_of(RoundEnded)][1:] == [(2, 5, "told")]
    assert is_quiet(table)
    if reinsert == "after":
        assert table.state.procedures.rounds.lag == 5
    else:
        insert(table, 5)
        assert table.all_of(CardsReturned)[-1] == CardsReturned(round=2, cards=5, held_over=0)
    tell(table, 8)
    assert table.state.procedures.rounds.state.value == "dealing", "the next round is not over by the same DONE"


def test_a_key_pressed_for_nothing_ends_no_later_round(table: Table) -> None:
    done(table)
    insert(table, 2)
    lose(table)
    done(table)
    connect(table, kept=0)
    deal(table, 2)
    assert table.state.procedures.rounds.state.value == "dealing"
    assert [ended.round for ended in table.all_of(RoundEnded)] == [1]
