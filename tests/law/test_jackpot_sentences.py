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
from tableside.decisions import RequestAnswered
from tableside.games.blackjack import Choice
from tableside.inputs import DaemonStarted
from tableside.jackpot.settings import JackpotSettings, mistakes
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
from tests.support.table import Table
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
    """One sentence of a source, by its place in the chapter; what it asks for, in our words; the ruling; the case."""

    source: str
    sentence: int
    rule: str
    says: str
    ruling: object
    happens: Callable[[], object]


CASES: list[Case] = []


def sentence(number: int, rule: str, says: str, ruling: object) -> Callable[[Callable[[], object]], object]:
    """A case of source `002`, *Regras do prémio acumulado*."""

    def keep(happens: Callable[[], object]) -> Callable[[], object]:
        CASES.append(Case("002", number, rule, says, ruling, happens))
        return happens

    return keep


def _said(answer: RequestAnswered) -> str:
    return "accepted" if answer.is_accepted else f"refused: {answer.rule}"


def _settings(table: Table) -> JackpotSettings:
    settings = table.state.procedures.jackpot.settings
    assert settings is not None
    return settings


@sentence(1, "JP-1", "the house may have it or not: a table without one refuses its acts and plays on", "accepted")
def _() -> object:
    table = open_table()
    assert state_of(table) is JackpotState.NONE
    assert not table.ask(MarkBets, by="D1", seats=(1,)).is_accepted
    deal(table)
    return _said(table.ask(EndRound, by="D1"))


@sentence(
    2,
    "JP-1",
    "nobody has to bet on it: a round without a jackpot bet is dealt and ended as any other",
    (Shown.AMOUNT, SETTINGS.start),
)
def _() -> object:
    table = jackpot_table()
    deal(table)
    assert table.ask(EndRound, by="D1").is_accepted
    return shown(table)


@sentence(
    3, "JP-2", "bet, increment and conditions are approved; others count from the next jackpot on, on record", 5_000
)
def _() -> object:
    table = won((5, FOUR_ACES))
    other = replace(SETTINGS, increment=5_000, approved_by="dispatch 13")
    table.give(DaemonStarted(house=replace(HOUSE_WITH_JACKPOT, jackpot=other), version="1", clock_boot="boot-1"))
    assert [given.approved_by for given in table.all_of(JackpotSettingsGiven)] == ["dispatch 13"]
    assert table.state.procedures.jackpot.settings == SETTINGS
    assert table.ask(PayJackpot, seats=(5,), amounts=(SETTINGS.start + 75,)).is_accepted
    return _settings(table).increment


@sentence(3, "JP-2", "settings that nobody has approved are none", "approved_by")
def _() -> object:
    (found,) = mistakes(replace(SETTINGS, approved_by=" "), frozenset({"EUR"}))
    return found.key


@sentence(
    4, "JP-3", "automatic marking: a chip in a slot raises the display without anybody's entry", [SETTINGS.start + 75]
)
def _() -> object:
    table = _slots()
    table.chip(2)
    table.lock_bets()
    table.levels()
    table.collected(1)
    return [raised.shown for raised in table.all_of(JackpotRaised)]


@sentence(5, "JP-3", "the dealer's word sets off the collection, which goes by itself", BetState.COLLECTING)
def _() -> object:
    table = taking()
    table.chip(2)
    table.lock_bets()
    table.levels()
    return table.bets


@sentence(6, "JP-4", "manual marking: the dealer's entry raises the display, before the deal only", "JP-11")
def _() -> object:
    table = jackpot_table()
    assert table.ask(MarkBets, by="D1", seats=(2,)).is_accepted
    assert shown(table) == (Shown.AMOUNT, SETTINGS.start + 75)
    other = jackpot_table()
    deal(other)
    return other.ask(MarkBets, by="D1", seats=(2,)).rule


@sentence(7, "JP-4", "markers say later who has bet: a seat without one claims nothing", "accepted")
def _() -> object:
    table = jackpot_table()
    table.ask(MarkBets, by="D1", seats=(2,))
    deal(table)
    assert table.ask(ClaimJackpot, by="D1", seat=3, cards=TWO_ACES).rule == "JP-8"
    return _said(table.ask(ClaimJackpot, by="D1", seat=2, cards=TWO_ACES))


@sentence(8, "JP-5", "only so many first cards count as are set, those of split pairs included", "suited aces")
def _() -> object:
    table = jackpot_table()
    table.ask(MarkBets, by="D1", seats=(2,))
    deal(table)
    late = ("9S", "5S", "AS", "AH")
    assert table.ask(ClaimJackpot, by="D1", seat=2, cards=late).rule == "JP-6", "the aces did not come first"
    split = played(READ, ACES, 1)
    split.choose(1, Choice.SPLIT)
    split.card(1, "A♣", hand=1)
    assert split.ask(ClaimJackpot, seat=1, cards=("AC", "AC")).is_accepted
    return split.all_of(JackpotClaimed)[-1].prize


@sentence(
    9, "JP-6", "combinations and shares are those that were approved, paid whatever became of the main bet", [5_000]
)
def _() -> object:
    bench = played(READ, ACES, 1)
    for _ in range(2):
        bench.choose(1, Choice.DRAW)
        bench.card(1, "K♣")  # the main bet is lost above 21
    assert bench.ask(ClaimJackpot, seat=1, cards=()).is_accepted
    return [payout.amount for payout in due(bench.table.state)]


@sentence(10, "JP-7", "it starts at ten thousand bets at least", ("start", f"at least {10_000 * SETTINGS.bet}"))
def _() -> object:
    (found,) = mistakes(replace(SETTINGS, start=10_000 * SETTINGS.bet - 1), frozenset({"EUR"}))
    return found.key, found.allowed


@sentence(11, "JP-8", "who has no main bet may not play it: markers are refused, and a chip goes back", ["JP-8"])
def _() -> object:
    table = open_table(replace(READ, jackpot=SETTINGS))
    table.ask(TellSeats, by="D1", seats=(1,))
    assert table.ask(MarkBets, by="D1", seats=(1, 2)).rule == "JP-8"
    assert table.ask(RefuseChip, by="D1", seat=2, chip=WhyNoBet.NO_MAIN_BET).is_accepted
    return [refused.rule for refused in table.all_of(ChipRefused)]


@sentence(12, "JP-9", "it is decided by the first cards alone: later ones neither make nor spoil it", "two aces")
def _() -> object:
    bench = played(READ, ACES, 1)
    for face in ("K♣", "Q♣"):
        bench.choose(1, Choice.DRAW)
        bench.card(1, face)
    assert bench.ask(ClaimJackpot, seat=1, cards=()).is_accepted
    return bench.all_of(JackpotClaimed)[-1].prize


@sentence(
    13,
    "JP-10",
    "one chip a player and round, of the set value: any other goes back and none counts twice",
    ["JP-10", "JP-10"],
)
def _() -> object:
    table = jackpot_table()
    assert table.ask(MarkBets, by="D1", seats=(2, 2)).rule == "JP-10"
    for why in (WhyNoBet.SECOND, WhyNoBet.VALUE):
        assert table.ask(RefuseChip, by="D1", seat=2, chip=why).is_accepted
    assert table.all_of(JackpotRaised) == []
    return [refused.rule for refused in table.all_of(ChipRefused)]


@sentence(
    14, "JP-11", "bets lie there before the deal: one that comes after the lock is no bet, and somebody looks", True
)
def _() -> object:
    table = locked()
    before = table.state.procedures.jackpot_bets.seats
    table.chip(5)
    assert table.state.procedures.jackpot_bets.seats == before
    return bool(table.in_doubt)


@sentence(15, "JP-11", "no more bets, chips taken away, then the cards: none leaves before", True)
def _() -> object:
    table = taking()
    table.chip(2)
    assert not table.stands("shuffler", _DEAL)
    table.lock_bets()
    assert not table.stands("shuffler", _DEAL), "the chips lie there still"
    table.levels()
    table.collected(1)
    return table.stands("shuffler", _DEAL)


@sentence(16, "JP-12", "winning cards stay open until they are paid, and are collected only then", "accepted")
def _() -> object:
    table = won((2, TWO_ACES))
    assert standing(table.state, Scope.FEED)
    assert table.ask(EndRound, by="D1").rule == "JP-12"
    assert table.ask(PayJackpot, seats=(2,), amounts=(5_000,)).is_accepted
    assert not standing(table.state, Scope.FEED)
    return _said(table.ask(EndRound, by="D1"))


@sentence(16, "JP-12", "and they do although nobody has claimed them, where cards are known", "JP-12")
def _() -> object:
    bench = played(READ, ACES, 1)
    for seat in (1, 3):
        bench.choose(seat, Choice.STAND)
    bench.turn("7♥")
    return bench.ask(EndRound).rule


@sentence(
    17,
    "JP-13",
    "prizes are paid from the lowest to the highest, and the top takes what is left",
    [(2, 5_000), (5, SETTINGS.start + 150 - 5_000)],
)
def _() -> object:
    table = won((2, TWO_ACES), (5, FOUR_ACES))
    rest = SETTINGS.start + 150 - 5_000
    assert [(payout.win.seat, payout.amount) for payout in due(table.state)] == [(2, 5_000), (5, rest)]
    wrong = table.ask(PayJackpot, seats=(2, 5), amounts=(5_000, rest + 1))
    assert (wrong.is_accepted, wrong.rule) == (False, "JP-13")
    assert table.ask(PayJackpot, seats=(2, 5), amounts=(5_000, rest)).is_accepted
    paid = table.all_of(JackpotPaid)[-1]
    return list(zip((2, 5), paid.amounts, strict=True))


@sentence(18, "JP-13", "several with the top combination divide it, or what is left of it", SETTINGS.start + 225)
def _() -> object:
    table = won((2, TWO_ACES), (3, FOUR_ACES), (5, FOUR_ACES))
    left = SETTINGS.start + 225 - 5_000
    assert [payout.amount for payout in due(table.state)] == [5_000, (left + 1) // 2, left // 2]
    amounts = tuple(payout.amount for payout in due(table.state))
    assert table.ask(PayJackpot, seats=(2, 3, 5), amounts=amounts).is_accepted
    return sum(table.all_of(JackpotPaid)[-1].amounts)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.sentence}-{case.says[:40]}" for case in CASES])
def test_jp_each_sentence_is_held_at_the_table(case: Case) -> None:
    assert case.happens() == case.ruling


def test_no_sentence_and_no_rule_is_left_out() -> None:
    assert {case.sentence for case in CASES} == set(range(1, SENTENCES + 1))
    assert {case.rule for case in CASES} == {f"JP-{number}" for number in range(1, 14)}
