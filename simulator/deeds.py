"""What people's hands and the world can do at the table: one struct a deed, under its name in kebab-case.

A deed of the world is a cause, never an effect; it can prove afterwards that it has fired.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from .room import Room
from .world.cards import Card, Pile, Rank
from .world.machine import ShufflerMachine

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
# How a card is told of that lies face down.
A_CARD = "a card"
# True once the cause has had its effect.
Proof = Callable[[], bool]


def deed_name(name: str) -> str:
    """`PressKey` is asked for as `press-key`."""
    return _CAPITAL.sub("-", name).lower()


class Impossible(Exception):
    """Hands cannot do that here and now: says why."""


class PersonDeed(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="does", tag=deed_name, forbid_unknown_fields=True
):
    """What a person's hands do."""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """Do it; returns what the person sees of it. Raises `Impossible`."""
        raise NotImplementedError

    def why_nothing(self, room: Room) -> str:
        """Asked after a deed that moved no card: what there is instead. Empty: that was no failure."""
        return ""


class WorldDeed(msgspec.Struct, frozen=True, kw_only=True, tag_field="does", tag=deed_name, forbid_unknown_fields=True):
    """What happens to the table by itself."""

    async def carry_out(self, room: Room) -> Proof:
        """Let it happen; returns how to see whether it has fired. Raises `Impossible`."""
        raise NotImplementedError


def machine_of(room: Room, device: str) -> ShufflerMachine:
    """The shuffler of that name, empty for the one in play. Raises `Impossible`."""
    if not device:
        return room.table.machine
    try:
        return room.table.machines[room.devices[device].plan.serial_number]
    except KeyError:
        names = ", ".join(name for name, each in room.devices.items() if each.plan.serial_number in room.table.machines)
        raise Impossible(f"there is no shuffler {device!r}; here are {names}") from None


def device_name(room: Room, device: str) -> str:
    """A device's name, checked. Raises `Impossible`."""
    if device not in room.devices:
        raise Impossible(f"there is no device {device!r}; here are {', '.join(room.devices)}")
    return device


def place(room: Room, name: str) -> Pile:
    """A place on the felt. Raises `Impossible` for one that has no name."""
    if not name:
        raise Impossible(f"name a place, such as {', '.join(room.table.felt.piles)}")
    return room.table.felt[name]


def card_in(pile: Pile, text: str) -> Card:
    """The card that reads `K♠ red`, first from the top; of equal ones the bent one. Raises `Impossible`."""
    alike = [card for card in reversed(tuple(pile)) if said(card) == text]
    if not alike:
        raise Impossible(f"no {text} lies in {pile.name}")
    return next((card for card in alike if card.is_bent), alike[0])


def said(card: Card) -> str:
    """A card as a person says it: `K♠ red`, `10♦ blue`."""
    return f"{card.face} {card.back}".replace("T", "10", 1) if card.rank is Rank.TEN else f"{card.face} {card.back}"


def members(kind: type[Any]) -> tuple[type[Any], ...]:
    """Every deed of a kind that has been written."""
    return tuple(kind.__subclasses__())
