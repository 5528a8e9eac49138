"""A table without a DONE key: what sensors find closes its rounds, what they cannot tell waits for a word (CSM-10)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Ability, Holding, PermitKind
from tableside import card_account
from tableside.card_account import ASIDE, MACHINE, TABLE, Evidence
from tableside.decisions import AlertCleared, AlertRaised, PermitGranted
from tableside.games.rounds_sensed import PAUSE
from tableside.happenings import CardsReturned, RoundEnded, RoundStarted, SessionReady
from tableside.house import Jurisdiction
from tableside.inputs import DaemonStarted, Input
from tableside.jackpot.settings import JackpotSettings
from tableside.jackpot_requests import ClaimJackpot, MarkBets, PayJackpot
from tableside.procedures import rounds
from tableside.procedures.round_slice import RoundState
from tableside.procedures.rounds_sensed_slice import Finding
from tableside.requests import EndRound, RuleRound
from tableside.round_happenings import RoundDoubted, RoundFoundOver
from tableside.tables import Turn
from tests.law.jackpot_table import SETTINGS
from tests.support.table import ENFORCING, HOUSE, Table

OBSERVING = ENFORCING | dict.fromkeys((Ability.DEAL, Ability.FEED, Ability.LID), Holding.OBSERVES)


def table_of(
    abilities: dict[Ability, Holding], reinsert: str = "before", jackpot: JackpotSettings | None = None
) -> Table:
    """Six decks in the machine, rounds may be played; nobody says when one is over."""
    law = Jurisdiction("pt", reinsert=reinsert)
    house = replace(HOUSE, rounds_are_sensed=True, jurisdiction=law, jackpot=jackpot)
    table = Table(house)
    table.ready("shuffler", content=312, areas=(0, 18, 294), abilities=abilities)
    table.ready("switches")
    turn = Turn(table.state, Input(table.now_ns, 0, "simulated", SessionReady(session=1)))  # type: ignore[arg-type]  # a happening, put in by hand
    card_account.bring(turn, 312, 52)
    card_account.move(turn, ASIDE, MACHINE, 312, Evidence.METER, "load")
    rounds.PROCEDURE.take(turn, SessionReady(session=1))
    table.state = turn.state
    tray(table, 0)
    return table


@pytest.fixture
def enforcing() -> Table:
    return table_of(ENFORCING)


@pytest.fixture
def observing() -> Table:
    return table_of(OBSERVING)


def deal(table: Table, cards: int, every_s: float = 1.0) -> None:
    for _ in range(cards):
        table.wait(every_s)
        table.notice(events.CardsOut, meter=table.state.devices.known["shuffler"].meter_out + 1)


def insert(table: Table, cards: int) -> None:
    for _ in range(cards):
        table.wait(0.5)
        table.notice(events.CardsIn, meter=table.state.devices.known["shuffler"].meter_in + 1)


def tray(table: Table, cards: int) -> None:
    table.wait(1)
    table.notice(events.TrayLevel, "switches", cards=cards)


def state_of(table: Table) -> tuple[RoundState, Finding]:
    procedures = table.state.procedures
    return procedures.rounds.state, procedures.rounds_sensed.state


def ends(table: Table) -> list[tuple[int, str, int]]:
    return [(ended.round, ended.how, ended.cards) for ended in table.all_of(RoundEnded)]


def feed_permits(table: Table) -> list[int | None]:
    return [granted.limit_cards for granted in table.all_of(PermitGranted) if granted.what is PermitKind.FEED]


def test_csm10_cards_whole_in_the_tray_end_the_round_and_only_then_are_let_in(enforcing: Table) -> None:
    deal(enforcing, 20)
    tray(enforcing, 7)
    assert state_of(enforcing) == (RoundState.DEALING, Finding.CERTAIN)
    assert not feed_permits(enforcing)
    tray(enforcing, 20)
    assert ends(enforcing) == [(1, "sensed", 20)]
    assert feed_permits(enforcing) == [20]
    tray(enforcing, 0)
    insert(enforcing, 20)
    assert state_of(enforcing) == (RoundState.WAITING, Finding.CERTAIN)
    assert enforcing.state.account.at(MACHINE) == 312
    assert not enforcing.all_of(RoundDoubted)


def test_csm9_a_card_that_goes_in_early_ends_no_round_of_a_machine_that_obeys_nobody(observing: Table) -> None:
    deal(observing, 15)
    insert(observing, 3)
    deal(observing, 4)
    assert not ends(observing)
    observing.wait(10)
    insert(observing, 15)
    assert ends(observing) == [(1, "sensed", 19)]
    insert(observing, 1)
    (returned,) = observing.all_of(CardsReturned)
    assert (returned.cards, returned.held_over) == (19, 0)
    assert state_of(observing) == (RoundState.WAITING, Finding.CERTAIN)
    assert observing.state.account.at(TABLE) == 0


def test_csm8_a_next_deal_while_cards_go_in_is_the_next_rounds(observing: Table) -> None:
    deal(observing, 20)
    observing.wait(10)
    insert(observing, 15)
    deal(observing, 2, every_s=0.4)
    insert(observing, 5)
    assert ends(observing) == [(1, "sensed", 20)]
    assert [started.round for started in observing.all_of(RoundStarted)] == [1, 2]
    assert observing.state.procedures.rounds.dealt == 2
    deal(observing, 14)
    observing.wait(10)
    insert(observing, 16)
    assert ends(observing)[1:] == [(2, "sensed", 16)]
    assert observing.state.account.at(MACHINE) == 312


def test_cards_that_wait_for_the_next_deal_end_the_round_in_the_tray() -> None:
    table = table_of(ENFORCING, reinsert="after")
    deal(table, 20)
    tray(table, 20)
    assert state_of(table) == (RoundState.WAITING, Finding.CERTAIN)
    deal(table, 8)
    tray(table, 0)
    insert(table, 20)
    deal(table, 6)
    tray(table, 14)
    assert ends(table) == [(1, "sensed", 20), (2, "sensed", 14)]
    assert table.state.account.at(MACHINE) == 312 - 14


def doubted(table: Table) -> Table:
    """Sixteen cards, a long silence, a whole deal: two rounds, or one with a guest who thought for long."""
    deal(table, 16)
    table.wait(30)
    deal(table, 8)
    assert state_of(table) == (RoundState.DEALING, Finding.DOUBTED)
    return table


def test_what_sensors_cannot_tell_is_recorded_told_and_closes_nothing(enforcing: Table) -> None:
    table = doubted(enforcing)
    (doubt,) = table.all_of(RoundDoubted)
    assert (doubt.round, doubt.why) == (1, PAUSE)
    (raised,) = [alert for alert in table.all_of(AlertRaised) if alert.text == "ROUND-DOUBTED"]
    assert raised.fields["r"] == "1"
    assert not ends(table)
    assert not feed_permits(table)


def test_the_dealers_word_ends_what_was_doubted(enforcing: Table) -> None:
    table = doubted(enforcing)
    assert table.ask(EndRound, by="D1").is_accepted
    assert ends(table) == [(1, "told", 24)]
    assert state_of(table) == (RoundState.OVER, Finding.CERTAIN)
    assert [cleared.why for cleared in table.all_of(AlertCleared)] == ["the round is over"]
    assert feed_permits(table) == [24]
    insert(table, 24)
    deal(table, 12)
    tray(table, 12)
    assert ends(table)[1:] == [(2, "sensed", 12)]


def test_the_supervisors_word_lets_it_go_on(enforcing: Table) -> None:
    table = doubted(enforcing)
    assert table.ask(RuleRound, by="S1", ruling="goes on").is_accepted
    assert state_of(table) == (RoundState.DEALING, Finding.CERTAIN)
    assert [cleared.why for cleared in table.all_of(AlertCleared)] == ["the round goes on"]
    tray(table, 24)
    assert ends(table) == [(1, "sensed", 24)]


def test_where_nothing_may_go_in_before_the_end_a_silent_round_calls_somebody(enforcing: Table) -> None:
    """A dealer who gathers past the tray would wait for ever."""
    deal(enforcing, 20)
    enforcing.wait(119)
    assert not enforcing.all_of(RoundDoubted)
    enforcing.wait(2)
    assert [doubt.why for doubt in enforcing.all_of(RoundDoubted)] == ["no sensor tells"]


def test_where_cards_go_in_unasked_nobody_is_called_for_a_silent_round(observing: Table) -> None:
    deal(observing, 20)
    observing.wait(600)
    assert not observing.all_of(RoundDoubted)


def test_a_card_drawn_by_mistake_is_no_round_that_anything_hangs_on(observing: Table) -> None:
    deal(observing, 1)
    observing.wait(5)
    insert(observing, 1)
    assert state_of(observing) == (RoundState.DEALING, Finding.DOUBTED)
    assert not ends(observing)
    assert observing.ask(EndRound, by="D1").is_accepted
    assert state_of(observing) == (RoundState.WAITING, Finding.CERTAIN)


def test_copies_of_notices_and_a_reconnect_change_no_round(enforcing: Table) -> None:
    for number in range(1, 21):
        enforcing.wait(1)
        fact = events.CardsOut(device="shuffler", boot=1, number=number, meter=number)
        enforcing.give(fact)
        enforcing.give(fact)  # its acknowledgement was lost
    enforcing.give(events.DeviceLost(device="shuffler", why="cable"))
    enforcing.wait(10)
    enforcing.ready("shuffler", content=292, areas=(0, 18, 274), meter_out=20, oldest_notice=21, newest_notice=20)
    tray(enforcing, 20)
    assert ends(enforcing) == [(1, "sensed", 20)]
    assert not enforcing.all_of(RoundDoubted)


def test_a_table_with_a_done_key_finds_nothing_by_sensors() -> None:
    table = table_of(ENFORCING)
    table.state = replace(table.state, house=replace(table.state.house, rounds_are_sensed=False))
    deal(table, 20)
    tray(table, 20)
    assert not table.all_of(RoundFoundOver)
    assert not ends(table)


def test_a_daemon_that_restarts_in_mid_deal_finds_the_end_all_the_same(enforcing: Table) -> None:
    deal(enforcing, 12)
    house = enforcing.state.house
    enforcing.give(DaemonStarted(version="test", clock_boot="boot-1", house=house))
    enforcing.ready(
        "shuffler",
        content=300,
        areas=(0, 18, 282),
        meter_out=12,
        abilities=ENFORCING,
        oldest_notice=13,
        newest_notice=12,
    )
    enforcing.ready("switches", tray_cards=0)
    deal(enforcing, 6)
    tray(enforcing, 18)
    assert ends(enforcing) == [(1, "sensed", 18)]
    assert not enforcing.all_of(RoundDoubted)


def test_jp12_a_round_that_was_found_over_waits_for_its_jackpot() -> None:
    """Cards whole in the tray end nothing while a win is checked; paid, the round is over without another sign."""
    table = table_of(ENFORCING, jackpot=SETTINGS)
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted
    deal(table, 12)
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=("AS", "AH")).is_accepted
    tray(table, 12)
    assert not ends(table)
    assert not feed_permits(table)
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert ends(table) == [(1, "sensed", 12)]
    assert feed_permits(table) == [12]
