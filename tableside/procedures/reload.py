"""An incident reload: the machine is emptied, proved empty and loaded anew in the middle of a session (semantics §4).

Floor supervisor and room management begin it together, it names the incident, and the jurisdiction may forbid it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import devices, incidents, presence
from tableside.card_account import MACHINE
from tableside.counted import counted
from tableside.happenings import ClosingAnnounced
from tableside.house import Role
from tableside.presence import Operation
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.procedures.session import SessionState, is_between_rounds, state_of
from tableside.refusals import refusal
from tableside.requests import BeginIncidentReload
from tableside.session_happenings import (
    LoadCompleted,
    LoadWanted,
    ReloadCompleted,
    ReloadStarted,
    UnloadCompleted,
    UnloadWanted,
)
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    pass

RULE = "CSM-5"
KIND = "incident"


class ReloadState(StrEnum):
    """Where the reload stands."""

    NONE = "none"
    EMPTYING = "emptying"
    LOADING = "loading"


class ReloadSlice(msgspec.Struct, frozen=True):
    """The incident that it is made for, and in how many packets."""

    state: ReloadState = ReloadState.NONE
    incident: int = 0
    packets: int = 0

    @property
    def is_under_way(self) -> bool:
        """Between its beginning and its end."""
        return self.state is not ReloadState.NONE


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, reload=replace(procedures.reload, **changes)))


def _is_allowed(turn: Turn, _what: BeginIncidentReload) -> Refusal | None:
    law = turn.state.house.jurisdiction
    if law.incident_reload_allowed:
        return None
    return refusal("RELOAD-NOT-ALLOWED", law=law.name)


def _is_play(turn: Turn, _what: BeginIncidentReload) -> Refusal | None:
    state = state_of(turn.state)
    if state is not SessionState.OPEN:
        return refusal("RELOAD-NOT-NOW", state=state)
    if turn.state.procedures.hand_shoe.state is not HandShoeState.NONE:
        return refusal("HAND-SHOE-ON")
    if turn.state.procedures.swap.is_under_way:
        return refusal("SWAP-UNDER-WAY")
    return None


def is_incident_open(turn: Turn, what: BeginIncidentReload) -> Refusal | None:
    """Guard: it names an incident that is open."""
    if str(what.incident) in turn.state.incidents.open:
        return None
    return refusal("INCIDENT-NOT-OPEN-FOR", incident=what.incident)


def _in_packets(turn: Turn, what: BeginIncidentReload) -> Refusal | None:
    least = turn.state.house.min_packets
    if what.packets >= least:
        return None
    return refusal("RELOAD-FEW-PACKETS", packets=what.packets, least=least)


def _begin(turn: Turn, what: BeginIncidentReload) -> None:
    presence.begin(turn, Operation.RELOAD)
    put(turn, incident=what.incident, packets=what.packets)
    incidents.note(turn, what.incident, f"reload of {counted(turn.state.account.at(MACHINE), 'card')} begun")
    turn.happened(ReloadStarted(incident=what.incident, by=turn.by))
    turn.happened(UnloadWanted(kind=KIND, operation=Operation.RELOAD, device=devices.machine(turn.state)))


def _is_mine(_turn: Turn, what: UnloadCompleted | LoadCompleted) -> bool:
    return what.kind == KIND


def _load(turn: Turn, _what: UnloadCompleted) -> None:
    packets = turn.state.procedures.reload.packets
    machine = devices.machine(turn.state)
    turn.happened(LoadWanted(kind=KIND, operation=Operation.RELOAD, device=machine, packets=packets))


def _done(turn: Turn, what: LoadCompleted) -> None:
    number = turn.state.procedures.reload.incident
    incidents.note(turn, number, f"reloaded: {counted(what.cards, 'card')} in {counted(what.packets, 'packet')}")
    _end(turn)
    turn.happened(ReloadCompleted(incident=number, cards=what.cards))


def _give_up(turn: Turn, _what: ClosingAnnounced) -> None:
    incidents.note(turn, turn.state.procedures.reload.incident, "reload given up: closing is announced")
    _end(turn)


def _end(turn: Turn) -> None:
    presence.end(turn, Operation.RELOAD)
    put(turn, incident=0, packets=0)


S = ReloadState
PROCEDURE = Procedure(
    name="incident reload",
    rule=RULE,
    states=ReloadState,
    read=lambda state, _what: state.procedures.reload.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(
            S.NONE,
            BeginIncidentReload,
            S.EMPTYING,
            _begin,
            guards=(
                presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule=RULE),
                _is_allowed,
                _is_play,
                is_between_rounds,
                is_incident_open,
                _in_packets,
                presence.needs_two(Operation.RELOAD, RULE),
            ),
            said="the machine is emptied, then loaded anew",
        ),
        Row(S.EMPTYING, UnloadCompleted, S.LOADING, _load, _is_mine, said="proved empty"),
        Row(S.LOADING, LoadCompleted, S.NONE, _done, _is_mine, said="all cards in"),
        *(Row(state, ClosingAnnounced, S.NONE, _give_up, said="closing") for state in (S.EMPTYING, S.LOADING)),
    ),
    next_step={
        S.NONE: "floor supervisor and room management tap, then name the incident",
        S.EMPTYING: "wait until the machine is empty; tap again where presence lapses",
        S.LOADING: "load the packets",
    },
)
