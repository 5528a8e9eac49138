"""Where a machine is in its life: in service, out, workshop, ready. Recorded by its serial number, not by table.

The journal keeps it and nothing is decided by it: a machine's history is read out of the journals of all tables.
"""

from __future__ import annotations

from enum import StrEnum

from tableside import presence
from tableside.house import Role
from tableside.machine_happenings import MachineRecorded
from tableside.machine_requests import RecordMachine, Standing
from tableside.meters import machine
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

RULE = "CSM-2"
_RECORDER = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.TECHNICIAN, Role.ROOM_MANAGEMENT, rule=RULE)


class MachineState(StrEnum):
    """The record has no states of its own: each entry stands by itself."""

    ANY = "any"


def _is_named(_turn: Turn, what: RecordMachine) -> Refusal | None:
    if what.serial.strip() and all(part.strip() for part in what.parts):
        return None
    return refusal("MACHINE-UNNAMED")


def _agrees_with_the_table(turn: Turn, what: RecordMachine) -> Refusal | None:
    """A person does not record away what the table sees: the machine in use is in service, and no other one is."""
    house = turn.state.house
    known = turn.state.devices.known
    used = {known[name].serial for name in (machine(turn.state), house.shoe) if name in known}
    is_in_use = what.serial in used
    if is_in_use == (what.standing is Standing.IN_SERVICE):
        return None
    if is_in_use:
        return refusal("MACHINE-IN-USE", serial=what.serial, at=house.table)
    return refusal("MACHINE-NOT-IN-USE", serial=what.serial, at=house.table)


def _recorded(turn: Turn, what: RecordMachine) -> None:
    turn.happened(
        MachineRecorded(serial=what.serial, standing=what.standing, parts=what.parts, note=what.note, by=turn.by)
    )


A = MachineState.ANY
PROCEDURE = Procedure(
    name="machine record",
    rule=RULE,
    states=MachineState,
    read=lambda _state, _what: MachineState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, RecordMachine, None, _recorded, guards=(_RECORDER, _is_named, _agrees_with_the_table), said="recorded"),
    ),
    next_step={A: "its history: `tableside journal report machine`, with its serial number and the tables' journals"},
)
