"""Twelve things that are wrong with a cable or its device, each planted on a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from drivers.lamps.modbus_lamp import LampCoils
from firmware_bridge.links.base import Link
from firmware_bridge.links.pty import Pty, open_pty
from firmware_bridge.wire.cctalk.acceptor import reply
from firmware_bridge.wire.cctalk.frame import encode as encode_cctalk
from firmware_bridge.wire.osdp.secure import BaseKey
from simulator.faces.badge_readers import BadgeReadersFace
from simulator.faces.cctalk import CctalkFace
from simulator.faces.memory import Memory
from simulator.faces.modbus_board import ModbusBoardsFace
from simulator.faces.osdp import OsdpReader, ReaderModel
from simulator.faces.osdp_security import Security
from simulator.faces.pn532 import Pn532Face
from simulator.faces.tdl_shuffler import new_shuffler
from simulator.room import PoweredFace
from simulator.runner import Stage
from simulator.uart import UartLine
from simulator.world.badges import BadgeHead
from simulator.world.coin_acceptor import CoinAcceptor
from simulator.world.hazards import NEVER
from simulator.world.io_board import IoBoard
from simulator.world.rf_field import RfField
from simulator.world.table import TableWorld
from tableside.configuration.shape import Device, DeviceRole

KEY = bytes(range(0x10, 0x20))  # a test key
BOOT = b"\r\nU-Boot 2012.10 (Mar 03 2014)\r\nDRAM: 128 MiB\r\nBooting kernel from NAND\r\n"
NMEA = b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"

Place = Callable[["Bench"], Awaitable[None]]


@dataclass
class Bench:
    """Where the port is, and what is plugged in behind it."""

    node: Path
    exits: AsyncExitStack
    stage: Stage

    def shuffler(self, baud: int = 115_200, serial: str = "000123", model: str = "CSM-SIM") -> Device:
        """What the table's file says."""
        return Device(
            name="shuffler",
            role=DeviceRole.SHUFFLER,
            driver="tdl-continuous-shuffler",
            address=f"serial://{self.node}?baud={baud}",
            serial_number=serial,
            model=model,
            capacity_cards=380,
        )

    def reader(self, key_file: str | None = None, station: int = 1) -> Device:
        return Device(
            name="badges",
            role=DeviceRole.BADGE_READER,
            driver="osdp-badge-reader",
            address=f"serial://{self.node}?baud=9600",
            serial_number="901",
            model="PD",
            osdp_address=station,
            osdp_key_file=key_file,
        )

    def slot(self, station: int, serial: str = "11") -> Device:
        return Device(
            name="slot",
            role=DeviceRole.CHIP_SLOTS,
            driver="cctalk-slot",
            address=f"serial://{self.node}?baud=9600",
            serial_number=serial,
            model="CCT-SIM",
            seats=(1,),
            cctalk_address=station,
            chip_position=3,
        )

    def lamp(self, unit: int) -> Device:
        return Device(
            name="lamp",
            role=DeviceRole.LAMP,
            driver="modbus-lamp",
            address=f"serial://{self.node}?baud=9600",
            serial_number="8",
            model="relays",
            coils=LampCoils(unit=unit, red=0, amber=1, blue=2),
        )

    def antenna(self) -> Device:
        return Device(
            name="antenna",
            role=DeviceRole.ANTENNA,
            driver="pn532-antenna",
            address=f"serial://{self.node}?baud=115200",
            serial_number="A1",
            model="PN532",
        )

    def shoe(self) -> Device:
        return Device(
            name="shoe",
            role=DeviceRole.SHOE,
            driver="angel-eye-shoe",
            address=f"serial://{self.node}?baud=4800",
            serial_number="S1",
            model="AE",
        )

    def pty(self) -> Pty:
        return open_pty(self.node)

    def shuffler_face(self) -> PoweredFace:
        table = TableWorld(1, rates=NEVER)
        self.stage.add_world(table)
        return new_shuffler(table.machine, Memory(), serial="000123")

    def reader_face(self, station: int = 1, key: bytes | None = None) -> PoweredFace:
        security = Security(random.Random(1).randbytes, key=key)
        return BadgeReadersFace([OsdpReader(BadgeHead(1), station, ReaderModel(serial=0x901), security)])

    def acceptor_face(self, station: int) -> PoweredFace:
        acceptor = CoinAcceptor("slot", serial=11)
        self.stage.add_world(acceptor)
        return CctalkFace({station: acceptor})

    def boards_face(self, unit: int) -> PoweredFace:
        board = IoBoard([lambda _now_ns: False] * 8)
        self.stage.add_world(board)
        return ModbusBoardsFace({unit: board}, is_tcp=False)

    async def serve(self, face: PoweredFace, link: Link, *, is_on: bool = True) -> None:
        """A device behind a link, for the length of the test."""
        outlet = self.stage.add_face(face)
        if is_on:
            self.stage.act(lambda: face.boot(self.stage.now_ns))
        await self.during(outlet.serve(link))

    async def during(self, work: Awaitable[object]) -> None:
        task = asyncio.ensure_future(work)

        async def end() -> None:
            task.cancel()
            await asyncio.wait([task])

        self.exits.push_async_callback(end)

    async def talk(self, pty: Pty, said: bytes, every_s: float) -> None:
        """Somebody says the same again and again, whatever he is told."""

        class Deaf:
            def chunk_received(self, chunk: bytes) -> None: ...

            def link_lost(self, reason: Exception) -> None: ...

        async def speak() -> None:
            pty.link.start(Deaf())
            while True:
                await pty.link.write(said)
                await asyncio.sleep(every_s)

        await self.during(speak())


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    stage = Stage()
    async with AsyncExitStack() as exits:
        exits.callback(stage.close)
        yield Bench(folder / "port", exits, stage)


@dataclass(frozen=True, slots=True)
class Planted:
    """`words`: of the first line, all of them."""

    name: str
    plant: Callable[[Bench], Awaitable[Device]]
    words: tuple[str, ...]


async def no_power(made: Bench) -> Device:
    """The adapter is there, the device is dark."""
    await made.serve(made.shuffler_face(), made.pty().link, is_on=False)
    return made.shuffler()


async def no_cable(made: Bench) -> Device:
    """The adapter is there, nothing is plugged into it."""
    pty = made.pty()
    made.exits.push_async_callback(pty.link.close)
    return made.shuffler()


async def wires_crossed(made: Bench) -> Device:
    pty = made.pty()
    line = UartLine(pty.link, 115_200, lambda: pty.baud, is_swapped=True)

    async def rest() -> None:
        while True:
            await asyncio.sleep(1)
            await line.rest()

    await made.serve(made.shuffler_face(), line)
    await made.during(rest())
    return made.shuffler()


async def speed(made: Bench) -> Device:
    """The device stands at 9,600, its address says 115,200."""
    pty = made.pty()
    await made.serve(made.shuffler_face(), UartLine(pty.link, 9_600, lambda: pty.baud))
    return made.shuffler()


async def address(made: Bench) -> Device:
    await made.serve(made.reader_face(station=5), made.pty().link)
    return made.reader(station=1)


async def key(made: Bench) -> Device:
    """Both have a key, and not the same."""
    await made.serve(made.reader_face(key=KEY), made.pty().link)
    file = made.node.with_name("key")
    file.write_text(bytes(reversed(KEY)).hex(), "ascii")
    assert BaseKey(bytes(reversed(KEY)))
    return made.reader(key_file=str(file))


async def other_device(made: Bench) -> Device:
    """Another one of the same kind."""
    await made.serve(made.shuffler_face(), made.pty().link)
    return made.shuffler(serial="000999")


async def other_kind_of_device(made: Bench) -> Device:
    """A GPS receiver, which talks unasked."""
    await made.talk(made.pty(), NMEA, 0.5)
    return made.shuffler()


async def port_taken(made: Bench) -> Device:
    await made.serve(made.shuffler_face(), made.pty().link)
    holder = os.open(made.node, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    made.exits.callback(os.close, holder)
    return made.shuffler()


async def rights(made: Bench) -> Device:
    """The port belongs to somebody else; the test has given up its own rights."""
    await made.serve(made.shuffler_face(), made.pty().link)
    os.chmod(made.node.resolve(), 0)
    return made.shuffler()


async def adapter_dead(made: Bench) -> Device:
    """The name is still there, what it names is not."""
    made.node.symlink_to(made.node.with_name("gone"))
    return made.shuffler()


async def still_booting(made: Bench) -> Device:
    await made.talk(made.pty(), BOOT, 2.0)
    return made.shuffler()


async def echo(made: Bench) -> Device:
    """A loop-back plug: all that goes out comes back."""
    pty = made.pty()

    class Plug:
        def chunk_received(self, chunk: bytes) -> None:
            made.stage.act(lambda: None)
            asyncio.get_running_loop().create_task(pty.link.write(chunk))

        def link_lost(self, reason: Exception) -> None: ...

    pty.link.start(Plug())
    made.exits.push_async_callback(pty.link.close)
    return made.shuffler()


TWELVE = (
    Planted("no power", no_power, ("no power or no cable",)),
    Planted("cable", no_cable, ("no power or no cable",)),
    Planted("wires crossed", wires_crossed, ("wires crossed",)),
    Planted("speed", speed, ("speed", "9600")),
    Planted("address", address, ("address", "station 5")),
    Planted("key", key, ("key",)),
    Planted("other device", other_device, ("other device", "000123", "000999")),
    Planted("port taken", port_taken, ("port taken",)),
    Planted("rights", rights, ("rights", "mode 0000")),
    Planted("adapter dead", adapter_dead, ("adapter dead",)),
    Planted("still booting", still_booting, ("still booting", "NAND")),
    Planted("echo", echo, ("echo",)),
)
MORE = (Planted("other kind of device", other_kind_of_device, ("other device", "GPS")),)


# Devices that a house can buy, and what goes wrong with them


async def dead_acceptor(made: Bench) -> Device:
    """On ccTalk's one wire the host hears itself, whoever is dead."""
    await made.serve(made.acceptor_face(11), made.pty().link, is_on=False)
    return made.slot(11)


async def acceptor_elsewhere(made: Bench) -> Device:
    await made.serve(made.acceptor_face(12), made.pty().link)
    return made.slot(11)


async def other_acceptor(made: Bench) -> Device:
    """Another seat's, at this address."""
    await made.serve(made.acceptor_face(11), made.pty().link)
    return made.slot(11, serial="999")


async def acceptor_of_other_speed(made: Bench) -> Device:
    pty = made.pty()
    await made.serve(made.acceptor_face(11), UartLine(pty.link, 19_200, lambda: pty.baud))
    return made.slot(11)


async def dead_board(made: Bench) -> Device:
    """Behind a two-wire adapter that echoes (BR-005)."""
    await echo(made)
    return made.lamp(1)


async def board_elsewhere(made: Bench) -> Device:
    await made.serve(made.boards_face(2), made.pty().link)
    return made.lamp(1)


async def dead_reader(made: Bench) -> Device:
    """Behind a two-wire adapter that echoes (BR-005)."""
    await echo(made)
    return made.reader()


async def dead_antenna(made: Bench) -> Device:
    await made.serve(Pn532Face("antenna", RfField(1), 0.0), made.pty().link, is_on=False)
    return made.antenna()


async def antenna_of_other_speed(made: Bench) -> Device:
    pty = made.pty()
    await made.serve(Pn532Face("antenna", RfField(1), 0.0), UartLine(pty.link, 9_600, lambda: pty.baud))
    return made.antenna()


async def dead_shoe(made: Bench) -> Device:
    pty = made.pty()
    made.exits.push_async_callback(pty.link.close)
    return made.shoe()


async def no_shoe(made: Bench) -> Device:
    """An acceptor's wire was plugged in where the shoe's belongs."""
    await made.talk(made.pty(), encode_cctalk(reply(11, b"SIM")), 0.5)
    return made.shoe()


BOUGHT = (
    Planted("acceptor dead", dead_acceptor, ("no power or no cable", "echoes")),
    Planted("acceptor elsewhere", acceptor_elsewhere, ("address", "station 12")),
    Planted("other acceptor", other_acceptor, ("other device", "serial number 11")),
    Planted("acceptor of other speed", acceptor_of_other_speed, ("speed", "19200")),
    Planted("board dead", dead_board, ("no power or no cable", "echoes")),
    Planted("board elsewhere", board_elsewhere, ("address", "station 2")),
    Planted("reader dead", dead_reader, ("no power or no cable", "echoes")),
    Planted("antenna dead", dead_antenna, ("no power or no cable",)),
    Planted("antenna of other speed", antenna_of_other_speed, ("speed", "9600")),
    Planted("shoe dead", dead_shoe, ("no power, no cable", "is not asked")),
    Planted("no shoe", no_shoe, ("other device", "ccTalk")),
)
