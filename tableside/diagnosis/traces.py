"""Listening in on the cables of a running table: who listens hears every message, and holds nobody up.

The last two minutes of each cable are kept in memory, for incidents (kept_traces.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firmware_bridge.clock import Clock
from firmware_bridge.links.base import Link, LinkRefused, Receiver
from firmware_bridge.links.features import FeatureReports
from firmware_bridge.links.recording import Direction
from tableside.diagnosis.ring import Ring
from tableside.diagnosis.speech import Spoken, speech_of

# What a listener may be behind; a bus at 9,600 baud says some thirty messages a second.
MOST_WAITING = 1_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A message and when it was whole (monotonic ns)."""

    at_ns: int
    spoken: Spoken


class Ear:
    """One listener's queue; what does not fit is counted."""

    def __init__(self) -> None:
        self.missed = 0
        self._waiting: asyncio.Queue[Heard] = asyncio.Queue(MOST_WAITING)

    def hear(self, heard: Heard) -> None:
        """Never waits."""
        try:
            self._waiting.put_nowait(heard)
        except asyncio.QueueFull:
            self.missed += 1

    async def next(self) -> Heard:
        """The next message."""
        return await self._waiting.get()

    def take_missed(self) -> int:
        """How many were missed since the last call."""
        missed, self.missed = self.missed, 0
        return missed


class Cable:
    """One cable of the table, over all its links. Nothing is understood while nobody listens."""

    def __init__(self, profile: str, clock: Clock) -> None:
        self.profile = profile
        self.is_message_based = False
        self.ring = Ring()
        self.heard_ns: int | None = None  # when a byte last came in; None: none ever did
        self._clock = clock
        self._ears: list[Ear] = []
        self._speech = speech_of(profile, is_message_based=False)

    def tapped(self, link: Link) -> Link:
        """The link as the driver gets it."""
        self.is_message_based = link.is_message_based
        return _TappedLink(link, self)

    @contextmanager
    def listening(self) -> Iterator[Ear]:
        """An ear at this cable. The first one begins in the middle of whatever is being said."""
        ear = Ear()
        if not self._ears:
            self._speech = speech_of(self.profile, is_message_based=self.is_message_based)
        self._ears.append(ear)
        try:
            yield ear
        finally:
            self._ears.remove(ear)

    def note(self, direction: Direction, data: bytes) -> None:
        """Bytes pass."""
        at_ns = self._clock.monotonic_ns()
        self.ring.note(at_ns, direction, data)
        if direction is Direction.IN:
            self.heard_ns = at_ns
        if not self._ears:
            return
        try:
            for spoken in self._speech.feed(direction, data):
                self._tell(Heard(at_ns, spoken))
        except Exception as error:  # a fault of those who listen must not end what they listen to
            self._tell(Heard(at_ns, Spoken(direction, f"cannot be put in words: {type(error).__name__}: {error}")))

    def note_end(self, why: str) -> None:
        """The link has ended."""
        at_ns = self._clock.monotonic_ns()
        self.ring.note(at_ns, Direction.END, why.encode())
        if self._ears:
            self._tell(Heard(at_ns, Spoken(Direction.END, why)))

    def _tell(self, heard: Heard) -> None:
        for ear in self._ears:
            ear.hear(heard)


class _TappedLink:
    """As the link below, and heard."""

    def __init__(self, link: Link, cable: Cable) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self._link = link
        self._cable = cable

    def start(self, receiver: Receiver) -> None:
        self._link.start(_TappedReceiver(receiver, self._cable))

    async def write(self, data: bytes) -> None:
        self._cable.note(Direction.OUT, data)
        await self._link.write(data)

    async def set_feature(self, data: bytes) -> None:
        """A feature report is heard as bytes out, what is read of one as bytes in."""
        self._cable.note(Direction.OUT, data)
        await self._features().set_feature(data)

    async def feature(self, report: int) -> bytes:
        data = await self._features().feature(report)
        self._cable.note(Direction.IN, data)
        return data

    def _features(self) -> FeatureReports:
        if not isinstance(self._link, FeatureReports):
            raise LinkRefused(f"{self.address} has no feature reports")
        return self._link

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    async def close(self) -> None:
        await self._link.close()


class _TappedReceiver:
    def __init__(self, receiver: Receiver, cable: Cable) -> None:
        self._receiver = receiver
        self._cable = cable

    def chunk_received(self, chunk: bytes) -> None:
        self._cable.note(Direction.IN, chunk)
        self._receiver.chunk_received(chunk)

    def link_lost(self, reason: Exception) -> None:
        self._cable.note_end(str(reason))
        self._receiver.link_lost(reason)
