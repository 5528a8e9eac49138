"""A simulated USB device behind USB/IP, in a process of its own: it gives prepared answers, the same for every host.

`python -m benchmarks.usb_far_side` is that process; it prints its port, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import prepared
from benchmarks.prepared import Answer
from firmware_bridge.links.base import Link
from simulator.usb.shapes import UsbIdentity
from simulator.usb.usbip import UsbipSocket

ROOT = Path(__file__).parents[1]


@contextmanager
def usb_far_side() -> Iterator[int]:
    """The port of its USB/IP server, for the length of a block."""
    command = [sys.executable, "-m", "benchmarks.usb_far_side"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


class _Device:
    """Answers on one connection."""

    def __init__(self, link: Link, answer: Answer) -> None:
        self.lost = asyncio.Event()
        self._answer = answer
        self._replies: asyncio.Queue[bytes] = asyncio.Queue()
        self._link = link
        link.start(self)

    def chunk_received(self, chunk: bytes) -> None:
        if reply := self._answer(chunk):
            self._replies.put_nowait(reply)

    def link_lost(self, reason: Exception) -> None:
        self.lost.set()

    async def run(self) -> None:
        while True:
            await self._link.write(await self._replies.get())


async def main() -> None:
    """Serve until whoever started us is gone."""
    socket = UsbipSocket("127.0.0.1", 0, UsbIdentity(prepared.SERIAL))
    await socket.open()
    print(socket.port, flush=True)
    async with asyncio.TaskGroup() as tasks:
        gone = tasks.create_task(asyncio.to_thread(sys.stdin.read))
        serving = tasks.create_task(_serve(socket))
        await gone
        serving.cancel()


async def _serve(socket: UsbipSocket) -> None:
    while True:
        device = _Device(await socket.next_link(), prepared.tdl_device())
        running = asyncio.create_task(device.run())
        await device.lost.wait()
        running.cancel()
        await asyncio.wait([running])


if __name__ == "__main__":
    asyncio.run(main())
