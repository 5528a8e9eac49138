"""Warning lamps of their own: one that does not show what it shall is the technician's; play goes on without it."""

from __future__ import annotations

from enum import StrEnum

from drivers.events import LampShowed, LampTroubled
from tableside import alerts, lamp
from tableside.tables import Procedure, Row, Turn

LOST = "LAMP-LOST"
RULE = "CSM-2"


class WarningLampState(StrEnum):
    """Lamps have no states of their own: what they shall show is derived from the alerts (tableside/lamp.py)."""

    ANY = "any"


def _is_lamp(turn: Turn, what: LampShowed | LampTroubled) -> bool:
    return lamp.is_lamp(turn.state, what.device)


def _troubled(turn: Turn, what: LampTroubled) -> None:
    """Its driver goes on trying, and the hub's renewals say the goal again: nothing is decided here."""
    if f"{LOST}:{what.device}" not in turn.state.alerts.standing:
        alerts.raise_alert(turn, LOST, what.device)


def _showed(turn: Turn, what: LampShowed) -> None:
    """Red and blinking by itself is no trouble: so a lamp looks that nobody has told anything yet."""
    if turn.state.lamps.get(what.device) == (what.colour, what.pattern):
        alerts.clear_alert(turn, LOST, what.device, by=what.device, why="shows what it shall")


A = WarningLampState.ANY
PROCEDURE = Procedure(
    name="warning lamps",
    rule=RULE,
    states=WarningLampState,
    read=lambda _state, _what: WarningLampState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, LampTroubled, None, _troubled, _is_lamp, said="not what it was told"),
        Row(A, LampTroubled, None, said="no lamp of this table"),
        Row(A, LampShowed, None, _showed, _is_lamp, said="as it was told"),
        Row(A, LampShowed, None, said="no lamp of this table"),
    ),
    next_step={A: "see that the lamps show what stands"},
)
