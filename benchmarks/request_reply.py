"""A question and its answer over a serial port, one after the other: TDL against Modbus RTU by pymodbus.

Ours: METERS through codec, session and serial link, checked, numbered, ready to be repeated. Peer: the same three
counters as six holding registers through pymodbus' asynchronous RTU client. Behind each pseudo-terminal stands a
process that gives prepared answers from a table (`benchmarks.prepared`), the same loop for both.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager

from pymodbus import FramerType
from pymodbus.client import AsyncModbusSerialClient

from benchmarks import prepared
from benchmarks.asking import Ask, asking
from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows
from benchmarks.far_side import FarSide
from benchmarks.sides import Slice, open_side
from firmware_bridge.links.serial import open_serial

SLICES = 21
QUESTIONS = 100
OURS = "TDL request"
PEER = "pymodbus RTU"
REGISTERS = 6  # three counters of 32 bits


@asynccontextmanager
async def _tdl(node: str) -> AsyncIterator[Ask]:
    async with asking(await open_serial(node)) as ask:
        yield ask


@asynccontextmanager
async def _modbus(node: str) -> AsyncIterator[Ask]:
    client = AsyncModbusSerialClient(node, framer=FramerType.RTU, baudrate=115_200)
    await client.connect()

    async def ask() -> None:
        reply = await client.read_holding_registers(0, count=REGISTERS, device_id=1)
        assert reply.registers[-1] == prepared.JAMS

    yield ask
    client.close()


def _cpu_us(started_ns: int) -> float:
    return (time.process_time_ns() - started_ns) / QUESTIONS / 1_000


def _rate(started_ns: int) -> float:
    return QUESTIONS * 1e9 / (time.perf_counter_ns() - started_ns)


@asynccontextmanager
async def _sliced(
    opened: AbstractAsyncContextManager[Ask], now_ns: Callable[[], int], figure: Callable[[int], float]
) -> AsyncIterator[Slice]:
    async with opened as ask:

        async def take() -> float:
            await ask()  # wakes the other side
            started_ns = now_ns()
            for _ in range(QUESTIONS):
                await ask()
            return figure(started_ns)

        yield take


def measure(rounds: int = ROUNDS, slices: int = SLICES) -> list[Row]:
    """Rate and CPU."""
    rates = _measured(rounds, slices, time.perf_counter_ns, _rate)
    cpu = _measured(rounds, slices, time.process_time_ns, _cpu_us)
    return [
        *rows("TDL requests a second on a pty", OURS, rates, [Reach(PEER, 1.0, is_at_most=False)], "a second"),
        *rows("CPU of a TDL request on a pty", OURS, cpu, [Reach(PEER, 1.0)], "µs"),
    ]


def _measured(
    rounds: int, slices: int, now_ns: Callable[[], int], figure: Callable[[int], float]
) -> dict[str, list[float]]:
    with ExitStack() as end:
        opened = {OURS: _tdl, PEER: _modbus}
        roles = {OURS: "tdl", PEER: "modbus"}
        sides = {}
        for name, open_ in opened.items():
            node = end.enter_context(FarSide(roles[name])).node
            sides[name] = open_side(_sliced(open_(node), now_ns, figure), end)
        return interleave(sides, rounds, slices)
