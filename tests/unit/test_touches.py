"""What people must touch of the product itself, counted: badge taps, keys, entries; cards and lids are their trade.

Each way is walked at the real table of decisions, with the fewest touches that it accepts.
"""

from __future__ import annotations

import pytest

from drivers import events
from drivers.events import KeyName, Place
from tableside.cards import Card
from tableside.decisions import LockRemoved, RequestAnswered
from tableside.happenings import CardReplaced, JamCleared, RoundEnded
from tableside.locks import Scope, standing
from tableside.requests import (
    AcknowledgeReport,
    BeginCardChange,
    BeginLoad,
    CardsTakenOut,
    CloseTable,
    ConfirmHandShuffled,
    ConfirmMixed,
    ConfirmShown,
    EnterSort,
    OpenLid,
    ProveEmpty,
    ReplaceCard,
)
from tests.support.session import ALL, WHOLE, levels, load_packet, open_table, unload
from tests.support.table import ENFORCING, Table
from tests.unit.test_rounds import deal
from tests.unit.test_rounds import open_table as in_play
from tests.unit.test_rounds_by_sensors import deal as deal_sensed
from tests.unit.test_rounds_by_sensors import insert as insert_sensed
from tests.unit.test_rounds_by_sensors import table_of as sensed

KING = Card("K", "♠", "red")


class Counted(Table):
    """Counts what people touch. Facts of cards, lid and path are hands at the machine, not at the product."""

    touches: list[str]

    @classmethod
    def of(cls, table: Table) -> Counted:
        """That table from here on."""
        counted = cls.__new__(cls)
        counted.__dict__.update(table.__dict__)
        counted.touches = []
        return counted

    def tap(self, staff: str, *args: object, **fields: object) -> tuple[object, ...]:  # type: ignore[override]  # counts
        self.touches.append(f"badge {staff}")
        return super().tap(staff)

    def press(self, key: KeyName) -> None:
        self.touches.append(f"key {key}")
        self.notice(events.KeyPressed, "switches", key=key)

    def ask(self, kind: type, by: str = "S1", **fields: object) -> RequestAnswered:
        """An entry at page, panel or command line, accepted at once."""
        self.touches.append(kind.__name__)
        answer = super().ask(kind, by, **fields)
        assert answer.is_accepted, answer.text
        return answer


def jam(table: Counted) -> None:
    """CSM-2 and semantics §4 *Jam*: badge, lid, one question, close."""
    table.notice(events.CardJammed, place=Place.EXIT)
    table.tap("S1")
    table.notice(events.LidOpened)
    table.notice(events.JamGone, place=Place.EXIT)
    table.ask(CardsTakenOut, cards=1, now="table")
    table.notice(events.LidClosed)
    assert table.all_of(JamCleared)
    assert not standing(table.state, Scope.DEAL)


def damaged_card(table: Counted) -> None:
    """CSM-1: the dealer's key, the supervisor's badge, one entry with both cards; the office reports."""
    table.press(KeyName.DAMAGED_CARD)
    table.tap("S1")
    table.ask(ReplaceCard, damaged=KING, envelope="E-7", replacement=KING)
    table.ask(AcknowledgeReport, by="M1", incident=table.all_of(CardReplaced)[0].incident, reference="2026/1")
    assert not standing(table.state, Scope.DEAL)


def test_a_jam_is_the_badge_and_the_one_question() -> None:
    """The bar was the badge alone; the question of semantics §4 (how many came out, where are they) is a touch too."""
    table = in_play()
    deal(table, 5)
    counted = Counted.of(table)
    jam(counted)
    assert counted.touches == ["badge S1", "CardsTakenOut"]
    assert {lock.by for lock in counted.all_of(LockRemoved)} == {"S1"}, "whose badge it was stands with what it freed"


def test_a_damaged_card_is_four_touches_of_six() -> None:
    table = in_play()
    deal(table, 5)
    counted = Counted.of(table)
    damaged_card(counted)
    assert len(counted.touches) == 4


@pytest.mark.parametrize("staff", ["D1", "D2", "T1", "M1"])
def test_at_a_stuck_card_only_a_floor_supervisors_badge_frees_the_lid(staff: str) -> None:
    table = in_play()
    deal(table, 5)
    table.notice(events.CardJammed, place=Place.EXIT)
    table.tap(staff)
    assert table.state.procedures.lid.state == "shut"
    table.tap("S1")
    assert table.state.procedures.lid.state == "free"


def test_without_a_stuck_card_a_badge_alone_frees_nothing() -> None:
    table = in_play()
    deal(table, 5)
    table.tap("S1")
    assert table.state.procedures.lid.state == "shut"
    assert table.ask(OpenLid).is_accepted


def test_a_card_change_is_thirteen_touches_where_eight_were_wanted() -> None:
    """Unload with a sort (CSM-6), shown, mixed, shuffled by hand (SHOE-3, CSM-4), proved empty, loaded in two packets
    with a supervisor (CSM-5): each of these is a step that somebody confirms.
    """
    counted = Counted.of(open_table())
    counted.ask(BeginCardChange, by="S1")
    unload(counted, ALL)
    counted.ask(EnterSort, by="D1", groups=WHOLE)
    counted.ask(CloseTable, by="S1")
    for step in (ConfirmShown, ConfirmMixed, ConfirmHandShuffled, ProveEmpty):
        counted.ask(step, by="D1")
    levels(counted, content=0)
    counted.wait(2)
    counted.tap("S1")
    counted.ask(BeginLoad, by="D1", packets=2)
    for _ in range(2):
        load_packet(counted, ALL // 2)
    assert len(counted.touches) == 13, counted.touches


def test_a_normal_round_without_a_done_key_is_none() -> None:
    counted = Counted.of(sensed(ENFORCING))
    for _ in range(2):
        deal_sensed(counted, 20)
        counted.wait(20)
        insert_sensed(counted, 20)
        counted.wait(20)
    assert len(counted.all_of(RoundEnded)) == 2
    assert counted.touches == []
