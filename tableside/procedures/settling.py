"""Incidents that no procedure ends: a person says, under his name, what it was (design rule 7)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from tableside import alerts, incidents, locks, presence, unexpected
from tableside.happenings import CountWanted
from tableside.house import Role
from tableside.procedures import (
    card_identities,
    defects,
    exchange,
    hand_shoe_dealing,
    jackpot,
    jackpot_ledger,
    shoe,
)
from tableside.refusals import refusal
from tableside.requests import SettleIncident
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

# Kind of incident → the alert that stands for it, empty where none does. All others end with what they ask for.
BY_PERSON: Mapping[str, str] = {
    "unexpected": "UNEXPECTED",
    unexpected.OUT_OF_ROUND: unexpected.OUT_OF_ROUND_TEXT,
    "dealt while stopped": "DEALT-WHILE-STOPPED",
    "dealt before the lock": "DEALT-BEFORE-LOCK",
    "notices lost": "NOTICES-LOST",
    "wrong device": "",
    "device lost its memory": "",
    shoe.OUT_OF_ORDER: shoe.ORDER_TEXT,
    shoe.OUTSIDE: shoe.OUTSIDE_TEXT,
    shoe.RESTARTED: shoe.RESTARTED_TEXT,
    shoe.ERROR: "",
    hand_shoe_dealing.STRAY_INCIDENT: hand_shoe_dealing.STRAY,
    defects.MISSING: defects.MISSING_TEXT,
    exchange.INCIDENT: "",
    card_identities.UNOPENED: "",
    jackpot_ledger.UNFIT: "",
    jackpot.LEVELS: "",
}
# After these the cards are counted: the alert says so.
COUNTED_AFTER = frozenset({"unexpected", unexpected.OUT_OF_ROUND})


class SettlingState(StrEnum):
    """Derived: whether an incident waits for a person's word."""

    NOTHING = "nothing waits"
    WAITING = "incidents wait"


def read(state: TableState, _what: object) -> SettlingState:
    """Derived status cannot drift."""
    waits = any(incident.kind in BY_PERSON for incident in state.incidents.open.values())
    return SettlingState.WAITING if waits else SettlingState.NOTHING


def _is_for_a_person(turn: Turn, what: SettleIncident) -> Refusal | None:
    incident = turn.state.incidents.open.get(str(what.incident))
    if incident is None:
        return refusal("INCIDENT-NOT-OPEN", incident=what.incident, incidents=_waiting(turn))
    if incident.kind not in BY_PERSON:
        return refusal("INCIDENT-OTHERWISE", rule=incident.rule, kind=incident.kind)
    if not what.finding.strip():
        return refusal("FINDING-MISSING", rule=incident.rule)
    return None


def _waiting(turn: Turn) -> str:
    waiting = [number for number, incident in turn.state.incidents.open.items() if incident.kind in BY_PERSON]
    return ", ".join(waiting) or "none that waits for a word"


def _settle(turn: Turn, what: SettleIncident) -> None:
    incident = turn.state.incidents.open[str(what.incident)]
    incidents.close(turn, incident.number, what.finding, turn.by)
    locks.remove_all(turn, unexpected.lock_reason(incident.number), turn.by)
    if incident.kind in COUNTED_AFTER:
        turn.happened(CountWanted(why="unexpected"))  # what the alert says: settle, count
    text = BY_PERSON[incident.kind]
    is_last = not incidents.of_kind(turn, incident.kind)
    for alert in tuple(turn.state.alerts.standing.values()):
        if alert.text == text and (alert.place == str(incident.number) or is_last):
            alerts.clear_alert(turn, text, alert.place, by=turn.by, why=what.finding)


DECIDER = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule="CSM-8")
S = SettlingState
PROCEDURE = Procedure(
    name="settling",
    rule="CSM-8",
    states=SettlingState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=tuple(
        Row(state, SettleIncident, None, _settle, guards=(DECIDER, _is_for_a_person), said="settled") for state in S
    ),
    next_step={
        S.NOTHING: "no incident waits for a word",
        S.WAITING: "floor supervisor: say what each open incident was",
    },
)
