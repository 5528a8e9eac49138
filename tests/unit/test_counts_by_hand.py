"""A machine that cannot count: a person is told to, and his count ends it (semantics §3 abilities, §4)."""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import Ability, Holding, Outcome, Reason
from tableside.decisions import CommandIntended
from tableside.locks import Scope, standing
from tableside.procedures.counts import CountState
from tableside.requests import CountAll, HandCount
from tests.support.session import open_table
from tests.support.table import ENFORCING, Table


def says_that_it_cannot() -> Table:
    """Its abilities tell it before anything is asked of it."""
    table = open_table()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready(content=312, abilities={**ENFORCING, Ability.COUNT_ALL: Holding.CANNOT})
    assert table.ask(CountAll).is_accepted
    return table


def refuses() -> Table:
    """It claims the ability and refuses the command."""
    table = open_table()
    assert table.ask(CountAll).is_accepted
    number = next(iter(table.state.commands.open.values())).number
    refused = {"outcome": Outcome.REFUSED, "reason": Reason.NOT_OFFERED}
    table.give(events.CommandAnswered(device="shuffler", command=number, **refused))  # type: ignore[arg-type]  # two kinds
    return table


@pytest.mark.parametrize("situation", [says_that_it_cannot, refuses], ids=lambda each: each.__name__)
def test_a_person_is_told_to_count_and_nothing_is_asked_of_the_machine_again(situation: object) -> None:
    table = situation()  # type: ignore[operator]  # a function of no arguments
    asked = len(table.all_of(CommandIntended))
    assert table.state.procedures.counts.state is CountState.BY_HAND
    assert "COUNT-DUE:" in table.state.alerts.standing
    table.wait(120)
    assert len(table.all_of(CommandIntended)) == asked
    assert standing(table.state, Scope.DEAL)
    assert table.ask(HandCount, place="machine", cards=312).is_accepted
    assert "COUNT-DUE:" not in table.state.alerts.standing
    assert not standing(table.state, Scope.DEAL)


def test_what_the_hand_finds_is_posted_and_the_table_goes_on() -> None:
    table = says_that_it_cannot()
    assert table.ask(HandCount, place="machine", cards=311).is_accepted
    assert table.state.account.at("unexplained") == 1
    assert not standing(table.state, Scope.DEAL)
