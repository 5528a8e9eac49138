"""The load (CSM-5): presence for the whole of it, two packets at least, once a session, never too many."""

import pytest
from msgspec.structs import replace

from drivers import events
from drivers.events import PermitEnding, PermitKind
from tableside.card_account import ASIDE, HOPPER, MACHINE, UNEXPLAINED
from tableside.decisions import IncidentOpened, PermitGranted, PermitRevoked
from tableside.happenings import SessionReady
from tableside.requests import BeginLoad, CorrectPacket, HandCount, LoadPacket
from tableside.session_happenings import (
    LoadCompleted,
    LoadPaused,
    LoadResumed,
    LoadStarted,
    PacketLoaded,
)
from tests.support.session import (
    ALL,
    PACKETS,
    aside,
    feed,
    levels,
    load_packet,
    loading,
    open_table,
    proved_empty,
)
from tests.support.table import HOUSE, Table


def state(table: Table) -> str:
    return table.state.procedures.load.state.value


def grants(table: Table) -> list[PermitGranted]:
    return [granted for granted in table.all_of(PermitGranted) if granted.what is PermitKind.FEED]


def with_packet(cards: int = 104) -> Table:
    table = loading()
    assert table.ask(LoadPacket, by="D1", cards=cards).is_accepted
    return table


def end_packet(table: Table, cards: int) -> None:
    table.notice(events.PacketEnded, cards=cards)


# --- what is refused -------------------------------------------------------------------------------------------


def test_csm5_no_load_without_a_supervisor() -> None:
    table = proved_empty()
    answer = table.ask(BeginLoad, by="D1", packets=3)
    assert (answer.is_accepted, answer.rule) == (False, "CSM-5")
    assert "floor supervisor" in answer.next_step


@pytest.mark.parametrize("packets", [-1, 0, 1])
def test_csm5_no_load_in_one_packet(packets: int) -> None:
    table = proved_empty()
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=packets)
    assert (answer.is_accepted, answer.rule) == (False, "CSM-5")
    assert table.ask(BeginLoad, by="D1", packets=2).is_accepted, "the refusal has not spent the tap"


def test_csm5_no_load_in_fewer_packets_than_the_hopper_asks_for() -> None:
    table = proved_empty()
    table.state = replace(table.state, house=replace(HOUSE, max_packet_cards=104))
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=2)
    assert (answer.is_accepted, answer.next_step) == (False, "make 3 packets or more")


def test_csm5_no_packet_takes_all_that_the_others_need() -> None:
    table = loading(packets=2)
    table.state = replace(table.state, house=replace(HOUSE, max_packet_cards=312))
    assert not table.ask(LoadPacket, by="D1", cards=312).is_accepted
    assert table.ask(LoadPacket, by="D1", cards=311).is_accepted


def test_csm5_no_second_load_in_a_session() -> None:
    table = open_table()
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=3)
    assert (answer.is_accepted, answer.rule) == (False, "CSM-5")
    assert answer.next_step == "card change, machine swap or incident reload"


def test_csm5_no_packet_beyond_the_machines_capacity() -> None:
    table = loading()
    load_packet(table, 104)
    table.state = replace(table.state, house=replace(HOUSE, machine_capacity_cards=200))
    answer = table.ask(LoadPacket, by="D1", cards=97)
    assert (answer.is_accepted, answer.rule) == (False, "CSM-5")
    assert table.ask(LoadPacket, by="D1", cards=96).is_accepted


def test_csm5_no_load_of_more_cards_than_the_machine_holds() -> None:
    table = proved_empty()
    table.state = replace(table.state, house=replace(HOUSE, machine_capacity_cards=311))
    table.tap("S1")
    assert not table.ask(BeginLoad, by="D1", packets=3).is_accepted


@pytest.mark.parametrize("cards", [-5, 0, 157])
def test_csm5_a_packet_is_one_to_as_many_as_the_hopper_takes(cards: int) -> None:
    assert not loading().ask(LoadPacket, by="D1", cards=cards).is_accepted


def test_csm5_no_packet_of_more_cards_than_are_left() -> None:
    table = loading()
    load_packet(table, 150)
    load_packet(table, 150)
    answer = table.ask(LoadPacket, by="D1", cards=13)
    assert (answer.is_accepted, answer.text) == (False, "12 cards are left to load")


def test_csm5_no_packet_once_presence_has_lapsed() -> None:
    """Presence is proved for the whole operation, not once at its start."""
    table = loading()
    load_packet(table, 104)
    table.wait(61)
    answer = table.ask(LoadPacket, by="D1", cards=104)
    assert (answer.is_accepted, "paused: presence" in answer.text) == (False, True)
    table.tap("S1")
    assert table.ask(LoadPacket, by="D1", cards=104).is_accepted


def test_no_load_by_somebody_unknown_or_with_the_machine_away() -> None:
    table = proved_empty()
    table.tap("S1")
    assert not table.ask(BeginLoad, by="X9", packets=3).is_accepted
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    assert not table.ask(BeginLoad, by="D1", packets=3).is_accepted


# --- how it goes -------------------------------------------------------------------------------------------------


def test_csm5_a_load_in_three_packets() -> None:
    table = open_table()
    assert [(s.kind, s.packets) for s in table.all_of(LoadStarted)] == [("session", 3)]
    assert [(p.packet, p.cards) for p in table.all_of(PacketLoaded)] == [(1, 104), (2, 104), (3, 104)]
    assert [(c.cards, c.packets) for c in table.all_of(LoadCompleted)] == [(312, 3)]
    assert [ready.session for ready in table.all_of(SessionReady)] == [1]
    account = table.state.account
    assert [account.at(place) for place in (MACHINE, ASIDE, HOPPER)] == [312, 0, 0]
    assert table.state.presence.kept == {}, "presence was for the load, and the load is over"


def test_each_packet_has_its_own_permit_of_two_seconds_and_its_number_of_cards() -> None:
    """TDL 9.2: each packet begins with a revoke, so that the device counts from zero."""
    table = loading()
    load_packet(table, 110)
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.FEED
    table.ask(LoadPacket, by="D1", cards=100)
    assert [(g.duration_ms, g.limit_cards, g.is_fresh) for g in grants(table)] == [
        (2_000, 110, True),
        (2_000, 100, True),
    ]


def test_no_feed_between_the_packets() -> None:
    table = loading()
    load_packet(table, 104)
    assert not [key for key in table.state.permits.granted if key.endswith("feed")]
    feed(table, 1)
    assert [incident.kind for incident in table.all_of(IncidentOpened)] == ["unexpected"]


def test_a_permit_that_ran_out_is_given_anew_for_the_rest() -> None:
    table = with_packet()
    feed(table, 60)
    table.notice(events.PermitEnded, what=PermitKind.FEED, why=PermitEnding.TIME, counted=60)
    assert [(g.limit_cards, g.is_fresh) for g in grants(table)] == [(104, True), (44, True)]


def test_a_load_ends_when_no_card_is_left_aside() -> None:
    """No packet more than announced, save the rest under a supervisor; it is not over before every card is in."""
    table = loading(packets=3)
    for cards in (100, 100, 100):
        load_packet(table, cards)
    assert (state(table), aside(table)) == ("packet awaited", 12)
    refused = table.ask(LoadPacket, by="D1", cards=12)
    assert not refused.is_accepted
    assert (refused.rule, "12 cards are left" in refused.text) == ("CSM-5", True)
    assert not table.ask(LoadPacket, by="S1", cards=13).is_accepted, "no card more than there are"
    load_packet(table, 12, by="S1")
    levels(table, content=ALL)
    assert table.all_of(LoadCompleted)[-1].packets == 4


def test_what_remains_aside_is_named_by_a_supervisor() -> None:
    table = loading(packets=3)
    for cards in (104, 104, 103):
        load_packet(table, cards)
    assert table.all_of(LoadCompleted) == []
    assert table.ask(HandCount, by="S1", place=ASIDE, cards=0).is_accepted
    assert table.state.account.at(UNEXPLAINED) == 1
    levels(table, content=311)
    assert [completed.cards for completed in table.all_of(LoadCompleted)] == [311]


def test_a_card_left_in_the_hopper_is_found_by_the_last_look() -> None:
    """The permit's number was reached and the path is not clear: the packet had more than was declared."""
    table = loading()
    for cards in PACKETS:
        load_packet(table, cards)
    levels(table, content=312, is_path_clear=False)
    assert state(table) == "declared and counted differ"
    assert table.ask(CorrectPacket, by="S1", cards=105).is_accepted
    assert grants(table)[-1].limit_cards == 1
    feed(table, 1)
    end_packet(table, 1)
    levels(table, content=313)
    assert (table.state.account.at(MACHINE), table.state.account.at(UNEXPLAINED)) == (313, -1)
    assert table.all_of(LoadCompleted)[-1].cards == 313


# --- presence ---------------------------------------------------------------------------------------------------------


def test_csm5_loading_stops_when_presence_runs_out_and_goes_on_with_a_tap() -> None:
    table = with_packet()
    feed(table, 50)
    table.wait(61)
    assert [(paused.why, paused.cards, paused.of) for paused in table.all_of(LoadPaused)] == [("presence", 50, 312)]
    feed(table, 1)
    table.tap("S2")
    assert [(resumed.cards, resumed.by) for resumed in table.all_of(LoadResumed)] == [(51, "S2")]
    feed(table, 53)
    end_packet(table, 53)
    assert [(p.packet, p.cards) for p in table.all_of(PacketLoaded)] == [(1, 104)]


def test_a_packet_whose_last_card_finishes_after_the_lapse_is_in() -> None:
    table = with_packet()
    feed(table, 103)
    table.wait(61)
    feed(table, 1)
    end_packet(table, 104)
    assert state(table) == "packet awaited"
