"""What there is to see: what eyes at the table could see, and, in the laboratory, everything."""

from __future__ import annotations

from .deeds import A_CARD, said
from .faces.tdl_device import TdlDevice
from .room import Room, SimulatedDevice
from .world.lamp import DARK, Light
from .world.machine import ShufflerMachine
from .world.table import HOLE


def light_said(light: Light) -> str:
    """A lamp in words: `red blinking`, or `off`."""
    return "off" if light == DARK else f"{light.colour.name} {light.pattern.name}".lower()


def look(room: Room) -> dict[str, object]:
    """What a person at the table can see: cards out of the machine and face up, lamps, lids, what is stuck."""
    felt = room.table.felt
    shown = {name for name in felt.hands if name != HOLE}
    return {
        "cards": {
            name: [said(card) if name in shown else A_CARD for card in pile]
            for name, pile in felt.piles.items()
            if len(pile) and name in felt.hands
        },
        "spoiled": [
            {"card": said(card), "place": name}
            for name in felt.hands
            if name in shown
            for card in felt.piles[name]
            if card.is_creased
        ],
        "heaps": {name: len(pile) for name, pile in felt.piles.items() if len(pile) and name not in felt.hands},
        "lamp": light_said(room.table.box.visible_light),
        "readers": {
            name: {
                "colour": head.visible_colour(room.stage.now_ns).name.lower(),
                "text": head.display.visible_text(room.stage.now_ns),
                "beeps": head.beeps,
            }
            for name, head in room.heads.items()
        },
        "displays": {
            **{name: display.visible(room.stage.now_ns) for name, display in room.displays.items()},
            **{name: " / ".join(sign.drawn()) for name, sign in room.signs.items()},
        },
        "slots": {
            str(seat): {"window": len(slot.window), "cup": slot.cup}
            for slots in room.slots.values()
            for seat, slot in slots.slots.items()
        }
        | {str(seat): {"window": 0, "cup": coin.acceptor.cup} for seat, coin in room.acceptors.items()},
        "machines": {
            device.name: _seen_at(room, device)
            for device in room.devices.values()
            if device.plan.serial_number in room.table.machines
        },
    }


def look_at_everything(room: Room) -> dict[str, object]:
    """What only the laboratory sees: every card, every gate, every cable. It holds secrets of the game."""
    return {
        **look(room),
        "census": dict(room.table.census()),
        "piles": {pile.name: [said(card) for card in pile] for pile in room.table.piles if len(pile)},
        "devices": {device.name: _inside(room, device) for device in room.devices.values()},
    }


def _seen_at(room: Room, device: SimulatedDevice) -> dict[str, object]:
    machine = room.table.machines[device.plan.serial_number]
    carousel = machine.carousel
    return {
        "in play": device.plan.serial_number == room.table.in_play,
        "lamp": light_said(machine.visible_light),
        "lid open": carousel.is_lid_open,
        "stuck": sorted(carousel.jammed) if carousel.is_lid_open else [],
        "in hopper": len(carousel.hopper),
        "at exit": bool(carousel.nose),
        "in mouth": len(carousel.mouth),
        "busy": machine.is_busy,
    }


def _inside(room: Room, device: SimulatedDevice) -> dict[str, object]:
    face = device.face
    known: dict[str, object] = {"on": face.is_on, "cable in": device.cable.is_in}
    if isinstance(face, TdlDevice):
        known |= {
            "boot": face.boot_number,
            "newest notice": face.notices.newest,
            "notices waiting": len(face.notices),
            "epoch": face.outcomes.epoch,
            "highest command": face.outcomes.highest,
            "frames dropped": face.dropped,
        }
    machine = room.table.machines.get(device.plan.serial_number)
    return known | (_mechanics(machine) if machine is not None else {})


def _mechanics(machine: ShufflerMachine) -> dict[str, object]:
    return {
        "cards inside": machine.cards_inside,
        "believed": machine.book.content.total,
        "cards in": machine.meters.cards_in,
        "cards out": machine.meters.cards_out,
        "misread": machine.carousel.in_sensor.missed + machine.carousel.out_sensor.missed,
        "mishaps": dict(machine.carousel.hazards.fired),
        "troubles": sorted(trouble.value for trouble, _ in machine.standing.troubles),
    }
