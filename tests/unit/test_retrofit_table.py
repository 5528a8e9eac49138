"""A table whose machine obeys nothing: what it cannot do is asked of people, and each row says how a rule was held."""

from __future__ import annotations

from drivers import events
from drivers.counters import CounterReadings
from drivers.events import Holding, PermitKind
from drivers.shufflers.retrofit_shuffler import ABILITIES
from tableside.card_account import MACHINE
from tableside.decisions import CommandIntended, LockAdded, PermitGranted
from tableside.locks import Scope, standing
from tableside.requests import (
    AnnounceClosing,
    BeginLoad,
    BeginUnload,
    CloseTable,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    EndRound,
    EnterSort,
    HandCount,
    LoadPacket,
    OpenTable,
    ProveEmpty,
    SortedDecks,
)
from tableside.session_happenings import EmptyProved
from tests.support.session import PACKETS, feed
from tests.support.table import Table

COUNTERS = CounterReadings(cards_in=0, cards_out=0, modulus=1 << 16)


def watched(**changes: object) -> Table:
    """The machine is met for the first time, through a board."""
    table = Table()
    fields = {"abilities": ABILITIES, "content": None, "areas": None, "is_path_clear": None, "counters": COUNTERS}
    table.ready("shuffler", **{**fields, **changes})
    table.ready("switches")
    return table


def levels(table: Table) -> None:
    """What a board tells: no content, no path."""
    known = table.state.devices.known["shuffler"]
    table.give(
        events.LevelsRead(device="shuffler", boot=known.boot, meter_in=known.meter_in, meter_out=known.meter_out)
    )


def looked_into() -> Table:
    table = watched()
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled):
        assert table.ask(step, by="D1").is_accepted
    assert table.ask(ProveEmpty, by="D1").is_accepted
    assert table.ask(HandCount, by="S1", place="machine", cards=0).is_accepted
    return table


def loading() -> Table:
    table = looked_into()
    table.tap("S1")
    assert table.ask(BeginLoad, by="D1", packets=3).is_accepted
    return table


def playing() -> Table:
    table = loading()
    for cards in PACKETS:
        assert table.ask(LoadPacket, by="D1", cards=cards).is_accepted
        feed(table, cards)
        table.notice(events.PacketEnded, cards=cards)
    for _ in range(2):
        levels(table)
    table.wait(2)
    assert table.state.procedures.rounds.state.value == "waiting"
    return table


def test_a_machine_met_for_the_first_time_is_looked_into_by_a_supervisor() -> None:
    """Nobody knows what is inside: a hand count settles that, and is the proof that a load needs (CSM-5)."""
    table = watched()
    assert "COUNT-DUE:" in table.state.alerts.standing
    assert standing(table.state, Scope.DEAL)
    table = looked_into()
    (proof,) = table.all_of(EmptyProved)
    assert (proof.device, proof.purpose, proof.by, proof.held) == ("shuffler", "load", "S1", Holding.CANNOT)
    assert not {"COUNT-DUE:", "EMPTY-LOOK:shuffler"} & set(table.state.alerts.standing)
    assert not standing(table.state, Scope.DEAL)


def test_what_is_seen_inside_stops_the_load() -> None:
    table = watched()
    table.ask(OpenTable, by="S1", dealer="D1")
    table.ask(ProveEmpty, by="D1")
    assert table.ask(HandCount, by="S1", place="machine", cards=2).is_accepted
    assert not table.all_of(EmptyProved)
    assert "NOT-EMPTY:shuffler" in table.state.alerts.standing


def test_a_load_and_a_round_by_what_the_gates_tell() -> None:
    table = playing()
    assert table.state.account.at(MACHINE) == 312
    table.notice(events.CardsOut, meter=4)
    assert table.ask(EndRound, by="D1").is_accepted
    assert table.state.account.at(MACHINE) == 308
    feed(table, 4)
    levels(table)
    assert table.state.account.at(MACHINE) == 312
    assert not table.state.alerts.standing
    assert not table.all_of(CommandIntended), "nothing is commanded that cannot be obeyed"


def test_each_row_says_how_the_rule_was_held() -> None:
    table = playing()
    assert {grant.held for grant in table.all_of(PermitGranted) if grant.device == "shuffler"} == {Holding.OBSERVES}
    table.notice(events.CardJammed, place=events.Place.UNKNOWN)
    assert {lock.held for lock in table.all_of(LockAdded) if lock.reason == "jam unknown"} == {Holding.OBSERVES}
    assert {"STOP-ASKED:deal", "STOP-ASKED:feed", "JAM-OTHER:unknown"} <= set(table.state.alerts.standing)


def test_a_card_under_an_asked_stop_is_an_incident() -> None:
    table = playing()
    table.notice(events.CardsOut, meter=1)
    table.notice(events.CardJammed, place=events.Place.UNKNOWN)
    table.notice(events.CardsOut, meter=2)
    assert "DEALT-WHILE-STOPPED:" in table.state.alerts.standing


def test_cards_fed_while_nobody_is_present_must_be_explained() -> None:
    """CSM-5: the machine does not hold the pause of a load; one record, however many cards go in."""
    table = loading()
    assert table.ask(LoadPacket, by="D1", cards=104).is_accepted
    feed(table, 10)
    table.wait(61)
    assert table.state.procedures.load.state.value == "paused: presence"
    feed(table, 5)
    feed(table, 5)
    told = [
        incident.text
        for incident in table.state.incidents.open.values()
        if "no supervisor was present" in incident.text
    ]
    assert len(told) == 1


def test_a_board_that_restarts_in_a_load_has_the_packets_counted_by_hand() -> None:
    table = loading()
    assert table.ask(LoadPacket, by="D1", cards=104).is_accepted
    feed(table, 40)
    table.give(events.DeviceLost(device="shuffler", why="the board lost its power"))
    table.restarted(
        "shuffler",
        boot=2,
        abilities=ABILITIES,
        content=None,
        areas=None,
        is_path_clear=None,
        counters=COUNTERS,
        is_content_unverified=True,
    )
    assert table.state.procedures.load.state.value == "counting after a restart"
    table.tap("S1")
    assert table.ask(HandCount, by="S1", place="machine", cards=40).is_accepted
    assert table.state.procedures.load.state.value in ("feeding", "paused: presence")


def test_the_machine_is_emptied_by_its_own_key_and_looked_into() -> None:
    """CSM-6: the dealer is asked; what comes out is counted; a supervisor's look proves that nothing is left."""
    table = playing()
    assert table.ask(AnnounceClosing, by="S1").is_accepted
    table.tap("S1")
    assert table.ask(BeginUnload, by="D1").is_accepted
    assert "EJECT-ASKED:" in table.state.alerts.standing
    assert not table.all_of(CommandIntended)
    grants = [grant for grant in table.all_of(PermitGranted) if grant.what is PermitKind.DEAL]
    assert grants[-1].held is Holding.OBSERVES
    table.notice(events.CardsOut, meter=312)
    assert table.ask(ProveEmpty, by="D1").is_accepted
    assert table.ask(HandCount, by="S1", place="machine", cards=0).is_accepted
    assert table.state.procedures.unload.state.value == "over"
    assert "EJECT-ASKED:" not in table.state.alerts.standing
    groups = (SortedDecks(back="red", complete=3), SortedDecks(back="blue", complete=3))
    assert table.ask(EnterSort, by="D1", groups=groups).is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
