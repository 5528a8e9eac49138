"""Why hands came away with nothing, for whoever typed the deed. People who are simulated look, and try again."""

from __future__ import annotations

from collections.abc import Mapping

from .room import Room
from .world.cards import Pile
from .world.machine import ShufflerMachine

# What a deed answers that moves cards: how many, or which.
MOVED = ("count", "cards")


def moved_nothing(seen: Mapping[str, object]) -> bool:
    """A deed that moves cards has moved none."""
    return any(key in seen and not seen[key] for key in MOVED)


def empty_place(room: Room, name: str) -> str:
    """No card lies at a place of the felt: where there are cards instead."""
    elsewhere = [f"{pile.name} ({len(pile)})" for pile in room.table.felt.piles.values() if pile]
    return f"no card lies in {name!r}; cards lie in {', '.join(elsewhere) or 'no place on the table'}"


def nothing_laid(room: Room, source: Pile, machine: ShufflerMachine) -> str:
    """No card went into the hopper."""
    lie = len(machine.carousel.hopper)
    if source and lie >= machine.figures.hopper_cards:
        return f"the hopper is full: {lie} cards lie in it"
    return empty_place(room, source.name)


def nothing_drawn(machine: ShufflerMachine) -> str:
    """No card came at the exit."""
    if machine.carousel.is_lid_open:
        return "the lid is open: shut it first (shut-lid)"
    if not machine.carousel.nose:
        return f"no card stands at the exit; {_inside(machine)}"
    if not machine.is_powered:
        return "the machine is without power and its brake holds"
    return "a card stands at the exit and the brake holds it: dealing is not open"


def nothing_taken(machine: ShufflerMachine, where: str) -> str:
    """No card lay where a hand reached without opening anything: the hopper, the mouth."""
    carousel = machine.carousel
    return f"no card lies in the {where}; in the hopper lie {len(carousel.hopper)}, in the mouth {len(carousel.mouth)}"


def nothing_inside(machine: ShufflerMachine, what: str) -> str:
    """A hand at the lid came out empty: the lid is shut, or nothing is there."""
    return what if machine.carousel.is_lid_open else "the lid is shut: lift it first (lift-lid)"


def nothing_stuck(machine: ShufflerMachine, spot: str) -> str:
    """No stuck card was freed there."""
    carousel = machine.carousel
    if spot in carousel.deep_jams:
        return nothing_inside(machine, f"the card at the {spot} is out of reach without tools (with_tools=true)")
    stuck = ", ".join(sorted(carousel.jammed)) or "nowhere"
    return nothing_inside(machine, f"nothing is stuck at the {spot}; cards are stuck: {stuck}")


def _inside(machine: ShufflerMachine) -> str:
    return f"{machine.cards_inside} cards are inside" if machine.cards_inside else "the machine is empty"
