"""A table whose cards are shuffled by hand, step by step, as its dealer takes them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from drivers import events
from tableside.card_account import SHOE
from tableside.house import House, SpecialCards, TableKind
from tableside.procedures.hand_shoe_slice import HandShoeSlice, HandShoeState
from tableside.requests import ConfirmHandShuffled, ConfirmMixed, ConfirmShown, EndRound, OpenTable, Request
from tableside.shoe_requests import (
    BackCount,
    BeginHandShoe,
    BeginRound,
    BurnCard,
    CountBacks,
    CountDealt,
    CutCards,
    EndHandShoe,
    FillShoe,
    GatherCards,
    ShowWarningCard,
    SpreadCards,
)
from tests.support.session import end_eject, give_out, levels, open_table
from tests.support.table import HOUSE, Table

HAND_HOUSE = replace(
    HOUSE,
    kind=TableKind.HAND_SHOE,
    shuffler="",
    spare_shufflers=(),
    special_cards=SpecialCards(cut="yellow", warning="green"),
)
READER_HOUSE = replace(HAND_HOUSE, card_readers=("eye",))
ALL = 312
WHOLE = (BackCount("red", 156), BackCount("blue", 156))
SEATS = (2, 4, 6)


class HandTable(Table):
    """A table without a machine."""

    def __init__(self, house: House = HAND_HOUSE) -> None:
        super().__init__(house)
        self.ready("switches")
        for reader in house.card_readers:
            self.ready(reader, model="READER-SIM", content=None, areas=None)

    @property
    def shoe(self) -> HandShoeSlice:
        return self.state.procedures.hand_shoe

    @property
    def where(self) -> HandShoeState:
        return self.shoe.state

    def at(self, place: str) -> int:
        return self.state.account.at(place)

    def do(self, kind: type[Request], by: str = "D1", **fields: object) -> None:
        """A request that is accepted."""
        answer = self.ask(kind, by=by, **fields)
        assert answer.is_accepted, answer

    def opened(self) -> HandTable:
        """Shown, counted by back, mixed, shuffled: to be cut."""
        self.do(OpenTable, by="S1", dealer="D1")
        self.do(ConfirmShown)
        self.do(CountBacks, counts=WHOLE)
        self.do(ConfirmMixed)
        self.do(ConfirmHandShuffled)
        return self

    def cut(self, seat: int, occupied: tuple[int, ...] = SEATS, inspector: str = "") -> HandTable:
        """Cut, warning card in, shoe filled: to be burnt."""
        self.do(CutCards, occupied=occupied, seat=seat, inspector=inspector)
        self.do(FillShoe)
        return self

    def burnt(self) -> HandTable:
        self.do(BurnCard)
        return self

    def playing(self) -> HandTable:
        """Ready for the first round of the first shoe."""
        return self.opened().cut(2).burnt()

    def round(self, cards: int = 17) -> None:
        """A whole round, its cards told by the dealer."""
        self.do(BeginRound)
        self.do(CountDealt, cards=cards)
        self.do(EndRound)

    def to_last_round(self) -> None:
        """Rounds until the warning card comes just before one, where it should."""
        while self.at(SHOE) > 67:
            self.round()
        self.do(ShowWarningCard)

    def next_cut(self) -> None:
        """The shoe is over: gathered and shuffled anew."""
        self.do(GatherCards)
        self.do(ConfirmHandShuffled)

    def passes(self, cards: int = 1, reader: str = "eye") -> None:
        """So many cards go by the reader."""
        self.notice(events.CardsOut, reader, meter=self.state.devices.known[reader].meter_out + cards)


def in_state(state: HandShoeState) -> Table:
    """A table whose shoe by hand, or whose change of mode, stands so."""
    if state is HandShoeState.EMPTYING:
        return emptying()
    if state is HandShoeState.RETURNING:
        return returning()
    table = HandTable()
    for step in _STEPS:
        if table.where is state:
            return table
        step(table)
    assert table.where is state, state
    return table


def emptying() -> Table:
    """The machine is down, and its cards are to come out."""
    table = open_table(replace(HOUSE, special_cards=HAND_HOUSE.special_cards, spare_shufflers=()))
    table.tap("S1")
    assert table.ask(BeginHandShoe, why="its motor is dead").is_accepted
    return table


def returning() -> Table:
    """They have come out, were counted, and are to go back."""
    table = emptying()
    give_out(table, ALL)
    end_eject(table, moved=ALL)
    levels(table, content=0)
    levels(table, content=0)
    table.wait(3)
    assert table.ask(CountBacks, by="D1", counts=WHOLE).is_accepted
    table.tap("S1")
    table.tap("M1")
    assert table.ask(EndHandShoe, packets=3).is_accepted
    return table


_STEPS: tuple[Callable[[HandTable], object], ...] = (
    lambda table: table.do(OpenTable, by="S1", dealer="D1"),
    lambda table: (table.do(ConfirmShown), table.do(CountBacks, counts=WHOLE)),
    lambda table: (table.do(ConfirmMixed), table.do(ConfirmHandShuffled)),
    lambda table: table.do(CutCards, occupied=SEATS, seat=2),
    lambda table: table.do(FillShoe),
    lambda table: table.do(BurnCard),
    lambda table: table.do(BeginRound),
    lambda table: (table.do(ShowWarningCard), table.do(EndRound)),
    lambda table: table.do(SpreadCards, why="no players"),
)
