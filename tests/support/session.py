"""A session in a test: the table's day step by step, as people and machine would take it."""

from __future__ import annotations

from drivers import events
from tableside.card_account import ASIDE
from tableside.requests import (
    BeginLoad,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    LoadPacket,
    OpenTable,
    ProveEmpty,
)
from tests.support.table import Table

ALL = 312
PACKETS = (104, 104, 104)


def connected() -> Table:
    """All devices answer, the machine is empty, the table closed."""
    table = Table()
    table.ready("shuffler")
    table.ready("switches")
    return table


def prepared() -> Table:
    """Shown, mixed, hand-shuffled by the dealer on duty."""
    table = connected()
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled):
        assert table.ask(step, by="D1").is_accepted
    return table


def proved_empty() -> Table:
    """Prepared, and the machine has proved that it is empty."""
    table = prepared()
    assert table.ask(ProveEmpty, by="D1").is_accepted
    levels(table, content=0)
    return table


def loading(packets: int = 3) -> Table:
    """S1 has tapped and the load has begun."""
    table = proved_empty()
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=packets)
    assert answer.is_accepted, answer
    return table


def open_table() -> Table:
    """Loaded and idle."""
    table = loading()
    for cards in PACKETS:
        load_packet(table, cards)
    levels(table, content=ALL)
    table.wait(1)
    return table


def load_packet(table: Table, cards: int) -> None:
    """A packet is declared and goes in, to the card."""
    answer = table.ask(LoadPacket, by="D1", cards=cards)
    assert answer.is_accepted, answer
    feed(table, cards)
    table.notice(events.PacketEnded, cards=cards)


def feed(table: Table, cards: int, device: str = "shuffler") -> None:
    """So many cards pass the entry sensor."""
    meter = table.state.devices.known[device].meter_in
    table.notice(events.CardsIn, device, meter=meter + cards)


def give_out(table: Table, cards: int, device: str = "shuffler") -> None:
    """So many cards pass the exit sensor."""
    meter = table.state.devices.known[device].meter_out
    table.notice(events.CardsOut, device, meter=meter + cards)


def levels(table: Table, content: int, device: str = "shuffler", *, is_path_clear: bool = True) -> None:
    """The machine tells its levels."""
    table.give(
        events.LevelsRead(
            device=device,
            boot=table.state.devices.known[device].boot,
            content=content,
            areas=(0, 0, content),
            is_path_clear=is_path_clear,
            is_lid_open=False,
        )
    )


def aside(table: Table) -> int:
    """Cards that lie on the table and not in play."""
    return table.state.account.at(ASIDE)
