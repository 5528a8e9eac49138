"""pymodbus, both ways: its client watches a card go by at our simulated board, our drivers watch and switch its server.

It also makes every golden byte anew with its own encoder, and reads it with its own decoder.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pymodbus import FramerType
from pymodbus.client import AsyncModbusSerialClient, AsyncModbusTcpClient
from pymodbus.framer import FramerRTU, FramerSocket
from pymodbus.pdu import DecodePDU
from pymodbus.server import ModbusSerialServer, ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from drivers.events import (
    CardJammed,
    CardsIn,
    CardsOut,
    DeviceReady,
    Fact,
    JamGone,
    LampColour,
    LampPattern,
    LampReady,
    LampShowed,
    LidOpened,
)
from drivers.lamps.modbus_lamp import LampCoils, ModbusLamp, ModbusLampSettings
from drivers.shufflers.retrofit_shuffler import RetrofitSettings, RetrofitShuffler
from drivers.shufflers.wiring import Contact, Gate, Lamp, Wiring
from firmware_bridge.links.address import open_link
from firmware_bridge.links.pty import open_pty
from firmware_bridge.session.modbus import BusSettings, LineProfile, ModbusBus
from firmware_bridge.session.supervised import run_together
from simulator.cables import Cable, socket_for
from simulator.faces.modbus_board import ModbusBoardsFace
from simulator.runner import Stage
from simulator.world.cards import Back
from simulator.world.hazards import NEVER
from simulator.world.io_board import IoBoard
from simulator.world.plain_machine import PlainMachine
from simulator.world.table import SPREAD, TRAY, TableWorld
from tests.vectors.modbus import ANSWERS, QUESTIONS, Vector

pytestmark = pytest.mark.peer

DEADLINE_S = 30.0
LAMP, LID, CARD_IN, CARD_OUT = range(4)
WIRING = Wiring(
    poll_ms=20,
    jam_lamp=Lamp(input=LAMP),
    lid=Contact(input=LID, is_active_low=True),
    card_in=Gate(counter=CARD_IN),
    card_out=Gate(counter=CARD_OUT),
)
READ_COILS, READ_INPUTS, READ_WORDS = 1, 2, 4  # as pymodbus names the tables of its server


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not is_so():  # noqa: ASYNC110 - a peer tells nobody that it changed
            await asyncio.sleep(0.01)


# --- golden bytes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", [*QUESTIONS, *ANSWERS], ids=lambda one: one.meaning)
def test_the_golden_bytes_are_pymodbus_s_too(vector: Vector) -> None:
    """Each is decoded, and encoded again to the same bytes, RTU and TCP."""
    decoder = DecodePDU(vector in QUESTIONS)
    for framer, raw in ((FramerRTU(decoder), vector.rtu), (FramerSocket(decoder), vector.tcp)):
        used, unit, transaction, data = framer.decode(raw)
        assert (used, data) == (len(raw), vector.rtu[1:-2])
        assert framer.encode(data, unit, transaction) == raw
        message = decoder.decode(data)
        assert message is not None
        assert bytes((message.function_code,)) + message.encode() == data


# --- its client, our board ----------------------------------------------------------------------------------


@asynccontextmanager
async def our_board(address: str) -> AsyncIterator[tuple[Stage, PlainMachine, IoBoard, TableWorld]]:
    stage, table = Stage(), TableWorld(1, serials=("7",), rates=NEVER)
    table.bring([Back.RED], to=SPREAD)
    plain = PlainMachine(table.machine)
    board = IoBoard(plain.wires(table.felt[TRAY]))
    for world in (table, plain, board):
        stage.add_world(world)
    face = ModbusBoardsFace({1: board}, is_tcp=address.startswith("tcp"), same_plug=(plain,))
    outlet = stage.add_face(face)
    stage.act(lambda: face.boot(stage.now_ns))
    cable = Cable("board", socket_for(address, lambda: 1))
    task = asyncio.create_task(run_together(cable.run(outlet), stage.until_failure()))
    try:
        yield stage, plain, board, table
    finally:
        task.cancel()
        await asyncio.wait([task])
        stage.close()


@pytest.mark.parametrize("scheme", ["tcp", "serial"])
async def test_its_client_sees_a_card_pass_and_switches_a_lamp(
    scheme: str, tmp_path: Path, unused_tcp_port: int
) -> None:
    node = tmp_path / "board"
    address = f"serial://{node}" if scheme == "serial" else f"tcp://127.0.0.1:{unused_tcp_port}"
    async with our_board(address) as (stage, plain, board, table):
        client: AsyncModbusSerialClient | AsyncModbusTcpClient
        if scheme == "serial":
            await until(lambda: os.path.lexists(node))
            client = AsyncModbusSerialClient(str(node), framer=FramerType.RTU, baudrate=19_200)
        else:
            client = AsyncModbusTcpClient("127.0.0.1", port=unused_tcp_port)

        async def connected() -> None:
            while not await client.connect():  # noqa: ASYNC110 - a server tells nobody that it listens
                await asyncio.sleep(0.05)

        async with asyncio.timeout(DEADLINE_S):
            await connected()
        try:
            inputs = await client.read_discrete_inputs(0, count=5)
            assert inputs.bits[:5] == [False, True, False, False, False], "lid shut, nothing else"
            before = (await client.read_input_registers(CARD_IN, count=1)).registers
            assert before == [0]
            stage.act(lambda: next(iter(table.felt[SPREAD])).move_to(plain.machine.carousel.hopper))
            async with asyncio.timeout(DEADLINE_S):
                while (await client.read_input_registers(CARD_IN, count=1)).registers != [1]:  # noqa: ASYNC110 - polled
                    await asyncio.sleep(0.01)
            stage.act(lambda: plain.machine.lid_moved(is_open=True))
            assert (await client.read_discrete_inputs(LID, count=1)).bits[0] is False
            await client.write_coil(2, True)
            assert board.coils[2] is True
            await client.write_coils(0, [True, False])
            assert (await client.read_coils(0, count=3)).bits[:3] == [True, False, True]
            assert (await client.read_coils(7, count=2)).exception_code == 2, "there are eight coils"
        finally:
            client.close()


# --- our drivers, its server --------------------------------------------------------------------------------


def its_device() -> SimDevice:
    """A board of pymodbus: sixteen coils, sixteen inputs, eight counters."""
    bits = [SimData(0, values=[False] * 16, datatype=DataType.BITS)]
    inputs = [SimData(0, values=[False, True] + [False] * 14, datatype=DataType.BITS)]
    words = [SimData(0, values=[0] * 8, datatype=DataType.REGISTERS)]
    holding = [SimData(0, values=[0] * 8, datatype=DataType.REGISTERS)]
    return SimDevice(1, simdata=(bits, inputs, holding, words))


@asynccontextmanager
async def its_server(
    scheme: str, tmp_path: Path, port: int
) -> AsyncIterator[tuple[ModbusTcpServer | ModbusSerialServer, str]]:
    """Serving, and the address at which we reach it."""
    server: ModbusTcpServer | ModbusSerialServer
    if scheme == "tcp":
        server, address = ModbusTcpServer(its_device(), address=("127.0.0.1", port)), f"tcp://127.0.0.1:{port}"
    else:
        ours, theirs = tmp_path / "ours", tmp_path / "theirs"
        address = f"serial://{ours}?baud=115200"
        server = ModbusSerialServer(its_device(), port=str(theirs), baudrate=115_200, framer=FramerType.RTU)
    joined = [open_pty(tmp_path / name) for name in ("ours", "theirs")] if scheme == "serial" else []
    crossing = _Crossing(*(end.link for end in joined)) if joined else None
    assert await server.listen()
    try:
        yield server, address
    finally:
        await server.shutdown()
        if crossing is not None:
            await crossing.close()


class _Crossing:
    """Two pseudo-terminals joined at their far ends: what one program writes, the other reads."""

    def __init__(self, one: object, other: object) -> None:
        self.ends = (one, other)
        self.tasks: set[asyncio.Task[None]] = set()
        for near, far in ((one, other), (other, one)):
            near.start(_To(far, self.tasks))  # type: ignore[attr-defined]  # links

    async def close(self) -> None:
        for end in self.ends:
            await end.close()  # type: ignore[attr-defined]  # links


class _To:
    def __init__(self, far: object, tasks: set[asyncio.Task[None]]) -> None:
        self._far, self._tasks = far, tasks

    def chunk_received(self, chunk: bytes) -> None:
        task = asyncio.create_task(self._far.write(chunk))  # type: ignore[attr-defined]  # a link
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def link_lost(self, reason: Exception) -> None:
        """The program at that end closed its port."""


@pytest.mark.parametrize("scheme", ["tcp", "serial"])
async def test_our_drivers_watch_and_switch_its_server(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """A jam is told, cards are counted, the lid is opened; and the lamp's coils are as they shall be."""
    facts: list[Fact] = []

    async def report(fact: Fact) -> None:
        facts.append(fact)

    def told(kind: type[Fact]) -> list[Fact]:
        return [fact for fact in facts if isinstance(fact, kind)]

    async with its_server(scheme, tmp_path, unused_tcp_port) as (server, address):
        profile = LineProfile(is_tcp=scheme == "tcp", baud=115_200)
        bus = ModbusBus(BusSettings("bus", address, profile), lambda: open_link(address))
        shuffler = RetrofitShuffler(
            RetrofitSettings("shuffler", "7", "old one", WIRING, 1), bus, report, iter(range(1, 9)).__next__
        )
        lamp = ModbusLamp(
            ModbusLampSettings(name="lamp", model="relays", serial="8", coils=LampCoils(red=0, amber=1, blue=2)),
            bus,
            report,
        )
        running = asyncio.create_task(run_together(bus.run(), shuffler.run(), lamp.run()))
        try:
            await until(lambda: told(DeviceReady) and told(LampReady))
            await server.async_setValues(1, READ_WORDS, CARD_IN, [3, 2])
            await until(lambda: told(CardsIn) and told(CardsOut))
            assert [(fact.meter) for fact in told(CardsIn) if isinstance(fact, CardsIn)] == [3]
            assert [(fact.meter) for fact in told(CardsOut) if isinstance(fact, CardsOut)] == [2]
            await server.async_setValues(1, READ_INPUTS, LAMP, [True])
            await until(lambda: told(CardJammed))
            await server.async_setValues(1, READ_INPUTS, LID, [False])
            await until(lambda: told(LidOpened))
            await server.async_setValues(1, READ_INPUTS, LAMP, [False])
            await until(lambda: told(JamGone))
            lamp.set_lamp(LampColour.AMBER, LampPattern.STEADY)
            amber = LampShowed(device="lamp", colour=LampColour.AMBER, pattern=LampPattern.STEADY)
            await until(lambda: amber in facts)
            assert await server.async_getValues(1, READ_COILS, 0, 3) == [False, True, False]
            assert bus.counts.garbage_bytes == 0
            assert not bus.counts.unanswered
        finally:
            running.cancel()
            await asyncio.wait([running])
