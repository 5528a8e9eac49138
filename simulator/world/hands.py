"""What people's hands do at a shuffler. Each act is one that a person at the table can do, and may fail as there."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from .cards import BENT_UM, CREASED_UM, Card, Pile
from .happenings import Breach, Spot, Trouble
from .hazards import WARPED_UM
from .machine import ShufflerMachine
from .optics import BLINDING_MARGIN


class Skill(IntEnum):
    """Who puts a hand in: only a technician has tools for a jam deep in the carousel."""

    DEALER = 0
    SUPERVISOR = 1
    TECHNICIAN = 2


def put_packet(machine: ShufflerMachine, cards: Iterable[Card]) -> int:
    """Lay a packet into the hopper, on top of what lies there. Returns how many found room."""
    hopper = machine.carousel.hopper
    laid = 0
    for card in tuple(cards):
        if len(hopper) >= machine.figures.hopper_cards:
            break
        card.move_to(hopper)
        laid += 1
    return laid


def take_packet(machine: ShufflerMachine, to: Pile) -> int:
    """Take what still lies in the hopper back out."""
    return machine.carousel.hopper.move_all(to)


def draw(machine: ShufflerMachine, to: Pile) -> int:
    """Draw at the exit; 0 where the brake holds or nothing is there, 2 where two stuck together."""
    return machine.draw(to)


def tear_out(machine: ShufflerMachine, to: Pile) -> int:
    """Pull the card in the nose out against the brake: counted, but not permitted; it comes out bent."""
    cards = tuple(machine.carousel.nose)
    drawn = machine.draw(to, by_force=True)
    for card in cards[:drawn]:
        bend(card, BENT_UM)
    return drawn


def take_from_mouth(machine: ShufflerMachine, to: Pile) -> int:
    """Take the cards that the machine gave out by command."""
    return machine.carousel.mouth.move_all(to)


def open_lid(machine: ShufflerMachine, *, with_key: bool = False) -> bool:
    """Lift the lid: it gives way while the lid is released, or to the service key. False: locked."""
    if machine.carousel.is_lid_open:
        return True
    if not (machine.is_lid_released or with_key):
        return False
    machine.lid_moved(is_open=True)
    return True


def close_lid(machine: ShufflerMachine) -> None:
    """Push it shut; it locks by itself unless released."""
    if machine.carousel.is_lid_open:
        machine.lid_moved(is_open=False)


def take_stuck(machine: ShufflerMachine, spot: Spot, to: Pile, skill: Skill = Skill.SUPERVISOR) -> int:
    """Take what is stuck there out by hand, at an open lid. 0: nothing there, lid shut, or out of reach."""
    carousel = machine.carousel
    if not carousel.is_lid_open or (spot in carousel.deep_jams and skill < Skill.TECHNICIAN):
        return 0
    taken = carousel.stuck(spot).move_all(to)
    carousel.jammed.discard(spot)
    carousel.deep_jams.discard(spot)
    return taken


def take_from_nose(machine: ShufflerMachine, to: Pile) -> int:
    """Take the card that stands at the exit out by hand, at an open lid. The light barrier there sees it go."""
    if not machine.carousel.is_lid_open:
        return 0
    taken = machine.carousel.nose.move_all(to)
    machine.book.leave(taken)
    return taken


def take_all(machine: ShufflerMachine, to: Pile) -> int:
    """Take every card inside out by hand, at an open lid; a deep jam stays."""
    carousel = machine.carousel
    if not carousel.is_lid_open:
        return 0
    taken = sum(take_stuck(machine, spot, to) for spot in Spot)
    inside = (*carousel.compartments, carousel.transfer, carousel.buffer, carousel.nose)
    return taken + sum(pile.move_all(to) for pile in inside)


def put_inside(machine: ShufflerMachine, card: Card, compartment: int) -> bool:
    """Push a card into a compartment by hand, past every counter, at an open lid."""
    if not machine.carousel.is_lid_open:
        return False
    card.move_to(machine.carousel.compartments[compartment])
    return True


def bend(card: Card, by_um: int = BENT_UM) -> None:
    """Bend a card."""
    card.bend_um += by_um


def warp(card: Card) -> None:
    """Bend a card so that no eye misses it; rollers still move it."""
    card.bend_um = max(card.bend_um, WARPED_UM)


def crease(card: Card) -> None:
    """Fold a card: the next roller will not move it."""
    card.bend_um = max(card.bend_um, CREASED_UM)


def turn_askew(card: Card) -> None:
    """Lay a card crosswise: the next roller catches it, once."""
    card.is_askew = True


def spill(card: Card) -> None:
    """Make a card sticky: it drags the next one along."""
    card.is_sticky = True


def dust(machine: ShufflerMachine, spot: Spot, margin: float = BLINDING_MARGIN / 2) -> None:
    """Let dust lie on a counter until only this margin is left."""
    machine.carousel.counter(spot).margin = margin


def clean(machine: ShufflerMachine, spot: Spot) -> None:
    """Wipe a counter."""
    machine.carousel.counter(spot).margin = 1.0


def hurt(machine: ShufflerMachine, trouble: Trouble) -> None:
    """A part fails."""
    machine.carousel.broken.add(trouble)


def mend(machine: ShufflerMachine, trouble: Trouble) -> None:
    """A technician repairs or replaces it."""
    machine.carousel.broken.discard(trouble)


def tamper(machine: ShufflerMachine, what: Breach) -> None:
    """Open the cover, or plug something into the service port."""
    machine.tampered(what)
