"""Which jackpot chips are no bets, and why: without main bet, second, of another value, late (JP-8, JP-10, JP-11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drivers.events import ChipReturn
from tableside import alerts
from tableside.jackpot_happenings import ChipRefused
from tableside.jackpot_requests import WhyNoBet
from tableside.refusals import refusal
from tableside.tables import Refusal, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULES = {
    WhyNoBet.NO_MAIN_BET: "JP-8",
    WhyNoBet.SECOND: "JP-10",
    WhyNoBet.VALUE: "JP-10",
    WhyNoBet.LATE: "JP-11",
    WhyNoBet.UNKNOWN: "JP-10",
}
OF_SLOTS = {
    ChipReturn.LATE: WhyNoBet.LATE,
    ChipReturn.SECOND: WhyNoBet.SECOND,
    ChipReturn.VALUE: WhyNoBet.VALUE,
    ChipReturn.UNREAD: WhyNoBet.UNKNOWN,
    ChipReturn.UNKNOWN: WhyNoBet.UNKNOWN,
}
BACK_TEXT = "CHIP-BACK"


def main_bets(state: TableState) -> frozenset[int] | None:
    """The seats with a main bet in the round to come; None where nobody has told them."""
    kept = state.procedures.blackjack.kept
    is_told = state.house.blackjack is not None and kept is not None and not state.procedures.blackjack.is_ended
    return frozenset(kept.seats) if is_told and kept is not None else None


def without_main_bet(state: TableState, seats: tuple[int, ...]) -> tuple[int, ...]:
    """Those that may not play the jackpot, as far as main bets are told (JP-8)."""
    told = main_bets(state)
    return () if told is None else tuple(seat for seat in seats if seat not in told)


def refuse(turn: Turn, seat: int, why: WhyNoBet, *, is_given_back: bool) -> None:
    """It counts for nothing. Where it still lies in a box or slot, the dealer hands it back."""
    turn.happened(
        ChipRefused(seat=seat, why=why.value, rule=RULES[why], is_given_back=is_given_back, by=turn.by),
    )
    if not is_given_back:
        alerts.raise_alert(turn, BACK_TEXT, f"seat {seat}", seat=str(seat))


def that_count(turn: Turn, seats: tuple[int, ...]) -> tuple[int, ...]:
    """At the lock: the bets that stand. A chip without main bet is given back (JP-8)."""
    wrong = without_main_bet(turn.state, seats)
    for seat in wrong:
        refuse(turn, seat, WhyNoBet.NO_MAIN_BET, is_given_back=False)
    return tuple(seat for seat in seats if seat not in wrong)


def have_main_bets(turn: Turn, seats: tuple[int, ...]) -> Refusal | None:
    """Markers that the dealer enters (JP-8)."""
    wrong = without_main_bet(turn.state, seats)
    if not wrong:
        return None
    return refusal("NO-MAIN-BET", seats=", ".join(map(str, wrong)))
