"""A question and its answer over USB/IP: TDL through codec, session and our link, against bare pyusb.

Both go through pyusb and the same backend to the same simulated device in another process, and through the same two
thread hops: a thread that writes, fed by a queue, and a thread that reads and hands its packets to the loop. The bare
side sends frames made before, and counts the bytes of the answer.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress

import usb.core
import usb.util

from benchmarks import prepared
from benchmarks.asking import Ask, asking
from benchmarks.compare import ROUNDS, Reach, Row, interleave, rows
from benchmarks.sides import Slice, open_side
from benchmarks.usb_far_side import usb_far_side
from firmware_bridge.links.usb import TRANSFER_TIMEOUT_MS, open_usb
from firmware_bridge.links.usb_ip import UsbipBackend
from firmware_bridge.links.usb_place import UsbPlace
from firmware_bridge.wire.tdl.codes import MessageType, Operation
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import encode_stream

SLICES = 21
QUESTIONS = 50
OURS = "TDL through session, codec and link"
PEER = "bare pyusb through two threads"
VENDOR, PRODUCT = 0x1209, 0x0001
HERE = "127.0.0.1"


@asynccontextmanager
async def _tdl(port: int) -> AsyncIterator[Ask]:
    link = await open_usb(UsbPlace(VENDOR, PRODUCT, prepared.SERIAL, server=(HERE, port)))
    async with asking(link) as ask:
        yield ask


class _Bare:
    """pyusb and two threads, nothing else."""

    def __init__(self, port: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._backend = UsbipBackend(HERE, port, VENDOR, PRODUCT)
        self._device = usb.core.find(backend=self._backend)
        self._device.set_configuration()
        interface = self._device.get_active_configuration()[0, 0]
        self._out, self._in = list(interface)
        usb.util.claim_interface(self._device, interface.bInterfaceNumber)
        self._jobs: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._is_stopped = False
        self._wanted = 0
        self._answer: asyncio.Future[None] | None = None
        self._threads = [threading.Thread(target=work) for work in (self._write, self._read)]
        for thread in self._threads:
            thread.start()

    async def ask(self, frame: bytes, size: int) -> None:
        """Send it, wait for so many bytes."""
        self._answer, self._wanted = self._loop.create_future(), size
        self._jobs.put(frame)
        await self._answer

    def end(self) -> None:
        """Stop both threads."""
        self._is_stopped = True
        self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        usb.util.dispose_resources(self._device)
        self._backend.close()

    def _write(self) -> None:
        while (frame := self._jobs.get()) is not None:
            self._out.write(frame, TRANSFER_TIMEOUT_MS)

    def _read(self) -> None:
        while not self._is_stopped:
            with suppress(usb.core.USBTimeoutError):
                packet = bytes(self._in.read(self._in.wMaxPacketSize, TRANSFER_TIMEOUT_MS))
                self._loop.call_soon_threadsafe(self._arrived, packet)

    def _arrived(self, packet: bytes) -> None:
        self._wanted -= len(packet)
        if self._wanted <= 0 and self._answer is not None and not self._answer.done():
            self._answer.set_result(None)


@asynccontextmanager
async def _pyusb(port: int) -> AsyncIterator[Ask]:
    bare = _Bare(port)
    frames = [encode_stream(Frame(MessageType.REQUEST, Operation.METERS, seq, 1, {})) for seq in range(1, 256)]
    device, number = prepared.tdl_device(), 0
    sizes = [len(device(frame)) for frame in frames]

    async def ask() -> None:
        nonlocal number
        number = (number + 1) % len(frames)
        await bare.ask(frames[number], sizes[number])

    yield ask
    await asyncio.to_thread(bare.end)


@asynccontextmanager
async def _sliced(opened: AbstractAsyncContextManager[Ask]) -> AsyncIterator[Slice]:
    """Microseconds on the wall for one question and its answer."""
    async with opened as ask:

        async def take() -> float:
            await ask()  # wakes the other side
            started_ns = time.perf_counter_ns()
            for _ in range(QUESTIONS):
                await ask()
            return (time.perf_counter_ns() - started_ns) / QUESTIONS / 1_000

        yield take


def measure(rounds: int = ROUNDS, slices: int = SLICES) -> list[Row]:
    """One row."""
    with ExitStack() as end:
        sides = {
            name: open_side(_sliced(opened(end.enter_context(usb_far_side()))), end)
            for name, opened in ((OURS, _tdl), (PEER, _pyusb))
        }
        figures = interleave(sides, rounds, slices)
    return rows("TDL round trip over USB/IP", OURS, figures, [Reach(PEER, 1.3)], "µs")
