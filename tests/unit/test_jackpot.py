"""The table's own jackpot: grows with each bet, is locked at the hit, checked, paid or denied (JP-2 to JP-13)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers.events import Shown
from tableside.decisions import AlertRaised, DisplaySet
from tableside.house import ChipSlots, Display, House
from tableside.inputs import DaemonStarted
from tableside.jackpot_happenings import JackpotClaimed, JackpotLocked, JackpotPaid, JackpotRaised, JackpotStarted
from tableside.locks import Scope, standing
from tableside.procedures.jackpot_fit import UNFIT_OWN
from tableside.procedures.jackpot_slice import JackpotState
from tableside.requests import ClaimJackpot, DenyJackpot, EndRound, MarkBets, PayJackpot, ShowJackpot
from tableside.state import TableState, reduce
from tests.law.jackpot_table import SETTINGS
from tests.support.session import give_out, open_table
from tests.support.table import HOUSE, Table
from tests.unit.test_jackpot_bets import HOUSE_WITH_SLOTS, JackpotTable

SIGN = Display("sign", "tdl-display", 16)
HOUSE_WITH_JACKPOT = replace(HOUSE, jackpot=SETTINGS, displays=(SIGN,))
TWO_ACES = ("AS", "AH")
FOUR_ACES = ("AS", "AS", "AS", "AS")


def jackpot_table(house: House = HOUSE_WITH_JACKPOT) -> Table:
    table = open_table(house)
    table.ready("sign")
    return table


def state_of(table: Table) -> JackpotState:
    return table.state.procedures.jackpot.state


def shown(table: Table) -> tuple[Shown, int]:
    showing = table.all_of(DisplaySet)[-1].showing
    return showing.what, showing.amount


def deal(table: Table, cards: int = 4) -> None:
    give_out(table, cards)


def won(*hands: tuple[int, tuple[str, ...]], house: House = HOUSE_WITH_JACKPOT) -> Table:
    """A table at which these seats have bet, been dealt to and claim their cards."""
    table = jackpot_table(house)
    assert table.ask(MarkBets, by="D1", seats=tuple(seat for seat, _ in hands)).is_accepted
    deal(table)
    for seat, cards in hands:
        assert table.ask(ClaimJackpot, by="D1", seat=seat, cards=cards).is_accepted
    return table


def test_jp7_it_starts_at_its_approved_value_and_the_display_says_so() -> None:
    table = jackpot_table()
    (started,) = table.all_of(JackpotStarted)
    assert (started.shown, started.approved_by) == (SETTINGS.start, SETTINGS.approved_by)
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start)


def test_jp1_a_table_without_one_has_none() -> None:
    table = open_table()
    assert state_of(table) is JackpotState.NONE
    assert not table.ask(MarkBets, by="D1", seats=(1,)).is_accepted


def test_jp4_markers_raise_the_display_by_their_number() -> None:
    table = jackpot_table()
    assert table.ask(MarkBets, by="D1", seats=(2, 5)).is_accepted
    assert [raised.seats for raised in table.all_of(JackpotRaised)] == [(2, 5)]
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 2 * 75)


@pytest.mark.parametrize(("seats", "rule"), [((), "JP-10"), ((0,), "JP-10"), ((8,), "JP-10"), ((2, 2), "JP-10")])
def test_jp4_jp10_markers_that_cannot_be_are_refused(seats: tuple[int, ...], rule: str) -> None:
    answer = jackpot_table().ask(MarkBets, by="D1", seats=seats)
    assert (answer.is_accepted, answer.rule) == (False, rule)


def test_jp4_markers_are_entered_once_a_round() -> None:
    table = jackpot_table()
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted
    assert table.ask(MarkBets, by="D1", seats=(2,)).rule == "JP-4"
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 75)


def test_jp11_a_marker_after_the_first_card_is_no_bet() -> None:
    table = jackpot_table()
    deal(table)
    assert table.ask(MarkBets, by="D1", seats=(2,)).rule == "JP-11"


def test_jp3_where_slots_tell_who_has_bet_nobody_enters_markers() -> None:
    house = replace(HOUSE_WITH_JACKPOT, chip_slots=(ChipSlots("slots", (1, 2)),), chip_value=100, chip_currency="EUR")
    assert jackpot_table(house).ask(MarkBets, by="D1", seats=(2,)).rule == "JP-3"


def test_jp12_a_claim_locks_the_value_shows_pending_and_holds_the_cards() -> None:
    table = won((2, TWO_ACES))
    (claimed,) = table.all_of(JackpotClaimed)
    assert (claimed.prize, claimed.value) == ("two aces", SETTINGS.start + 75)
    assert shown(table)[0] is Shown.PENDING
    assert standing(table.state, Scope.FEED)
    assert [alert.place for alert in table.all_of(AlertRaised) if alert.text == "JACKPOT-HIT"] == ["seat 2"]
    refused = table.ask(EndRound, by="D1")
    assert (refused.is_accepted, refused.rule) == (False, "JP-12")
    assert "seat 2: 5000" in refused.text


@pytest.mark.parametrize(
    ("seat", "cards", "rule"),
    [(3, TWO_ACES, "JP-8"), (2, ("KS", "QS"), "JP-6"), (2, ("KS", "X"), "JP-5"), (2, (), "JP-6"), (2, ("AS",), "JP-6")],
)
def test_jp5_jp8_what_is_no_win_is_refused(seat: int, cards: tuple[str, ...], rule: str) -> None:
    table = jackpot_table()
    table.ask(MarkBets, by="D1", seats=(2,))
    deal(table)
    answer = table.ask(ClaimJackpot, by="D1", seat=seat, cards=cards)
    assert (answer.is_accepted, answer.rule) == (False, rule)
    assert state_of(table) is JackpotState.RUNNING


def test_a_claim_pressed_twice_is_one() -> None:
    table = won((2, TWO_ACES))
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=TWO_ACES).rule == "JP-10"
    assert len(table.all_of(JackpotClaimed)) == 1


def test_jp13_paid_to_the_unit_the_round_goes_on_and_the_rest_stays() -> None:
    table = won((2, TWO_ACES))
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert state_of(table) is JackpotState.RUNNING
    assert shown(table)[0] is Shown.WON
    assert not standing(table.state, Scope.FEED)
    assert table.ask(EndRound, by="D1").is_accepted
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 75 - 5_000)


@pytest.mark.parametrize(("seats", "amounts"), [((2,), (4_999,)), ((3,), (5_000,)), ((), ()), ((2, 2), (5_000, 5_000))])
def test_jp13_a_payment_that_does_not_add_up_is_refused_with_both_sums(
    seats: tuple[int, ...], amounts: tuple[int, ...]
) -> None:
    table = won((2, TWO_ACES))
    answer = table.ask(PayJackpot, seats=seats, amounts=amounts)
    assert (answer.is_accepted, answer.rule) == (False, "JP-13")
    assert "due 5000" in answer.text
    assert state_of(table) is JackpotState.PENDING


def test_jp13_several_wins_of_one_round_the_top_takes_what_the_others_leave_and_it_starts_anew() -> None:
    table = won((2, TWO_ACES), (5, FOUR_ACES))
    value = SETTINGS.start + 150
    answer = table.ask(PayJackpot, seats=(2, 5), amounts=(5_000, value - 5_000))
    assert answer.is_accepted
    (paid,) = table.all_of(JackpotPaid)
    assert (paid.seats, paid.left) == ((2, 5), 0)
    assert table.ask(EndRound, by="D1").is_accepted
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start)
    assert [started.shown for started in table.all_of(JackpotStarted)] == [SETTINGS.start, SETTINGS.start]


def test_a_win_that_the_check_denies_gives_nothing_and_the_round_goes_on() -> None:
    table = won((2, TWO_ACES))
    assert table.ask(DenyJackpot, seat=2, finding="third card").is_accepted
    assert (state_of(table), shown(table)) == (JackpotState.RUNNING, (Shown.AMOUNT, SETTINGS.start + 75))
    assert not standing(table.state, Scope.FEED)


def test_of_two_claims_one_denied_leaves_the_other() -> None:
    table = won((2, TWO_ACES), (5, TWO_ACES))
    assert table.ask(DenyJackpot, seat=2, finding="third card").is_accepted
    assert state_of(table) is JackpotState.PENDING
    assert table.ask(PayJackpot, seats=(5,), amounts=(5_000,)).is_accepted


def test_only_supervisor_or_management_pays_or_denies() -> None:
    table = won((2, TWO_ACES))
    assert not table.ask(PayJackpot, by="D1", seats=(2,), amounts=(5_000,)).is_accepted
    assert not table.ask(DenyJackpot, by="D1", seat=2, finding="no").is_accepted


def test_jp2_other_settings_count_from_the_next_jackpot_on() -> None:
    table = won((5, FOUR_ACES))
    other = replace(SETTINGS, start=2_000_000, approved_by="dispatch 13")
    table.give(DaemonStarted(house=replace(HOUSE_WITH_JACKPOT, jackpot=other), version="1", clock_boot="boot-1"))
    assert table.state.procedures.jackpot.settings == SETTINGS
    table.ask(PayJackpot, seats=(5,), amounts=(SETTINGS.start + 75,))
    assert table.state.procedures.jackpot.settings == other
    assert table.all_of(JackpotStarted)[-1].approved_by == "dispatch 13"


def test_jp2_a_chip_of_another_value_is_no_bet_of_the_running_jackpot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.session.Table", JackpotTable)
    house = replace(HOUSE_WITH_SLOTS, jackpot=SETTINGS, chip_value=SETTINGS.bet)
    table = open_table(house)
    assert isinstance(table, JackpotTable)
    table.slots_ready()
    table.chip(2)
    dearer = replace(SETTINGS, bet=200, start=2_000_000, approved_by="dispatch 14")
    other = replace(house, jackpot=dearer, chip_value=200)
    table.give(DaemonStarted(house=other, version="1", clock_boot="boot-1"))
    table.slots_ready()
    assert [lock.reason for lock in standing(table.state, Scope.JACKPOT_BETS)] == [UNFIT_OWN]
    (incident,) = [each for each in table.state.incidents.open.values() if each.kind == UNFIT_OWN]
    assert "bet is 100 EUR, this table's chip 200 EUR" in incident.text
    table.lock_bets()
    table.levels()
    table.collected(1)
    assert table.all_of(JackpotLocked)[-1].value == SETTINGS.bet, "what the pot grows by"
    assert table.all_of(JackpotRaised)[-1].shown == SETTINGS.start + 75
    give_out(table, 4)
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=FOUR_ACES).is_accepted
    assert table.ask(PayJackpot, seats=(2,), amounts=(SETTINGS.start + 75,)).is_accepted
    assert UNFIT_OWN not in [lock.reason for lock in standing(table.state, Scope.JACKPOT_BETS)]
    assert all(each.kind != UNFIT_OWN for each in table.state.incidents.open.values())


def test_jp2_a_table_whose_own_meters_do_not_reconcile_takes_no_jackpot_bets() -> None:
    table = jackpot_table()
    jackpot = table.state.procedures.jackpot
    assert jackpot.meters is not None
    wrong = replace(jackpot, meters=replace(jackpot.meters, shown=jackpot.meters.shown + 1))
    table.state = replace(table.state, procedures=replace(table.state.procedures, jackpot=wrong))
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted, "found with the next row of the meters"
    (incident,) = [each for each in table.state.incidents.open.values() if each.kind == UNFIT_OWN]
    assert f"main: {SETTINGS.start} + 75 - 0 is not {SETTINGS.start + 76}" in incident.text
    deal(table)
    assert table.ask(EndRound, by="D1").is_accepted
    answer = table.ask(MarkBets, by="D1", seats=(3,))
    assert (answer.is_accepted, answer.rule) == (False, "JP-2")


def test_jp2_nobody_types_an_amount_where_the_meters_say_it() -> None:
    table = jackpot_table()
    answer = table.ask(ShowJackpot, what=Shown.AMOUNT, amount=5, currency="EUR")
    assert (answer.is_accepted, answer.rule) == (False, "JP-2")


def test_an_amount_that_a_display_cannot_show_locks_the_bets() -> None:
    house = replace(HOUSE_WITH_JACKPOT, displays=(replace(SIGN, characters=8),))
    table = jackpot_table(house)
    assert standing(table.state, Scope.JACKPOT_BETS)


def test_jp3_chips_of_the_slots_raise_it_when_the_bets_are_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.session.Table", JackpotTable)
    house = replace(HOUSE_WITH_SLOTS, jackpot=SETTINGS, chip_value=SETTINGS.bet)
    table = open_table(house)
    assert isinstance(table, JackpotTable)
    table.slots_ready()
    table.chip(2)
    table.chip(5)
    table.lock_bets()
    table.levels()
    table.collected(2)
    assert [(raised.seats, raised.shown) for raised in table.all_of(JackpotRaised)] == [((2, 5), SETTINGS.start + 150)]


def test_jp2_meters_reconcile_after_every_row() -> None:
    table = won((2, TWO_ACES), (5, FOUR_ACES))
    table.ask(PayJackpot, seats=(2, 5), amounts=(5_000, SETTINGS.start + 150 - 5_000))
    state = TableState(house=HOUSE_WITH_JACKPOT)
    for given in table.given:
        state, _ = reduce(state, given)
        meters = state.procedures.jackpot.meters
        assert meters is None or meters.is_reconciled
    assert meters is not None
    assert meters.paid == SETTINGS.start + 150
