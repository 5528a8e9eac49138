"""Moving commands: done once or asked about, never repeated (semantics §1.2, §1.3; TDL §4)."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from drivers import events
from drivers.events import Verb
from firmware_bridge.clock import NS_PER_S
from tableside import devices
from tableside.decisions import CommandIntended, OutcomeAsked
from tableside.tables import Turn


class Command(msgspec.Struct, frozen=True):
    """One command whose end is not known yet. `stage`: intended, accepted, unknown."""

    device: str
    number: int
    verb: Verb
    argument: int | None
    step: str
    is_resumable: bool
    expires_at_ns: int
    stage: str = "intended"


class Commands(msgspec.Struct, frozen=True):
    """Open commands keyed `device:number`."""

    open: dict[str, Command] = {}


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
    turn.state = replace(turn.state, commands=Commands({**turn.state.commands.open, f"{device}:{number}": command}))
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
    return number


def answered(turn: Turn, fact: events.CommandAnswered) -> None:
    """A device said something of a command, in its reply or to OUTCOME."""
    raise NotImplementedError


def ended(turn: Turn, fact: events.CommandEnded) -> None:
    """Notice *command ended*."""
    raise NotImplementedError


def device_came(turn: Turn, device: str) -> None:
    """Every open command of the device is asked for, before any new one (semantics §1.3)."""
    for command in turn.state.commands.open.values():
        if command.device == device:
            turn.decide(OutcomeAsked(device=device, epoch=turn.state.house.epoch, number=command.number))
