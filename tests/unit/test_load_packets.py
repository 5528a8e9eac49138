"""Packets of a load (CSM-5): declared and counted, and what a machine does in the middle of one."""

import pytest

from drivers import events
from drivers.events import Outcome, PermitEnding, PermitKind
from tableside.card_account import HOPPER, MACHINE, UNEXPLAINED
from tableside.decisions import AlertRaised, IncidentClosed, IncidentOpened, PermitGranted, PermitRevoked
from tableside.happenings import ClosingAnnounced
from tableside.requests import AnnounceClosing, CardsTakenOut, CorrectPacket, HandCount, LoadPacket, OpenLid
from tableside.session_happenings import LoadCompleted, PacketDiffered, PacketLoaded
from tests.support.session import (
    ALL,
    aside,
    feed,
    levels,
    load_packet,
    loading,
)
from tests.support.table import Table


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


# --- declared and counted ------------------------------------------------------------------------------------------


def differing(declared: int = 104, counted: int = 103) -> Table:
    table = with_packet(declared)
    feed(table, counted)
    end_packet(table, counted)
    return table


def test_declared_and_counted_are_compared_at_the_packets_end() -> None:
    table = differing()
    assert [(d.declared, d.counted) for d in table.all_of(PacketDiffered)] == [(104, 103)]
    assert [(i.kind, i.rule) for i in table.all_of(IncidentOpened)] == [("packet", "CSM-5")]
    assert [raised.text for raised in table.all_of(AlertRaised)] == ["PACKET-DIFFERS"]
    assert not table.ask(LoadPacket, by="D1", cards=104).is_accepted


def test_the_rest_may_still_go_in() -> None:
    table = differing()
    feed(table, 1)
    end_packet(table, 104)
    assert (state(table), table.all_of(PacketLoaded)[-1].cards) == ("packet awaited", 104)
    assert table.all_of(IncidentClosed)
    assert not table.state.alerts.standing


def test_the_rest_goes_in_only_while_a_supervisor_is_present() -> None:
    table = differing()
    assert table.state.permits.granted
    table.wait(61)
    assert (state(table), table.state.permits.granted) == ("declared and counted differ", {})


def test_a_supervisor_corrects_what_was_declared() -> None:
    table = differing()
    assert not table.ask(CorrectPacket, by="D1", cards=103).is_accepted
    assert table.ask(CorrectPacket, by="S1", cards=103).is_accepted
    account = table.state.account
    assert (account.at(HOPPER), account.at(MACHINE), aside(table)) == (0, 103, 209)
    assert state(table) == "packet awaited"
    assert table.all_of(IncidentClosed)[-1].by == "S1"


def test_a_supervisor_who_says_fewer_than_the_machine_has_the_content_asked() -> None:
    """His word rules the balance; what the machine holds is compared at the quiet point, and the difference named."""
    table = differing()
    assert table.ask(CorrectPacket, by="S1", cards=102).is_accepted
    assert table.state.account.at(MACHINE) == 102
    levels(table, content=103)
    assert "difference" in [incident.kind for incident in table.all_of(IncidentOpened)]


def test_the_last_packets_correction_ends_the_load() -> None:
    table = loading(packets=3)
    load_packet(table, 104)
    load_packet(table, 105)
    table.ask(LoadPacket, by="D1", cards=103)
    feed(table, 103)
    end_packet(table, 103)
    levels(table, content=312)
    assert table.all_of(LoadCompleted)


def test_a_hand_count_of_the_hopper_settles_what_the_meter_missed() -> None:
    table = differing()
    assert table.ask(HandCount, by="S1", place=HOPPER, cards=0).is_accepted
    assert table.state.account.at(UNEXPLAINED) == 1
    assert state(table) == "packet awaited"


def test_no_packet_has_that_many_cards() -> None:
    table = differing()
    assert not table.ask(CorrectPacket, by="S1", cards=157).is_accepted
    assert not table.ask(CorrectPacket, by="S1", cards=-1).is_accepted


# --- machine ---------------------------------------------------------------------------------------------------------


def test_after_a_reconnect_the_permit_waits_for_what_the_machine_kept() -> None:
    """Cards that went in while the line was cut are told first; else the permit would be for too many."""
    table = with_packet()
    feed(table, 40)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    granted = len(grants(table))
    table.ready("shuffler", oldest_notice=2, newest_notice=2)
    assert len(grants(table)) == granted
    feed(table, 3)
    assert [(g.limit_cards, g.is_fresh) for g in grants(table)[granted:]] == [(61, True)]


def test_a_jam_in_mid_load_stops_the_feed_and_the_rest_goes_in_after_it() -> None:
    table = with_packet()
    feed(table, 40)
    table.notice(events.CardJammed, place=events.Place.FEED)
    assert table.all_of(PermitRevoked)[-1].what is PermitKind.FEED
    table.notice(events.PermitEnded, what=PermitKind.FEED, why=PermitEnding.FAULT, counted=40)
    clear_jam(table, now="back in")
    assert (grants(table)[-1].limit_cards, grants(table)[-1].is_fresh) == (64, True)


def test_a_card_taken_out_at_a_jam_lies_aside_and_goes_in_with_another_packet() -> None:
    table = with_packet()
    feed(table, 40)
    table.notice(events.CardJammed, place=events.Place.CAROUSEL)
    clear_jam(table, now="table")
    assert aside(table) == 209
    feed(table, 64)
    end_packet(table, 64)
    table.tap("S1")
    load_packet(table, 104)
    load_packet(table, 104)
    assert (state(table), aside(table)) == ("packet awaited", 1)
    load_packet(table, 1, by="S1")
    levels(table, content=ALL)
    assert table.all_of(LoadCompleted)


@pytest.mark.parametrize("stuck_after", [40, 103])
def test_a_card_stuck_at_the_feed_and_laid_aside_is_no_more_of_its_packet(stuck_after: int) -> None:
    """It was never counted in, so it leaves the hopper's balance; nothing differs, and nothing is posted twice."""
    table = with_packet()
    feed(table, stuck_after)
    table.notice(events.CardJammed, place=events.Place.FEED)
    clear_jam(table, now="table")
    if stuck_after < 103:
        feed(table, 103 - stuck_after)
        end_packet(table, 103)
    assert (state(table), aside(table), table.state.account.at("hopper")) == ("packet awaited", 209, 0)
    assert not table.state.incidents.open


def clear_jam(table: Table, now: str) -> None:
    table.wait(2)
    table.tap("S1")
    assert table.ask(OpenLid, by="S1").is_accepted
    table.notice(events.LidOpened)
    assert table.ask(CardsTakenOut, by="S1", cards=1, now=now).is_accepted
    place = next(iter(table.state.procedures.jams.standing))
    table.notice(events.JamGone, place=events.Place(place))
    table.notice(events.LidClosed)


def restart(table: Table, last_in: int | None) -> None:
    """The machine loses its power and comes back with its content unverified; it tells its last meters, or not."""
    table.give(events.DeviceLost(device="shuffler", why="power"))
    table.restarted("shuffler", boot=2, is_content_unverified=True, newest_notice=1)
    last_out = None if last_in is None else 0
    table.notice(events.DeviceBooted, cause="power", last_meter_in=last_in, last_meter_out=last_out)


def count(table: Table, content: int) -> None:
    number = next(iter(table.state.commands.open.values())).number
    table.notice(events.CommandEnded, command=number, outcome=Outcome.DONE, moved=content)
    levels(table, content)


def test_a_restart_in_mid_load_counts_first_and_the_packet_goes_on() -> None:
    table = with_packet()
    feed(table, 40)
    restart(table, last_in=42)
    assert table.state.account.at(MACHINE) == 42, "what the last notices of the boot before would have told"
    assert state(table) == "counting after a restart"
    count(table, 42)
    assert state(table) == "feeding"
    assert (grants(table)[-1].limit_cards, grants(table)[-1].is_fresh) == (62, True)


def test_a_restart_after_the_packets_last_card_does_not_wait_for_it() -> None:
    table = with_packet()
    feed(table, 100)
    restart(table, last_in=104)
    count(table, 104)
    assert state(table) == "packet awaited"


def test_a_restart_that_swallowed_a_card_is_a_difference() -> None:
    table = with_packet()
    feed(table, 40)
    restart(table, last_in=None)
    count(table, 41)
    assert "difference" in [incident.kind for incident in table.all_of(IncidentOpened)]


def test_a_restart_while_nobody_is_present_stays_paused() -> None:
    table = with_packet()
    table.wait(61)
    restart(table, last_in=0)
    count(table, 0)
    assert state(table) == "paused: presence"


def test_closing_in_mid_load_gives_it_up_and_takes_the_hopper_back() -> None:
    table = with_packet()
    feed(table, 40)
    assert not table.ask(AnnounceClosing, by="D1").is_accepted
    assert table.ask(AnnounceClosing, by="S1").is_accepted
    assert table.all_of(ClosingAnnounced)
    account = table.state.account
    assert (account.at(HOPPER), account.at(MACHINE), aside(table)) == (0, 40, 272)
    assert table.state.presence.kept == {}


def test_a_packet_whose_last_card_was_counted_while_the_line_was_cut_is_in() -> None:
    """No permit is given for no card, and the machine tells no second end of the packet."""
    table = with_packet()
    feed(table, 100)
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    table.ready("shuffler", oldest_notice=1, newest_notice=2)
    feed(table, 4)
    assert state(table) == "packet awaited"
    end_packet(table, 104)
    assert "unexpected" not in [incident.kind for incident in table.all_of(IncidentOpened)]


def test_a_packet_whose_last_card_was_counted_after_the_lapse_is_in_with_the_tap() -> None:
    table = with_packet()
    feed(table, 103)
    table.wait(61)
    feed(table, 1)
    assert state(table) == "paused: presence"
    table.tap("S1")
    assert (state(table), table.all_of(PacketLoaded)[-1].cards) == ("packet awaited", 104)
