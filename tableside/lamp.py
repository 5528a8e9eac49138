"""The warning lamp is derived: the gravest that stands is what it shows (texts: lamp language)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from drivers.events import Ability, Holding, LampColour, LampPattern
from tableside import devices
from tableside.decisions import LampSet
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

Shown = tuple[LampColour, LampPattern]
OFF: Shown = (LampColour.OFF, LampPattern.STEADY)
# Gravest first: nobody authorised or the product fails; stopped; time runs out; technical; waits by choice.
ORDER: tuple[Shown, ...] = (
    (LampColour.RED, LampPattern.BLINKING),
    (LampColour.RED, LampPattern.STEADY),
    (LampColour.AMBER, LampPattern.BLINKING),
    (LampColour.AMBER, LampPattern.STEADY),
    (LampColour.BLUE, LampPattern.STEADY),
)


def settle(turn: Turn, wanted: frozenset[Shown]) -> None:
    """Show the gravest of what is wanted on every lamp of the table, where it does not show already."""
    show = next((lamp for lamp in ORDER if lamp in wanted), OFF)
    house = turn.state.house
    for name in (house.switch_box, devices.machine(turn.state), *house.lamps):
        if not _takes_orders(turn, name):
            continue
        if turn.state.lamps.get(name) != show:
            turn.state = replace(turn.state, lamps={**turn.state.lamps, name: show})
            turn.decide(LampSet(device=name, colour=show[0], pattern=show[1]))


def is_lamp(state: TableState, name: str) -> bool:
    """Whether the device is a warning lamp of its own."""
    return name in state.house.lamps


def _takes_orders(turn: Turn, name: str) -> bool:
    """A TDL device of another epoch would refuse; once it is adopted the next input settles it."""
    levels = devices.of(turn, name)
    if is_lamp(turn.state, name):
        return levels.is_connected
    has_lamp = levels.holding(Ability.LAMP) is not Holding.CANNOT
    return has_lamp and levels.is_connected and levels.epoch == turn.state.house.epoch


def forget(turn: Turn, device: str) -> None:
    """The device came back, or shows something else: what we last set there is not known to stand."""
    if device in turn.state.lamps:
        rest = {name: shown for name, shown in turn.state.lamps.items() if name != device}
        turn.state = replace(turn.state, lamps=rest)
