"""Situations that a table comes into, reached as in life; the exhaustive tests start from each of them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from drivers import card_events, events
from drivers.events import Shown
from tableside.house import Display, House, TableKind
from tableside.procedures.card_readers import SETTLE_S
from tableside.procedures.shoe_slice import ORDER
from tableside.requests import (
    AnnounceClosing,
    BeginIncidentReload,
    BeginSwap,
    BeginUnload,
    CountedOut,
    EndRound,
    LoadPacket,
    RaiseComplaint,
    ReportDamaged,
    ShowJackpot,
)
from tableside.shoe_requests import ShowWarningCard
from tests.support.hand_shoe import READER_HOUSE, HandTable
from tests.support.samples import SEALED
from tests.support.session import (
    connected,
    feed,
    give_out,
    levels,
    loading,
    open_table,
    prepared,
    proved_empty,
    unloaded,
)
from tests.support.table import HOUSE, Table

SHOE_HOUSE = replace(
    HOUSE, kind=TableKind.SHOE, shoe="shoe", shuffler="", spare_shufflers=(), switch_box="", readers=(), table="BAC 1"
)


def feeding() -> Table:
    table = loading()
    assert table.ask(LoadPacket, by="D1", cards=104).is_accepted
    feed(table, 40)
    return table


def paused() -> Table:
    table = feeding()
    table.wait(61)
    return table


def differing() -> Table:
    table = feeding()
    table.notice(events.PacketEnded, cards=40)
    return table


def dealing() -> Table:
    table = open_table()
    give_out(table, 7)
    return table


def returning() -> Table:
    table = dealing()
    table.ask(EndRound)
    feed(table, 3)
    return table


def complained() -> Table:
    table = dealing()
    table.ask(RaiseComplaint, by="D1")
    return table


def jammed() -> Table:
    table = dealing()
    table.notice(events.CardJammed, place=events.Place.CAROUSEL)
    return table


def damaged() -> Table:
    table = dealing()
    table.ask(ReportDamaged, by="D1")
    return table


def ejecting() -> Table:
    table = open_table()
    table.ask(AnnounceClosing, by="D1")
    table.tap("S1")
    assert table.ask(BeginUnload, by="D1").is_accepted
    give_out(table, 100)
    return table


def uncertain() -> Table:
    table = ejecting()
    table.give(events.CommandAnswered(device="shuffler", command=1, outcome=events.Outcome.INTERRUPTED))
    return table


def _with_incident() -> Table:
    table = dealing()
    table.ready("spare")
    table.give(events.DeviceRejected(device="switches", why="another model"))
    table.ready("switches")
    table.tap("S1")
    table.tap("M1")
    return table


def swapping() -> Table:
    table = _with_incident()
    assert table.ask(BeginSwap, by="S1", spare="spare", incident=1).is_accepted
    return table


def swapped_half() -> Table:
    table = swapping()
    assert table.ask(CountedOut, by="S1", cards=305).is_accepted
    levels(table, content=0, device="spare")
    return table


def reloading() -> Table:
    table = open_table()
    table.give(events.DeviceRejected(device="switches", why="another model"))
    table.ready("switches")
    table.tap("S1")
    table.tap("M1")
    assert table.ask(BeginIncidentReload, by="S1", incident=1, packets=3).is_accepted
    return table


def away() -> Table:
    table = dealing()
    table.give(events.DeviceLost(device="shuffler", why="cable"))
    return table


def showing() -> Table:
    """In a round, at a house that has a display, which shows an amount."""
    table = dealing()
    house = replace(table.state.house, displays=(Display("sign", "tdl-display", 13),))
    table.state = replace(table.state, house=house)
    table.ready("sign")
    assert table.ask(ShowJackpot, what=Shown.AMOUNT, amount=1_234_56, currency="EUR").is_accepted
    table.give(events.DisplayShowed(device="sign", version=1, what=Shown.AMOUNT))
    return table


def unproved() -> Table:
    """In a round, at a house whose machine proves its firmware at a port: it is not on the list."""
    table = dealing()
    table.state = replace(table.state, house=replace(table.state.house, others=("port",)))
    table.give(events.FirmwarePortReady(device="port", model="CSM-SIM"))
    table.give(
        events.FirmwareTold(
            device="port",
            of="shuffler",
            maker="EXAMPLE",
            model="CSM-SIM",
            version="",
            is_listed=False,
            differences=('"main" has another digest',),
            key="AA" * 20,
            components=(("main", "B" * 40),),
        )
    )
    return table


def lit() -> Table:
    """In a round, at a house whose warning lamp is a device of its own, and is troubled."""
    table = dealing()
    table.state = replace(table.state, house=replace(table.state.house, lamps=("lamp",)))
    table.give(events.LampReady(device="lamp", model="blink(1)"))
    table.give(events.LampTroubled(device="lamp", why="shows something else"))
    return table


def shoe_table(house: House = SHOE_HOUSE) -> Table:
    """A table that is observed only, its shoe heard."""
    table = Table(house)
    table.give(card_events.CardReaderReady(device="shoe", model="SHOE", is_simulated=True))
    table.wait(10)  # what it says now is no copy of what it said before
    return table


def shoe_game() -> Table:
    """In a game, two cards drawn."""
    table = shoe_table()
    for target, index in ORDER[:2]:
        table.give(card_events.CardDrawn(device="shoe", card=SEALED, target=target, index=index))
    return table


def read_as_dealt() -> Table:
    """In a round, at a table whose cards pass a reader, which has not seen all of them."""
    table = open_table()
    table.state = replace(table.state, house=replace(table.state.house, card_readers=("eye",)))
    table.ready("eye")
    give_out(table, 3)
    table.notice(events.CardsOut, "eye", meter=3)
    table.ask(EndRound)
    feed(table, 3)  # from here on both are known to count the same cards
    give_out(table, 3)
    table.notice(events.CardsOut, "eye", meter=5)
    table.notice(card_events.CardPassed, "eye", card=SEALED, count=1)
    return table


def read_apart() -> Table:
    """The round is over, and the reader saw fewer cards than the shuffler says it gave out."""
    table = read_as_dealt()
    table.ask(EndRound)
    table.wait(SETTLE_S + 1)
    return table


def shoe_by_hand() -> Table:
    """A round is dealt from a shoe that hands have shuffled, a reader watches it, and its warning card has come."""
    table = HandTable(READER_HOUSE).opened().cut(2)
    table.passes(1)
    table.passes(5)
    table.do(ShowWarningCard)
    return table


SITUATIONS: tuple[Callable[[], Table], ...] = (
    Table,
    connected,
    prepared,
    proved_empty,
    loading,
    feeding,
    paused,
    differing,
    open_table,
    dealing,
    returning,
    complained,
    jammed,
    damaged,
    away,
    ejecting,
    uncertain,
    unloaded,
    swapping,
    swapped_half,
    reloading,
    showing,
    shoe_table,
    shoe_game,
    read_as_dealt,
    lit,
    unproved,
)
# Walked like the others; the search of test_reached.py leaves them out, as each is half as wide as all others together.
OF_THEIR_OWN: tuple[Callable[[], Table], ...] = (shoe_by_hand,)
