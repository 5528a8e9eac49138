"""What moves nothing while guests play or hands are inside: the interlocks of a technician's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside import devices, presence
from tableside.house import Role
from tableside.procedures.session import SessionState, state_of
from tableside.procedures.under_test import RULE, under_test
from tableside.refusals import Refusal, refusal
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.service_requests import RunDealTest, RunSelfTest

TECHNICIAN = presence.acts_as(Role.TECHNICIAN, rule=RULE)


def is_there(_turn: Turn, what: RunSelfTest | RunDealTest) -> Refusal | None:
    """Guard: whoever lets something move stands at it."""
    if what.is_there:
        return None
    return refusal("TEST-NOT-ARMED", device=what.device)


def is_answering(turn: Turn, what: RunSelfTest | RunDealTest) -> Refusal | None:
    """Guard: a device of this table that obeys it."""
    levels = turn.state.devices.known.get(what.device)
    if levels is None or not levels.is_connected:
        return refusal("TEST-NO-ANSWER", device=what.device)
    if levels.epoch != turn.state.house.epoch:
        return refusal("TEST-NOT-OURS", device=what.device)
    return None


def is_out_of_session(turn: Turn, what: RunSelfTest | RunDealTest) -> Refusal | None:
    """Guard: the table is closed, or the machine stands by."""
    if state_of(turn.state) is SessionState.CLOSED or devices.is_standing_by(turn.state, what.device):
        return None
    return refusal("TEST-IN-SESSION", state=state_of(turn.state), device=what.device)


def is_still(turn: Turn, what: RunSelfTest | RunDealTest) -> Refusal | None:
    """Guard: no hand can be inside, and nothing is stuck."""
    levels = devices.of(turn, what.device)
    if levels.is_lid_open:
        return refusal("TEST-LID-OPEN", device=what.device)
    if levels.jams:
        return refusal("TEST-STUCK", device=what.device, stuck=", ".join(levels.jams))
    return None


def is_idle(turn: Turn, what: RunSelfTest | RunDealTest) -> Refusal | None:
    """Guard: one moving command at a time, and none on top of one that nobody knows the end of."""
    for command in turn.state.commands.open.values():
        if command.device == what.device:
            return refusal("TEST-BUSY", command=command.number, device=what.device)
    if under_test(turn.state, what.device):
        return refusal("TEST-RUNS", device=what.device)
    return None


MOVING = (TECHNICIAN, is_there, is_answering, is_out_of_session, is_still, is_idle)
