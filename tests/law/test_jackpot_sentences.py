"""The table jackpot as a table holds it: a case for each sentence of the source (`002`, "Regras do prémio acumulado").

The arithmetic is in `test_jackpot`; here each case is played at a table of transitions and names its expected ruling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from drivers.events import PermitKind, Shown
from tableside.blackjack_requests import TellSeats
from tableside.games.blackjack import Choice
from tableside.inputs import DaemonStarted
from tableside.jackpot.settings import mistakes
from tableside.jackpot_happenings import ChipRefused, JackpotClaimed, JackpotPaid, JackpotRaised, JackpotSettingsGiven
from tableside.jackpot_requests import WhyNoBet
from tableside.locks import Scope, standing
from tableside.procedures.jackpot_bets import BetState
from tableside.procedures.jackpot_slice import JackpotState, due
from tableside.requests import ClaimJackpot, EndRound, MarkBets, PayJackpot, RefuseChip
from tests.law.jackpot_table import SETTINGS
from tests.support.blackjack import READ
from tests.support.jackpot import HOUSE_WITH_SLOTS, JackpotTable, locked, taking
from tests.support.session import open_table
from tests.unit.test_jackpot import (
    FOUR_ACES,
    HOUSE_WITH_JACKPOT,
    TWO_ACES,
    deal,
    jackpot_table,
    shown,
    state_of,
    won,
)
from tests.unit.test_jackpot_sensed import ACES, played

SENTENCES = 18
_DEAL = PermitKind.DEAL
WITH_SLOTS = replace(HOUSE_WITH_SLOTS, jackpot=SETTINGS, chip_value=SETTINGS.bet)


def _slots() -> JackpotTable:
    """A table whose slots take bets on a jackpot of its own."""
    with patch("tests.support.session.Table", JackpotTable):
        table = open_table(WITH_SLOTS)
    assert isinstance(table, JackpotTable)
    table.slots_ready()
    return table


@dataclass(frozen=True)
class Case:
    """One sentence, by its place in the chapter; what it asks for, in our words; the case."""

    sentence: int
    rule: str
    says: str
    holds: Callable[[], None]


CASES: list[Case] = []


def sentence(number: int, rule: str, says: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def keep(holds: Callable[[], None]) -> Callable[[], None]:
        CASES.append(Case(number, rule, says, holds))
        return holds

    return keep


@sentence(1, "JP-1", "the house may have it or not: a table without one refuses its acts and plays on")
def _() -> None:
    table = open_table()
    assert state_of(table) is JackpotState.NONE
    assert not table.ask(MarkBets, by="D1", seats=(1,)).is_accepted
    deal(table)
    assert table.ask(EndRound, by="D1").is_accepted


@sentence(2, "JP-1", "nobody has to bet on it: a round without a jackpot bet is dealt and ended as any other")
def _() -> None:
    table = jackpot_table()
    deal(table)
    assert table.ask(EndRound, by="D1").is_accepted
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start)


@sentence(3, "JP-2", "bet, increment and conditions are approved; others count from the next jackpot on, on record")
def _() -> None:
    table = won((5, FOUR_ACES))
    other = replace(SETTINGS, increment=5_000, approved_by="dispatch 13")
    table.give(DaemonStarted(house=replace(HOUSE_WITH_JACKPOT, jackpot=other), version="1", clock_boot="boot-1"))
    assert [given.approved_by for given in table.all_of(JackpotSettingsGiven)] == ["dispatch 13"]
    assert table.state.procedures.jackpot.settings == SETTINGS
    assert table.ask(PayJackpot, seats=(5,), amounts=(SETTINGS.start + 75,)).is_accepted
    assert table.state.procedures.jackpot.settings == other


@sentence(3, "JP-2", "settings that nobody has approved are none")
def _() -> None:
    (found,) = mistakes(replace(SETTINGS, approved_by=" "), frozenset({"EUR"}))
    assert found.key == "approved_by"


@sentence(4, "JP-3", "automatic marking: a chip in a slot raises the display without anybody's entry")
def _() -> None:
    table = _slots()
    table.chip(2)
    table.lock_bets()
    table.levels()
    table.collected(1)
    assert [raised.shown for raised in table.all_of(JackpotRaised)] == [SETTINGS.start + 75]


@sentence(5, "JP-3", "the dealer's word sets off the collection, which goes by itself")
def _() -> None:
    table = taking()
    table.chip(2)
    table.lock_bets()
    table.levels()
    assert table.bets is BetState.COLLECTING


@sentence(6, "JP-4", "manual marking: the dealer's entry raises the display, before the deal only")
def _() -> None:
    table = jackpot_table()
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 75)
    other = jackpot_table()
    deal(other)
    assert other.ask(MarkBets, by="D1", seats=(2,)).rule == "JP-11"


@sentence(7, "JP-4", "markers say later who has bet: a seat without one claims nothing")
def _() -> None:
    table = jackpot_table()
    table.ask(MarkBets, by="D1", seats=(2,))
    deal(table)
    assert table.ask(ClaimJackpot, by="D1", seat=3, cards=TWO_ACES).rule == "JP-8"
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=TWO_ACES).is_accepted


@sentence(8, "JP-5", "only so many first cards count as are set, those of split pairs included")
def _() -> None:
    table = jackpot_table()
    table.ask(MarkBets, by="D1", seats=(2,))
    deal(table)
    late = ("9S", "5S", "AS", "AH")
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=late).rule == "JP-6", "the aces did not come first"
    split = played(READ, ACES, 1)
    split.choose(1, Choice.SPLIT)
    split.card(1, "A♣", hand=1)
    assert split.ask(ClaimJackpot, seat=1, cards=("AC", "AC")).is_accepted
    assert split.all_of(JackpotClaimed)[-1].prize == "suited aces"


@sentence(9, "JP-6", "combinations and shares are those that were approved, paid whatever became of the main bet")
def _() -> None:
    bench = played(READ, ACES, 1)
    for _ in range(2):
        bench.choose(1, Choice.DRAW)
        bench.card(1, "K♣")  # the main bet is lost above 21
    assert bench.ask(ClaimJackpot, seat=1, cards=()).is_accepted
    assert [payout.amount for payout in due(bench.table.state)] == [5_000]


@sentence(10, "JP-7", "it starts at ten thousand bets at least")
def _() -> None:
    (found,) = mistakes(replace(SETTINGS, start=10_000 * SETTINGS.bet - 1), frozenset({"EUR"}))
    assert (found.key, found.allowed) == ("start", f"at least {10_000 * SETTINGS.bet}")


@sentence(11, "JP-8", "who has no main bet may not play it: markers are refused, and a chip goes back")
def _() -> None:
    table = open_table(replace(READ, jackpot=SETTINGS))
    table.ask(TellSeats, by="D1", seats=(1,))
    assert table.ask(MarkBets, by="D1", seats=(1, 2)).rule == "JP-8"
    assert table.ask(RefuseChip, by="D1", seat=2, chip=WhyNoBet.NO_MAIN_BET).is_accepted
    assert [refused.rule for refused in table.all_of(ChipRefused)] == ["JP-8"]


@sentence(12, "JP-9", "it is decided by the first cards alone: later ones neither make nor spoil it")
def _() -> None:
    bench = played(READ, ACES, 1)
    for face in ("K♣", "Q♣"):
        bench.choose(1, Choice.DRAW)
        bench.card(1, face)
    assert bench.ask(ClaimJackpot, seat=1, cards=()).is_accepted
    assert bench.all_of(JackpotClaimed)[-1].prize == "two aces"


@sentence(13, "JP-10", "one chip a player and round, of the set value: any other goes back and none counts twice")
def _() -> None:
    table = jackpot_table()
    assert table.ask(MarkBets, by="D1", seats=(2, 2)).rule == "JP-10"
    for why in (WhyNoBet.SECOND, WhyNoBet.VALUE):
        assert table.ask(RefuseChip, by="D1", seat=2, chip=why).is_accepted
    assert [refused.rule for refused in table.all_of(ChipRefused)] == ["JP-10", "JP-10"]
    assert table.all_of(JackpotRaised) == []


@sentence(14, "JP-11", "bets lie there before the deal: one that comes after the lock is no bet, and somebody looks")
def _() -> None:
    table = locked()
    before = table.state.procedures.jackpot_bets.seats
    table.chip(5)
    assert table.state.procedures.jackpot_bets.seats == before
    assert table.in_doubt


@sentence(15, "JP-11", "no more bets, chips taken away, then the cards: none leaves before")
def _() -> None:
    table = taking()
    table.chip(2)
    assert not table.stands("shuffler", _DEAL)
    table.lock_bets()
    assert not table.stands("shuffler", _DEAL), "the chips lie there still"
    table.levels()
    table.collected(1)
    assert table.stands("shuffler", _DEAL)


@sentence(16, "JP-12", "winning cards stay open until they are paid, and are collected only then")
def _() -> None:
    table = won((2, TWO_ACES))
    assert standing(table.state, Scope.FEED)
    assert table.ask(EndRound, by="D1").rule == "JP-12"
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert not standing(table.state, Scope.FEED)
    assert table.ask(EndRound, by="D1").is_accepted


@sentence(16, "JP-12", "and they do although nobody has claimed them, where cards are known")
def _() -> None:
    bench = played(READ, ACES, 1)
    for seat in (1, 3):
        bench.choose(seat, Choice.STAND)
    bench.turn("7♥")
    assert bench.ask(EndRound).rule == "JP-12"


@sentence(17, "JP-13", "prizes are paid from the lowest to the highest, and the top takes what is left")
def _() -> None:
    table = won((2, TWO_ACES), (5, FOUR_ACES))
    rest = SETTINGS.start + 150 - 5_000
    assert [(payout.win.seat, payout.amount) for payout in due(table.state)] == [(2, 5_000), (5, rest)]
    wrong = table.ask(PayJackpot, seats=(2, 5), amounts=(5_000, rest + 1))
    assert (wrong.is_accepted, wrong.rule) == (False, "JP-13")
    assert table.ask(PayJackpot, seats=(2, 5), amounts=(5_000, rest)).is_accepted


@sentence(18, "JP-13", "several with the top combination divide it, or what is left of it")
def _() -> None:
    table = won((2, TWO_ACES), (3, FOUR_ACES), (5, FOUR_ACES))
    left = SETTINGS.start + 225 - 5_000
    assert [payout.amount for payout in due(table.state)] == [5_000, (left + 1) // 2, left // 2]
    amounts = tuple(payout.amount for payout in due(table.state))
    assert table.ask(PayJackpot, seats=(2, 3, 5), amounts=amounts).is_accepted
    assert sum(table.all_of(JackpotPaid)[-1].amounts) == SETTINGS.start + 225


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.sentence}-{case.says[:40]}" for case in CASES])
def test_jp_each_sentence_is_held_at_the_table(case: Case) -> None:
    case.holds()


def test_no_sentence_and_no_rule_is_left_out() -> None:
    assert {case.sentence for case in CASES} == set(range(1, SENTENCES + 1))
    assert {case.rule for case in CASES} == {f"JP-{number}" for number in range(1, 14)}
