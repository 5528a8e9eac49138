"""What hands do at a shuffler that has no data link: its own keys, and a look inside."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from .deeds import Impossible, PersonDeed, machine_of
from .room import Room
from .world.plain_machine import PlainMachine


class MachineKey(StrEnum):
    """The keys of a shuffler without a data link."""

    START = "start"
    STOP = "stop"
    EMPTY = "empty"


class PressMachineKey(PersonDeed, frozen=True, kw_only=True):
    """A key of a plain shuffler itself: start, stop, or give out every card."""

    key: MachineKey
    machine: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: whether the machine did it."""
        plain = _plain(room, self.machine)
        press = {
            MachineKey.START: plain.press_start,
            MachineKey.STOP: plain.press_stop,
            MachineKey.EMPTY: plain.press_empty,
        }[self.key]
        return {"done": room.stage.act(press)}


class LookInside(PersonDeed, frozen=True, kw_only=True):
    """Look into the machine at an open lid, and count what lies in it."""

    device: str = ""

    def carry_out(self, room: Room) -> Mapping[str, object]:
        """See `PersonDeed`: how many cards there are."""
        machine = machine_of(room, self.device)
        if not machine.carousel.is_lid_open:
            raise Impossible("the lid is shut: nobody sees what is inside")
        return {"inside": machine.cards_inside}


def _plain(room: Room, name: str) -> PlainMachine:
    if name in room.plain:
        return room.plain[name]
    if name or not room.plain:
        raise Impossible(f"no plain shuffler {name!r} here; there are {', '.join(room.plain) or 'none'}")
    return next(iter(room.plain.values()))
