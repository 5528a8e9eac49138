"""What a technician does: work orders that mute one device's technical alerts, self-tests, test cards in a machine."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import Outcome, PermitKind, Place, Reason, Verb
from tableside.card_account import MACHINE
from tableside.catalogue import alert_text
from tableside.decisions import CommandIntended, PermitGranted, RequestAnswered
from tableside.house import Role
from tableside.requests import BeginSwap, OpenTable
from tableside.service_happenings import (
    AlertMuted,
    DealTestEnded,
    ProvingCardsMoved,
    SelfTestEnded,
    WorkOrderClosed,
    WorkOrderOpened,
)
from tableside.service_requests import CloseWorkOrder, OpenWorkOrder, RunDealTest, RunSelfTest
from tableside.work_orders import MUTED
from tests.support.session import connected, feed, give_out, levels, open_table
from tests.support.swaps import both_tap, incident_of, jammed_in_mid_round
from tests.support.table import HOUSE, Table

TEMPERATURE, FEED_DRIVE = 10, 4
HOUR_S = 3_600


def texts(table: Table) -> set[str]:
    return {alert.text for alert in table.state.alerts.standing.values()}


def order(table: Table, device: str = "shuffler", **fields: object) -> RequestAnswered:
    return table.ask(OpenWorkOrder, by="T1", device=device, **{"order": "W-17", **fields})


def close(table: Table, device: str = "shuffler") -> RequestAnswered:
    return table.ask(CloseWorkOrder, by="T1", device=device, work="belt exchanged")


def warm(table: Table, device: str = "shuffler") -> None:
    table.notice(events.DeviceFaulted, device, fault=TEMPERATURE, place=Place.CAROUSEL)


def cool(table: Table, device: str = "shuffler") -> None:
    table.notice(events.DeviceFaultGone, device, fault=TEMPERATURE, place=Place.CAROUSEL)


# --- work orders ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", sorted(MUTED))
def test_nothing_that_stops_play_or_keeps_a_rule_is_ever_mute(text: str) -> None:
    entry = alert_text(text)
    assert entry.blocks == ()
    assert not entry.latched
    assert entry.class_.level != 1
    assert Role.TECHNICIAN in (*entry.come, *entry.told) or not entry.class_.level


def test_a_work_order_mutes_its_devices_technical_alerts_and_no_others() -> None:
    table = open_table()
    table.ready("spare")
    assert order(table).is_accepted
    (opened,) = table.all_of(WorkOrderOpened)
    assert (opened.device, opened.number, opened.by) == ("shuffler", "W-17", "T1")
    warm(table)
    assert "DEVICE-WARNING" not in texts(table)
    assert [(mute.text, mute.number) for mute in table.all_of(AlertMuted)] == [("DEVICE-WARNING", "W-17")]
    warm(table, "switches")
    assert "DEVICE-WARNING" in texts(table), "another device's"
    table.notice(events.CardJammed, place=Place.EXIT)
    table.notice(events.DeviceFaulted, fault=FEED_DRIVE, place=Place.FEED)
    table.notice(events.Tampered, what="cover")
    assert {"JAM-EXIT", "FEED-FAULT", "TAMPER"} <= texts(table), "what stops play is never mute"


def test_what_stood_before_is_mute_too_and_comes_back_where_it_still_stands() -> None:
    table = open_table()
    warm(table)
    assert "DEVICE-WARNING" in texts(table)
    assert order(table).is_accepted
    assert "DEVICE-WARNING" not in texts(table)
    assert close(table).is_accepted
    assert "DEVICE-WARNING" in texts(table)
    (closed,) = table.all_of(WorkOrderClosed)
    assert (closed.why, closed.work, closed.by) == ("closed", "belt exchanged", "T1")
    assert order(table).is_accepted
    cool(table)
    assert close(table).is_accepted
    assert "DEVICE-WARNING" not in texts(table), "its cause is gone"


def test_it_ends_by_itself_and_says_so() -> None:
    table = open_table()
    assert order(table, hours=2).is_accepted
    warm(table)
    table.wait(2 * HOUR_S - 1)
    assert not table.all_of(WorkOrderClosed)
    table.wait(2)
    assert [closed.why for closed in table.all_of(WorkOrderClosed)] == ["time"]
    assert "DEVICE-WARNING" in texts(table)
    assert not close(table).is_accepted


def test_a_flapping_cause_is_one_row() -> None:
    table = open_table()
    assert order(table).is_accepted
    for _ in range(5):
        warm(table)
    assert len(table.all_of(AlertMuted)) == 1


@pytest.mark.parametrize(
    ("by", "fields"),
    [
        ("S1", {}),
        ("D1", {}),
        ("T1", {"device": "nowhere"}),
        ("T1", {"order": " "}),
        ("T1", {"hours": 0}),
        ("T1", {"hours": 13}),
    ],
)
def test_what_opens_no_work_order(by: str, fields: dict[str, object]) -> None:
    table = open_table()
    asked = {"device": "shuffler", "order": "W-17", **fields}
    answer = table.ask(OpenWorkOrder, by=by, **asked)
    assert not answer.is_accepted
    assert answer.rule
    assert answer.next_step


def test_a_device_has_one_order_at_a_time_and_two_devices_have_two() -> None:
    table = open_table()
    assert order(table).is_accepted
    assert not order(table, order="W-18").is_accepted
    assert order(table, "switches", order="W-18").is_accepted
    assert close(table).is_accepted
    assert set(table.state.procedures.work_orders.open) == {"switches"}


# --- self-tests -------------------------------------------------------------------------------------------------


def run_test(table: Table, device: str = "shuffler", **fields: object) -> RequestAnswered:
    return table.ask(RunSelfTest, by="T1", device=device, **{"is_there": True, **fields})


def intended(table: Table) -> CommandIntended:
    return table.all_of(CommandIntended)[-1]


def answer(table: Table, outcome: Outcome, reason: Reason = Reason.NONE, device: str = "shuffler") -> None:
    table.give(
        events.CommandAnswered(
            device=device, command=intended(table).number, outcome=outcome, reason=reason, is_found=False
        )
    )


def test_a_self_test_is_one_command_and_its_end_is_told() -> None:
    table = connected()
    assert run_test(table, part=3).is_accepted
    asked = intended(table)
    assert (asked.verb, asked.argument, asked.device) == (Verb.SELF_TEST, 3, "shuffler")
    assert not run_test(table).is_accepted, "one at a time"
    answer(table, Outcome.STARTED)
    table.notice(events.CommandEnded, command=asked.number, outcome=Outcome.FAILED, reason=Reason.FAULT, moved=0)
    (ended,) = table.all_of(SelfTestEnded)
    assert (ended.part, ended.outcome, ended.reason, ended.by) == (3, Outcome.FAILED, Reason.FAULT, "T1")
    assert len(table.all_of(CommandIntended)) == 1, "never done twice"
    assert run_test(table).is_accepted, "free again"


def test_an_unknown_end_locks_and_asks() -> None:
    table = connected()
    assert run_test(table).is_accepted
    answer(table, Outcome.STARTED)
    answer(table, Outcome.INTERRUPTED)
    assert any("unknown outcome" in lock.reason for lock in table.state.locks.standing.values())
    assert not table.all_of(SelfTestEnded)
    assert not run_test(table).is_accepted
    assert "OUTCOME-UNKNOWN" in texts(table)


@pytest.mark.parametrize(
    ("by", "fields", "word"),
    [
        ("S1", {}, "technician"),
        ("T1", {"is_there": False}, "--yes-i-am-there"),
        ("T1", {"device": "nowhere"}, "does not answer"),
        ("T1", {"part": 999}, "no part"),
    ],
)
def test_what_lets_nothing_move(by: str, fields: dict[str, object], word: str) -> None:
    table = connected()
    asked = {"device": "shuffler", "is_there": True, **fields}
    refused = table.ask(RunSelfTest, by=by, **asked)
    assert not refused.is_accepted
    assert word in f"{refused.text} {refused.next_step}"
    assert not table.all_of(CommandIntended)


def test_the_interlocks_session_lid_jam_epoch() -> None:
    table = open_table()
    assert "in use" in run_test(table).text
    table = connected()
    table.notice(events.LidOpened)
    assert "lid" in run_test(table).text
    table = connected()
    table.notice(events.CardJammed, place=Place.EXIT)
    assert "stuck" in run_test(table).text
    table = Table()
    table.ready("shuffler", epoch=7)
    assert "takes no commands of this journal" in run_test(table).text


def test_a_machine_that_stands_by_is_tested_in_session_and_no_swap_begins_over_it() -> None:
    table = jammed_in_mid_round()
    assert run_test(table, "spare").is_accepted
    both_tap(table)
    refused = table.ask(BeginSwap, by="S1", spare="spare", incident=incident_of(table))
    assert not refused.is_accepted
    assert refused.code == "TEST-RUNS"
    answer(table, Outcome.DONE, device="spare")
    both_tap(table)
    assert table.ask(BeginSwap, by="S1", spare="spare", incident=incident_of(table)).is_accepted


def test_no_session_begins_over_a_test() -> None:
    table = connected()
    assert run_test(table).is_accepted
    assert table.ask(OpenTable, by="S1", dealer="D1").code == "TEST-RUNS"
    answer(table, Outcome.DONE)
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted


# --- test deals ---------------------------------------------------------------------------------------------------


def deal(table: Table, cards: int = 20, device: str = "shuffler") -> RequestAnswered:
    return table.ask(RunDealTest, by="T1", device=device, cards=cards, is_there=True)


def fed(table: Table, cards: int = 20, device: str = "shuffler") -> None:
    """Proved empty, and the test cards have gone in."""
    assert deal(table, cards, device).is_accepted
    levels(table, content=0, device=device)
    feed(table, cards, device)
    table.notice(events.PacketEnded, device, cards=cards)


@pytest.mark.parametrize("device", ["shuffler", "spare"])
def test_every_test_card_is_accounted_for_and_none_in_the_tables_account(device: str) -> None:
    table = connected()
    table.ready("spare")
    fed(table, 20, device)
    permits = [(given.what, given.limit_cards) for given in table.all_of(PermitGranted) if given.device == device]
    assert permits == [(PermitKind.FEED, 20), (PermitKind.DEAL, None)]
    assert intended(table).verb is Verb.EJECT_ALL
    give_out(table, 20, device)
    answer(table, Outcome.DONE, device=device)
    levels(table, content=0, device=device)
    (ended,) = table.all_of(DealTestEnded)
    assert (ended.why, ended.cards_in, ended.cards_out, ended.left, ended.by) == ("done", 20, 20, 0, "T1")
    assert table.state.account.balances.get(MACHINE, 0) == 0
    assert sum(moved.cards for moved in table.all_of(ProvingCardsMoved)) == 40
    assert not [key for key in table.state.permits.granted if key.startswith(f"{device}:")]
    assert not table.state.incidents.open


def test_cards_that_differ_are_said_so() -> None:
    table = connected()
    fed(table)
    give_out(table, 19)
    answer(table, Outcome.DONE)
    levels(table, content=1)
    (ended,) = table.all_of(DealTestEnded)
    assert (ended.why, ended.cards_in, ended.cards_out, ended.left) == ("the numbers differ", 20, 19, 1)


def test_levels_that_are_ahead_of_the_notices_are_waited_for() -> None:
    """Else the last card's notice would come after the end, and move a card of the table's account."""
    table = connected()
    fed(table)
    give_out(table, 19)
    answer(table, Outcome.DONE)
    boot, told = table.state.devices.known["shuffler"].boot, {"content": 0, "areas": (0, 0, 0), "is_path_clear": True}
    table.give(events.LevelsRead(device="shuffler", boot=boot, meter_in=20, meter_out=20, **told))
    assert not table.all_of(DealTestEnded)
    give_out(table, 1)
    table.give(events.LevelsRead(device="shuffler", boot=boot, meter_in=20, meter_out=20, **told))
    assert [ended.why for ended in table.all_of(DealTestEnded)] == ["done"]
    assert not any(table.state.account.balances.values())


def test_whatever_stops_it_ends_it_and_nothing_is_tried_again() -> None:
    table = connected()
    fed(table)
    table.notice(events.CardJammed, place=Place.EXIT)
    answer(table, Outcome.FAILED, Reason.FAULT)
    levels(table, content=12)
    (ended,) = table.all_of(DealTestEnded)
    assert ended.why == f"failed: {Reason.FAULT}"
    assert ended.left == 12
    assert len(table.all_of(CommandIntended)) == 1
    assert "JAM-EXIT" in texts(table)


def test_a_machine_that_is_not_empty_deals_nothing() -> None:
    table = connected()
    assert deal(table).is_accepted
    levels(table, content=3)
    (ended,) = table.all_of(DealTestEnded)
    assert "not empty" in ended.why
    assert not table.all_of(PermitGranted)


def test_an_unknown_outcome_an_absent_machine_and_time_end_it() -> None:
    table = connected()
    fed(table)
    answer(table, Outcome.STARTED)
    answer(table, Outcome.INTERRUPTED)
    assert [ended.why for ended in table.all_of(DealTestEnded)] == ["outcome unknown"]
    assert any("unknown outcome" in lock.reason for lock in table.state.locks.standing.values())
    table = connected()
    assert deal(table).is_accepted
    table.give(events.DeviceLost(device="shuffler", why="unplugged"))
    assert [ended.why for ended in table.all_of(DealTestEnded)] == ["the machine does not answer"]
    table = connected()
    assert deal(table).is_accepted
    levels(table, content=0)
    table.wait(301)
    assert [ended.why for ended in table.all_of(DealTestEnded)] == ["not finished within 300 s"]
    assert not table.state.permits.granted


def test_what_a_deal_test_is_refused_for() -> None:
    assert not deal(open_table()).is_accepted
    table = connected()
    for cards in (0, 53):
        assert not deal(table, cards).is_accepted
    assert not deal(table, device="switches").is_accepted
    table.ready("shuffler", is_content_unverified=True)
    assert not deal(table).is_accepted
    table = Table(replace(HOUSE, spare_shufflers=()))
    assert not deal(table).is_accepted
