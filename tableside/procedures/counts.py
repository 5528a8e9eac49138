"""The full count: the machine stops and counts all it holds (COUNT_ALL, about two minutes; semantics §4).

It is wanted by a difference, a jam, an unknown outcome, unverified content after a restart, or a person. It runs
when no round is open, except where the machine could not deal anyway.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import Ability, Holding, LevelsRead, LidClosed, Outcome, Reason, Verb
from tableside import alerts, card_account, commands, devices, locks, permits, presence, timers
from tableside.decisions import LevelsAsked
from tableside.happenings import (
    CommandClosed,
    CommandLost,
    CountEnded,
    CountWanted,
    DeviceCame,
    JamCleared,
    MachineHandCounted,
    RoundEnded,
)
from tableside.house import Role
from tableside.inputs import DeadlinePassed
from tableside.locks import Scope
from tableside.requests import CountAll
from tableside.session_happenings import MachineCountedOut
from tableside.tables import Procedure, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

STEP = "count"
ALERT = "COUNT-DUE"
# Reasons for which the machine is stopped anyway, so the count need not wait for the round's end.
URGENT = ("unknown outcome", "unverified")
# A refused or failed count is tried again: the fault that stopped it has its own alert.
RETRY_S = 15
RETRY_TIMER = "count:retry"
# COUNT_ALL may wait for the device this long; after that its wish is judged anew.
EXPIRES_S = 30


class CountState(StrEnum):
    """Whether a count is due, running, or being read."""

    IDLE = "idle"
    DUE = "due"
    RUNNING = "running"
    READING = "reading"
    BY_HAND = "to be counted by hand"


class CountSlice(msgspec.Struct, frozen=True):
    """`device` and `number` are the command's that runs, or ran last; `boot` is the machine's when it was given."""

    state: CountState = CountState.IDLE
    why: str = ""
    device: str = ""
    number: int = 0
    boot: int = 0


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, counts=replace(procedures.counts, **changes)))


def is_running(state: TableState) -> bool:
    """The machine is counting."""
    return state.procedures.counts.state in (CountState.RUNNING, CountState.READING)


def _want(turn: Turn, what: CountWanted) -> None:
    put(turn, why=what.why)
    _start_if_free(turn, what)


def _want_by_person(turn: Turn, what: CountAll) -> None:
    put(turn, why="person")
    _start_if_free(turn, what)


def _want_more(turn: Turn, what: CountWanted) -> None:
    if what.why in URGENT:
        put(turn, why=what.why)
        _start_if_free(turn, what)


def _start_if_free(turn: Turn, _what: object) -> None:
    machine = devices.shuffler(turn)
    why = turn.state.procedures.counts.why
    is_round = turn.state.procedures.rounds.state.value == "dealing"
    if not machine.is_connected or machine.jams or machine.is_lid_open or (is_round and why not in URGENT):
        return
    if machine.holding(Ability.COUNT_ALL) is Holding.CANNOT:
        PROCEDURE.move(turn, None, CountState.BY_HAND, "CSM-2")
        _call_hand(turn)
        return
    if not _only_unknown(turn):
        return  # one moving command at a time
    name = devices.machine(turn.state)
    number = commands.intend(turn, name, Verb.COUNT_ALL, step=STEP, is_resumable=True, expires_s=EXPIRES_S)
    put(turn, device=name, number=number, boot=machine.boot)
    _lock(turn)
    PROCEDURE.move(turn, None, CountState.RUNNING, "CSM-2")


def _lock(turn: Turn) -> None:
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, "count", "CSM-2")


def _free(turn: Turn, by: str) -> None:
    put(turn, why="")
    timers.cancel(turn, RETRY_TIMER)
    for scope in (Scope.DEAL, Scope.FEED):
        locks.remove(turn, scope, "count", by)


def _call_hand(turn: Turn, _what: object = None) -> None:
    """The machine cannot count: what it cannot do becomes an instruction to a person (semantics §3)."""
    _lock(turn)
    alerts.raise_alert(turn, ALERT)


def _is_not_offered(turn: Turn, what: CommandClosed) -> bool:
    return _is_mine(turn, what) and what.reason is Reason.NOT_OFFERED


def _hand_counted(turn: Turn, what: MachineHandCounted) -> None:
    devices.verified(turn, what.device)
    _free(turn, what.by)
    alerts.clear_alert(turn, ALERT, by=what.by, why=f"counted by hand: {what.counted}")


def _only_unknown(turn: Turn) -> bool:
    machine = devices.machine(turn.state)
    mine = [command for command in turn.state.commands.open.values() if command.device == machine]
    return all(command.stage is commands.Stage.UNKNOWN for command in mine)


def _is_count(_turn: Turn, what: CommandClosed) -> bool:
    return what.step == STEP


def _is_mine(turn: Turn, what: CommandClosed | CommandLost) -> bool:
    """The count that runs: one before it, lost and settled, says nothing of this one."""
    counts = turn.state.procedures.counts
    return what.step == STEP and (what.device, what.number) == (counts.device, counts.number)


def _is_done(turn: Turn, what: CommandClosed) -> bool:
    """Done, and in the boot that the machine is in now: a restart since then has made its content unverified again."""
    is_of_this_boot = turn.state.procedures.counts.boot == devices.of(turn, what.device).boot
    return _is_mine(turn, what) and what.outcome is Outcome.DONE and is_of_this_boot


def _read(turn: Turn, what: CommandClosed) -> None:
    turn.decide(LevelsAsked(device=what.device, why="count"))


def _again(turn: Turn, _what: object) -> None:
    """It did not run to its end: locks stay, it is tried again when the machine is free or after a while."""
    timers.start(turn, RETRY_TIMER, RETRY_S)


def _is_retry(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == RETRY_TIMER


def _is_machine(turn: Turn, what: LevelsRead | DeviceCame | LidClosed) -> bool:
    return what.device == devices.machine(turn.state)


def _is_told(turn: Turn, what: LevelsRead) -> bool:
    return _is_machine(turn, what) and what.content is not None


def _ended(turn: Turn, what: LevelsRead) -> None:
    assert what.content is not None
    _free(turn, "count ended")
    devices.verified(turn, what.device)
    permits.device_free(turn, what.device)
    expected = card_account.expected_in_machine(turn.state)
    turn.happened(CountEnded(device=what.device, counted=what.content, expected=expected))


def _unverified(turn: Turn, what: DeviceCame) -> bool:
    return _is_machine(turn, what) and devices.of(turn, what.device).is_content_unverified


def _count_after_boot(turn: Turn, what: DeviceCame) -> None:
    put(turn, why="unverified")
    _start_if_free(turn, what)


def _read_again(turn: Turn, what: DeviceCame) -> None:
    turn.decide(LevelsAsked(device=what.device, why="count"))


def _lost(turn: Turn, what: CommandLost) -> None:
    """A count moves no card out: that it is unknown is settled by counting again."""
    command = commands.of(turn, what.device, what.number)
    if command is not None:
        commands.settle(turn, command, "count", 0)
    put(turn, why="unverified")
    _again(turn, what)


def _exchanged(turn: Turn, _what: MachineCountedOut) -> None:
    """The machine that was to be counted was counted out by hand."""
    _free(turn, turn.by)
    alerts.clear_alert(turn, ALERT, by=turn.by, why="counted out")


S = CountState
# It starts at once where the machine is free; one that cannot count is counted by hand.
STARTED = (S.RUNNING, S.BY_HAND)
PROCEDURE = Procedure(
    name="count",
    rule="CSM-2",
    states=CountState,
    read=lambda state, _what: state.procedures.counts.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.IDLE, CountWanted, S.DUE, _want, said="count wanted", onward=STARTED),
        *(Row(state, MachineCountedOut, S.IDLE, _exchanged, said="counted out by hand") for state in S),
        Row(S.IDLE, CommandClosed, None, when=_is_count, said="an exchanged machine's count"),
        Row(
            S.IDLE,
            CountAll,
            S.DUE,
            _want_by_person,
            guards=(presence.acts_as(Role.FLOOR_SUPERVISOR, Role.TECHNICIAN, rule="CSM-2"),),
            said="the machine will count",
            onward=STARTED,
        ),
        Row(S.IDLE, DeviceCame, S.DUE, _count_after_boot, _unverified, said="content unverified", onward=STARTED),
        Row(S.DUE, CountWanted, None, _want_more, said="wanted by more", onward=STARTED),
        *(Row(S.DUE, kind, None, _start_if_free, said="free now", onward=STARTED) for kind in (RoundEnded, JamCleared)),
        Row(S.DUE, LidClosed, None, _start_if_free, _is_machine, said="lid closed", onward=STARTED),
        Row(S.DUE, DeviceCame, None, _start_if_free, _is_machine, said="device back", onward=STARTED),
        Row(S.DUE, CommandClosed, None, _start_if_free, said="machine free", onward=STARTED),
        Row(S.DUE, DeadlinePassed, None, _start_if_free, _is_retry, said="try again", onward=STARTED),
        Row(S.RUNNING, CommandClosed, S.READING, _read, _is_done, said="counted"),
        Row(S.RUNNING, CommandClosed, S.BY_HAND, _call_hand, _is_not_offered, said="it cannot count"),
        Row(S.BY_HAND, MachineHandCounted, S.IDLE, _hand_counted, said="counted by hand"),
        Row(S.RUNNING, CommandClosed, S.DUE, _again, _is_mine, said="not counted"),
        *(
            Row(state, CommandClosed, None, when=_is_count, said="an earlier count is settled")
            for state in (S.RUNNING, S.READING)
        ),
        Row(S.RUNNING, CommandLost, S.DUE, _lost, _is_mine, said="outcome unknown"),
        Row(S.READING, LevelsRead, S.IDLE, _ended, _is_told, said="content read"),
        Row(S.READING, DeviceCame, S.DUE, _count_after_boot, _unverified, said="restarted before it told its count"),
        Row(S.READING, DeviceCame, None, _read_again, _is_machine, said="device back"),
    ),
    next_step={
        S.IDLE: "ask for a count",
        S.DUE: "the count starts when the round is over and the machine is free",
        S.RUNNING: "wait until the machine has counted",
        S.READING: "wait until the machine has told its count",
        S.BY_HAND: "empty the machine, count its cards, enter the hand count",
    },
)
