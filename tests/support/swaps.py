"""A machine swap in a test, step by step."""

from __future__ import annotations

from drivers import events
from drivers.events import Place
from tableside.requests import BeginSwap, CountedOut, LoadPacket
from tests.support.session import feed, give_out, levels, open_table
from tests.support.table import Table

SPARE = "spare"


def jam(table: Table, place: Place = Place.CAROUSEL) -> None:
    table.notice(events.CardJammed, place=place)


def jammed_in_mid_round(dealt: int = 7) -> Table:
    """A round is open, the carousel is jammed and nobody can clear it; a spare stands by."""
    table = open_table()
    table.ready(SPARE)
    give_out(table, dealt)
    jam(table)
    table.give(events.DeviceRejected(device="switches", why="another model"))  # an incident to name
    table.ready("switches")  # and what stood against it is gone
    return table


def incident_of(table: Table) -> int:
    return next(iter(table.state.incidents.open.values())).number


def both_tap(table: Table) -> None:
    """Twice the supervisor: at a stuck card the first tap frees the lid (semantics §4), and is spent with that."""
    for _ in range(2):
        table.wait(2)
        table.tap("S1")
    table.wait(2)
    table.tap("M1")


def begin(table: Table, **fields: object) -> bool:
    return table.ask(BeginSwap, by="S1", **{"spare": SPARE, "incident": incident_of(table), **fields}).is_accepted


def swapping(dealt: int = 7) -> Table:
    table = jammed_in_mid_round(dealt)
    both_tap(table)
    assert begin(table)
    return table


def counted_out(cards: int = 305) -> Table:
    table = swapping()
    answer = table.ask(CountedOut, by="S1", cards=cards)
    assert answer.is_accepted, answer
    return table


def loaded_spare(cards: int = 305) -> Table:
    table = counted_out(cards)
    levels(table, content=0, device=SPARE)
    table.wait(2)
    table.tap("S1")
    for packet in (150, cards - 150):
        assert table.ask(LoadPacket, by="D1", cards=packet).is_accepted
        feed(table, packet, SPARE)
        table.notice(events.PacketEnded, SPARE, cards=packet)
    levels(table, content=cards, device=SPARE)
    levels(table, content=cards, device=SPARE)
    return table


def between_rounds() -> Table:
    table = open_table()
    table.ready(SPARE)
    table.notice(events.NoticesLost, how_many=1)
    both_tap(table)
    assert begin(table)
    return table
