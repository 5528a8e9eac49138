"""The machine swap, also in mid-round (semantics §4; CSM-5, CSM-8)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import PermitKind, Place, Verb
from tableside import devices
from tableside.card_account import ASIDE, MACHINE, TABLE, UNEXPLAINED, left_in
from tableside.cards import parse_card
from tableside.decisions import AlertRaised, CommandIntended, IncidentOpened, LampSet, PermitGranted
from tableside.happenings import (
    CardsReturned,
    DifferenceSettled,
    JamOpened,
    RoundEnded,
    RoundRuled,
    RoundStarted,
    SwapAdvised,
    SwapCompleted,
    SwapStarted,
)
from tableside.house import Jurisdiction
from tableside.locks import Scope, standing
from tableside.requests import (
    AnnounceClosing,
    BeginSwap,
    CardsTakenOut,
    CountedOut,
    EndRound,
    EnterSort,
    LoadPacket,
    OpenLid,
    ProveEmpty,
    RuleRound,
    SortedDecks,
)
from tableside.session_happenings import EmptyProved, LoadCompleted, MachineCountedOut
from tests.support.session import WHOLE, feed, give_out, levels, open_table, unload
from tests.support.swaps import (
    SPARE,
    begin,
    between_rounds,
    both_tap,
    counted_out,
    incident_of,
    jam,
    jammed_in_mid_round,
    loaded_spare,
    swapping,
)
from tests.support.table import HOUSE, Table

SEVEN_OF_CLUBS = parse_card("7♣ red")


# --- beginning ---------------------------------------------------------------------------------------------------


def test_the_third_jam_at_one_place_advises_a_swap_and_the_swap_answers_it() -> None:
    table = open_table()
    table.ready(SPARE)
    give_out(table, 3)
    for _ in range(3):
        jam(table)
        table.notice(events.JamGone, place=Place.CAROUSEL)
    assert table.all_of(SwapAdvised)
    assert table.all_of(JamOpened)[-1].times_lately == 3


def test_floor_supervisor_and_room_management_begin_it_together() -> None:
    table = jammed_in_mid_round()
    for _ in range(2):  # at a stuck card the first tap frees the lid, and is spent with that
        table.wait(2)
        table.tap("S1")
    assert not begin(table)
    table.wait(2)
    table.tap("M1")
    assert not table.ask(BeginSwap, by="D1", spare=SPARE, incident=incident_of(table)).is_accepted
    assert begin(table)
    assert [(s.old, s.new) for s in table.all_of(SwapStarted)] == [("shuffler", SPARE)]


def test_a_lid_that_a_tap_has_freed_is_not_the_spares_to_open() -> None:
    """The supervisor's tap at the stuck card freed the lid; then the machine goes, and no lid stays free."""
    table = swapping()
    assert table.state.procedures.lid.state.value == "shut"
    assert not [key for key in table.state.permits.granted if key.endswith(":lid")]
    table.wait(2)
    table.tap("S1")
    assert table.state.procedures.lid.state.value == "shut"


def test_the_jurisdiction_says_whether_it_is_allowed() -> None:
    table = jammed_in_mid_round()
    law = Jurisdiction("mo", swap_allowed=False)
    table.state = replace(table.state, house=replace(HOUSE, jurisdiction=law))
    both_tap(table)
    assert not begin(table)


def test_it_names_an_open_incident() -> None:
    table = jammed_in_mid_round()
    both_tap(table)
    assert not begin(table, incident=99)


@pytest.mark.parametrize("spare", ["shuffler", "switches", "other"])
def test_the_spare_is_a_shuffler_of_this_table_that_stands_by(spare: str) -> None:
    table = jammed_in_mid_round()
    both_tap(table)
    assert not begin(table, spare=spare)


def test_the_spare_answers_and_is_well() -> None:
    table = jammed_in_mid_round()
    table.notice(events.DeviceFaulted, SPARE, fault=2, place=Place.CAROUSEL)
    both_tap(table)
    assert not begin(table)
    table.notice(events.DeviceFaultGone, SPARE, fault=2, place=Place.CAROUSEL)
    table.give(events.DeviceLost(device=SPARE, why="cable"))
    assert not begin(table)


def test_no_swap_of_a_closed_table() -> None:
    table = Table()
    table.ready()
    table.ready(SPARE)
    assert not table.ask(BeginSwap, by="S1", spare=SPARE, incident=1).is_accepted


# --- the old machine ------------------------------------------------------------------------------------------------


def test_nothing_is_dealt_or_fed_while_the_machine_is_exchanged() -> None:
    table = swapping()
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["jam carousel", "machine swap"]
    assert table.state.permits.granted == {}


def test_the_old_machine_is_counted_out_by_its_serial_number() -> None:
    table = counted_out()
    out = table.all_of(MachineCountedOut)[-1]
    assert (out.device, out.serial, out.cards, out.left_behind) == ("shuffler", "000123", 305, 0)
    account = table.state.account
    assert [account.at(place) for place in (ASIDE, TABLE, MACHINE)] == [305, 7, 0]
    assert devices.machine(table.state) == SPARE


def test_what_is_not_counted_out_is_left_in_the_machine() -> None:
    table = counted_out(303)
    assert table.state.account.at(left_in("000123")) == 2
    raised = table.all_of(AlertRaised)[-1]
    assert (raised.text, raised.fields["serial"], raised.fields["k"]) == ("COUNT-SHORT-SWAP", "000123", "2")


def test_more_than_the_account_had_is_unexplained() -> None:
    table = counted_out(306)
    assert (table.state.account.at(ASIDE), table.state.account.at(UNEXPLAINED)) == (306, -1)
    assert table.all_of(AlertRaised)[-1].text == "COUNT-LONG"


def test_cards_taken_out_at_the_lid_are_part_of_the_counting_out() -> None:
    table = swapping()
    table.wait(2)
    table.tap("S1")
    assert table.ask(OpenLid, by="S1").is_accepted
    table.notice(events.LidOpened)
    assert not table.ask(CountedOut, by="S1", cards=305).is_accepted, "the lid is open"
    table.ask(CardsTakenOut, by="S1", cards=5, now="table")
    table.notice(events.LidClosed)
    assert (table.state.account.at(ASIDE), table.state.account.at(TABLE)) == (5, 7)
    assert not table.ask(CountedOut, by="S1", cards=4).is_accepted
    assert table.ask(CountedOut, by="S1", cards=305).is_accepted
    assert table.state.account.at(ASIDE) == 305


def test_counting_out_takes_presence_and_a_possible_number() -> None:
    table = swapping()
    assert not table.ask(CountedOut, by="D1", cards=305).is_accepted
    assert not table.ask(CountedOut, by="S1", cards=313).is_accepted
    assert not table.ask(CountedOut, by="S1", cards=-1).is_accepted
    table.wait(61)
    assert not table.ask(CountedOut, by="S1", cards=305).is_accepted
    table.tap("S2")
    assert table.ask(CountedOut, by="S1", cards=305).is_accepted


def test_what_stood_against_the_old_machine_stops_the_table_no_more() -> None:
    table = jammed_in_mid_round()
    table.notice(events.DeviceFaulted, fault=2, place=Place.CAROUSEL)
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.wait(10)
    both_tap(table)
    assert begin(table)
    texts = {alert.text for alert in table.state.alerts.standing.values()}
    assert {"JAM-CAROUSEL", "DEVICE-FAULT", "SHUFFLER-SILENT"} <= texts
    assert table.ask(CountedOut, by="S1", cards=305).is_accepted
    assert [lock.reason for lock in standing(table.state, Scope.DEAL)] == ["machine swap"]
    assert standing(table.state, Scope.FEED) == ()
    left = {alert.text for alert in table.state.alerts.standing.values()}
    assert not left & {"JAM-CAROUSEL", "DEVICE-FAULT", "SHUFFLER-SILENT"}


def test_an_unknown_outcome_and_a_difference_of_the_old_machine_are_settled_by_the_counting_out() -> None:
    table = open_table()
    table.ready(SPARE)
    give_out(table, 2)
    table.ask(EndRound)
    levels(table, content=309)  # the quiet point: one card fewer than the account has
    assert table.state.procedures.differences.state == "suspected"
    number = next(c.number for c in table.state.commands.open.values() if c.verb is Verb.COUNT_ALL)
    table.give(events.DeviceLost(device="shuffler", why="power"))
    assert table.state.procedures.counts.state == "running"
    both_tap(table)
    assert begin(table)
    assert table.ask(CountedOut, by="S1", cards=309).is_accepted
    assert table.state.procedures.counts.state == "idle"
    assert table.state.procedures.differences.state == "agreed"
    assert table.all_of(DifferenceSettled)[-1].how == "counted out"
    table.give(events.CommandAnswered(device="shuffler", command=number, outcome=events.Outcome.DONE))
    assert "unexpected" not in [incident.kind for incident in table.all_of(IncidentOpened)]


def test_what_happens_in_the_old_machine_touches_no_card_of_the_table() -> None:
    table = counted_out()
    before = (table.state.account, table.state.locks, table.state.incidents)
    table.notice(events.LidOpened)
    table.notice(events.CardsOut, meter=table.state.devices.known["shuffler"].meter_out + 3)
    table.notice(events.JamGone, place=Place.CAROUSEL)
    jam(table, Place.EXIT)
    assert (table.state.account, table.state.locks, table.state.incidents) == before


# --- the spare ------------------------------------------------------------------------------------------------------


def test_the_spare_is_proved_empty_before_it_is_loaded() -> None:
    table = counted_out()
    assert not table.ask(LoadPacket, by="D1", cards=150).is_accepted
    levels(table, content=4, device=SPARE)
    assert not table.ask(LoadPacket, by="D1", cards=150).is_accepted
    assert table.ask(ProveEmpty, by="D1").is_accepted
    levels(table, content=0, device=SPARE)
    assert [(p.device, p.purpose) for p in table.all_of(EmptyProved)][-1] == (SPARE, "swap")
    assert table.ask(LoadPacket, by="D1", cards=150).is_accepted


def test_the_spares_feed_is_the_loads_and_the_rounds_cards_stay_where_they_are() -> None:
    table = loaded_spare()
    assert table.all_of(LoadCompleted)[-1].kind == "swap"
    account = table.state.account
    assert [account.at(place) for place in (MACHINE, TABLE, ASIDE)] == [305, 7, 0]
    assert table.all_of(RoundEnded) == [], "a packet that goes in ends no round"
    feeds = [g for g in table.all_of(PermitGranted) if g.what is PermitKind.FEED and g.device == SPARE]
    assert [g.limit_cards for g in feeds if g.is_fresh] == [150, 155]


def test_a_return_waits_until_the_spare_is_loaded() -> None:
    table = jammed_in_mid_round()
    table.ask(RuleRound, by="S1", ruling="void")
    both_tap(table)
    assert begin(table)
    table.ask(CountedOut, by="S1", cards=305)
    assert table.state.permits.granted == {}, "the round's seven cards wait for the packets"
    levels(table, content=0, device=SPARE)
    for packet in (150, 155):
        assert table.ask(LoadPacket, by="D1", cards=packet).is_accepted
        feed(table, packet, SPARE)
        table.notice(events.PacketEnded, SPARE, cards=packet)
    levels(table, content=305, device=SPARE)
    assert (table.all_of(PermitGranted)[-1].what, table.all_of(PermitGranted)[-1].limit_cards) == (PermitKind.FEED, 7)


def test_the_lamp_and_the_permits_are_the_new_machines() -> None:
    table = loaded_spare()
    assert [lamp.device for lamp in table.all_of(LampSet) if lamp.device == SPARE]
    table.ask(RuleRound, by="S1", ruling="goes on")
    assert table.all_of(PermitGranted)[-1].device == SPARE


# --- the round ------------------------------------------------------------------------------------------------------


def test_the_round_goes_on_by_a_recorded_ruling() -> None:
    table = loaded_spare()
    assert table.state.procedures.swap.state == "round to be ruled on"
    assert standing(table.state, Scope.DEAL, is_round_open=True)
    assert table.ask(RuleRound, by="S1", ruling="goes on").is_accepted
    assert [(r.round, r.ruling, r.by) for r in table.all_of(RoundRuled)] == [(1, "goes on", "S1")]
    assert standing(table.state, Scope.DEAL, is_round_open=True) == ()
    give_out(table, 2, SPARE)
    assert [started.round for started in table.all_of(RoundStarted)] == [1]
    table.ask(EndRound)
    assert table.all_of(PermitGranted)[-1].limit_cards == 9
    feed(table, 9, SPARE)
    assert table.all_of(CardsReturned)[-1].cards == 9
    assert table.state.account.at(MACHINE) == 312


def test_the_round_is_void_by_a_recorded_ruling() -> None:
    table = loaded_spare()
    assert table.ask(RuleRound, by="S1", ruling="void").is_accepted
    assert table.all_of(RoundEnded)[-1].how == "void"
    assert table.state.procedures.swap.state == "none"
    feed(table, 7, SPARE)
    assert table.state.account.at(MACHINE) == 312


def test_a_round_that_was_ruled_on_meanwhile_goes_on_at_once() -> None:
    table = counted_out()
    table.ask(RuleRound, by="S1", ruling="goes on")
    levels(table, content=0, device=SPARE)
    for packet in (150, 155):
        table.ask(LoadPacket, by="D1", cards=packet)
        feed(table, packet, SPARE)
        table.notice(events.PacketEnded, SPARE, cards=packet)
    levels(table, content=305, device=SPARE)
    assert table.state.procedures.swap.state == "none"
    assert [(done.old, done.new) for done in table.all_of(SwapCompleted)] == [("shuffler", SPARE)]
    assert table.all_of(PermitGranted)[-1].what is PermitKind.DEAL


def test_a_swap_between_rounds_needs_no_ruling() -> None:
    table = open_table()
    table.ready(SPARE)
    table.notice(events.NoticesLost, how_many=1)
    both_tap(table)
    assert begin(table)
    assert table.ask(CountedOut, by="S1", cards=312).is_accepted
    levels(table, content=0, device=SPARE)
    for packet in (156, 156):
        assert table.ask(LoadPacket, by="D1", cards=packet).is_accepted
        feed(table, packet, SPARE)
        table.notice(events.PacketEnded, SPARE, cards=packet)
    levels(table, content=312, device=SPARE)
    assert table.state.procedures.swap.state == "none"
    assert table.state.presence.kept == {}


def test_a_card_left_in_the_old_machine_is_named_by_the_sort() -> None:
    table = loaded_spare(304)
    table.ask(RuleRound, by="S1", ruling="void")
    feed(table, 7, SPARE)
    levels(table, content=311, device=SPARE)
    assert table.ask(AnnounceClosing, by="S1").is_accepted
    unload(table, 311, SPARE)
    red = SortedDecks("red", 2, missing=(SEVEN_OF_CLUBS,))
    assert table.ask(EnterSort, by="D1", groups=(red, WHOLE[1])).is_accepted
    assert table.all_of(IncidentOpened)[-1].text == "missing: 1 7♣ red; 1 left in 000123"
    assert table.state.account.at(UNEXPLAINED) == 0, "where it is, is known; which it is, the sort says"


def test_closing_in_the_middle_of_a_swap_gives_it_up() -> None:
    """The count that the lost notices asked for is made first; then the old machine is unloaded as ever."""
    table = between_rounds()
    assert table.ask(AnnounceClosing, by="S1").is_accepted
    assert (table.state.procedures.swap.state, table.state.presence.kept) == ("none", {})
    assert "machine swap" not in [lock.reason for lock in table.state.locks.standing.values()]
    number = next(c.number for c in table.state.commands.open.values() if c.verb is Verb.COUNT_ALL)
    table.notice(events.CommandEnded, command=number, outcome=events.Outcome.DONE, moved=312)
    for _ in range(3):
        levels(table, content=312)
    unload(table, 312)
    assert table.state.procedures.session.state == "sorting"


def test_closing_is_not_announced_over_a_round_in_a_swap() -> None:
    table = counted_out()
    assert not table.ask(AnnounceClosing, by="S1").is_accepted
    table.ask(RuleRound, by="S1", ruling="void")
    assert not table.ask(AnnounceClosing, by="S1").is_accepted, "the round's cards are out"


def test_a_machine_without_a_card_in_it_leaves_nothing_to_load() -> None:
    table = between_rounds()
    assert table.ask(CountedOut, by="S1", cards=0).is_accepted
    assert table.state.account.at(left_in("000123")) == 312
    levels(table, content=0, device=SPARE)
    assert table.state.procedures.swap.state == "none"


def test_the_done_key_ends_a_round_that_waits_for_its_ruling() -> None:
    table = loaded_spare()
    table.ask(EndRound)
    assert table.state.procedures.swap.state == "none"
    assert standing(table.state, Scope.DEAL) == ()


def test_the_spare_is_commanded_under_its_own_numbers() -> None:
    table = loaded_spare()
    table.ask(RuleRound, by="S1", ruling="void")
    feed(table, 7, SPARE)
    levels(table, content=312, device=SPARE)
    table.ask(AnnounceClosing, by="S1")
    unload(table, 312, SPARE)
    ejects = [c for c in table.all_of(CommandIntended) if c.verb is Verb.EJECT_ALL]
    assert [(c.device, c.number) for c in ejects] == [(SPARE, 1)]
