"""Each driver on each kind of cable that the registry offers for it, with the simulated device on the other end.

What goes up (identity, a fact) and what goes down (a goal) crosses real bytes of that kind: a pseudo-terminal, TCP on
loopback, pyusb on a simulated device, a broker. README's table *device × transport* rests on these tests.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from drivers.badges.keyboard_reader import TypingReaderSettings
from drivers.badges.osdp_reader import ReaderSettings
from drivers.device import TdlDevice
from drivers.displays.alpha_sign import SignSettings
from drivers.displays.showing import Showing
from drivers.displays.tdl_display import TdlDisplay
from drivers.events import (
    BadgeSeen,
    ChipsIn,
    CommandAnswered,
    DeviceReady,
    DisplayReady,
    DisplayShowed,
    Fact,
    FirmwareTold,
    KeyPressed,
    LampColour,
    LampPattern,
    LidOpened,
    Notice,
    PermitKind,
    ReaderReady,
    Shown,
    Verb,
)
from drivers.firmware.allow_list import read_allow_list
from drivers.firmware.gat_port import GatPortSettings
from drivers.registry import (
    ALPHA_SIGN,
    CCTALK_SLOT,
    GAT_PORT,
    KEYBOARD_READER,
    OSDP_BADGE_READER,
    TDL_DRIVERS,
    build_badge_reader,
    build_coin_slot,
    build_firmware_port,
    build_keyboard_reader,
    build_sign,
    build_tdl,
)
from drivers.slots.cctalk_slots import CctalkSlotSettings
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.links import address_kinds
from firmware_bridge.links.address import open_link
from firmware_bridge.links.base import Link
from firmware_bridge.session.cctalk import BusSettings as CctalkBusSettings
from firmware_bridge.session.cctalk import CctalkBus
from firmware_bridge.session.osdp import BusSettings, LineProfile, OsdpBus
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.osdp.secure import BaseKey
from simulator.cables import Cable, Socket, socket_for
from simulator.faces.alpha_sign import AlphaSignFace
from simulator.faces.badge_readers import BadgeReadersFace
from simulator.faces.cctalk import CctalkFace
from simulator.faces.gat_port import GatPortFace
from simulator.faces.keyboard_reader import KeyboardReaderFace
from simulator.faces.memory import Memory
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.faces.osdp_security import Security
from simulator.faces.tdl_display import new_display
from simulator.faces.tdl_shuffler import BATCH, CONTINUOUS, new_shuffler
from simulator.faces.tdl_slots import new_slots
from simulator.faces.tdl_switch_box import new_switch_box
from simulator.room import PoweredFace
from simulator.runner import Stage
from simulator.usb.backend import UsbBackend
from simulator.usb.device import UsbDevice
from simulator.usb.shapes import KEYBOARD_READER as KEYBOARD_SHAPE
from simulator.usb.shapes import VENDOR_STREAM, Shape, UsbIdentity
from simulator.world import hands
from simulator.world.badges import Badge, BadgeHead, Colour
from simulator.world.chip_slots import ChipSlots
from simulator.world.coin_acceptor import CoinAcceptor
from simulator.world.display import JackpotDisplay
from simulator.world.firmware import example_firmware
from simulator.world.happenings import DealerKey
from simulator.world.hazards import NEVER
from simulator.world.lamp import DARK
from simulator.world.led_sign import LedSign
from simulator.world.table import TableWorld
from tests.support.collector import until
from tests.support.firmware_list import listing
from tests.support.mosquitto import PROGRAM, running_mosquitto, secure_mosquitto

EPOCH = 0xA1B2C3D4
SERIALS = {"tdl-continuous-shuffler": "000123", "tdl-batch-shuffler": "000321", "tdl-switch-box": "000777"}
MODELS = {"tdl-continuous-shuffler": "CSM-SIM", "tdl-batch-shuffler": "BSM-SIM", "tdl-switch-box": "BOX-SIM"}
SHUFFLERS = {"tdl-continuous-shuffler": CONTINUOUS, "tdl-batch-shuffler": BATCH}
BADGE = "26:00020140"
KEY = bytes(range(0x10, 0x20))  # a test key

USBIP = "usb behind usbip"
DISPLAY = TDL_DRIVERS["tdl-display"]
SLOTS = TDL_DRIVERS["tdl-slots"]
OFFERED_TDL = [
    (driver.name, scheme)
    for driver in TDL_DRIVERS.values()
    if driver not in (DISPLAY, SLOTS, TDL_DRIVERS["tdl-card-reader"])
    for scheme in (*driver.schemes, USBIP)
]


class UsbSocket:
    """A simulated USB device, plugged in anew for each connection."""

    sees_cable = True
    is_shared = False

    def __init__(self, device: UsbDevice) -> None:
        self._device = device

    async def next_link(self) -> Link:
        return self._device.plug_in()

    async def shut(self) -> None:
        """The cable went with its link."""


@dataclass
class Line:
    """A kind of cable: the address to configure, and where the device is plugged in."""

    address: str
    socket: Socket
    usb: UsbBackend | None = None

    async def connect(self) -> Link:
        return await open_link(self.address, address_kinds.Surroundings(usb_backend=self.usb))


@contextmanager
def line_of(scheme: str, directory: Path, free_tcp_port: int, shape: Shape = VENDOR_STREAM) -> Iterator[Line]:
    """One cable of that kind; `shape` is what the device is on USB."""
    if scheme == "usb":
        device = UsbDevice(UsbIdentity(serial="SN0001"), shape)
        yield Line("usb://1209:0001/SN0001", UsbSocket(device), UsbBackend([device]))
    elif scheme == USBIP:
        address = f"usb://1209:0001/SN0001?usbip=127.0.0.1:{free_tcp_port}"
        yield Line(address, socket_for(address, lambda: 1, shape=shape))
    elif scheme == "mqtt":
        if PROGRAM is None:
            pytest.skip("mosquitto is not installed (Debian: apt-get install mosquitto)")
        with running_mosquitto(directory) as broker:
            address = f"mqtt://{broker.host}:{broker.port}/test/device"
            yield Line(address, socket_for(address, lambda: 1))
    elif scheme == "mqtts":
        if PROGRAM is None:
            pytest.skip("mosquitto is not installed (Debian: apt-get install mosquitto)")
        with secure_mosquitto(directory, "host", "device") as broker:
            address = f"mqtts://{broker.host}:{broker.port}/test/device?certificates={directory}&name="
            yield Line(f"{address}host", socket_for(f"{address}device", lambda: 1))
    else:
        address = f"serial://{directory}/device" if scheme == "serial" else f"tcp://127.0.0.1:{free_tcp_port}"
        yield Line(address, socket_for(address, lambda: 1))


@dataclass
class Host:
    """Notes facts and acknowledges them; takes a device that obeys nobody."""

    facts: list[Fact] = field(default_factory=list)
    driver: TdlDevice | None = None

    async def report(self, fact: Fact) -> None:
        self.facts.append(fact)
        if self.driver is None:
            return
        if isinstance(fact, DeviceReady):
            if fact.epoch != EPOCH:
                self.driver.command(Verb.ADOPT, EPOCH, 1, 0)
            self.driver.resume_notices(fact.boot, 0)
        elif isinstance(fact, Notice):
            self.driver.acknowledge(fact.boot, fact.number)

    async def until_told(self, kind: type[Fact]) -> Fact:
        await until(lambda: any(isinstance(fact, kind) for fact in self.facts), kind.__name__)
        return next(fact for fact in self.facts if isinstance(fact, kind))


@asynccontextmanager
async def running(
    stage: Stage, face: PoweredFace, line: Line, *parts: Coroutine[object, object, object]
) -> AsyncIterator[None]:
    """Device, cable and driver for the length of a block."""
    outlet = stage.add_face(face, sees_cable=line.socket.sees_cable)
    stage.act(lambda: face.boot(stage.now_ns))
    cable = Cable("device", line.socket)
    task = asyncio.create_task(run_together(cable.run(outlet), stage.until_failure(), *parts))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        stage.close()


@dataclass
class Bench:
    """One simulated device in its world: what a hand does, what fact that makes, and the lamp that eyes see."""

    face: PoweredFace
    hand: Callable[[], object]
    fact: type[Fact]
    light: Callable[[], object]


def tdl_bench(driver: str, table: TableWorld) -> Bench:
    """The device that this driver is for."""
    if driver == "tdl-switch-box":
        face = new_switch_box(table.box, Memory(), serial=SERIALS[driver])
        return Bench(face, lambda: table.box.press(DealerKey.HOLD), KeyPressed, lambda: table.box.visible_light)
    machine = table.machine
    face = new_shuffler(machine, Memory(), serial=SERIALS[driver], shape=SHUFFLERS[driver])
    return Bench(face, lambda: hands.open_lid(machine, with_key=True), LidOpened, lambda: machine.visible_light)


@pytest.mark.parametrize(("driver", "scheme"), OFFERED_TDL)
async def test_a_tdl_device(driver: str, scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    host, stage, table = Host(), Stage(), TableWorld(1, rates=NEVER)
    stage.add_world(table)
    bench = tdl_bench(driver, table)
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        around = Surroundings(host.report, line.connect, iter(range(1, 1000)).__next__, EPOCH)
        settings = TdlSettings("device", line.address, SERIALS[driver], MODELS[driver])
        host.driver = build_tdl(driver, settings, around)
        async with running(stage, bench.face, line, host.driver.run()):
            ready = await host.until_told(DeviceReady)
            assert isinstance(ready, DeviceReady)
            assert (ready.serial, ready.is_simulated) == (SERIALS[driver], True)
            stage.act(bench.hand)
            await host.until_told(bench.fact)
            host.driver.set_lamp(LampColour.RED, LampPattern.BLINKING)
            await until(lambda: bench.light() != DARK, "the lamp")


@pytest.mark.parametrize("scheme", DISPLAY.schemes)
async def test_a_display(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    host, stage, display = Host(), Stage(), JackpotDisplay("sign")
    face = new_display(display, Memory(), serial="000888")
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        around = Surroundings(host.report, line.connect, iter(range(1, 1000)).__next__, EPOCH)
        host.driver = build_tdl(DISPLAY.name, TdlSettings("device", line.address, "000888", "SIGN-SIM"), around)
        assert isinstance(host.driver, TdlDisplay)
        async with running(stage, face, line, host.driver.run()):
            await host.until_told(CommandAnswered)  # it obeys us now
            host.driver.show(Showing(7, Shown.AMOUNT, 123456, "EUR"))
            showed = await host.until_told(DisplayShowed)
            assert showed == DisplayShowed(device="device", version=7, what=Shown.AMOUNT)
            assert display.visible(stage.now_ns) == "EUR 1,234.56"


@pytest.mark.parametrize("scheme", [*SLOTS.schemes, USBIP])
async def test_chip_slots(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """They open for a permit, a chip is told at its seat, and it is collected."""
    host, stage, slots = Host(), Stage(), ChipSlots("slots", (1, 2, 3, 4, 5, 6, 7), 5_00)
    stage.add_world(slots)
    face = new_slots(slots, Memory(), serial="000555")
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        around = Surroundings(host.report, line.connect, iter(range(1, 1000)).__next__, EPOCH)
        host.driver = build_tdl(SLOTS.name, TdlSettings("device", line.address, "000555", "SLOT-SIM"), around)
        async with running(stage, face, line, host.driver.run()):
            await host.until_told(CommandAnswered)  # it obeys us now
            host.driver.permit(PermitKind.SLOTS, 60_000, None)
            await until(lambda: slots.is_open, "open slots")
            stage.act(lambda: slots.drop(3))
            taken = await host.until_told(ChipsIn)
            assert isinstance(taken, ChipsIn)
            assert (taken.seat, taken.meter) == (3, 1)
            host.driver.command(Verb.COLLECT, EPOCH, 2, 0)
            await until(lambda: slots.slots[3].box == 1, "the chip in the box")


@pytest.mark.parametrize("scheme", CCTALK_SLOT.schemes)
async def test_coin_slots(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """It opens for a permit, a chip is told at its seat, and it shuts when it is revoked."""
    host, stage, acceptor = Host(), Stage(), CoinAcceptor("slot", serial=555)
    stage.add_world(acceptor)
    face = CctalkFace({11: acceptor})
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        bus = CctalkBus(CctalkBusSettings("bus", line.address), line.connect)
        settings = CctalkSlotSettings("device", seat=4, address=11, position=3, serial="555")
        slot = build_coin_slot(settings, bus, host.report, iter(range(1, 1000)).__next__, EPOCH)
        async with running(stage, face, line, bus.run(), slot.run()):
            ready = await host.until_told(DeviceReady)
            assert isinstance(ready, DeviceReady)
            assert (ready.serial, ready.is_simulated) == ("555", True)
            slot.permit(PermitKind.SLOTS, 60_000, None)
            await until(lambda: acceptor.accepts and acceptor.coins == {3}, "an open slot")
            stage.act(lambda: acceptor.drop(3))
            taken = await host.until_told(ChipsIn)
            assert isinstance(taken, ChipsIn)
            assert (taken.seat, taken.meter) == (4, 1)
            slot.revoke(PermitKind.SLOTS)
            await until(lambda: not acceptor.accepts, "a shut slot")


@pytest.mark.parametrize("scheme", ALPHA_SIGN.schemes)
async def test_an_alpha_sign(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    host, stage, face = Host(), Stage(), AlphaSignFace(LedSign("sign"))
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        sign = build_sign(SignSettings("device", line.address), host.report, line.connect, random.Random(1))
        async with running(stage, face, line, sign.run()):
            ready = await host.until_told(DisplayReady)
            assert ready == DisplayReady(device="device", model="", firmware="10440000", is_simulated=True)
            sign.show(Showing(7, Shown.AMOUNT, 123456, "EUR"))
            showed = await host.until_told(DisplayShowed)
            assert showed == DisplayShowed(device="device", version=7, what=Shown.AMOUNT)
            assert face.drawn() == ["EUR 1,234.56"]


@pytest.mark.parametrize("scheme", GAT_PORT.schemes)
async def test_a_firmware_port(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """Several frames of a result cross the cable; the machine reckons for a tenth of a second."""
    firmware = example_firmware()
    firmware.seconds_a_part = 0.05
    host, stage, face = Host(), Stage(), GatPortFace(firmware)
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        allowed = read_allow_list(listing(firmware))
        settings = GatPortSettings("device", line.address, "shuffler", "CSM-SIM", "000123", allowed, 9_600)
        port = build_firmware_port(settings, host.report, line.connect, random.Random(1))
        async with running(stage, face, line, port.run()):
            told = await host.until_told(FirmwareTold)
            assert isinstance(told, FirmwareTold)
            assert (told.version, told.is_listed, len(told.components)) == ("2.1", True, 3)


@pytest.mark.parametrize("scheme", OSDP_BADGE_READER.schemes)
async def test_a_badge_reader(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    host, stage, head = Host(), Stage(), BadgeHead(1)
    security = Security(random.Random(1).randbytes, key=KEY)
    face = BadgeReadersFace([OsdpReader(head, 1, ReaderModel(serial=0x901), security)])
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        bus = OsdpBus(BusSettings("bus", line.address, LineProfile()), line.connect)
        reader = build_badge_reader(ReaderSettings("device", 1, "00000901", BaseKey(KEY)), bus, host.report)
        async with running(stage, face, line, bus.run(), reader.run()):
            await host.until_told(ReaderReady)
            stage.act(lambda: head.tap(Badge.printed(BADGE), stage.now_ns))
            seen = await host.until_told(BadgeSeen)
            assert isinstance(seen, BadgeSeen)
            assert seen.badge == BADGE
            reader.prompt(is_amber=True, beeps=1)
            await until(lambda: head.visible_colour(stage.now_ns) is Colour.AMBER, "the prompt")


CODE = "00020140"


@pytest.mark.parametrize("scheme", [*KEYBOARD_READER.schemes, USBIP])
async def test_a_reader_that_types(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """A badge before the simulated reader goes as key strokes over USB and is the same badge at the driver."""
    host, stage, head = Host(), Stage(), BadgeHead(1)
    face = KeyboardReaderFace(head, MAPS["pt"])
    badge = Badge(8 * len(CODE), CODE.encode())
    with line_of(scheme, tmp_path, unused_tcp_port, KEYBOARD_SHAPE) as line:
        settings = TypingReaderSettings("device", line.address, "SN0001", "pt", len(CODE))
        reader = build_keyboard_reader(settings, line.connect, host.report, random.Random(1))
        async with running(stage, face, line, reader.run()):
            ready = await host.until_told(ReaderReady)
            assert isinstance(ready, ReaderReady)
            assert (ready.serial, ready.is_simulated) == ("SN0001", True)
            stage.act(lambda: head.tap(badge, stage.now_ns))
            seen = await host.until_told(BadgeSeen)
            assert isinstance(seen, BadgeSeen)
            assert seen.badge == "64:3030303230313430"
