"""Faults whose cause is a card, or a hand that moves one."""

from __future__ import annotations

from collections.abc import Callable

from simulator.world import hands
from simulator.world.cards import BENT_UM, Card, Pile
from simulator.world.happenings import Trouble
from simulator.world.table import SPREAD

from .scene import CannotProvoke, Proof, Scene, fault


def _next_card(pile: Pile, where: str) -> Card:
    if not pile:
        raise CannotProvoke(f"no card lies {where}; let one come there first")
    return pile.bottom


def _by_card(act: Callable[[Card], None], place: str, sign: str) -> Callable[[Scene], Proof]:
    """Do something to the next card of hopper or buffer; the proof is a rise of this tally."""

    def provoke(scene: Scene) -> Proof:
        carousel = scene.table.machine.carousel
        pile = carousel.hopper if place == "hopper" else carousel.buffer
        act(_next_card(pile, f"in the {place}"))
        before = carousel.tally[sign]
        return lambda: carousel.tally[sign] > before

    return provoke


def _bend_buffer(scene: Scene) -> Proof:
    carousel = scene.table.machine.carousel
    _next_card(carousel.buffer, "in the buffer")
    for card in carousel.buffer:
        hands.bend(card, BENT_UM)
    before = carousel.tally["bent card seen"]
    return lambda: carousel.tally["bent card seen"] > before


def _misalign(scene: Scene, *, is_deep: bool) -> Proof:
    machine = scene.table.machine
    hands.hurt(machine, Trouble.ALIGNMENT)
    machine.carousel.hazards.is_next_deep = is_deep
    sign = "deep jam" if is_deep else "jam at carousel"
    before = machine.carousel.tally[sign]
    return lambda: machine.carousel.tally[sign] > before


def _align(scene: Scene) -> None:
    hands.mend(scene.table.machine, Trouble.ALIGNMENT)


def _tear_out(scene: Scene) -> Proof:
    drawn = hands.tear_out(scene.table.machine, scene.table.felt[SPREAD])
    if not drawn:
        raise CannotProvoke("no card stands in the nose, or the lid is open; let one come there first")
    return lambda: True


def _move_by_hand(scene: Scene, *, into: bool) -> Proof:
    """At an open lid a hand puts a card in, or takes one out, past every counter."""
    machine, spread = scene.table.machine, scene.table.felt[SPREAD]
    if not machine.carousel.is_lid_open:
        raise CannotProvoke("the lid is shut; open it first")
    filled = [pile for pile in machine.carousel.compartments if pile]
    card = _next_card(spread if into else (filled or [spread])[0], "on the felt" if into else "in the carousel")
    target = machine.carousel.compartments[0] if into else spread
    card.move_to(target)
    return lambda: card.pile is target


def _lose_card(scene: Scene) -> Proof:
    card = _next_card(scene.table.felt[SPREAD], "on the felt")
    lost = scene.table.lose(card.face, card.back)
    return lambda: lost is not None and lost.pile.name == "elsewhere"


FAULTS = (
    fault(
        "jam at the exit",
        "the next card in the buffer is creased",
        "jam, lamp, deal and feed stop",
        _by_card(hands.crease, "buffer", "jam at exit"),
    ),
    fault(
        "jam at the feed",
        "the next card in the hopper is creased",
        "jam, lamp, deal and feed stop",
        _by_card(hands.crease, "hopper", "jam at feed"),
    ),
    fault(
        "jam in the carousel",
        "the drum is out of line: the next card hits a wall",
        "jam, lamp, deal and feed stop",
        lambda scene: _misalign(scene, is_deep=False),
        mend=_align,
    ),
    fault(
        "deep jam in the carousel",
        "the same, and the card is out of a supervisor's reach",
        "jam that only a technician clears",
        lambda scene: _misalign(scene, is_deep=True),
        mend=_align,
    ),
    fault(
        "double feed",
        "the next card in the hopper is sticky: two go in as one",
        "count short by one, or fault double feed",
        _by_card(hands.spill, "hopper", "double feed from hopper"),
    ),
    fault(
        "double deal",
        "the next card in the buffer is sticky: two come out as one",
        "count short by one, or fault double feed",
        _by_card(hands.spill, "buffer", "double feed from buffer"),
    ),
    fault("suspect card", "the cards in the buffer are bent", "suspect card at the exit", _bend_buffer),
    fault(
        "card torn out",
        "somebody pulls against the brake",
        "card counted out without a permit",
        _tear_out,
    ),
    fault(
        "card put in by hand",
        "a hand at the open lid",
        "one card more than counted",
        lambda scene: _move_by_hand(scene, into=True),
    ),
    fault(
        "card taken out by hand",
        "a hand at the open lid",
        "one card fewer than counted",
        lambda scene: _move_by_hand(scene, into=False),
    ),
    fault("card lost", "a card falls off the table", "one card missing at the sort", _lose_card),
)
