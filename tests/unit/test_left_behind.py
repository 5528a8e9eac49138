"""A counting out that does not agree with the account: play waits for a hand count of the old machine (CSM-6)."""

from __future__ import annotations

import pytest

from tableside.card_account import UNEXPLAINED, left_in
from tableside.locks import Scope, standing
from tableside.requests import HandCount
from tests.support.swaps import counted_out


@pytest.mark.parametrize("cards", [303, 306])
def test_csm6_a_counting_out_that_differs_stops_play_until_the_old_machine_is_counted(
    cards: int,
) -> None:
    table = counted_out(cards)
    place = left_in("000123")
    assert "to be counted: left in 000123" in [lock.reason for lock in standing(table.state, Scope.DEAL)]
    assert not table.ask(HandCount, by="D1", place=place, cards=0).is_accepted
    assert table.ask(HandCount, by="S1", place=place, cards=0).is_accepted
    assert "to be counted: left in 000123" not in [lock.reason for lock in standing(table.state, Scope.DEAL)]
    assert not {"COUNT-SHORT-SWAP", "COUNT-LONG"} & {alert.text for alert in table.state.alerts.standing.values()}
    assert table.state.account.at(UNEXPLAINED) == 305 - cards
    assert not table.ask(HandCount, by="S1", place=place, cards=0).is_accepted, "nothing waits for it now"


def test_csm6_cards_that_are_found_in_the_old_machine_stay_on_its_name() -> None:
    table = counted_out(303)
    assert table.ask(HandCount, by="S1", place=left_in("000123"), cards=2).is_accepted
    assert "COUNT-SHORT-SWAP" not in {alert.text for alert in table.state.alerts.standing.values()}
    assert table.state.account.at(left_in("000123")) == 2
