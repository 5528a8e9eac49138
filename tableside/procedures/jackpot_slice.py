"""The state of the table's own jackpot, for its procedure and for those that wait for it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from tableside.jackpot.meters import Meters
from tableside.jackpot.settings import JackpotSettings
from tableside.jackpot.wins import Payout, Win, pay_out
from tableside.tables import Refusal, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class JackpotState(StrEnum):
    """How the jackpot stands."""

    NONE = "no jackpot"
    RUNNING = "running"
    PENDING = "win is checked"


class JackpotSlice(msgspec.Struct, frozen=True):
    """`settings` in force: others of the house wait for the next start. `bettors` of the round whose bets stand.

    `value` locked at the hit, and the `wins` of that round that are not paid yet.
    """

    settings: JackpotSettings | None = None
    meters: Meters | None = None
    bettors: tuple[int, ...] = ()
    value: int = 0
    wins: tuple[Win, ...] = ()

    @property
    def state(self) -> JackpotState:
        """It runs where it is set, and a win that nobody has paid or denied is checked."""
        if self.settings is None:
            return JackpotState.NONE
        return JackpotState.PENDING if self.wins else JackpotState.RUNNING


def due(state: TableState) -> tuple[Payout, ...]:
    """What is to be paid, lowest first (JP-13)."""
    jackpot = state.procedures.jackpot
    if jackpot.settings is None or not jackpot.wins:
        return ()
    return pay_out(jackpot.settings, jackpot.value, jackpot.wins).payouts


def is_paid_first(turn: Turn, _what: object) -> Refusal | None:
    """JP-12: the round of a win is not closed before the win is paid or denied."""
    if turn.state.procedures.jackpot.state is not JackpotState.PENDING:
        return None
    owed = "; ".join(f"seat {payout.win.seat}: {payout.amount}" for payout in due(turn.state))
    return Refusal("JP-12", f"a jackpot win is not paid: {owed}", "leave the cards open; pay the win, or deny it")
