"""Cards of a round that do not come: the hopper is empty, and the return has not ended (CSM-10).

Mostly they lie in the dealer's hand or in the tray. But two that stuck together were counted as one, and then nobody
has the card that the table waits for: somebody must look, and say how many lie outside.
"""

from __future__ import annotations

from drivers.events import PacketEnded
from tableside import alerts, locks, timers
from tableside.inputs import DeadlinePassed
from tableside.locks import Scope
from tableside.procedures.round_slice import RoundState, of
from tableside.tables import Row, Turn

# A dealer gathers and inserts within some 10 s; guests who talk take longer (assumed).
AWAITED_S = 60
TIMER = "round:awaited"
ALERT = "CARDS-AWAITED"


def over(turn: Turn) -> None:
    """They are in, or it is said where they are."""
    timers.cancel(turn, TIMER)
    alerts.clear_alert(turn, ALERT, by=turn.by, why="inserted or held over")


def _await(turn: Turn, _what: PacketEnded | DeadlinePassed) -> None:
    timers.start(turn, TIMER, AWAITED_S)


def _is_due(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == TIMER


def _are_kept_out(turn: Turn, what: DeadlinePassed) -> bool:
    """Whatever holds feeding has its own alert, or a count runs."""
    return _is_due(turn, what) and bool(locks.standing(turn.state, Scope.FEED))


def _call(turn: Turn, _what: DeadlinePassed) -> None:
    rounds = of(turn)
    alerts.raise_alert(turn, ALERT, n=str(rounds.to_return - rounds.returned))


S = RoundState.RETURNING
ROWS = (
    Row(S, PacketEnded, None, _await, rule="CSM-10", said="hopper empty"),
    Row(S, DeadlinePassed, None, _await, _are_kept_out, rule="CSM-10", said="kept out"),
    Row(S, DeadlinePassed, None, _call, _is_due, rule="CSM-10", said="cards awaited"),
)
