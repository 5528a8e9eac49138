"""The inputs of a table-day: opening, load, 600 rounds of 23 cards in ten hours, closing, unload, sort (semantics of
the play rate: 60 rounds an hour).

They are made with the table of the tests, which answers each input as in life (a deadline that passes is an input
too), in the order and at the pace in which the simulated room told them of one round after the other: every card is
a notice of its own.
"""

from __future__ import annotations

from drivers import events
from drivers.events import KeyName, Outcome, PermitEnding, PermitKind
from tableside.inputs import Input
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
)
from tests.support.session import ALL, WHOLE, eject_number, feed, give_out, levels
from tests.support.table import Table

PLAYED_ROUNDS = 600
ROUND_S = 60.0  # 60 rounds an hour
CARDS = 23  # of a round
BUSTED = 5  # cards of it that lie in the tray before it is over
PACKET = 104
DEALT_S, FED_S, EJECTED_S = 1.1, 0.3, 0.9  # from card to card
THOUGHT_S = 4.0  # people take their time
DEALER, SUPERVISOR = "D1", "S1"


def table_day(played: int = PLAYED_ROUNDS) -> list[Input]:
    """Every input from the start of the daemon to the closed table, in order; times in ns of one clock."""
    table = Table()
    table.ready("shuffler")
    table.ready("switches")
    _open(table)
    for _ in range(PACKET, ALL + 1, PACKET):
        _load(table)
    levels(table, content=ALL)
    for _ in range(played):
        began_ns = table.now_ns
        _play(table)
        table.wait(ROUND_S - (table.now_ns - began_ns) / 1e9)
    _close(table)
    return table.given


def _ask(table: Table, kind: type, by: str = DEALER, **fields: object) -> None:
    table.wait(THOUGHT_S)
    answer = table.ask(kind, by=by, **fields)
    assert answer.is_accepted, answer


def _tap(table: Table) -> None:
    table.wait(THOUGHT_S)
    table.tap(SUPERVISOR)


def _open(table: Table) -> None:
    _ask(table, OpenTable, dealer=DEALER)
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled, ProveEmpty):
        _ask(table, step)
    levels(table, content=0)
    _tap(table)
    _ask(table, BeginLoad, packets=ALL // PACKET)


def _load(table: Table) -> None:
    """One packet, a tap in the middle of it: presence lasts a minute."""
    _tap(table)
    _ask(table, LoadPacket, cards=PACKET)
    for number in range(PACKET):
        if number == PACKET // 2:
            table.tap(SUPERVISOR)
        table.wait(FED_S)
        feed(table, 1)
    table.notice(events.PacketEnded, cards=PACKET)
    _permit_ended(table, PermitKind.FEED, PermitEnding.NUMBER, PACKET)


def _play(table: Table) -> None:
    for number in range(CARDS):
        table.wait(DEALT_S)
        give_out(table, 1)
        if number == CARDS - 2:
            table.notice(events.TrayLevel, "switches", cards=BUSTED, fill_percent=4)
    table.wait(THOUGHT_S)
    table.notice(events.KeyPressed, "switches", key=KeyName.DONE)
    _permit_ended(table, PermitKind.DEAL, PermitEnding.REVOKED, CARDS)
    levels(table, content=ALL - CARDS)
    table.wait(THOUGHT_S)
    table.notice(events.TrayLevel, "switches", cards=0, fill_percent=0)
    for _ in range(CARDS):
        table.wait(FED_S)
        feed(table, 1)
    table.notice(events.PacketEnded, cards=CARDS)
    _permit_ended(table, PermitKind.FEED, PermitEnding.NUMBER, CARDS)
    levels(table, content=ALL)


def _permit_ended(table: Table, what: PermitKind, why: PermitEnding, counted: int) -> None:
    table.notice(events.PermitEnded, what=what, why=why, counted=counted)


def _close(table: Table) -> None:
    _ask(table, AnnounceClosing)
    _tap(table)
    _ask(table, BeginUnload)
    for card in range(ALL):
        if card % 50 == 49:
            table.tap(SUPERVISOR)
        table.wait(EJECTED_S)
        give_out(table, 1)
        number = eject_number(table)
        table.give(events.CommandProgressed(device="shuffler", command=number, done=card + 1, of=ALL))
    number = eject_number(table)
    table.notice(events.CommandEnded, command=number, outcome=Outcome.DONE, reason=events.Reason.NONE, moved=ALL)
    levels(table, content=0)
    levels(table, content=0)
    _ask(table, EnterSort, groups=WHOLE)
    _ask(table, CloseTable, by=SUPERVISOR)
