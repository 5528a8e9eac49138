"""CPU of a 16-byte round trip on a pseudo-terminal: our link against bare pyserial and two libraries.

All ports are open at once, each with an event loop and an echo of its own. Short slices take turns, so that a busy
moment of the machine meets every side; CPU time of this process is compared, not the time on the wall.

The bars stand against what the libraries offer to a program that awaits, their streams. Their bare callbacks, which
nobody can await without more work, are measured beside them: a link of the same shape as ours.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from functools import partial

import serial
import serial_asyncio_fast
import serialx

from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows
from benchmarks.far_side import FarSide
from benchmarks.sides import Slice, open_side
from firmware_bridge.links.serial import open_serial

SLICES = 41
TRIPS = 100  # a slice of a few milliseconds: shorter than what disturbs it
FRAME = b"0123456789abcde\0"
BARE = "bare pyserial + add_reader"
FAST = "pyserial-asyncio-fast streams"
FAST_CALLBACKS = "pyserial-asyncio-fast callbacks"
SERIALX = "serialx streams"
SERIALX_CALLBACKS = "serialx callbacks"
OURS = "our serial link"

Trip = Callable[[], Awaitable[None]]


class _Counter:
    """Counts bytes that came back and wakes the sender: the same for every side but the streams."""

    def __init__(self) -> None:
        self.waiting: asyncio.Future[None] | None = None
        self.received = 0

    def chunk_received(self, chunk: bytes) -> None:
        self.received += len(chunk)
        if self.received >= len(FRAME) and self.waiting is not None and not self.waiting.done():
            self.received -= len(FRAME)
            self.waiting.set_result(None)

    def link_lost(self, reason: Exception) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(reason)

    def expect(self) -> asyncio.Future[None]:
        self.waiting = asyncio.get_running_loop().create_future()
        return self.waiting


@asynccontextmanager
async def _ours(node: str) -> AsyncIterator[Trip]:
    link = await open_serial(node)
    counter = _Counter()
    link.start(counter)

    async def trip() -> None:
        answer = counter.expect()
        await link.write(FRAME)
        await answer

    yield trip
    await link.close()


@asynccontextmanager
async def _bare(node: str) -> AsyncIterator[Trip]:
    port = serial.Serial(node, 115_200, timeout=0)
    descriptor = port.fileno()
    os.set_blocking(descriptor, False)
    loop = asyncio.get_running_loop()
    counter = _Counter()
    loop.add_reader(descriptor, lambda: counter.chunk_received(os.read(descriptor, 65_536)))

    async def trip() -> None:
        answer = counter.expect()
        os.write(descriptor, FRAME)
        await answer

    yield trip
    loop.remove_reader(descriptor)
    port.close()


class _Protocol(asyncio.Protocol):
    """The libraries' callbacks, of the same shape as our link's."""

    def __init__(self) -> None:
        self.counter = _Counter()

    def data_received(self, data: bytes) -> None:
        self.counter.chunk_received(data)


Connect = Callable[..., Awaitable[tuple[asyncio.Transport, asyncio.Protocol]]]


@asynccontextmanager
async def _callbacks(connect: Connect, node: str) -> AsyncIterator[Trip]:
    protocol = _Protocol()
    transport, _ = await connect(asyncio.get_running_loop(), lambda: protocol, node, baudrate=115_200)

    async def trip() -> None:
        answer = protocol.counter.expect()
        transport.write(FRAME)
        await answer

    yield trip
    transport.close()


Streams = Callable[..., Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


@asynccontextmanager
async def _streams(connect: Streams, node: str) -> AsyncIterator[Trip]:
    reader, writer = await connect(url=node, baudrate=115_200)

    async def trip() -> None:
        writer.write(FRAME)
        await writer.drain()
        await reader.readexactly(len(FRAME))

    yield trip
    writer.close()


SIDES: dict[str, Callable[[str], AbstractAsyncContextManager[Trip]]] = {
    OURS: _ours,
    BARE: _bare,
    FAST: partial(_streams, serial_asyncio_fast.open_serial_connection),
    FAST_CALLBACKS: partial(_callbacks, serial_asyncio_fast.create_serial_connection),
    SERIALX: partial(_streams, serialx.open_serial_connection),
    SERIALX_CALLBACKS: partial(_callbacks, serialx.create_serial_connection),
}
REACHES = (Reach(BARE, 1.15), Reach(FAST, 0.9), Reach(SERIALX, 0.8), Reach(FAST_CALLBACKS), Reach(SERIALX_CALLBACKS))


@asynccontextmanager
async def _sliced(opened: AbstractAsyncContextManager[Trip]) -> AsyncIterator[Slice]:
    """CPU microseconds of this process for one round trip."""
    async with opened as trip:

        async def take() -> float:
            await trip()  # wakes the echo
            before_ns = time.process_time_ns()
            for _ in range(TRIPS):
                await trip()
            return (time.process_time_ns() - before_ns) / TRIPS / 1_000

        yield take


def _let_large_reads_be_cheap() -> None:
    """Once a megabyte has come and gone, the C library takes such blocks from its heap.

    Before, it maps and unmaps the 256 kB that serialx asks for with each read, 20 µs a time: whether that has
    happened is chance in a short program, and sure in a daemon.
    """
    bytes(1_048_576)


def measure(rounds: int = ROUNDS, slices: int = SLICES) -> list[Row]:
    """A row for each peer."""
    _let_large_reads_be_cheap()
    with ExitStack() as end:
        sides = {
            name: open_side(_sliced(opened(end.enter_context(FarSide()).node)), end) for name, opened in SIDES.items()
        }
        figures = interleave(sides, rounds, slices)
    return rows("CPU of a 16-byte round trip on a pty", OURS, figures, REACHES, "µs")
