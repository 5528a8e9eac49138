"""What calls people at the section's other tables: what falls silent here with it calls nobody again (causes.py)."""

from __future__ import annotations

from enum import StrEnum

from msgspec.structs import replace

from tableside import alerts
from tableside.inputs import AlertElsewhere, AlertElsewhereGone
from tableside.tables import Procedure, Row, Turn


class CauseState(StrEnum):
    """No states of its own: an alert elsewhere stands or not."""

    ANY = "any"


def _stands(turn: Turn, what: AlertElsewhere) -> None:
    known = turn.state.alerts.elsewhere
    turn.state = replace(turn.state, alerts=replace(turn.state.alerts, elsewhere=(*known, what.stands)))


def _gone(turn: Turn, what: AlertElsewhereGone) -> None:
    known = turn.state.alerts.elsewhere
    left = tuple(one for one in known if (one.table, one.alert) != (what.table, what.alert))
    turn.state = replace(turn.state, alerts=replace(turn.state.alerts, elsewhere=left))
    for one in known:
        if one not in left:
            alerts.call_rider(turn, one.name)


A = CauseState.ANY
PROCEDURE = Procedure(
    name="one cause",
    rule="CSM-8",
    states=CauseState,
    read=lambda _state, _what: CauseState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, AlertElsewhere, None, _stands, said="another table calls"),
        Row(A, AlertElsewhereGone, None, _gone, said="it calls no more"),
    ),
    next_step={A: "see to the alert at the other table"},
)
