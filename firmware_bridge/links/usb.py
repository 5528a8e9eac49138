"""USB devices: a byte stream (class FF with a bulk pair), or reports as messages (HID).

pyusb blocks, so each device has two threads: one reads with finite time limits and a stop flag, one writes and makes
the control transfers, in turn. Errors are told apart by their class, as their numbers differ between systems.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import usb.core

from firmware_bridge.links.address_kinds import TEST_IDS
from firmware_bridge.links.apart import open_apart
from firmware_bridge.links.base import HIGH_WATER_BYTES, LOW_WATER_BYTES, LinkClosed, LinkRefused, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate
from firmware_bridge.links.inbox import Inbox
from firmware_bridge.links.usb_device import Claimed, claim
from firmware_bridge.links.usb_errors import UsbCause, cause_of
from firmware_bridge.links.usb_pipes import HidReports, UsbPipe
from firmware_bridge.links.usb_place import UsbPlace

# How long a thread may sit in the library before it looks at its stop flag; two of them fit well into a close.
TRANSFER_TIMEOUT_MS = 200
# Chunks on their way from the reading thread to the loop; the next read waits until one is taken.
CHUNKS_UNDER_WAY = 32
CLOSE_TIMEOUT_S = 0.9

T = TypeVar("T")
# One job of the writing thread.
_Job = Callable[[], None]


class Unsent:
    """Bytes that the device has not taken yet, counted by two threads.

    The loop is woken only where a writer may wait for low water: to wake it for each frame costs more than the frame.
    """

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()
        self._is_high = False

    def add(self, count: int) -> None:
        """Handed to the writing thread."""
        with self._lock:
            self.count += count
            self._is_high = self._is_high or self.count > HIGH_WATER_BYTES

    def take(self, count: int) -> bool:
        """Taken by the device; true where the water was high and has fallen to low."""
        with self._lock:
            self.count -= count
            has_fallen = self._is_high and self.count <= LOW_WATER_BYTES
            self._is_high = self._is_high and not has_fallen
            return has_fallen


class UsbLink:
    """One claimed device; made by `open_usb`."""

    def __init__(self, claimed: Claimed, *, address: str, is_simulated: bool) -> None:
        self.address = address
        self.is_simulated = is_simulated
        self.is_message_based = claimed.pipe.is_message_based
        self._claimed = claimed
        self._pipe = claimed.pipe
        self._loop = asyncio.get_running_loop()
        self._ending = Ending(address)
        self._gate = Gate(self._ending.check)
        self._inbox = Inbox(self._chunk_taken)
        self._unsent = Unsent()
        self._outgoing: queue.SimpleQueue[bytes | _Job | None] = queue.SimpleQueue()
        self._asked: set[asyncio.Future[Any]] = set()
        self._is_stopped = threading.Event()
        self._room: queue.SimpleQueue[None] = queue.SimpleQueue()  # a semaphore without Python in it
        for _ in range(CHUNKS_UNDER_WAY):
            self._room.put(None)
        self._is_released = asyncio.Event()
        self._threads = [
            threading.Thread(target=self._guarded, args=(work,), name=f"{what} {address}", daemon=True)
            for what, work in (("read", self._read_on), ("write", self._write_on))
        ]

    def start(self, receiver: Receiver) -> None:
        """Begin to read and to deliver chunks."""
        self._ending.started(receiver)
        self._inbox.start(receiver)
        if not self._ending.is_over:
            for thread in self._threads:
                thread.start()

    async def write(self, data: bytes) -> None:
        """Hand bytes to the writing thread; waits while the device takes none. Raises `LinkClosed`."""
        self._ending.check()
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    async def in_turn(self, transfer: Callable[[UsbPipe], T]) -> T:
        """The result of control transfers, made after what was written before. Raises `LinkClosed`, what they raise.

        A device that refuses a request (a stall) ends nothing; a link that was not started makes none.
        """
        self._ending.check()
        asked: asyncio.Future[T] = self._loop.create_future()
        self._asked.add(asked)

        def make() -> None:
            try:
                result = transfer(self._pipe)
            except Exception as error:
                self._post(_fail, asked, error)
                if cause_of(error) is UsbCause.GONE:
                    raise
            else:
                self._post(_succeed, asked, result)

        self._outgoing.put(make)
        try:
            return await asked
        finally:
            self._asked.discard(asked)

    async def set_feature(self, data: bytes) -> None:
        """Set a HID feature report. Raises `LinkClosed`, `LinkRefused`."""
        await self.in_turn(lambda pipe: _reports(pipe, self.address).set_feature(data))

    async def feature(self, report: int) -> bytes:
        """Read a HID feature report. Raises `LinkClosed`, `LinkRefused`."""
        return await self.in_turn(lambda pipe: _reports(pipe, self.address).feature(report))

    def pause_reading(self) -> None:
        """Take no more: the device's endpoint fills, and it waits."""
        self._inbox.pause()

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._inbox.resume()

    async def close(self) -> None:
        """End it, unsent bytes discarded; waits until the device is released, at most 0.9 s."""
        self._lose(LinkClosed(f"{self.address} closed by this side"))
        await self._ending.told()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._is_released.wait()

    def _put(self, data: bytes) -> None:
        if data:
            self._unsent.add(len(data))
            self._gate.level(self._unsent.count)
            self._outgoing.put(bytes(data))

    def _fallen(self) -> None:
        self._gate.level(self._unsent.count)

    def _arrived(self, chunk: bytes) -> None:
        if not self._ending.is_over:
            self._inbox.pass_on(chunk)

    def _chunk_taken(self) -> None:
        self._room.put(None)

    def _lose(self, reason: Exception) -> None:
        if not self._ending.end(reason):
            return
        self._inbox.clear()
        self._is_stopped.set()
        self._room.put(None)
        self._outgoing.put(None)
        self._gate.release()
        for asked in self._asked:
            _fail(asked, self._ending.error())
        threading.Thread(target=self._release, name=f"close {self.address}", daemon=True).start()

    # in threads of their own

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # whatever it is, the thread does not end unnoticed (BR-026)
            self._post(self._lose, error)

    def _read_on(self) -> None:
        while not self._is_stopped.is_set():
            self._room.get()
            if chunk := self._next_chunk():
                self._post(self._arrived, chunk)

    def _next_chunk(self) -> bytes:
        while not self._is_stopped.is_set():
            try:
                if chunk := self._pipe.read(TRANSFER_TIMEOUT_MS):
                    return chunk
            except usb.core.USBTimeoutError:
                continue  # the device had nothing to say
        return b""

    def _write_on(self) -> None:
        while (job := self._outgoing.get()) is not None:
            if isinstance(job, bytes):
                self._write(job)
            elif not self._is_stopped.is_set():
                job()

    def _write(self, data: bytes) -> None:
        while data and not self._is_stopped.is_set():
            try:
                count = self._pipe.write(data, TRANSFER_TIMEOUT_MS)
            except usb.core.USBTimeoutError:
                continue  # the device takes nothing now
            data = data[count:]
            if self._unsent.take(count):
                self._post(self._fallen)

    def _release(self) -> None:
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        with contextlib.suppress(Exception):  # the device may be gone: there is nothing left to release
            self._claimed.release()
        self._post(self._is_released.set)

    def _post(self, call: Callable[..., Any], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(call, *arguments)


def _reports(pipe: UsbPipe, address: str) -> HidReports:
    if not isinstance(pipe, HidReports):
        raise LinkRefused(f"{address} has no feature reports: it is no HID device")
    return pipe


def _succeed(asked: asyncio.Future[T], result: T) -> None:
    if not asked.done():
        asked.set_result(result)


def _fail(asked: asyncio.Future[T], error: Exception) -> None:
    if not asked.done():
        asked.set_exception(error)


async def open_usb(place: UsbPlace, *, backend: object | None = None, address: str = "") -> UsbLink:
    """A claimed device with an empty input. Raises `LinkRefused` and its kinds.

    `backend`: pyusb's backend in place of libusb (simulated devices).
    """
    address = address or f"usb://{place.kind}/{place.serial}"
    claimed = await open_apart(lambda: claim(place, backend), what=address, undo=Claimed.release)
    is_simulated = (place.vendor, place.product) in TEST_IDS or place.server is not None
    return UsbLink(claimed, address=address, is_simulated=is_simulated)
