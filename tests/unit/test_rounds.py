"""Rounds, returns and held-over cards (CSM-8 to CSM-11)."""

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import KeyName, PermitEnding, PermitKind
from tableside import card_account
from tableside.card_account import ASIDE, MACHINE, TABLE, TRAY, Evidence
from tableside.decisions import AlertRaised, IncidentOpened, PermitGranted, PermitRevoked
from tableside.happenings import CardsHeldOver, CardsReturned, RoundEnded, RoundStarted, SessionReady
from tableside.inputs import Input
from tableside.procedures import rounds
from tableside.requests import EndRound, HoldOver, RuleRound
from tableside.tables import Turn
from tests.support.table import Table


@pytest.fixture
def table() -> Table:
    """Six decks in the machine, rounds may be played."""
    return open_table()


def open_table() -> Table:
    table = Table()
    table.ready("shuffler", content=312, areas=(0, 18, 294))
    table.ready("switches")
    turn = Turn(table.state, Input(table.now_ns, 0, "simulated", SessionReady(session=1)))  # type: ignore[arg-type]  # a happening, put in by hand
    card_account.bring(turn, 312, 52)
    card_account.move(turn, ASIDE, MACHINE, 312, Evidence.METER, "load")
    rounds.PROCEDURE.take(turn, SessionReady(session=1))
    table.state = turn.state
    table.wait(1)
    return table


def deal(table: Table, cards: int) -> None:
    meter = table.state.devices.known["shuffler"].meter_out
    for number in range(1, cards + 1):
        table.notice(events.CardsOut, meter=meter + number)


def insert(table: Table, cards: int) -> None:
    meter = table.state.devices.known["shuffler"].meter_in
    for number in range(1, cards + 1):
        table.notice(events.CardsIn, meter=meter + number)


def test_csm8_first_card_starts_a_round_and_cards_are_posted(table: Table) -> None:
    deal(table, 5)
    assert [started.round for started in table.all_of(RoundStarted)] == [1]
    assert table.state.account.at(TABLE) == 5
    assert table.state.account.at(MACHINE) == 307


def test_a_coalesced_meter_posts_the_difference(table: Table) -> None:
    table.notice(events.CardsOut, meter=7)
    assert table.state.account.at(TABLE) == 7


@pytest.mark.parametrize("before", [2**32 - 3, 2**32 - 1])
def test_a_meter_that_goes_round_posts_the_cards_between_br_057(table: Table, before: int) -> None:
    """TDL 8.4: the meters wrap after 2³² − 1."""
    known = table.state.devices.known
    full = replace(known["shuffler"], meter_in=before, meter_out=before)
    table.state = replace(table.state, devices=replace(table.state.devices, known={**known, "shuffler": full}))
    table.notice(events.CardsOut, meter=4)
    dealt = 4 + 2**32 - before
    assert table.state.account.at(TABLE) == dealt
    table.ask(EndRound)
    table.notice(events.CardsIn, meter=4)
    assert table.state.account.at(TABLE) == 0
    assert table.state.account.at(MACHINE) == 312


def test_a_meter_that_jumps_as_no_table_can_is_an_incident_and_posts_nothing_br_057(table: Table) -> None:
    deal(table, 5)
    table.notice(events.CardsOut, meter=3)  # backwards: it would be 4,294,967,294 cards
    table.notice(events.CardsOut, meter=5_000)
    assert table.state.account.at(TABLE) == 5
    assert [opened.kind for opened in table.all_of(IncidentOpened)][-1] == "unexpected"


def test_a_notice_told_twice_counts_once(table: Table) -> None:
    notice = events.CardsOut(device="shuffler", boot=1, number=1, meter=3)
    table.give(notice)
    assert table.give(notice) == ()
    assert table.state.account.at(TABLE) == 3


def test_csm10_return_ends_when_every_card_is_back(table: Table) -> None:
    deal(table, 6)
    assert table.ask(EndRound).is_accepted
    granted = table.all_of(PermitGranted)[-1]
    assert (granted.what, granted.limit_cards, granted.is_fresh) == (PermitKind.FEED, 6, True)
    insert(table, 6)
    assert table.all_of(CardsReturned)[-1].cards == 6
    assert table.state.procedures.rounds.state == "waiting"
    assert table.state.account.at(MACHINE) == 312


def dealing_granted(table: Table) -> int:
    """How often dealing was permitted, renewals too."""
    return [granted.what for granted in table.all_of(PermitGranted)].count(PermitKind.DEAL)


def test_csm10_dealing_is_not_permitted_until_the_last_card_is_back(table: Table) -> None:
    deal(table, 6)
    table.ask(EndRound)
    assert PermitKind.DEAL in [revoked.what for revoked in table.all_of(PermitRevoked)]
    before = dealing_granted(table)
    insert(table, 5)
    table.wait(10)
    assert dealing_granted(table) == before
    insert(table, 1)
    assert dealing_granted(table) == before + 1


def test_csm10_csm11_dealing_is_not_permitted_until_what_is_not_back_is_held_over(table: Table) -> None:
    deal(table, 6)
    table.ask(EndRound)
    insert(table, 4)
    before = dealing_granted(table)
    table.wait(10)
    assert dealing_granted(table) == before
    assert table.ask(HoldOver).is_accepted
    assert dealing_granted(table) == before + 1


def test_csm11_held_over_cards_go_in_with_the_next_round(table: Table) -> None:
    deal(table, 6)
    table.ask(EndRound)
    assert table.ask(HoldOver).is_accepted
    table.notice(events.TrayLevel, "switches", cards=6)
    assert table.all_of(CardsHeldOver)[-1].cards == 6
    assert table.state.account.at(TRAY) == 6
    deal(table, 4)
    table.ask(EndRound)
    assert table.all_of(PermitGranted)[-1].limit_cards == 10
    table.notice(events.TrayLevel, "switches", cards=0)
    insert(table, 10)
    assert table.all_of(CardsReturned)[-1].held_over == 0
    assert table.state.procedures.rounds.held_over == 0


def test_csm9_a_tray_that_tells_only_how_full_it_is_moves_no_card(table: Table) -> None:
    """What lies in it stands with the cards on the table, so the round's return still waits for each of them."""
    deal(table, 4)
    table.ready("switches", tray_fill_percent=10)
    table.notice(events.TrayLevel, "switches", fill_percent=30)
    assert table.state.devices.known["switches"].tray_fill_percent == 30
    assert (table.state.account.at(TABLE), table.state.account.at(TRAY)) == (4, 0)
    table.ask(EndRound)
    insert(table, 3)
    assert table.state.procedures.rounds.state.value == "returning"


def test_csm9_what_lies_in_the_tray_is_followed(table: Table) -> None:
    deal(table, 6)
    table.notice(events.TrayLevel, "switches", cards=2)
    assert (table.state.account.at(TABLE), table.state.account.at(TRAY)) == (4, 2)
    table.notice(events.TrayLevel, "switches", cards=5)
    assert (table.state.account.at(TABLE), table.state.account.at(TRAY)) == (1, 5)
    table.ask(EndRound)
    assert table.all_of(PermitGranted)[-1].limit_cards == 6, "what lies in the tray goes in too"


def test_csm7_a_continuous_machine_has_no_last_round(table: Table) -> None:
    """Twice the cards of six decks are dealt and go back: no round is announced as the last, none is held up."""
    for _ in range(28):
        deal(table, 23)
        assert table.ask(EndRound).is_accepted
        insert(table, 23)
        assert table.all_of(PermitGranted)[-1].what is PermitKind.DEAL
    assert table.all_of(AlertRaised) == []


def test_first_card_in_before_done_infers_the_end_of_the_round(table: Table) -> None:
    deal(table, 4)
    insert(table, 1)
    assert table.all_of(RoundEnded)[-1].how == "inferred"
    insert(table, 3)
    assert table.all_of(CardsReturned)[-1].cards == 4


def test_the_done_key_ends_the_round_once(table: Table) -> None:
    deal(table, 4)
    press = events.KeyPressed(device="switches", boot=1, number=1, key=KeyName.DONE)
    table.give(press)
    assert table.give(press) == ()
    assert [ended.how for ended in table.all_of(RoundEnded)] == ["told"]


def test_end_round_without_a_round_is_refused_with_rule_and_next_step(table: Table) -> None:
    answer = table.ask(EndRound)
    assert not answer.is_accepted
    assert answer.rule == "CSM-10"
    assert answer.next_step


def test_a_ruling_that_is_none_is_refused(table: Table) -> None:
    deal(table, 2)
    assert not table.ask(RuleRound, ruling="maybe").is_accepted
    assert table.ask(RuleRound, ruling="void").is_accepted
    assert table.all_of(RoundEnded)[-1].how == "void"


def test_a_card_taken_after_the_round_is_dealt_while_stopped(table: Table) -> None:
    deal(table, 4)
    table.ask(EndRound)
    deal(table, 1)
    assert [opened.kind for opened in table.all_of(IncidentOpened)] == ["card out of round"]


def test_a_permit_that_reached_its_number_is_not_given_again(table: Table) -> None:
    deal(table, 4)
    table.ask(EndRound)
    before = len(table.all_of(PermitGranted))
    table.notice(events.PermitEnded, what=PermitKind.FEED, why=PermitEnding.NUMBER, counted=4)
    assert len(table.all_of(PermitGranted)) == before


def test_a_permit_that_ran_out_of_time_is_given_anew(table: Table) -> None:
    deal(table, 4)
    before = len(table.all_of(PermitGranted))
    table.notice(events.PermitEnded, what=PermitKind.DEAL, why=PermitEnding.TIME, counted=4)
    assert len(table.all_of(PermitGranted)) == before + 1
