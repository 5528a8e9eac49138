"""What the jackpot displays of the table shall show: one goal for all, journalled, given anew to whoever comes back.

Only the present goal is ever sent: a display that was away is told what holds now, not what it has missed (BR-051).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.displays.showing import Showing
from drivers.events import Shown
from tableside import devices
from tableside.decisions import DisplaySet
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class Displays(msgspec.Struct, frozen=True):
    """`goal` None: nobody has asked for anything yet. By name: the version last ordered, and the one read back."""

    goal: Showing | None = None
    told: dict[str, int] = {}
    shown: dict[str, int] = {}


def is_display(state: TableState, name: str) -> bool:
    """Whether the device is one of the table's displays."""
    return any(display.name == name for display in state.house.displays)


def set_goal(turn: Turn, what: Shown, amount: int, currency: str) -> None:
    """From now on every display of the table shall show this."""
    known = turn.state.displays
    version = known.goal.version + 1 if known.goal is not None else 1
    _put(turn, replace(known, goal=Showing(version, what, amount, currency)))


def settle(turn: Turn) -> None:
    """Tell the goal to every display that is here and has not been told."""
    goal = turn.state.displays.goal
    if goal is None:
        return
    for display in turn.state.house.displays:
        levels, known = devices.of(turn, display.name), turn.state.displays
        obeys = not levels.abilities or levels.epoch == turn.state.house.epoch  # TDL: it would refuse ours
        if levels.is_connected and obeys and known.told.get(display.name) != goal.version:
            _put(turn, replace(known, told={**known.told, display.name: goal.version}))
            turn.decide(DisplaySet(device=display.name, showing=goal))


def forget(turn: Turn, device: str) -> None:
    """The display went or came: what we last told it is not known to stand."""
    known = turn.state.displays
    if device in known.told or device in known.shown:
        told = {name: version for name, version in known.told.items() if name != device}
        shown = {name: version for name, version in known.shown.items() if name != device}
        _put(turn, replace(known, told=told, shown=shown))


def read_back(turn: Turn, device: str, version: int) -> None:
    """The display shows this version."""
    known = turn.state.displays
    _put(turn, replace(known, shown={**known.shown, device: version}))


def not_shown(turn: Turn, device: str) -> None:
    """What the display shows is not known, or not what it was told."""
    known = turn.state.displays
    _put(turn, replace(known, shown={name: version for name, version in known.shown.items() if name != device}))


def is_showing_goal(state: TableState, device: str) -> bool:
    """Read back: it shows what it shall."""
    goal = state.displays.goal
    return goal is None or state.displays.shown.get(device) == goal.version


def _put(turn: Turn, displays: Displays) -> None:
    turn.state = replace(turn.state, displays=displays)
