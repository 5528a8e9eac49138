"""Jackpot chips that are no bets: each is refused or given back, with its rule on record (JP-8, JP-10, JP-11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import ChipReturn
from tableside.blackjack_requests import TellSeats
from tableside.house import House
from tableside.jackpot_happenings import ChipRefused, JackpotLocked, JackpotRaised
from tableside.jackpot_requests import WhyNoBet
from tableside.requests import ClaimJackpot, EndRound, MarkBets, PayJackpot, RefuseChip
from tests.law.jackpot_table import SETTINGS
from tests.support.blackjack import SETTINGS as BLACKJACK
from tests.support.jackpot import HOUSE_WITH_SLOTS, JackpotTable
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table
from tests.unit.test_jackpot import HOUSE_WITH_JACKPOT, TWO_ACES, won

FOLLOWED = replace(HOUSE_WITH_SLOTS, jackpot=SETTINGS, chip_value=SETTINGS.bet, blackjack=BLACKJACK)


@pytest.fixture
def slots(monkeypatch: pytest.MonkeyPatch) -> JackpotTable:
    """Slots at a table whose main bets are told; seats 2 and 5 have put a chip in."""
    monkeypatch.setattr("tests.support.session.Table", JackpotTable)
    table = open_table(FOLLOWED)
    assert isinstance(table, JackpotTable)
    table.slots_ready()
    table.chip(2)
    table.chip(5)
    return table


def locked(table: JackpotTable) -> tuple[int, ...]:
    table.lock_bets()
    table.levels()
    table.collected(2)
    return table.all_of(JackpotLocked)[-1].seats


def refused(table: Table) -> list[tuple[int, str, str, bool]]:
    return [(one.seat, one.why, one.rule, one.is_given_back) for one in table.all_of(ChipRefused)]


def alerts(table: Table) -> list[str]:
    return [alert.place for alert in table.state.alerts.standing.values() if alert.text == "CHIP-BACK"]


@pytest.mark.parametrize("why", ChipReturn)
def test_jp10_jp11_what_slots_give_back_stands_in_the_record_with_its_rule(
    slots: JackpotTable, why: ChipReturn
) -> None:
    slots.notice(events.ChipReturned, "slots", seat=2, why=why)
    ((seat, _, told, is_given_back),) = refused(slots)
    assert (seat, told, is_given_back) == (2, "JP-11" if why is ChipReturn.LATE else "JP-10", True)
    assert locked(slots) == (2, 5), "the seat's own bet stands"


def test_jp8_a_chip_without_main_bet_is_found_at_the_lock_and_given_back(slots: JackpotTable) -> None:
    assert slots.ask(TellSeats, by="D1", seats=(1, 2)).is_accepted
    assert locked(slots) == (2,)
    assert refused(slots) == [(5, "no main bet", "JP-8", False)]
    assert alerts(slots) == ["seat 5"]
    assert [raised.seats for raised in slots.all_of(JackpotRaised)] == [(2,)], "nothing was counted of it"
    give_out(slots, 2)
    slots.ask(EndRound, by="D1")
    assert alerts(slots) == []


def test_jp8_where_main_bets_are_not_told_nothing_is_guessed(slots: JackpotTable) -> None:
    assert locked(slots) == (2, 5)
    assert refused(slots) == []


def test_jp8_the_dealer_says_that_a_chip_has_no_main_bet(slots: JackpotTable) -> None:
    assert slots.ask(RefuseChip, by="D1", seat=5, chip=WhyNoBet.NO_MAIN_BET).is_accepted
    assert locked(slots) == (2,)
    assert refused(slots) == [(5, "no main bet", "JP-8", True)]


def test_jp11_a_bet_that_is_locked_counts(slots: JackpotTable) -> None:
    locked(slots)
    answer = slots.ask(RefuseChip, by="D1", seat=5, chip=WhyNoBet.NO_MAIN_BET)
    assert (answer.is_accepted, answer.rule) == (False, "JP-11")


@pytest.mark.parametrize(
    ("why", "rule"), [(WhyNoBet.SECOND, "JP-10"), (WhyNoBet.VALUE, "JP-10"), (WhyNoBet.LATE, "JP-11")]
)
def test_jp10_jp11_what_the_dealer_gives_back_by_hand_is_recorded_and_no_bet_is_touched(
    why: WhyNoBet, rule: str
) -> None:
    table = won((2, TWO_ACES))
    assert table.ask(RefuseChip, by="D1", seat=2, chip=why).is_accepted
    assert refused(table) == [(2, why.value, rule, True)]
    assert table.state.procedures.jackpot.bettors == (2,)


@pytest.mark.parametrize(("seat", "house"), [(0, HOUSE_WITH_JACKPOT), (8, HOUSE_WITH_JACKPOT), (1, HOUSE)])
def test_jp1_a_chip_at_no_seat_or_without_a_jackpot_is_refused(seat: int, house: House) -> None:
    assert not open_table(house).ask(RefuseChip, by="D1", seat=seat, chip=WhyNoBet.LATE).is_accepted


def test_jp8_markers_of_seats_without_main_bet_are_refused() -> None:
    table = open_table(replace(HOUSE_WITH_JACKPOT, displays=(), blackjack=BLACKJACK))
    assert table.ask(TellSeats, by="D1", seats=(1, 2)).is_accepted
    answer = table.ask(MarkBets, by="D1", seats=(2, 5))
    assert (answer.is_accepted, answer.rule) == (False, "JP-8")
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted


def test_jp10_one_chip_is_one_prize() -> None:
    table = won((2, TWO_ACES))
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert not table.ask(ClaimJackpot, by="D1", seat=2, cards=TWO_ACES).is_accepted
