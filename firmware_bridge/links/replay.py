"""A link that plays the device's side of a recording.

It keeps the recorded intervals, and says nothing that the device said after an answer of the host before the host
has written as much again. What the host writes is compared, not understood.
"""

from __future__ import annotations

import asyncio

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.base import LinkClosed, Receiver
from firmware_bridge.links.ending import Ending
from firmware_bridge.links.gate import Gate
from firmware_bridge.links.inbox import Inbox
from firmware_bridge.links.recording import Direction, Recording


class ReplayLink:
    """The host's end of a cable to a recorded device; lost when the recording ends."""

    is_simulated = True

    def __init__(self, recording: Recording, *, address: str = "replay") -> None:
        self.address = address
        self.is_message_based = recording.head.is_message_based
        self.first_difference: int | None = None  # at which byte the host first wrote something else than recorded
        self._recording = recording
        self._ending = Ending(address)
        self._gate = Gate(self._ending.check)
        self._inbox = Inbox(self._chunk_taken)
        self._is_inbox_empty = asyncio.Event()
        self._is_inbox_empty.set()
        self._written = bytearray()  # by the host, not yet compared
        self._has_written = asyncio.Event()
        self._compared_bytes = 0
        self._player: asyncio.Task[None] | None = None

    def start(self, receiver: Receiver) -> None:
        """Begin to play."""
        self._ending.started(receiver)
        self._inbox.start(receiver)
        if not self._ending.is_over:
            self._player = asyncio.create_task(self._play_guarded(), name=f"play {self.address}")

    async def write(self, data: bytes) -> None:
        """Taken as far as the recording has come; waits when that is much behind. Raises `LinkClosed`."""
        self._ending.check()
        if self._gate.is_open:
            self._put(data)
            data = b""
        if not self._gate.is_open:
            await self._gate.pass_in_turn(self._put, data)

    def pause_reading(self) -> None:
        """Stop playing until `resume_reading`."""
        self._inbox.pause()

    def resume_reading(self) -> None:
        """Undo `pause_reading`."""
        self._inbox.resume()

    async def close(self) -> None:
        """Stop for good."""
        self._lose(LinkClosed(f"{self.address} closed by this side"))
        await self._ending.told()
        if self._player is not None:
            self._player.cancel()
            await asyncio.wait([self._player])

    def _put(self, data: bytes) -> None:
        if data:
            self._written += data
            self._gate.level(len(self._written))
            self._has_written.set()

    async def _play_guarded(self) -> None:
        try:
            await self._play()
            self._lose(LinkClosed(f"{self.address}: end of the recording"))
        except Exception as error:  # a broken recording ends the link, and says so
            self._lose(LinkClosed(f"{self.address}: {error}"))

    async def _play(self) -> None:
        before_ns: int | None = None
        for entry in self._recording:
            await asyncio.sleep(0 if before_ns is None else (entry.at_ns - before_ns) / NS_PER_S)
            before_ns = entry.at_ns
            if entry.direction is Direction.OUT:
                await self._compare(entry.data)
            elif entry.direction is Direction.IN:
                self._is_inbox_empty.clear()
                self._inbox.put(entry.data)
                await self._is_inbox_empty.wait()
            else:
                raise LinkClosed(f"as recorded: {entry.data.decode('utf-8', 'replace')}")

    async def _compare(self, recorded: bytes) -> None:
        while len(self._written) < len(recorded):
            self._has_written.clear()
            await self._has_written.wait()
        written = bytes(self._written[: len(recorded)])
        del self._written[: len(recorded)]
        self._gate.level(len(self._written))
        if self.first_difference is None and written != recorded:
            same = next(index for index, pair in enumerate(zip(written, recorded, strict=True)) if pair[0] != pair[1])
            self.first_difference = self._compared_bytes + same
        self._compared_bytes += len(recorded)

    def _chunk_taken(self) -> None:
        self._is_inbox_empty.set()

    def _lose(self, reason: LinkClosed) -> None:
        if self._ending.end(reason):
            self._inbox.clear()
            self._gate.release()
