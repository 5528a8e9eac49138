"""Bytes over a file descriptor, in the event loop: the common part of serial ports and pseudo-terminals.

Reads and writes go straight to the operating system: the port library's own are slower, and its non-blocking
write spins for ever on a full port. A read hands its chunk to the receiver in the same turn, without a buffer.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
import threading
from collections.abc import Callable

from firmware_bridge.links.base import LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate

# More than a pseudo-terminal or a USB adapter ever holds; one read takes all that is there.
READ_SIZE = 65_536
# `close` returns within 1 s; the rest of the second is the loop's.
CLOSE_TIMEOUT_S = 0.9


class DescriptorLink:
    """A link over a non-blocking descriptor that the loop can watch. Made by `open_serial` and `open_pty`."""

    is_message_based = False

    def __init__(self, descriptor: int, *, address: str, is_simulated: bool, release: Callable[[], None]) -> None:
        """`release` closes the descriptor; it may block, and is called once, in a thread of its own."""
        self.address = address
        self.is_simulated = is_simulated
        self._descriptor = descriptor
        self._release = release
        self._loop = asyncio.get_running_loop()
        self._ending = Ending(address)
        self._gate = Gate(self._ending.check)
        self._unsent = bytearray()
        self._receive: Callable[[bytes], None] = _nobody
        self._is_reading = True
        self._is_released = asyncio.Event()

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver chunks, straight from the loop's readiness callback."""
        self._ending.started(receiver)
        self._receive = receiver.chunk_received
        self._watch()

    async def write(self, data: bytes) -> None:
        """Hand bytes to the operating system; waits while it takes none. Raises `LinkClosed`."""
        if self._ending.reason is not None:
            raise self._ending.error()
        if not self._unsent and not self._gate.waiting:
            try:
                taken = os.write(self._descriptor, data)
            except (BlockingIOError, InterruptedError):
                taken = 0
            except OSError as error:
                self._lose(error)
                raise self._ending.error() from error
            if taken == len(data):
                return
            data = data[taken:]
        await self._write_rest(data)

    def pause_reading(self) -> None:
        """Leave what comes with the operating system, which stops the device when its own buffer is full.

        An unplugged cable is then noticed at the next write, or after `resume_reading`.
        """
        self._is_reading = False
        if not self._ending.is_over:
            self._loop.remove_reader(self._descriptor)

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._is_reading = True
        self._watch()

    async def close(self) -> None:
        """End it, unsent bytes discarded; waits for the descriptor to be closed, at most 0.9 s."""
        self._lose(LinkClosed(f"{self.address} closed by this side"))
        await self._ending.told()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._is_released.wait()
        except TimeoutError:
            return  # the driver holds on to it; the thread goes on, and the next opening says *busy* if it must

    def _watch(self) -> None:
        if self._receive is not _nobody and self._is_reading and not self._ending.is_over:
            self._loop.add_reader(self._descriptor, self._readable)

    def _readable(self) -> None:
        try:
            chunk = os.read(self._descriptor, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:  # EIO: the other side of a pty is gone, or the adapter was pulled
            self._lose(error)
            return
        if chunk:
            self._receive(chunk)
        else:
            self._lose(EOFError("end of file: the port was hung up"))

    async def _write_rest(self, data: bytes) -> None:
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    def _put(self, data: bytes) -> None:
        if not data:
            return
        if not self._unsent:
            self._loop.add_writer(self._descriptor, self._writable)
        self._unsent += data
        self._gate.level(len(self._unsent))

    def _writable(self) -> None:
        try:
            taken = os.write(self._descriptor, self._unsent)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(error)
            return
        del self._unsent[:taken]
        self._gate.level(len(self._unsent))
        if not self._unsent:
            self._loop.remove_writer(self._descriptor)

    def _lose(self, reason: Exception) -> None:
        if not self._ending.end(reason):
            return
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        self._unsent.clear()
        self._gate.release()
        threading.Thread(target=self._close_port, name=f"close {self.address}", daemon=True).start()

    def _close_port(self) -> None:
        """In a thread: closing may wait for a driver to drain, and discards first so that it need not."""
        with contextlib.suppress(OSError, termios.error):  # the cable is gone: nothing left to discard
            termios.tcflush(self._descriptor, termios.TCIOFLUSH)
        with contextlib.suppress(OSError):  # the number is free again whatever the driver says
            self._release()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._is_released.set)


def _nobody(chunk: bytes) -> None:
    """The receiver of a link that is not started; never called, as nothing is watched yet."""
