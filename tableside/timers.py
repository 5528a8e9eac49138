"""Deadlines of the table. They are inputs when they pass (`DeadlinePassed`), so replay needs no clock."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from firmware_bridge.clock import NS_PER_S
from tableside.decisions import TimerCancelled, TimerSet
from tableside.tables import Turn


class Timers(msgspec.Struct, frozen=True):
    """Name → due time, monotonic ns."""

    due: dict[str, int] = {}


def start(turn: Turn, name: str, seconds: float) -> None:
    """Set a timer, or set it anew."""
    at(turn, name, turn.now_ns + round(seconds * NS_PER_S))


def at(turn: Turn, name: str, due_ns: int) -> None:
    """Set a timer for an instant, or set it anew."""
    _write(turn, {**turn.state.timers.due, name: due_ns})
    turn.decide(TimerSet(name=name, due_ns=due_ns))


def cancel(turn: Turn, name: str) -> None:
    """Cancel a timer where it stands."""
    if name in turn.state.timers.due:
        _write(turn, {key: due for key, due in turn.state.timers.due.items() if key != name})
        turn.decide(TimerCancelled(name=name))


def passed(turn: Turn, name: str) -> bool:
    """Take a timer that ran out off the list. False where it was cancelled or set anew meanwhile."""
    due = turn.state.timers.due.get(name)
    if due is None or due > turn.now_ns:
        return False
    _write(turn, {key: value for key, value in turn.state.timers.due.items() if key != name})
    return True


def rebase(turn: Turn, offset_ns: int) -> None:
    """The monotonic clock began anew (host restarted): shift what stands."""
    if offset_ns:
        _write(turn, {name: due + offset_ns for name, due in turn.state.timers.due.items()})


def _write(turn: Turn, due: dict[str, int]) -> None:
    turn.state = replace(turn.state, timers=Timers(due))
