"""What a machine swap is refused for (semantics §4)."""

from __future__ import annotations

from tableside import devices, presence
from tableside.house import Role
from tableside.presence import Operation
from tableside.procedures.session import SessionState, state_of
from tableside.procedures.swap_slice import of
from tableside.requests import BeginSwap, CountedOut
from tableside.tables import Refusal, Turn

RULE = "CSM-8"


def is_allowed(turn: Turn, _what: BeginSwap) -> Refusal | None:
    """Guard: the jurisdiction knows the swap."""
    law = turn.state.house.jurisdiction
    if law.swap_allowed:
        return None
    return Refusal(RULE, f"the law of {law.name} allows no machine swap", "end the session")


def is_play(turn: Turn, _what: BeginSwap) -> Refusal | None:
    """Guard: a session is open, and nothing else exchanges its cards."""
    state = state_of(turn.state)
    if state is not SessionState.OPEN:
        return Refusal(RULE, f"the session is {state}", "a swap is for an open table")
    if turn.state.procedures.reload.is_under_way:
        return Refusal(RULE, "an incident reload is under way", "finish it, or announce closing")
    return None


def is_incident_open(turn: Turn, what: BeginSwap) -> Refusal | None:
    """Guard: it names an incident that is open."""
    if str(what.incident) in turn.state.incidents.open:
        return None
    return Refusal(RULE, f"incident {what.incident} is not open", "name the incident that it is made for")


def is_spare(turn: Turn, what: BeginSwap) -> Refusal | None:
    """Guard: a shuffler of this table that answers and is well."""
    if not devices.is_standing_by(turn.state, what.spare):
        return Refusal(RULE, f"{what.spare!r} is no spare shuffler of this table", "name one that stands by")
    spare = devices.of(turn, what.spare)
    if not spare.is_connected:
        return Refusal(RULE, f"{what.spare} does not answer", "connect it first")
    if f"SPARE-WRONG:{what.spare}" in turn.state.alerts.standing:
        return Refusal(RULE, f"{what.spare} is not the machine that this table may use", "take another")
    if spare.jams or spare.faults or spare.is_lid_open:
        return Refusal(RULE, f"{what.spare} has a jam, a fault or an open lid", "mend it, or take another")
    return None


def is_lid_shut(turn: Turn, _what: CountedOut) -> Refusal | None:
    """Guard: the old machine's lid is shut and answered for."""
    state = turn.state.procedures.lid.state.value
    if state == "shut":
        return None
    return Refusal(RULE, f"the lid is {state}", "say what was taken out, and shut the lid")


def is_number(turn: Turn, what: CountedOut) -> Refusal | None:
    """Guard: no fewer than were laid aside already, no more than the table has."""
    taken, most = of(turn).taken, turn.state.house.cards_at_table
    if what.cards < taken:
        return Refusal(RULE, f"{taken} cards were laid aside already", "enter all that came out")
    if what.cards > most:
        return Refusal(RULE, f"the table has {most} cards", "count again")
    return None


BEGIN = (
    presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule=RULE),
    is_allowed,
    is_play,
    is_incident_open,
    is_spare,
    presence.needs_two(Operation.SWAP, RULE),
)
COUNTED_OUT = (
    presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE),
    is_lid_shut,
    is_number,
    presence.needs(Operation.SWAP, RULE),
)
