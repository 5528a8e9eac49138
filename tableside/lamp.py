"""The warning lamp is derived: the gravest that stands is what it shows (texts: lamp language)."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.events import Ability, Holding, LampColour, LampPattern
from tableside import devices
from tableside.decisions import LampSet
from tableside.tables import Turn

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
    for name in (turn.state.house.switch_box, devices.machine(turn.state)):
        levels = devices.of(turn, name)
        if levels.holding(Ability.LAMP) is Holding.CANNOT or not levels.is_connected:
            continue
        if levels.epoch != turn.state.house.epoch:
            continue  # it would refuse; once it is adopted the next input settles it
        if turn.state.lamps.get(name) != show:
            turn.state = replace(turn.state, lamps={**turn.state.lamps, name: show})
            turn.decide(LampSet(device=name, colour=show[0], pattern=show[1]))


def forget(turn: Turn, device: str) -> None:
    """The device came back, or shows something else: what we last set there is not known to stand."""
    if device in turn.state.lamps:
        rest = {name: shown for name, shown in turn.state.lamps.items() if name != device}
        turn.state = replace(turn.state, lamps=rest)
