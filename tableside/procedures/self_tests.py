"""A device tests itself, wholly or one actuator (TDL 7.4): asked once, its end told, its unknown end locked."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from drivers.events import Verb
from tableside import commands
from tableside.happenings import CommandClosed, CommandLost
from tableside.procedures import service_guards
from tableside.procedures.under_test import RULE
from tableside.refusals import Refusal, refusal
from tableside.service_happenings import SelfTestEnded
from tableside.service_requests import RunSelfTest
from tableside.tables import GO_ON, Procedure, Row, Turn

STEP = "service.self-test"
MOST_PART = 0xFF  # more actuators than any machine has


class SelfTestState(StrEnum):
    """One at a time."""

    IDLE = "idle"
    RUNNING = "running"


class SelfTestSlice(msgspec.Struct, frozen=True):
    """`number` is the command's."""

    state: SelfTestState = SelfTestState.IDLE
    device: str = ""
    part: int = 0
    number: int = 0
    by: str = ""

    @property
    def is_running(self) -> bool:
        """A device tests itself now."""
        return self.state is SelfTestState.RUNNING


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    tests = replace(procedures.self_tests, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, self_tests=tests))


def _is_part(_turn: Turn, what: RunSelfTest) -> Refusal | None:
    if 0 <= what.part <= MOST_PART:
        return None
    return refusal("TEST-NO-PART", part=what.part)


def _begin(turn: Turn, what: RunSelfTest) -> None:
    number = commands.intend(turn, what.device, Verb.SELF_TEST, step=STEP, argument=what.part)
    put(turn, device=what.device, part=what.part, number=number, by=turn.by)


def _is_mine(turn: Turn, what: CommandClosed | CommandLost) -> bool:
    tests = turn.state.procedures.self_tests
    return what.step == STEP and (what.device, what.number) == (tests.device, tests.number)


def _is_step(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == STEP


def _ended(turn: Turn, what: CommandClosed) -> None:
    tests = turn.state.procedures.self_tests
    turn.happened(
        SelfTestEnded(device=what.device, part=tests.part, outcome=what.outcome, reason=what.reason, by=tests.by)
    )


S = SelfTestState
PROCEDURE = Procedure(
    name="self-test",
    rule=RULE,
    states=SelfTestState,
    read=lambda state, _what: state.procedures.self_tests.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(
            S.IDLE,
            RunSelfTest,
            S.RUNNING,
            _begin,
            guards=(*service_guards.MOVING, _is_part),
            said="it tests itself",
        ),
        Row(S.RUNNING, CommandClosed, S.IDLE, _ended, _is_mine, said="tested"),
        # What it did nobody knows: the table locks, and counts or asks (semantics §1.3).
        Row(S.RUNNING, CommandLost, S.IDLE, when=_is_mine, said="outcome unknown"),
        Row(S.IDLE, CommandClosed, None, when=_is_step, said="told late"),
    ),
    next_step={S.IDLE: GO_ON, S.RUNNING: "wait for its end; hands off"},
)
