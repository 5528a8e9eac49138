"""Jackpot bets: slots open while they are taken, shut, compared and emptied before a card may leave (JP-3 … JP-11)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers import events
from drivers.events import ChipReturn, Outcome, PermitKind, Place, Reason, Verb
from tableside.decisions import (
    AlertRaised,
    CommandIntended,
    IncidentOpened,
    LevelsAsked,
    PermitGranted,
    PermitRevoked,
)
from tableside.inputs import DaemonStarted
from tableside.jackpot_happenings import ChipBet, ChipsCollected, JackpotLocked
from tableside.locks import Scope, standing
from tableside.procedures.jackpot_bets import CLOSING_S, SLOTS_MS, BetState
from tableside.requests import AnnounceClosing, ClearFault, EndRound, LockBets, SettleChips, SettleUnknown
from tests.support.jackpot import (
    CHIP,
    HOUSE_WITH_SLOTS,
    SEATS,
    JackpotTable,
    closing,
    collecting,
    in_doubt,
    locked,
    open_with_slots,
    taking,
)
from tests.support.put_right import clear_alerts, put_right
from tests.support.samples import facts_of, requests_of
from tests.support.session import open_table
from tests.unit.test_walks import fork, give


@pytest.fixture
def table() -> JackpotTable:
    return taking()


def test_slots_stand_open_and_no_card_may_leave_while_bets_are_taken(table: JackpotTable) -> None:
    assert table.stands("slots", PermitKind.SLOTS)
    granted = next(grant for grant in table.all_of(PermitGranted) if grant.device == "slots")
    assert (granted.duration_ms, granted.is_fresh) == (SLOTS_MS, True)
    assert not table.stands("shuffler", PermitKind.DEAL)


def test_a_chip_is_a_bet_of_its_seat_in_whole_units(table: JackpotTable) -> None:
    """JP-10: of the set value, one a seat."""
    table.chip(3)
    assert table.all_of(ChipBet) == [ChipBet(device="slots", seat=3, chips=1, value=CHIP)]
    table.notice(events.ChipsIn, "slots", seat=3, meter=1)  # told again: nothing twice
    assert len(table.all_of(ChipBet)) == 1
    table.notice(events.ChipReturned, "slots", seat=4, why=ChipReturn.VALUE)
    assert table.state.procedures.jackpot_bets.seats == (3,)
    assert not table.alerts


def test_after_no_more_bets_cards_wait_for_slots_that_are_shut_told_and_empty(table: JackpotTable) -> None:
    """JP-11, step by step: shut; every chip told; collected; then the deal permit."""
    table.chip(2)
    table.chip(5)
    table.lock_bets()
    assert [revoked.what for revoked in table.all_of(PermitRevoked) if revoked.device == "slots"][
        -1
    ] is PermitKind.SLOTS
    assert table.all_of(LevelsAsked)[-1].device == "slots"
    table.levels(PermitKind.SLOTS)  # asked before the revoke had arrived
    assert table.bets is BetState.CLOSING
    table.chip(6, is_told=False)  # it fell in before; its notice is on its way
    table.levels()
    assert table.bets is BetState.CLOSING
    table.notice(events.ChipsIn, "slots", seat=6, meter=1)
    table.wait(1)
    assert table.all_of(LevelsAsked)[-1].why == "jackpot bets"
    table.levels()
    assert table.bets is BetState.COLLECTING
    assert not table.stands("shuffler", PermitKind.DEAL)
    command = table.all_of(CommandIntended)[-1]
    assert (command.device, command.verb, command.argument) == ("slots", Verb.COLLECT, 0)
    table.collected(3)
    assert table.all_of(ChipsCollected) == [ChipsCollected(device="slots", chips=3, told=3)]
    assert table.all_of(JackpotLocked) == [JackpotLocked(seats=(2, 5, 6), value=CHIP, currency="EUR")]
    assert table.stands("shuffler", PermitKind.DEAL)
    assert not table.alerts


def test_without_a_chip_nothing_moves_and_dealing_begins(table: JackpotTable) -> None:
    table.lock_bets()
    table.levels()
    assert table.bets is BetState.LOCKED
    assert not [command for command in table.all_of(CommandIntended) if command.verb is Verb.COLLECT]
    assert table.stands("shuffler", PermitKind.DEAL)


def test_the_next_round_s_bets_are_taken_when_the_round_is_over(table: JackpotTable) -> None:
    table.lock_bets()
    table.levels()
    table.notice(events.CardsOut, meter=4)
    assert not table.stands("slots", PermitKind.SLOTS)
    assert table.ask(EndRound, by="D1").is_accepted
    assert table.bets is BetState.TAKING
    assert table.stands("slots", PermitKind.SLOTS)
    assert table.state.procedures.jackpot_bets.seats == ()


def test_a_card_before_the_lock_is_an_incident_and_shuts_the_slots(table: JackpotTable) -> None:
    table.notice(events.CardsOut, meter=1)
    assert table.bets is BetState.CLOSING
    assert "DEALT-BEFORE-LOCK" in table.alerts
    assert not table.stands("slots", PermitKind.SLOTS)
    table.levels()
    assert table.bets is BetState.LOCKED
    assert table.stands("shuffler", PermitKind.DEAL)


def test_a_round_that_ends_before_the_slots_are_shut_leaves_nothing_hanging(table: JackpotTable) -> None:
    table.notice(events.CardsOut, meter=1)
    table.ask(EndRound, by="D1")
    assert table.bets is BetState.CLOSING
    table.levels()
    assert table.bets is BetState.TAKING


def test_a_device_that_never_says_that_it_is_shut_leaves_the_bets_in_doubt(table: JackpotTable) -> None:
    table.chip(1)
    table.lock_bets()
    table.wait(CLOSING_S + 1)
    assert table.bets is BetState.COLLECTING
    table.collected(1)
    assert "CHIPS-UNSURE" in table.alerts
    assert not table.stands("shuffler", PermitKind.DEAL)
    assert not table.ask(SettleChips, by="D1", seats=(1,), finding="x").is_accepted
    assert not table.ask(SettleChips, seats=(8,), finding="looked").is_accepted
    assert not table.ask(SettleChips, seats=(1,), finding=" ").is_accepted
    assert table.ask(SettleChips, seats=(1,), finding="one chip at seat 1").is_accepted
    assert table.stands("shuffler", PermitKind.DEAL)
    assert not table.alerts
    assert not table.in_doubt
    assert not table.ask(SettleChips, seats=(1,), finding="again").is_accepted


def test_a_chip_that_no_notice_ever_tells_is_found_and_not_guessed(table: JackpotTable) -> None:
    """A lost chip is an alert: it is no bet until a supervisor says so; afterwards counting goes on from there."""
    table.chip(4, is_told=False)
    table.lock_bets()
    for _ in range(CLOSING_S * 5):
        table.levels()
        table.wait(0.3)
    assert table.in_doubt == ["slots: seat 4: 1 chips in, 0 told", "slots: seat 4: 1 chips lying, 0 told"]
    assert table.state.procedures.jackpot_bets.seats == ()
    table.collected(1)
    assert table.ask(SettleChips, seats=(4,), finding="it lay there").is_accepted
    table.notice(events.CardsOut, meter=4)
    table.ask(EndRound, by="D1")
    table.chip(4)
    table.lock_bets()
    table.levels()
    assert not table.in_doubt
    assert table.bets is BetState.COLLECTING


def test_a_reset_while_bets_are_taken_invents_no_chip(table: JackpotTable) -> None:
    """BR-057 for chips: meters begin anew; what lies in a window and was never told calls a person."""
    table.chip(2)
    table.chip(3, is_told=False)
    table.give(events.DeviceLost(device="slots", why="power"))
    table.meters = [0] * len(SEATS)
    table._notices["slots"] = 0
    table.slots_ready(boot=2)
    assert table.in_doubt == ["slots: seat 3: 1 chips lying, 0 told"]
    assert table.state.procedures.jackpot_bets.seats == (2,)
    assert len(table.all_of(ChipBet)) == 1


def test_a_reset_whose_chips_were_all_told_is_no_doubt(table: JackpotTable) -> None:
    table.chip(2)
    table.give(events.DeviceLost(device="slots", why="power"))
    table.meters = [0] * len(SEATS)
    table._notices["slots"] = 0
    table.slots_ready(boot=2)
    assert not table.in_doubt
    assert table.stands("slots", PermitKind.SLOTS)


def test_a_short_loss_of_the_cable_loses_nothing(table: JackpotTable) -> None:
    """What the device kept comes with its notices; nothing is compared before."""
    table.chip(1)
    table.give(events.DeviceLost(device="slots", why="cable"))
    table.chip(6, is_told=False)
    table.slots_ready(newest_notice=2, oldest_notice=2)
    assert not table.in_doubt
    assert not table.stands("slots", PermitKind.SLOTS)
    table.notice(events.ChipsIn, "slots", seat=6, meter=1)
    assert not table.in_doubt
    assert table.state.procedures.jackpot_bets.seats == (1, 6)
    assert table.stands("slots", PermitKind.SLOTS)


def test_slots_that_are_away_when_bets_close_are_asked_when_they_come_back(table: JackpotTable) -> None:
    table.chip(1)
    table.give(events.DeviceLost(device="slots", why="cable"))
    table.lock_bets()
    assert table.bets is BetState.CLOSING
    table.wait(3)
    table.slots_ready(newest_notice=1)
    assert table.all_of(LevelsAsked)[-1].why == "jackpot bets"
    table.levels()
    assert table.bets is BetState.COLLECTING
    assert not table.in_doubt


def test_slots_that_were_never_there_hold_nothing_up() -> None:
    """JP-1: the main game goes on; nobody can have bet."""
    table = open_with_slots()
    table.lock_bets()
    assert table.bets is BetState.LOCKED
    assert table.stands("shuffler", PermitKind.DEAL)


def test_a_chip_told_after_the_lock_is_no_bet(table: JackpotTable) -> None:
    table.chip(1)
    table.lock_bets()
    table.levels()
    table.collected(1)
    table.chip(7)
    assert table.state.procedures.jackpot_bets.seats == (1,)
    assert table.in_doubt == ["slots: seat 7: 1 chip(s) told after the bets were locked"]


def test_fewer_chips_collected_than_told_is_said_with_both_numbers(table: JackpotTable) -> None:
    table.chip(1)
    table.chip(2)
    table.lock_bets()
    table.levels()
    table.collected(1)
    assert table.in_doubt == ["slots: 1 chip(s) collected, 2 told"]
    assert not table.stands("shuffler", PermitKind.DEAL)


def test_a_collection_that_fails_is_not_repeated(table: JackpotTable) -> None:
    """Its number is spent; what lies there still a person takes out and says."""
    table.chip(1)
    table.lock_bets()
    table.levels()
    table.collected(0, Outcome.FAILED, Reason.FAULT)
    assert table.in_doubt == ["slots: collecting ended failed, fault or jam after 0 of 1 chip(s)"]
    assert len([command for command in table.all_of(CommandIntended) if command.verb is Verb.COLLECT]) == 1
    assert table.ask(SettleChips, seats=(1,), finding="chip taken out by hand").is_accepted
    assert table.stands("shuffler", PermitKind.DEAL)


def test_an_unknown_collection_is_settled_by_a_person_and_counts_no_cards(table: JackpotTable) -> None:
    table.chip(1)
    table.lock_bets()
    table.levels()
    number = table.all_of(CommandIntended)[-1].number
    table.give(events.CommandAnswered(device="slots", command=number, outcome=Outcome.INTERRUPTED, is_found=True))
    assert "OUTCOME-UNKNOWN" in table.alerts
    assert not [command for command in table.all_of(CommandIntended) if command.verb is Verb.COUNT_ALL]
    assert table.ask(SettleUnknown, device="slots", command=number, moved=1).is_accepted
    assert table.bets is BetState.LOCKED
    assert table.stands("shuffler", PermitKind.DEAL)


def test_a_gate_that_sticks_stops_jackpot_bets_and_no_card(table: JackpotTable) -> None:
    table.notice(events.DeviceFaulted, "slots", fault=6, place=Place.SLOT)
    assert table.alerts == ["SLOTS-FAULT"]
    assert not table.stands("slots", PermitKind.SLOTS)
    assert not standing(table.state, Scope.DEAL)
    table.notice(events.PermitEnded, "slots", what=PermitKind.SLOTS, why=events.PermitEnding.FAULT, counted=0)
    assert table.ask(ClearFault, device="slots", fault=6).is_accepted
    table.notice(events.DeviceFaultGone, "slots", fault=6, place=Place.SLOT)
    assert not table.alerts
    assert table.stands("slots", PermitKind.SLOTS)


def test_slots_of_strangers_or_silent_ones_stop_jackpot_bets_and_no_card(table: JackpotTable) -> None:
    table.give(events.DeviceLost(device="slots", why="cable"))
    table.wait(9)
    assert table.alerts == ["SLOTS-SILENT"]
    table.give(events.DeviceRejected(device="slots", why="another serial number"))
    assert table.alerts == ["DEVICE-WRONG"]
    assert not standing(table.state, Scope.DEAL)
    assert standing(table.state, Scope.JACKPOT_BETS)


def test_lost_notices_may_have_held_a_chip(table: JackpotTable) -> None:
    table.notice(events.NoticesLost, "slots", how_many=2)
    assert table.in_doubt == ["slots: 2 notices lost"]


def test_a_counter_that_went_on_while_nobody_listened_is_said(table: JackpotTable) -> None:
    """A coin mechanism without notices: its own counter of events is what tells that some were missed."""
    table.give(events.SlotEvents(device="slots", counter=7))
    table.give(events.DeviceLost(device="slots", why="daemon away"))
    table.slots_ready(slot_events=7, newest_notice=0)
    assert not table.in_doubt
    table.slots_ready(slot_events=9, newest_notice=0)
    assert table.in_doubt == ["slots: event counter at 9, told up to 7"]


def test_a_meter_that_leaps_is_not_posted(table: JackpotTable) -> None:
    table.notice(events.ChipsIn, "slots", seat=1, meter=4_000)
    table.notice(events.ChipsIn, "slots", seat=9, meter=1)
    assert not table.all_of(ChipBet)
    assert len(table.all_of(IncidentOpened)) == 2
    assert standing(table.state, Scope.JACKPOT_BETS)


def test_closing_the_table_closes_the_bets(table: JackpotTable) -> None:
    table.ask(AnnounceClosing)
    assert table.bets is BetState.NONE
    assert not table.stands("slots", PermitKind.SLOTS)


def test_a_daemon_that_starts_anew_opens_the_slots_again(table: JackpotTable) -> None:
    table.chip(2)
    table.give(DaemonStarted(version="test", clock_boot="boot-2", house=HOUSE_WITH_SLOTS))
    assert not table.stands("slots", PermitKind.SLOTS)
    table.slots_ready(permits=(PermitKind.SLOTS,), newest_notice=1)
    assert table.state.procedures.jackpot_bets.seats == (2,)
    assert table.stands("slots", PermitKind.SLOTS)
    assert [revoked.why for revoked in table.all_of(PermitRevoked) if revoked.device == "slots"][-1] == (
        "a permit of the session before"
    )


def test_a_table_without_slots_deals_as_ever() -> None:
    table = open_table()
    assert table.state.procedures.jackpot_bets.state is BetState.NONE
    assert "shuffler:deal" in table.state.permits.granted
    table.ask(LockBets, by="")
    assert table.state.procedures.jackpot_bets.state is BetState.NONE
    assert not table.all_of(AlertRaised)


@pytest.mark.parametrize("situation", [taking, closing, collecting, locked, in_doubt])
def test_every_fact_and_request_finds_the_bets_in_order(situation: Callable[[], JackpotTable]) -> None:
    """semantics §3: a fact is never refused, a request is answered once; what a permit stands under no lock forbids."""
    table = situation()
    for what in (*requests_of(), *facts_of(table)):
        give(fork(table), what)


def test_chips_in_doubt_are_no_dead_end() -> None:
    table = in_doubt()
    assert standing(table.state, Scope.DEAL)
    put_right(table)
    clear_alerts(table)
    assert {lock.reason for lock in table.state.locks.standing.values()} <= {"no more bets"}
    assert not table.alerts
