"""CPU of a 16-byte round trip on a pseudo-terminal: our link against bare pyserial and two libraries."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

import serial
import serial_asyncio_fast
import serialx

from benchmarks.compare import Reach, Row, interleave, rows
from benchmarks.echo import PtyEcho
from firmware_bridge.links.serial import open_serial

TRIPS = 3_000
FRAME = b"0123456789abcde\0"
BARE = "bare pyserial + add_reader"
FAST = "pyserial-asyncio-fast"
SERIALX = "serialx"
OURS = "our serial link"

RoundTrips = Callable[[str], Awaitable[float]]


class _Counter:
    """Counts bytes that came back and wakes the sender: the same for every side."""

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


async def _ours(node: str) -> float:
    link = await open_serial(node)
    counter = _Counter()
    link.start(counter)

    async def trip() -> None:
        answer = counter.expect()
        await link.write(FRAME)
        await answer

    used = await _cpu(trip)
    await link.close()
    return used


async def _bare(node: str) -> float:
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

    used = await _cpu(trip)
    loop.remove_reader(descriptor)
    port.close()
    return used


async def _fast(node: str) -> float:
    reader, writer = await serial_asyncio_fast.open_serial_connection(url=node, baudrate=115_200)
    return await _streams(reader, writer)


async def _serialx(node: str) -> float:
    reader, writer = await serialx.open_serial_connection(node, baudrate=115_200)
    return await _streams(reader, writer)


async def _streams(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> float:
    async def trip() -> None:
        writer.write(FRAME)
        await writer.drain()
        await reader.readexactly(len(FRAME))

    used = await _cpu(trip)
    writer.close()
    return used


async def _cpu(trip: Callable[[], Awaitable[None]]) -> float:
    """CPU microseconds of this process for one round trip."""
    for _ in range(100):
        await trip()
    before = time.process_time()
    for _ in range(TRIPS):
        await trip()
    return (time.process_time() - before) / TRIPS * 1e6


def _side(run: RoundTrips) -> Callable[[], float]:
    """A fresh port each time: the libraries let go of theirs when they please."""

    def measure_once() -> float:
        with PtyEcho() as echo:

            async def main() -> float:
                return await run(echo.node)

            return asyncio.run(main())

    return measure_once


def measure() -> list[Row]:
    """The three rows."""
    sides: dict[str, RoundTrips] = {OURS: _ours, BARE: _bare, FAST: _fast, SERIALX: _serialx}
    figures = interleave({name: _side(run) for name, run in sides.items()})
    reaches = (Reach(BARE, 1.15), Reach(FAST, 0.9), Reach(SERIALX, 0.8))
    return rows("CPU of a 16-byte round trip on a pty", OURS, figures, reaches, "µs")
