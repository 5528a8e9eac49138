"""Moving commands: done once or asked about, never repeated (semantics §1.2, §1.3; TDL 7).

The table `OUTCOMES` is the recovery table: what a command's stage and the device's word for it lead to. Answers
come as the reply, as OUTCOME or as the notice *command ended*; the first that closes a command wins, and one that
contradicts it later is an incident.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from drivers import events
from drivers.events import Outcome, Reason, Verb
from firmware_bridge.clock import NS_PER_S
from tableside import alerts, devices, incidents, locks, timers, unexpected, unknown_outcomes
from tableside.decisions import (
    CommandAccepted,
    CommandFinished,
    CommandIntended,
    CommandNotDone,
    CommandRefused,
    CommandSettled,
    CommandUnknown,
    OutcomeAsked,
)
from tableside.happenings import CommandClosed, CommandLost
from tableside.locks import Scope
from tableside.tables import Turn

# How long a command may run in silence before its outcome is asked again; PROGRESS starts it anew (TDL 7.4: one
# each second). COUNT_ALL takes about two minutes, but not two minutes without a word.
SILENCE_S = 10
# Closed commands kept to notice a contradiction: as many as a device keeps (TDL 7.1).
REMEMBERED = 8


class Stage(StrEnum):
    """How far a command is known to have come."""

    INTENDED = "intended"
    ACCEPTED = "accepted"
    UNKNOWN = "unknown"


class Command(msgspec.Struct, frozen=True):
    """One command whose end is not known yet."""

    device: str
    number: int
    verb: Verb
    argument: int | None
    step: str
    is_resumable: bool
    expires_at_ns: int
    stage: Stage = Stage.INTENDED


class Closed(msgspec.Struct, frozen=True):
    """How a command ended, remembered for contradictions."""

    device: str
    number: int
    outcome: Outcome


class Commands(msgspec.Struct, frozen=True):
    """Open commands keyed `device:number`, and the last ones closed."""

    open: dict[str, Command] = {}
    closed: tuple[Closed, ...] = ()


def intend(
    turn: Turn,
    device: str,
    verb: Verb,
    *,
    step: str,
    argument: int | None = None,
    is_resumable: bool = False,
    expires_s: float = 10,
) -> int:
    """Journal a moving command under a new number; its bytes leave after the commit. Returns the number."""
    levels = devices.of(turn, device)
    number = max(levels.last_command, levels.highest_number) + 1
    devices.put(turn, device, replace(levels, last_command=number))
    expires = turn.now_ns + round(expires_s * NS_PER_S)
    command = Command(device, number, verb, argument, step, is_resumable, expires)
    _write(turn, command)
    turn.decide(
        CommandIntended(
            device=device,
            verb=verb,
            epoch=turn.state.house.epoch,
            number=number,
            argument=argument,
            step=step,
            is_resumable=is_resumable,
            expires_at_ns=expires,
        )
    )
    timers.start(turn, timer(device, number), SILENCE_S)
    return number


def adopt(turn: Turn, device: str) -> None:
    """Make a device obey this journal's epoch: it learns the highest number that we ever gave it (TDL 7.7)."""
    if not is_open(turn, device, Verb.ADOPT):
        intend(turn, device, Verb.ADOPT, step="adopt", argument=devices.of(turn, device).last_command + 1)


def timer(device: str, number: int) -> str:
    """Name of a command's deadline."""
    return f"command:{device}:{number}"


def of(turn: Turn, device: str, number: int) -> Command | None:
    """The open command, or None."""
    return turn.state.commands.open.get(f"{device}:{number}")


def is_open(turn: Turn, device: str, verb: Verb) -> bool:
    """A command of this verb is open at the device."""
    return any(command.device == device and command.verb is verb for command in turn.state.commands.open.values())


def answered(turn: Turn, fact: events.CommandAnswered) -> None:
    """A device said something of a command, in its reply or to OUTCOME."""
    _told(turn, fact.device, Told(fact.command, fact.outcome, fact.reason, fact.moved, fact.is_found))


def ended(turn: Turn, fact: events.CommandEnded) -> None:
    """Notice *command ended*."""
    _told(turn, fact.device, Told(fact.command, fact.outcome, fact.reason, fact.moved, is_found=False))


def progressed(turn: Turn, fact: events.CommandProgressed) -> None:
    """It still runs: the deadline begins anew."""
    if of(turn, fact.device, fact.command) is not None:
        timers.start(turn, timer(fact.device, fact.command), SILENCE_S)


def _open_at(turn: Turn, device: str) -> tuple[Command, ...]:
    return tuple(command for command in turn.state.commands.open.values() if command.device == device)


def silent(turn: Turn, name: str) -> None:
    """A command's deadline passed: ask, wait again. While the device is away the next connection asks."""
    for command in turn.state.commands.open.values():
        if timer(command.device, command.number) == name:
            if devices.of(turn, command.device).is_connected and command.verb is not Verb.ADOPT:
                _ask(turn, command)
            timers.start(turn, name, SILENCE_S)


def device_came(turn: Turn, device: str) -> None:
    """Every open command of the device is asked for, before any new one; its memory is held against ours."""
    levels = devices.of(turn, device)
    if not levels.abilities:
        return  # no TDL device: it knows no epoch and no numbers
    for command in _open_at(turn, device):
        if command.verb is Verb.ADOPT:
            _adopted(turn, command, levels)
    act = _memory_lost if _memory_differs(turn, device) else _ask
    for command in _open_at(turn, device):
        if command.verb is not Verb.ADOPT:
            act(turn, command)


def settle(turn: Turn, command: Command, by: str, moved: int | None) -> None:
    """An unknown outcome is known now: by *meter*, *count* or *person*. Its lock goes."""
    turn.decide(CommandSettled(device=command.device, number=command.number, by=by, moved=moved))
    _close(turn, command, Outcome.DONE, Reason.NONE, moved)
    unknown_outcomes.free(turn, command.device, command.number, by)


class Told(msgspec.Struct, frozen=True):
    """What a device said of one command."""

    number: int
    outcome: Outcome
    reason: Reason
    moved: int | None
    is_found: bool


def _told(turn: Turn, device: str, told: Told) -> None:
    command = of(turn, device, told.number)
    if command is None:
        _contradicts(turn, device, told)
        return
    OUTCOMES[command.stage][told.outcome](turn, command, told)


def _accepted(turn: Turn, command: Command, told: Told) -> None:
    turn.decide(CommandAccepted(device=command.device, number=command.number, is_found=told.is_found))
    _write(turn, replace(command, stage=Stage.ACCEPTED))
    timers.start(turn, timer(command.device, command.number), SILENCE_S)


def _finished(turn: Turn, command: Command, told: Told) -> None:
    turn.decide(
        CommandFinished(
            device=command.device,
            number=command.number,
            outcome=told.outcome,
            reason=told.reason,
            moved=told.moved,
            is_found=told.is_found,
        )
    )
    _close(turn, command, told.outcome, told.reason, told.moved)


def _refused(turn: Turn, command: Command, told: Told) -> None:
    turn.decide(
        CommandRefused(device=command.device, number=command.number, reason=told.reason, is_found=told.is_found)
    )
    _close(turn, command, Outcome.REFUSED, told.reason, 0)


def _never(turn: Turn, command: Command, told: Told) -> None:
    why = "expired" if turn.now_ns > command.expires_at_ns else "never"
    turn.decide(CommandNotDone(device=command.device, number=command.number, why=why))
    _close(turn, command, Outcome.NEVER, told.reason, 0)


def _memory_lost(turn: Turn, command: Command) -> None:
    _lose(turn, command, "the device's memory is not the one we commanded")


def _adopted(turn: Turn, command: Command, levels: devices.DeviceLevels) -> None:
    """ADOPT has no stored outcome: the epoch that the device obeys tells (TDL 7.7)."""
    is_done = levels.epoch == turn.state.house.epoch
    outcome = Outcome.DONE if is_done else Outcome.NEVER
    OUTCOMES[Stage.INTENDED][outcome](turn, command, Told(command.number, outcome, Reason.NONE, 0, is_found=True))


def _forgotten(turn: Turn, command: Command, _told: Told) -> None:
    unknown_outcomes.forgotten(turn, command.device, command.number)
    _lose(turn, command, "the device had accepted it and says never")


def _interrupted(turn: Turn, command: Command, _told: Told) -> None:
    _lose(turn, command, "interrupted by a restart of the device")


def _old(turn: Turn, command: Command, _told: Told) -> None:
    _lose(turn, command, "the device no longer keeps its outcome")


def _settled(turn: Turn, command: Command, told: Told) -> None:
    """A later word settles it, but the lock goes with the named act only."""
    turn.decide(CommandSettled(device=command.device, number=command.number, by="meter", moved=told.moved))
    _close(turn, command, told.outcome, told.reason, told.moved)


def _ask_again(turn: Turn, command: Command, _told: Told) -> None:
    timers.start(turn, timer(command.device, command.number), 1)


def _nothing(_turn: Turn, _command: Command, _told: Told) -> None:
    """Nothing new in it."""


Recovery = Callable[[Turn, Command, Told], None]

# Rows: stage × the device's word. (semantics §1.3; OK is no answer to a moving command, so it is asked again.)
OUTCOMES: Mapping[Stage, Mapping[Outcome, Recovery]] = {
    Stage.INTENDED: {
        Outcome.NEVER: _never,
        Outcome.STARTED: _accepted,
        Outcome.DONE: _finished,
        Outcome.FAILED: _finished,
        Outcome.REFUSED: _refused,
        Outcome.INTERRUPTED: _interrupted,
        Outcome.OLD: _old,
        Outcome.BUSY: _ask_again,
        Outcome.OK: _ask_again,
    },
    Stage.ACCEPTED: {
        Outcome.NEVER: _forgotten,
        Outcome.STARTED: _nothing,
        Outcome.DONE: _finished,
        Outcome.FAILED: _finished,
        Outcome.REFUSED: _refused,
        Outcome.INTERRUPTED: _interrupted,
        Outcome.OLD: _old,
        Outcome.BUSY: _ask_again,
        Outcome.OK: _ask_again,
    },
    Stage.UNKNOWN: {
        Outcome.NEVER: _settled,
        Outcome.DONE: _settled,
        Outcome.REFUSED: _settled,
        Outcome.STARTED: _nothing,
        Outcome.FAILED: _nothing,
        Outcome.INTERRUPTED: _nothing,
        Outcome.OLD: _nothing,
        Outcome.BUSY: _nothing,
        Outcome.OK: _nothing,
    },
}


def _contradicts(turn: Turn, device: str, told: Told) -> None:
    """A closed command was spoken of again: the same word is a copy, another one is an incident."""
    if told.outcome in (Outcome.STARTED, Outcome.OLD, Outcome.BUSY, Outcome.OK, Outcome.INTERRUPTED):
        return
    for closed in turn.state.commands.closed:
        if (closed.device, closed.number) == (device, told.number) and closed.outcome is not told.outcome:
            text = f"{device}: command {told.number} was {closed.outcome}, now {told.outcome}"
            unexpected.record(turn, text, (Scope.DEAL, Scope.FEED))


def _memory_differs(turn: Turn, device: str) -> bool:
    """Compare the device's epoch and highest number with the journal's (semantics §1.3, TDL 4.2)."""
    ours = turn.state.house.epoch
    levels = devices.of(turn, device)
    if levels.epoch == ours:
        devices.put(turn, device, replace(levels, has_obeyed=True))
        if levels.highest_number > levels.last_command:
            text = f"{device} has command {levels.highest_number}, the journal gave out {levels.last_command}"
            _distrust(turn, device, "journal older than the device", text)
            devices.put(turn, device, replace(levels, has_obeyed=True, last_command=levels.highest_number))
        accepted = [
            command.number
            for command in turn.state.commands.open.values()
            if command.device == device and command.stage is Stage.ACCEPTED
        ]
        return any(number > levels.highest_number for number in accepted)
    if levels.epoch == 0 and not levels.has_obeyed:
        adopt(turn, device)  # new to us and to it: TDL 7.7 takes it unarmed
        return False
    _distrust(turn, device, "other epoch", f"{device} obeys epoch {levels.epoch:08X}, ours is {ours:08X}")
    return True


# What the house reads when a device and the journal do not remember the same.
TEXTS = {"other epoch": "DEVICE-MEMORY", "journal older than the device": "JOURNAL-OLD"}


def _distrust(turn: Turn, device: str, kind: str, text: str) -> None:
    if any(incident.text == text for incident in incidents.of_kind(turn, kind)):
        return
    incidents.open_incident(turn, kind, "CSM-8", text)
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, f"{kind} {device}", "CSM-8")
    alerts.raise_alert(turn, TEXTS[kind], device, device=device)


def _lose(turn: Turn, command: Command, why: str) -> None:
    turn.decide(CommandUnknown(device=command.device, number=command.number, why=why))
    _write(turn, replace(command, stage=Stage.UNKNOWN))
    timers.cancel(turn, timer(command.device, command.number))
    unknown_outcomes.lock(turn, command.device, command.number)
    turn.happened(CommandLost(device=command.device, number=command.number, verb=command.verb, step=command.step))


def away_reason(device: str) -> str:
    """The name of the lock while a command is open at a device that is away."""
    return f"open command {device}"


def _ask(turn: Turn, command: Command) -> None:
    turn.decide(OutcomeAsked(device=command.device, epoch=turn.state.house.epoch, number=command.number))


def _close(turn: Turn, command: Command, outcome: Outcome, reason: Reason, moved: int | None) -> None:
    key = f"{command.device}:{command.number}"
    rest = {name: other for name, other in turn.state.commands.open.items() if name != key}
    closed = (*turn.state.commands.closed, Closed(command.device, command.number, outcome))[-REMEMBERED:]
    turn.state = replace(turn.state, commands=Commands(rest, closed))
    if not any(other.device == command.device for other in rest.values()):
        locks.remove_all(turn, away_reason(command.device), "outcome known")
    timers.cancel(turn, timer(command.device, command.number))
    turn.happened(
        CommandClosed(
            device=command.device,
            number=command.number,
            verb=command.verb,
            step=command.step,
            outcome=outcome,
            reason=reason,
            moved=moved,
            is_resumable=command.is_resumable,
        )
    )


def _write(turn: Turn, command: Command) -> None:
    commands = turn.state.commands
    key = f"{command.device}:{command.number}"
    turn.state = replace(turn.state, commands=replace(commands, open={**commands.open, key: command}))
