"""A bad cable: wraps any link and splits, joins, drops, damages, delays, doubles, echoes or cuts what passes.

Seeded, and every fault that fired is counted, so a run can prove that it happened. Bytes come late by the
loop's timers only, so virtual time holds.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from firmware_bridge.links.base import Link, LinkClosed, Receiver

# A joined chunk that nothing follows goes on alone after this.
JOIN_WAIT_S = 0.05


class LineFault(StrEnum):
    """What a bad cable does to one chunk."""

    SPLIT = "split"
    JOIN = "join"
    DROP = "drop"
    CORRUPT = "corrupt"
    DELAY = "delay"
    DUPLICATE = "duplicate"
    ECHO = "echo"
    CUT = "cut"


class Direction(StrEnum):
    """Seen from the end that the line is wrapped around."""

    OUT = "out"
    IN = "in"


STREAM_ONLY = frozenset({LineFault.SPLIT, LineFault.JOIN})


@dataclass(frozen=True, slots=True, kw_only=True)
class LineQuality:
    """Chance of each fault, per chunk and direction, and how late a late chunk is."""

    chances: Mapping[LineFault, float]
    late_s: tuple[float, float] = (0.001, 0.02)


SOUND = LineQuality(chances={})


class FaultyLine:
    """A `Link` around another one. Faults come by chance (`quality`) or on demand (`provoke`)."""

    is_simulated = True

    def __init__(self, link: Link, seed: int, quality: LineQuality = SOUND) -> None:
        if link.is_message_based and STREAM_ONLY & set(quality.chances):
            raise ValueError(f"split and join refused on {link.address}: its messages stay whole; leave them out")
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.fired: Counter[tuple[Direction, LineFault]] = Counter()
        self.passed: Counter[Direction] = Counter()
        self.quality = quality
        self._link = link
        self._rng = random.Random(f"line {seed}")
        self._wanted: dict[tuple[Direction, int], LineFault] = {}
        self._out = _Lane()
        self._in = _Lane()
        self._receiver: Receiver | None = None
        self._is_reading = True
        self._pump: asyncio.Task[None] | None = None
        self._cutting: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def provoke(self, fault: LineFault, direction: Direction, *, after: int = 0) -> None:
        """Let this fault hit the next chunk in that direction, or the one `after` so many more."""
        if self.is_message_based and fault in STREAM_ONLY:
            raise ValueError(f"{fault} refused on {self.address}: its messages stay whole")
        self._wanted[direction, self.passed[direction] + after] = fault

    # Link

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._link.start(self)

    async def write(self, data: bytes) -> None:
        if self._suffer(data, Direction.OUT, self._out):
            await self.close()
            raise LinkClosed(f"{self.address} was cut")
        if self._pump is None and self._out.is_due(_now()):
            # No older bytes wait: straight through, so that the peer's back-pressure is felt here.
            while (chunk := self._out.take(_now())) is not None:
                await self._link.write(chunk)
        elif self._out.next_s is not None:
            self._start_pump()

    def pause_reading(self) -> None:
        self._is_reading = False
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._is_reading = True
        self._link.resume_reading()
        self._arm()

    async def close(self) -> None:
        self._stop_pump()
        await self._link.close()

    # Receiver of the inner link

    def chunk_received(self, chunk: bytes) -> None:
        if self._suffer(chunk, Direction.IN, self._in):
            self._cutting = asyncio.create_task(self._link.close(), name=f"cut cable {self.address}")
            return
        self._deliver()

    def link_lost(self, reason: Exception) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._stop_pump()
        if self._receiver is not None:
            self._receiver.link_lost(reason)

    # Faults

    def _suffer(self, chunk: bytes, direction: Direction, lane: _Lane) -> bool:
        """Put a chunk on its lane as the cable leaves it. True: the cable is cut."""
        fault = self._draw(direction)
        self.passed[direction] += 1
        if fault is not None and (fault not in STREAM_ONLY or len(chunk) > 1):
            self.fired[direction, fault] += 1
        now_s, late_s = _now(), self._rng.uniform(*self.quality.late_s)
        match fault:
            case None:
                lane.put(chunk, now_s)
            case LineFault.DROP:
                pass
            case LineFault.CUT:
                return True
            case LineFault.CORRUPT:
                lane.put(self._damage(chunk), now_s)
            case LineFault.DELAY:
                lane.put(chunk, now_s + late_s)
            case LineFault.DUPLICATE:
                lane.put(chunk, now_s)
                lane.put(chunk, now_s + late_s)
            case LineFault.SPLIT:
                at = self._rng.randrange(1, len(chunk)) if len(chunk) > 1 else 0
                lane.put(chunk[:at], now_s)
                lane.put(chunk[at:], now_s + late_s)
            case LineFault.JOIN:
                lane.hold(chunk, now_s + JOIN_WAIT_S)
            case LineFault.ECHO:
                lane.put(chunk, now_s)
                self._echo(chunk, direction)
        return False

    def _draw(self, direction: Direction) -> LineFault | None:
        wanted = self._wanted.pop((direction, self.passed[direction]), None)
        if wanted is not None:
            return wanted
        dice = self._rng.random()
        for fault, chance in self.quality.chances.items():
            dice -= chance
            if dice < 0:
                return fault
        return None

    def _damage(self, chunk: bytes) -> bytes:
        at = self._rng.randrange(len(chunk))
        return chunk[:at] + bytes([chunk[at] ^ 1 << self._rng.randrange(8)]) + chunk[at + 1 :]

    def _echo(self, chunk: bytes, direction: Direction) -> None:
        """The sender hears its own bytes."""
        if direction is Direction.OUT:
            self._in.put(chunk, _now())
            self._deliver()
        else:
            self._out.put(chunk, _now())
            self._start_pump()

    # Late bytes

    def _deliver(self) -> None:
        if self._receiver is None:
            return
        while self._is_reading and (chunk := self._in.take(_now())) is not None:
            self._receiver.chunk_received(chunk)
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._in.next_s is not None and self._is_reading:
            self._timer = asyncio.get_running_loop().call_at(self._in.next_s, self._deliver)

    def _start_pump(self) -> None:
        if self._pump is None:
            self._pump = asyncio.create_task(self._pump_out(), name=f"bad cable {self.address}")

    def _stop_pump(self) -> None:
        if self._pump is not None:
            self._pump.cancel()

    async def _pump_out(self) -> None:
        try:
            while (next_s := self._out.next_s) is not None:
                await asyncio.sleep(max(0.0, next_s - _now()))
                while (chunk := self._out.take(_now())) is not None:
                    await self._link.write(chunk)
        except LinkClosed:
            pass  # the receiver is told by link_lost
        finally:
            self._pump = None


class _Lane:
    """One direction's bytes on their way, in order: nothing overtakes."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._held: bytes = b""

    @property
    def next_s(self) -> float | None:
        """When the first of them arrives."""
        return self._waiting[0][0] if self._waiting else None

    def is_due(self, now_s: float) -> bool:
        return bool(self._waiting) and all(at_s <= now_s for at_s, _ in self._waiting)

    def put(self, chunk: bytes, at_s: float) -> None:
        if self._held:
            # The held one was waiting for this.
            self._waiting.pop()
            chunk, self._held = self._held + chunk, b""
        if chunk:
            self._waiting.append((at_s, chunk))

    def hold(self, chunk: bytes, at_s: float) -> None:
        """Keep it for the next one to join, or let it go alone at `at_s`."""
        self.put(chunk, at_s)
        self._held = self._waiting[-1][1]

    def take(self, now_s: float) -> bytes | None:
        """The first chunk that has arrived."""
        if not self._waiting or self._waiting[0][0] > now_s:
            return None
        chunk = self._waiting.popleft()[1]
        if not self._waiting:
            self._held = b""
        return chunk


def _now() -> float:
    return asyncio.get_running_loop().time()
