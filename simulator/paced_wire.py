"""One wire at its speed between a host and a face, both directions in turn, in real time.

Each piece arrives when its last bit has passed; the host hears its own bytes where the wire is single. Times are
absolute, so that a loop that wakes late delays one arrival and not those after it; and since a loop's timers are a
millisecond coarse, the last of it is waited for by turning, so that what is measured is the host and not this wire.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.base import LinkClosed, Receiver

_BITS_PER_BYTE = 10
# A selector rounds its waiting up to whole milliseconds.
_COARSE_S = 0.0015


class Station(Protocol):
    """What hangs on the wire: a face, sans I/O, whose output is due at a time."""

    @property
    def next_wake_ns(self) -> int | None: ...

    def receive(self, chunk: bytes, now_ns: int) -> None: ...

    def update(self, now_ns: int) -> object: ...

    def take_output(self) -> list[bytes]: ...


class PacedWire:
    """A `Link` whose other end is the face itself. `bits` counts what has passed."""

    is_message_based = False
    is_simulated = True

    def __init__(self, face: Station, baud: int = 9_600) -> None:
        self.address = "memory://paced"
        self.passed_bytes = 0
        self._face = face
        self._byte_s = _BITS_PER_BYTE / baud
        self._free_s = 0.0  # when the wire is free again
        self._receiver: Receiver | None = None
        self._is_closed = False

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver."""
        self._receiver = receiver

    async def write(self, data: bytes) -> None:
        """Given to the port at once; it takes its time on the wire."""
        if self._is_closed:
            raise LinkClosed(f"{self.address} is closed")
        loop = asyncio.get_running_loop()
        arrives_s = self._pass(data, loop.time())
        self._at(arrives_s, lambda: self._arrive(data, arrives_s))

    def pause_reading(self) -> None:
        """Nothing waits here."""

    def resume_reading(self) -> None:
        """Nothing waits here."""

    async def close(self) -> None:
        """The adapter is unplugged."""
        self._is_closed = True

    def _pass(self, data: bytes, from_s: float) -> float:
        """When its last bit has passed, on a wire that carries one thing at a time."""
        self._free_s = max(self._free_s, from_s) + len(data) * self._byte_s
        self.passed_bytes += len(data)
        return self._free_s

    def _at(self, when_s: float, act: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_at(when_s - _COARSE_S, self._turn_until, when_s, act)

    def _turn_until(self, when_s: float, act: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() < when_s:
            loop.call_soon(self._turn_until, when_s, act)
        else:
            act()

    def _arrive(self, data: bytes, at_s: float) -> None:
        """At the stations, and back at the host where the wire is single; then what they answer."""
        if self._is_closed:
            return
        self._face.receive(data, round(at_s * NS_PER_S))
        for echo in self._face.take_output():  # at the same time as it went out: it takes the wire no second time
            self._deliver(echo)
        while (due_ns := self._face.next_wake_ns) is not None:
            self._face.update(due_ns)
            for answer in self._face.take_output():
                arrives_s = self._pass(answer, due_ns / NS_PER_S)
                self._at(arrives_s, lambda answer=answer: self._deliver(answer))  # type: ignore[misc]  # bound now

    def _deliver(self, data: bytes) -> None:
        if self._receiver is not None and not self._is_closed:
            self._receiver.chunk_received(data)
