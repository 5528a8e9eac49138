"""What is to be simulated: one TOML names the table, its decks and devices, and how quick mechanics and people are.

Every key has one shape; an unknown one is an error with its place. Paths count from the folder of the file.
"""

from __future__ import annotations

import os
from collections import Counter
from enum import StrEnum
from pathlib import Path

import msgspec

from firmware_bridge.links.address import AddressError, parse_address
from firmware_bridge.links.mqtt_address import certificates_from
from firmware_bridge.wire.keyboard.maps import MAPS

from .line import STREAM_ONLY, LineFault, LineQuality
from .world.cards import Back
from .world.hazards import NEVER, PINNED, Rates

SERIAL = "serial://"
MQTT = ("mqtt://", "mqtts://")


class PlanRefused(ValueError):
    """A simulation file that cannot be used: says where and why."""


class Kind(StrEnum):
    """What can be simulated."""

    SHUFFLER = "shuffler"
    BATCH_SHUFFLER = "batch shuffler"
    PLAIN_SHUFFLER = "plain shuffler"
    ANTENNA = "antenna"
    SWITCH_BOX = "switch box"
    BADGE_READER = "badge reader"
    KEYBOARD_READER = "badge reader that types"
    DISPLAY = "display"
    ALPHA_SIGN = "alpha sign"
    FIRMWARE_PORT = "firmware port"
    BLINK1 = "blink(1) lamp"
    CHIP_SLOTS = "chip slots"
    COIN_SLOTS = "coin slots"
    SHOE = "angel eye shoe"
    CARD_READER = "card reader"


# Machines that cards go into.
SHUFFLERS = (Kind.SHUFFLER, Kind.BATCH_SHUFFLER, Kind.PLAIN_SHUFFLER)


class Chance(StrEnum):
    """How often something goes wrong by itself."""

    NEVER = "never"  # only what a scenario does
    PINNED = "pinned"  # the rates of a table in the field


RATES: dict[Chance, Rates] = {Chance.NEVER: NEVER, Chance.PINNED: PINNED}


class _Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file."""


class Simulation(_Shape, frozen=True, kw_only=True):
    """The whole run. `pace` scales mechanics and people, never links and deadlines; `memory` outlives a restart.

    `recordings`: a folder for what goes over each cable, one file a connection (`simulator/recorder.py`).
    """

    seed: int = 1
    pace: float = 1.0
    side_channel: str = ""
    is_lab: bool = False
    chance: Chance = Chance.NEVER
    memory: str = ""
    recordings: str = ""


class TablePlan(_Shape, frozen=True, kw_only=True):
    """The felt."""

    seats: int = 7


class DeckPlan(_Shape, frozen=True, kw_only=True):
    """Decks of one back in the table's cabinet: `count` for play, `reserve` to replace damaged cards from."""

    back: Back
    count: int
    reserve: int = 0


class DevicePlan(_Shape, frozen=True, kw_only=True):
    """One device. `address` is the one by which the host reaches it, so that both files say the same.

    `seats` are those that have a chip slot, `chip_value` what they take, in the smallest unit of the currency.
    `characters` stand on a display at once. A plain shuffler has no data link: `address` is that of the I/O board that
    is wired to it.
    Coin slots are acceptors on one ccTalk bus: the first seat's at `cctalk_address`, with `serial_number`, the others
    follow; the chip is their coin of `chip_position`.
    `osdp_address` is that of a badge reader on its bus. `keyboard` is the map of one that types. `is_usb_serial`:
    on USB it is a serial port (CDC-ACM), not a stream of class FF.
    `key` is the hex of its secure channel's base key.
    `at_mm` is where an antenna lies in their row under the felt; none: clear of its neighbours.
    `bad_line` gives the chance of each fault of its cable, per chunk and direction (`simulator/line.py`).
    """

    name: str
    kind: Kind
    serial_number: str
    address: str
    is_on: bool = True
    osdp_address: int = 1
    characters: int = 13
    seats: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    chip_value: int = 500
    cctalk_address: int = 11
    chip_position: int = 1
    key: str = ""
    keyboard: str = "us"
    is_usb_serial: bool = False
    at_mm: float | None = None
    bad_line: dict[LineFault, float] | None = None

    @property
    def line_quality(self) -> LineQuality | None:
        """None: the cable is as good as the real one under it."""
        return LineQuality(chances=self.bad_line) if self.bad_line is not None else None


class Plan(_Shape, frozen=True, kw_only=True):
    """A simulation file."""

    simulation: Simulation = Simulation()
    table: TablePlan = TablePlan()
    decks: tuple[DeckPlan, ...] = ()
    devices: tuple[DevicePlan, ...] = ()

    @property
    def shufflers(self) -> list[DevicePlan]:
        """All machines that cards go into, in the file's order."""
        return [device for device in self.devices if device.kind in SHUFFLERS]

    def of_kind(self, kind: Kind) -> list[DevicePlan]:
        """The devices of one kind, in the file's order."""
        return [device for device in self.devices if device.kind is kind]


def read_plan(path: Path) -> Plan:
    """A simulation file. Raises `PlanRefused`, `OSError`."""
    try:
        plan = msgspec.toml.decode(path.read_text("utf-8"), type=Plan)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PlanRefused(f"{path}: {error}") from error
    folder = path.resolve().parent
    plan = msgspec.structs.replace(
        plan,
        simulation=msgspec.structs.replace(
            plan.simulation,
            side_channel=_absolute(plan.simulation.side_channel, folder),
            memory=_absolute(plan.simulation.memory, folder),
            recordings=_absolute(plan.simulation.recordings, folder),
        ),
        devices=tuple(
            msgspec.structs.replace(device, address=_absolute_address(device.address, folder))
            for device in plan.devices
        ),
    )
    mistakes = list(_mistakes(plan))
    if mistakes:
        raise PlanRefused("\n".join(f"{path}: {mistake}" for mistake in mistakes))
    return plan


def _mistakes(plan: Plan) -> list[str]:
    mistakes = []
    if plan.simulation.pace <= 0:
        mistakes.append(f"simulation.pace {plan.simulation.pace}: mechanics cannot stand still; give a factor above 0")
    if not plan.shufflers and not plan.of_kind(Kind.SHOE):
        mistakes.append(f"devices: a table has at least one of kind {', '.join((*SHUFFLERS, Kind.SHOE))}")
    for what, names in (
        ("name", [device.name for device in plan.devices]),
        ("serial_number", [f"{device.kind} {device.serial_number}" for device in plan.devices]),
    ):
        mistakes += [f"devices: {what} {name!r} stands twice" for name, n in Counter(names).items() if n > 1]
    for device in plan.devices:
        if device.kind is Kind.BADGE_READER and not _is_hex(device.serial_number, 8):
            mistakes.append(f"devices {device.name!r}: serial_number of a badge reader is eight hex digits")
        if device.kind is Kind.KEYBOARD_READER and device.keyboard not in MAPS:
            mistakes.append(f"devices {device.name!r}: keyboard is one of {', '.join(MAPS)}")
        if device.kind is Kind.COIN_SLOTS and not (device.serial_number.isascii() and device.serial_number.isdigit()):
            mistakes.append(f"devices {device.name!r}: serial_number of coin slots is a number, the first acceptor's")
        if device.key and not _is_hex(device.key, 32):
            mistakes.append(f"devices {device.name!r}: key is 32 hex digits, or nothing")
        chances = device.bad_line or {}
        if sum(chances.values()) > 1 or min(chances.values(), default=0) < 0:
            mistakes.append(f"devices {device.name!r}: the chances of bad_line are each 0 or more, together 1 at most")
        if device.address.startswith(MQTT) and STREAM_ONLY & set(chances):
            mistakes.append(f"devices {device.name!r}: split and join happen to streams only, not to MQTT")
        try:
            parse_address(device.address)
        except AddressError as refused:
            mistakes.append(f"devices {device.name!r}: {refused}")
    return mistakes


def _is_hex(text: str, digits: int) -> bool:
    return len(text) == digits and not text.lower().strip("0123456789abcdef")


def _absolute(text: str, folder: Path) -> str:
    return os.path.normpath(folder / text) if text else ""


def _absolute_address(text: str, folder: Path) -> str:
    path = text.removeprefix(SERIAL)
    if path == text or path.startswith("/"):
        return certificates_from(text, folder)
    node, mark, query = path.partition("?")
    return f"{SERIAL}{os.path.normpath(folder / node)}{mark}{query}"
