"""Incidents: what must be explained. Numbered through the journal's life; closed by a named act."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from tableside.decisions import IncidentClosed, IncidentNoted, IncidentOpened
from tableside.tables import Turn


class Incident(msgspec.Struct, frozen=True):
    number: int
    kind: str
    rule: str
    text: str
    since_wall_ns: int


class Incidents(msgspec.Struct, frozen=True):
    """The open ones by number (as text), and how many there were."""

    last: int = 0
    open: dict[str, Incident] = {}


def open_incident(turn: Turn, kind: str, rule: str, text: str) -> int:
    """Open one; returns its number."""
    number = turn.state.incidents.last + 1
    incident = Incident(number, kind, rule, text, turn.given.wall_ns)
    turn.state = replace(turn.state, incidents=Incidents(number, {**turn.state.incidents.open, str(number): incident}))
    turn.decide(IncidentOpened(number=number, kind=kind, rule=rule, text=text))
    return number


def note(turn: Turn, number: int, text: str) -> None:
    """Add to a standing incident's record."""
    turn.decide(IncidentNoted(number=number, text=text, by=turn.by))


def close(turn: Turn, number: int, text: str, by: str) -> None:
    """Close one where it is open."""
    if str(number) in turn.state.incidents.open:
        rest = {key: value for key, value in turn.state.incidents.open.items() if key != str(number)}
        turn.state = replace(turn.state, incidents=Incidents(turn.state.incidents.last, rest))
        turn.decide(IncidentClosed(number=number, text=text, by=by))


def of_kind(turn: Turn, kind: str) -> tuple[Incident, ...]:
    """The open incidents of one kind."""
    return tuple(incident for incident in turn.state.incidents.open.values() if incident.kind == kind)
