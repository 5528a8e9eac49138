"""What a machine swap is refused for (semantics §4)."""

from __future__ import annotations

from tableside import devices, presence
from tableside.house import Role
from tableside.presence import Operation
from tableside.procedures.hand_shoe_slice import HandShoeState
from tableside.procedures.session import SessionState, state_of
from tableside.procedures.swap_slice import of
from tableside.procedures.under_test import nothing_is_tested
from tableside.refusals import refusal
from tableside.requests import BeginSwap, CountedOut
from tableside.shoe_requests import BeginHandShoe
from tableside.tables import Refusal, Turn

RULE = "CSM-8"


def is_allowed(turn: Turn, _what: BeginSwap) -> Refusal | None:
    """Guard: the jurisdiction knows the swap."""
    law = turn.state.house.jurisdiction
    if law.swap_allowed:
        return None
    return refusal("SWAP-NOT-ALLOWED", law=law.name)


def is_play(turn: Turn, _what: BeginSwap) -> Refusal | None:
    """Guard: a session is open, and nothing else exchanges its cards."""
    state = state_of(turn.state)
    if state is not SessionState.OPEN:
        return refusal("SWAP-NOT-NOW", state=state)
    if turn.state.procedures.hand_shoe.state is not HandShoeState.NONE:
        return refusal("HAND-SHOE-ON")
    if turn.state.procedures.reload.is_under_way:
        return refusal("RELOAD-UNDER-WAY")
    return None


def is_incident_open(turn: Turn, what: BeginSwap | BeginHandShoe) -> Refusal | None:
    """Guard: it names an incident that is open."""
    if str(what.incident) in turn.state.incidents.open:
        return None
    return refusal("INCIDENT-NOT-OPEN-FOR", rule=RULE, incident=what.incident)


def is_spare(turn: Turn, what: BeginSwap) -> Refusal | None:
    """Guard: a shuffler of this table that answers and is well."""
    if not devices.is_standing_by(turn.state, what.spare):
        return refusal("SPARE-UNKNOWN", spare=what.spare)
    spare = devices.of(turn, what.spare)
    if not spare.is_connected:
        return refusal("SPARE-NO-ANSWER", spare=what.spare)
    if f"SPARE-WRONG:{what.spare}" in turn.state.alerts.standing:
        return refusal("SPARE-NOT-ALLOWED", spare=what.spare)
    if spare.jams or spare.faults or spare.is_lid_open:
        return refusal("SPARE-NOT-WELL", spare=what.spare)
    return None


def is_lid_shut(turn: Turn, _what: CountedOut) -> Refusal | None:
    """Guard: the old machine's lid is shut and answered for."""
    state = turn.state.procedures.lid.state.value
    if state == "shut":
        return None
    return refusal("LID-NOT-SHUT", state=state)


def is_number(turn: Turn, what: CountedOut) -> Refusal | None:
    """Guard: no fewer than were laid aside already, no more than the table has."""
    taken, most = of(turn).taken, turn.state.house.cards_at_table
    if what.cards < taken:
        return refusal("COUNTED-OUT-FEW", taken=taken)
    if what.cards > most:
        return refusal("COUNTED-OUT-MANY", most=most)
    return None


BEGIN = (
    presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule=RULE),
    is_allowed,
    is_play,
    is_incident_open,
    is_spare,
    nothing_is_tested,
    presence.needs_two(Operation.SWAP, RULE),
)
COUNTED_OUT = (
    presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE),
    is_lid_shut,
    is_number,
    presence.needs(Operation.SWAP, RULE),
)
