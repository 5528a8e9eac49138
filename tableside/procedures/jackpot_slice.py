"""The state of the table's jackpot, for its procedure and for those that wait for it.

Where the money of the jackpot is kept is told apart here: in the table's own meters, or in the ledger of linked tables.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from tableside.jackpot.linked import Entry, Hit, Standing
from tableside.jackpot.meters import Meters
from tableside.jackpot.settings import JackpotSettings
from tableside.jackpot.wins import Payout, Win, pay_out
from tableside.refusals import refusal
from tableside.tables import Refusal, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class JackpotState(StrEnum):
    """How the jackpot stands."""

    NONE = "no jackpot"
    RUNNING = "running"
    PENDING = "win is checked"


class LedgerState(StrEnum):
    """How the table stands with the ledger of linked tables."""

    NONE = "no ledger"
    AWAY = "away"
    HERE = "connected"


class JackpotSlice(msgspec.Struct, frozen=True):
    """`settings` in force: others of the house wait for the next start. `bettors` of the round whose bets stand.

    `meters` of the main level and `levels` of the others, where the table keeps them itself. `values` of each level
    locked at the hit, and the `wins` of that round that are not paid yet; `is_won`: guests read *won* until the round
    is over. `sensed`: wins of this round that cards which are known have shown.
    `given`: settings that wait for the next start, told once.
    """

    settings: JackpotSettings | None = None
    meters: Meters | None = None
    levels: dict[str, Meters] = {}
    bettors: tuple[int, ...] = ()
    values: dict[str, int] = {}
    wins: tuple[Win, ...] = ()
    is_won: bool = False
    sensed: tuple[Win, ...] = ()
    given: JackpotSettings | None = None

    @property
    def state(self) -> JackpotState:
        """It runs where it is set, and a win that nobody has paid or denied is checked."""
        if self.settings is None:
            return JackpotState.NONE
        return JackpotState.PENDING if self.wins else JackpotState.RUNNING


class LedgerSlice(msgspec.Struct, frozen=True):
    """`outbox`: what the ledger has not acknowledged, in order. `standing`: how it stood when it was last heard.

    `entries` and `hits` count for ever: they make the ids. `hit_id` of the present hit, the `version` of its claims,
    and the ledger's last word on it.
    """

    state: LedgerState = LedgerState.NONE
    why: str = ""
    standing: Standing | None = None
    outbox: tuple[Entry, ...] = ()
    entries: int = 0
    hits: int = 0
    hit_id: str = ""
    version: int = 0
    hit: Hit | None = None


def is_linked(state: TableState) -> bool:
    """Whether the jackpot's money stands in a ledger."""
    return state.procedures.jackpot_ledger.state is not LedgerState.NONE


def is_untold(state: TableState) -> bool:
    """The ledger has not said yet what the present wins come to."""
    ledger = state.procedures.jackpot_ledger
    return is_linked(state) and (ledger.hit is None or ledger.hit.version != ledger.version)


def due(state: TableState) -> tuple[Payout, ...]:
    """What is to be paid, lowest first (JP-13); nothing while only the ledger could say."""
    jackpot = state.procedures.jackpot
    if jackpot.settings is None or not jackpot.wins or is_untold(state):
        return ()
    hit = state.procedures.jackpot_ledger.hit
    return pay_out(jackpot.settings, jackpot.values, jackpot.wins).payouts if hit is None else hit.payouts


def shown(state: TableState) -> int | None:
    """What the displays show while no win is checked; None where it is not known."""
    jackpot, ledger = state.procedures.jackpot, state.procedures.jackpot_ledger
    if jackpot.meters is not None:
        return jackpot.meters.shown
    return ledger.standing.value if ledger.state is LedgerState.HERE and ledger.standing is not None else None


def is_paid_first(turn: Turn, _what: object) -> Refusal | None:
    """JP-12: the round of a win is not closed before the win is paid or denied."""
    if turn.state.procedures.jackpot.state is not JackpotState.PENDING:
        return None
    owed = "; ".join(f"seat {payout.win.seat}: {payout.amount}" for payout in due(turn.state))
    return refusal("JACKPOT-UNPAID", owed=owed or "the ledger has not said what is due")
