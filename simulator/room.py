"""The room: one table's worlds, its simulated devices and their cables, as a plan names them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from firmware_bridge.links.base import Link
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.tdl.codes import BootCause

from .cables import Cable, MemorySocket, Socket, socket_for
from .faces.alpha_sign import AlphaSignFace
from .faces.angel_eye import AngelEyeFace
from .faces.badge_readers import BadgeReadersFace
from .faces.blink1 import Blink1Face
from .faces.cctalk import CctalkFace
from .faces.gat_port import GatPortFace
from .faces.keyboard_reader import KeyboardReaderFace
from .faces.memory import Memory
from .faces.modbus_board import ModbusBoardsFace
from .faces.osdp import OsdpReader, ReaderModel
from .faces.osdp_security import Security
from .faces.pn532 import Pn532Face
from .faces.tdl_card_reader import new_card_reader
from .faces.tdl_device import TdlDevice
from .faces.tdl_display import new_display
from .faces.tdl_shuffler import BATCH, CONTINUOUS, new_shuffler
from .faces.tdl_slots import new_slots
from .faces.tdl_switch_box import new_switch_box
from .plan import RATES, DevicePlan, Kind, Plan
from .recorder import Recorder
from .runner import Face, Outlet, Stage
from .usb.feature_lamp import blink1_shape
from .usb.shapes import KEYBOARD_READER, SERIAL_PORT, VENDOR_STREAM, Shape
from .world.badges import BadgeHead
from .world.blink1 import Blink1
from .world.card_reader import CardReader
from .world.chip_slots import ChipSlots
from .world.coin_acceptor import CoinAcceptor
from .world.display import JackpotDisplay
from .world.figures import Figures
from .world.firmware import Firmware, example_firmware
from .world.io_board import IoBoard
from .world.led_sign import LedSign
from .world.plain_machine import PlainMachine
from .world.rf_field import CLEAR_MM, RfField
from .world.shoe import DRAWN_CARDS, SHOE, BaccaratShoe
from .world.table import CABINET, RESERVE, TRAY, TableWorld

# The unit that a board has from its maker, as a rule.
BOARD_UNIT = 1


class PoweredFace(Face, Protocol):
    """A face with a switch. `profile`: what is spoken on its cable, in the word of recordings."""

    @property
    def profile(self) -> str: ...

    @property
    def is_on(self) -> bool: ...

    def boot(self, now_ns: int) -> None: ...


@dataclass(frozen=True, slots=True)
class SimulatedDevice:
    """One device as it stands in the room."""

    plan: DevicePlan
    face: PoweredFace
    outlet: Outlet
    cable: Cable

    @property
    def name(self) -> str:
        return self.plan.name


@dataclass(frozen=True, slots=True)
class CoinSlot:
    """A seat's acceptor, and which of its coins is the chip."""

    acceptor: CoinAcceptor
    position: int


class Room:
    """One table. Made and used within a running loop, dark until `power_up`; `run` serves its cables until cancelled.

    `memories` are what devices keep over a loss of power, by serial number: given, they go on from there. `sockets`
    are where devices are plugged in, by name, whose address alone does not say it (USB, within the host's process).
    """

    def __init__(
        self,
        plan: Plan,
        *,
        figures: Figures | None = None,
        memories: Mapping[str, Memory] | None = None,
        sockets: Mapping[str, Socket] | None = None,
    ) -> None:
        self.plan = plan
        self._sockets = dict(sockets or {})
        self.stage = Stage(pace=plan.simulation.pace)
        self.memories = dict(memories or {})
        self.table = TableWorld(
            plan.simulation.seed,
            seats=plan.table.seats,
            serials=tuple(device.serial_number for device in plan.shufflers),
            batch=[device.serial_number for device in plan.of_kind(Kind.BATCH_SHUFFLER)],
            rates=RATES[plan.simulation.chance],
            figures=figures,
        )
        for decks in plan.decks:
            self.table.bring([decks.back] * decks.count, to=CABINET)
            self.table.bring([decks.back] * decks.reserve, to=RESERVE)
        self.stage.add_world(self.table)
        self.heads: dict[str, BadgeHead] = {}
        self.displays: dict[str, JackpotDisplay] = {}
        self.signs: dict[str, AlphaSignFace] = {}
        self.firmware: dict[str, Firmware] = {}
        self.slots: dict[str, ChipSlots] = {}
        self.acceptors: dict[int, CoinSlot] = {}
        self.plain: dict[str, PlainMachine] = {}
        self.boards: dict[str, IoBoard] = {}
        self.lamps: dict[str, Blink1] = {}
        self.rf = RfField(plan.simulation.seed)
        self.shoes: dict[str, BaccaratShoe] = {}
        self.card_readers: dict[str, CardReader] = {}
        self.devices = {device.name: self._make(device) for device in plan.devices}

    def power_up(self) -> None:
        """The room's main switch: every device comes up that is not left off."""
        for device in self.devices.values():
            if device.plan.is_on:
                self.switch_on(device.name)

    async def run(self) -> None:
        """Serve every cable until cancelled; a world or face that fails ends it."""
        try:
            async with asyncio.TaskGroup() as cables:
                cables.create_task(self.stage.until_failure(), name="clockwork")
                for device in self.devices.values():
                    cables.create_task(device.cable.run(device.outlet), name=f"cable of {device.name}")
        finally:
            self.stage.close()

    @property
    def memory_answers(self) -> dict[str, Callable[[], Link]]:
        """Who answers at the memory addresses of the plan, by name: for a host in the same process."""
        sockets = [device.cable.socket for device in self.devices.values()]
        return {socket.name: socket.answer for socket in sockets if isinstance(socket, MemorySocket)}

    # Power

    def switch_on(self, name: str) -> bool:
        """Power for a device. False: it has some."""
        face = self.devices[name].face
        if face.is_on:
            return False
        self.stage.act(lambda: face.boot(self.stage.now_ns))
        return True

    def switch_off(self, name: str) -> bool:
        """No power for a device. False: it has none."""
        face = self.devices[name].face
        if not face.is_on:
            return False
        self.stage.act(face.power_off)
        return True

    def reset(self, name: str, cause: BootCause = BootCause.RESET) -> None:
        """Off and on at once, as by a watchdog or its button."""
        face = self.devices[name].face
        if isinstance(face, TdlDevice):
            self.stage.act(lambda: face.reset(self.stage.now_ns, cause))
        else:
            self.switch_off(name)
            self.switch_on(name)

    # Making

    def _make(self, device: DevicePlan) -> SimulatedDevice:
        face = MAKERS[device.kind](self, device)
        socket = self._sockets.get(device.name) or socket_for(
            device.address,
            lambda: face.boot_number if isinstance(face, TdlDevice) else 0,
            device.serial_number,
            _shape(device, face),
        )
        outlet = self.stage.add_face(face, sees_cable=socket.sees_cable)
        cable = Cable(device.name, socket, device.line_quality, self.plan.simulation.seed, self._recorder(device, face))
        return SimulatedDevice(device, face, outlet, cable)

    def _recorder(self, device: DevicePlan, face: PoweredFace) -> Recorder | None:
        folder = self.plan.simulation.recordings
        return Recorder(Path(folder), device.name, face.profile) if folder else None

    def memory(self, device: DevicePlan) -> Memory:
        """What this device keeps; a new board where it has kept nothing yet."""
        return self.memories.setdefault(device.serial_number, Memory())

    def _shuffler(self, device: DevicePlan) -> TdlDevice:
        machine = self.table.machines[device.serial_number]
        shape = BATCH if device.kind is Kind.BATCH_SHUFFLER else CONTINUOUS
        return new_shuffler(machine, self.memory(device), serial=device.serial_number, shape=shape)

    def _plain_shuffler(self, device: DevicePlan) -> ModbusBoardsFace:
        """A machine without a data link, and the board that is wired to it; both hang at one plug."""
        machine = self.plain[device.name] = PlainMachine(self.table.machines[device.serial_number])
        board = self.boards[device.name] = IoBoard(machine.wires(self.table.felt[TRAY]))
        for world in (machine, board):
            self.stage.add_world(world)
        is_tcp = device.address.startswith("tcp://")
        return ModbusBoardsFace({BOARD_UNIT: board}, is_tcp=is_tcp, same_plug=(machine,))

    def _switch_box(self, device: DevicePlan) -> TdlDevice:
        return new_switch_box(self.table.box, self.memory(device), serial=device.serial_number)

    def _display(self, device: DevicePlan) -> TdlDevice:
        display = self.displays[device.name] = JackpotDisplay(device.name, device.characters)
        return new_display(display, self.memory(device), serial=device.serial_number)

    def _chip_slots(self, device: DevicePlan) -> TdlDevice:
        slots = self.slots[device.name] = ChipSlots(device.name, device.seats, device.chip_value)
        self.stage.add_world(slots)
        return new_slots(slots, self.memory(device), serial=device.serial_number)

    def _coin_slots(self, device: DevicePlan) -> CctalkFace:
        bus: dict[int, CoinAcceptor] = {}
        for place, seat in enumerate(device.seats):
            acceptor = CoinAcceptor(f"{device.name} {seat}", int(device.serial_number) + place)
            self.stage.add_world(acceptor)
            self.acceptors[seat] = CoinSlot(acceptor, device.chip_position)
            bus[device.cctalk_address + place] = acceptor
        return CctalkFace(bus)

    def _alpha_sign(self, device: DevicePlan) -> AlphaSignFace:
        face = self.signs[device.name] = AlphaSignFace(LedSign(device.name, device.characters))
        return face

    def _blink1(self, device: DevicePlan) -> Blink1Face:
        lamp = self.lamps[device.name] = Blink1()
        return Blink1Face(lamp)

    def _firmware_port(self, device: DevicePlan) -> GatPortFace:
        firmware = self.firmware[device.name] = example_firmware()
        return GatPortFace(firmware)

    def _antenna(self, device: DevicePlan) -> Pn532Face:
        clear_mm = len(self.rf.antennas) * CLEAR_MM
        return Pn532Face(device.name, self.rf, clear_mm if device.at_mm is None else device.at_mm)

    def _shoe(self, device: DevicePlan) -> AngelEyeFace:
        felt = self.table.felt
        shoe = self.shoes[device.name] = BaccaratShoe(device.name, felt[SHOE], felt[DRAWN_CARDS])
        return AngelEyeFace(shoe)

    def _card_reader(self, device: DevicePlan) -> TdlDevice:
        table = self.table
        reader = CardReader(device.name, lambda: table.machine.carousel.nose, table.is_in_machine)
        self.card_readers[device.name] = reader
        self.stage.add_world(reader)
        return new_card_reader(reader, self.memory(device), serial=device.serial_number)

    def _badge_reader(self, device: DevicePlan) -> BadgeReadersFace:
        head = self.heads[device.name] = BadgeHead(self.plan.simulation.seed)
        chance = random.Random(f"{device.name} {self.plan.simulation.seed}")
        security = Security(chance.randbytes, key=bytes.fromhex(device.key) if device.key else None)
        model = ReaderModel(serial=int(device.serial_number, 16))
        return BadgeReadersFace([OsdpReader(head, device.osdp_address, model, security)])

    def _keyboard_reader(self, device: DevicePlan) -> KeyboardReaderFace:
        head = self.heads[device.name] = BadgeHead(self.plan.simulation.seed)
        return KeyboardReaderFace(head, MAPS[device.keyboard])


MAKERS: dict[Kind, Callable[[Room, DevicePlan], PoweredFace]] = {
    Kind.SHUFFLER: Room._shuffler,
    Kind.BATCH_SHUFFLER: Room._shuffler,
    Kind.PLAIN_SHUFFLER: Room._plain_shuffler,
    Kind.SWITCH_BOX: Room._switch_box,
    Kind.DISPLAY: Room._display,
    Kind.ALPHA_SIGN: Room._alpha_sign,
    Kind.FIRMWARE_PORT: Room._firmware_port,
    Kind.CHIP_SLOTS: Room._chip_slots,
    Kind.COIN_SLOTS: Room._coin_slots,
    Kind.BLINK1: Room._blink1,
    Kind.ANTENNA: Room._antenna,
    Kind.BADGE_READER: Room._badge_reader,
    Kind.KEYBOARD_READER: Room._keyboard_reader,
    Kind.SHOE: Room._shoe,
    Kind.CARD_READER: Room._card_reader,
}


def _shape(device: DevicePlan, face: PoweredFace) -> Shape:
    """What it is on USB."""
    if isinstance(face, Blink1Face):
        return blink1_shape(face)
    return SERIAL_PORT if device.is_usb_serial else SHAPES.get(device.kind, VENDOR_STREAM)


# What a device is on USB, where it is not a byte stream of class FF.
SHAPES: dict[Kind, Shape] = {Kind.KEYBOARD_READER: KEYBOARD_READER}
