"""A session in a test: the table's day step by step, as people and machine would take it."""

from __future__ import annotations

from drivers import events
from tableside.card_account import ASIDE
from tableside.house import House
from tableside.requests import (
    AnnounceClosing,
    BeginLoad,
    BeginUnload,
    CloseTable,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    EnterSort,
    LoadPacket,
    OpenTable,
    ProveEmpty,
    SortedDecks,
)
from tests.support.table import HOUSE, Table

ALL = 312
PACKETS = (104, 104, 104)


def connected(house: House = HOUSE) -> Table:
    """All devices answer, the machine is empty, the table closed."""
    table = Table(house)
    table.ready("shuffler")
    table.ready("switches")
    return table


def prepared(house: House = HOUSE) -> Table:
    """Shown, mixed, hand-shuffled by the dealer on duty."""
    table = connected(house)
    assert table.ask(OpenTable, by="S1", dealer="D1").is_accepted
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled):
        assert table.ask(step, by="D1").is_accepted
    return table


def proved_empty(house: House = HOUSE) -> Table:
    """Prepared, and the machine has proved that it is empty."""
    table = prepared(house)
    assert table.ask(ProveEmpty, by="D1").is_accepted
    levels(table, content=0)
    return table


def loading(packets: int = 3, house: House = HOUSE) -> Table:
    """S1 has tapped and the load has begun."""
    table = proved_empty(house)
    table.tap("S1")
    answer = table.ask(BeginLoad, by="D1", packets=packets)
    assert answer.is_accepted, answer
    return table


def open_table(house: House = HOUSE) -> Table:
    """Loaded and idle."""
    table = loading(house=house)
    for cards in PACKETS:
        load_packet(table, cards)
    levels(table, content=ALL)  # the last look
    levels(table, content=ALL)  # the quiet point after it
    table.wait(2)  # so that the next tap is another sighting
    return table


def load_packet(table: Table, cards: int, by: str = "D1") -> None:
    """A packet is declared and goes in, to the card."""
    answer = table.ask(LoadPacket, by=by, cards=cards)
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


def eject_number(table: Table) -> int:
    """Number of the EJECT_ALL that is open."""
    return next(c.number for c in table.state.commands.open.values() if c.verb is events.Verb.EJECT_ALL)


def end_eject(
    table: Table,
    outcome: events.Outcome = events.Outcome.DONE,
    reason: events.Reason = events.Reason.NONE,
    moved: int = 0,
    device: str = "shuffler",
) -> None:
    """The machine tells that EJECT_ALL has ended."""
    table.notice(events.CommandEnded, device, command=eject_number(table), outcome=outcome, reason=reason, moved=moved)


def unload(table: Table, cards: int, device: str = "shuffler") -> None:
    """S1 taps, the machine gives out so many cards, and is empty."""
    table.wait(2)
    table.tap("S1")
    answer = table.ask(BeginUnload, by="D1")
    assert answer.is_accepted, answer
    give_out(table, cards, device)
    end_eject(table, moved=cards, device=device)
    levels(table, content=0, device=device)  # the proof
    levels(table, content=0, device=device)  # the quiet point after it


def unloaded(cards: int = ALL) -> Table:
    """A session without a round, its cards out of the machine, to be sorted."""
    table = open_table()
    assert table.ask(AnnounceClosing, by="D1").is_accepted
    unload(table, cards)
    return table


WHOLE = (SortedDecks("red", 3), SortedDecks("blue", 3))


def closed(groups: tuple[SortedDecks, ...] = WHOLE) -> Table:
    """A whole day without a round."""
    table = unloaded()
    assert table.ask(EnterSort, by="D1", groups=groups).is_accepted
    assert table.ask(CloseTable, by="S1").is_accepted
    return table
