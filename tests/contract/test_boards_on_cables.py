"""A shuffler and a lamp at one I/O board, on each kind of cable that the registry offers: real bytes, real time."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.events import (
    CardsIn,
    DeviceReady,
    LampColour,
    LampPattern,
    LampReady,
    LampShowed,
    LidOpened,
)
from drivers.lamps.modbus_lamp import LampCoils, ModbusLampSettings
from drivers.registry import MODBUS_LAMP, RETROFIT_SHUFFLER, build_modbus_lamp, build_retrofit_shuffler
from drivers.shufflers.retrofit_shuffler import RetrofitSettings
from drivers.shufflers.wiring import Contact, Gate, Lamp, Wiring
from firmware_bridge.session.modbus import BusSettings, LineProfile, ModbusBus
from simulator.faces.modbus_board import ModbusBoardsFace
from simulator.runner import Stage
from simulator.world.cards import Back
from simulator.world.hazards import NEVER
from simulator.world.io_board import IoBoard
from simulator.world.plain_machine import PlainMachine
from simulator.world.table import SPREAD, TRAY, TableWorld
from tests.contract.test_every_offered_cable import Host, line_of, running, until

WIRING = Wiring(
    jam_lamp=Lamp(input=0),
    lid=Contact(input=1, is_active_low=True),
    card_in=Gate(counter=2),
    card_out=Gate(counter=3),
)


@pytest.mark.parametrize("scheme", RETROFIT_SHUFFLER.schemes)
async def test_a_board(scheme: str, tmp_path: Path, unused_tcp_port: int) -> None:
    """A card in, a lid opened, and a lamp lit: two drivers on one bus, at one board."""
    assert RETROFIT_SHUFFLER.schemes == MODBUS_LAMP.schemes
    host, stage, table = Host(), Stage(), TableWorld(1, serials=("7",), rates=NEVER)
    table.bring([Back.RED], to=SPREAD)
    plain = PlainMachine(table.machine)
    board = IoBoard(plain.wires(table.felt[TRAY]))
    for world in (table, plain, board):
        stage.add_world(world)
    is_tcp = scheme == "tcp"
    face = ModbusBoardsFace({1: board}, is_tcp=is_tcp, same_plug=(plain,))
    with line_of(scheme, tmp_path, unused_tcp_port) as line:
        bus = ModbusBus(BusSettings("bus", line.address, LineProfile(is_tcp, 115_200)), line.connect)
        shuffler = build_retrofit_shuffler(
            RetrofitSettings("shuffler", "7", "old one", WIRING, 1), bus, host.report, iter(range(1, 9)).__next__
        )
        coils = LampCoils(red=0, amber=1, blue=2)
        settings = ModbusLampSettings(name="lamp", model="relays", serial="8", coils=coils)
        lamp = build_modbus_lamp(settings, bus, host.report)
        async with running(stage, face, line, bus.run(), shuffler.run(), lamp.run()):
            ready = await host.until_told(DeviceReady)
            assert isinstance(ready, DeviceReady)
            assert (ready.serial, ready.is_simulated) == ("7", True)
            await host.until_told(LampReady)
            stage.act(lambda: next(iter(table.felt[SPREAD])).move_to(plain.machine.carousel.hopper))
            told = await host.until_told(CardsIn)
            assert isinstance(told, CardsIn)
            assert told.meter == 1
            stage.act(lambda: plain.machine.lid_moved(is_open=True))
            await host.until_told(LidOpened)
            lamp.set_lamp(LampColour.BLUE, LampPattern.STEADY)
            showed = LampShowed(device="lamp", colour=LampColour.BLUE, pattern=LampPattern.STEADY)
            await until(lambda: showed in host.facts, "the lamp")
            assert board.coils[:3] == [False, False, True]
            assert bus.counts.garbage_bytes == 0
