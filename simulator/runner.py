"""Joins worlds, faces and links in one event loop: one table is one stage.

`pace` makes the mechanics quicker, and nothing else: links, replies, permits and resends keep real time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn, Protocol, TypeVar

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.base import Link, LinkClosed

from .faces.memory import PowerLost
from .world.waking import earliest

T = TypeVar("T")
# World and face answer each other at one instant: more turns than this are a fault of one of them.
TURNS_AT_ONCE = 1_000
# The finest step of a pace: a thousandth.
PACE_STEPS = 1_000


class World(Protocol):
    """Physics with its own wake-up time."""

    def update(self, now_ns: int) -> int | None:
        """Play all that is due; returns when it wants to be called again."""


class Face(Protocol):
    """A wire face, sans I/O."""

    @property
    def next_wake_ns(self) -> int | None: ...

    def update(self, now_ns: int) -> bool:
        """True: the worlds want another update at the same instant."""

    def receive(self, chunk: bytes, now_ns: int) -> None: ...

    def take_output(self) -> list[bytes]: ...

    def connected(self, *, is_message_based: bool) -> None: ...

    def disconnected(self) -> None: ...

    def is_host_present(self, now_ns: int) -> bool:
        """Whether the host of its session was heard within the last seconds."""

    def power_off(self) -> None: ...


class Stage:
    """The worlds and faces of one table, kept in step. Made and used within a running loop."""

    def __init__(self, *, pace: float = 1.0) -> None:
        if pace * PACE_STEPS < 1:
            raise ValueError(f"pace {pace} refused: mechanics cannot stand still or run backwards; give a factor > 0")
        self._loop = asyncio.get_running_loop()
        # As a fraction, so that world time and loop time turn into each other without a rounding that could stall.
        self._pace = Fraction(pace).limit_denominator(PACE_STEPS)
        self._start_ns = self.now_ns
        self._worlds: list[World] = []
        self._outlets: list[Outlet] = []
        self._timer: asyncio.TimerHandle | None = None
        self._watchers: list[Callable[[], None]] = []
        self._failure: asyncio.Future[NoReturn] = self._loop.create_future()

    @property
    def now_ns(self) -> int:
        """The loop's time."""
        return round(self._loop.time() * NS_PER_S)

    def add_world(self, world: World) -> None:
        self._worlds.append(world)

    def add_face(self, face: Face, *, sees_cable: bool = False) -> Outlet:
        """`sees_cable`: the device notices the end of a connection (TCP, USB, MQTT), on serial it cannot."""
        outlet = Outlet(self, face, sees_cable=sees_cable)
        self._outlets.append(outlet)
        return outlet

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call this each time world and faces have come to rest, before what they say goes out."""
        self._watchers.append(watcher)

    def act(self, act: Callable[[], T]) -> T:
        """Somebody does something in the world, now."""
        self.settle()
        result = act()
        self.settle()
        return result

    def settle(self) -> None:
        """Bring everything up to this moment, deadlines of faces in their order, and set the next alarm."""
        now_ns = self.now_ns
        last_ns, turns = 0, 0
        while (wake_ns := self._first_face_wake()) is not None and wake_ns < now_ns:
            turns = turns + 1 if wake_ns == last_ns else 0
            if turns > TURNS_AT_ONCE:
                raise RuntimeError(f"a face asks again and again for its update at {wake_ns} ns")
            self._play(wake_ns)
            last_ns = wake_ns
        self._set_alarm(self._play(now_ns), now_ns)
        for watcher in self._watchers:
            watcher()
        for outlet in self._outlets:
            outlet.flush()

    async def until_failure(self) -> NoReturn:
        """Raises what a world or a face raised where nobody had called it: at an alarm, or as bytes came in."""
        await asyncio.shield(self._failure)
        raise AssertionError("a failure is always an exception")

    def fail(self, error: Exception) -> None:
        """The clockwork is broken: whoever runs the stage hears of it."""
        self.close()
        if not self._failure.done():
            self._failure.set_exception(error)

    def close(self) -> None:
        """Stop the clockwork; links are closed by whoever serves them."""
        if self._timer is not None:
            self._timer.cancel()

    def _first_face_wake(self) -> int | None:
        return earliest(*[outlet.face.next_wake_ns for outlet in self._outlets])

    def _play(self, now_ns: int) -> int | None:
        """All worlds and faces up to one instant; returns the worlds' next wake in world time."""
        world_ns = (now_ns - self._start_ns) * self._pace.numerator // self._pace.denominator
        for _ in range(TURNS_AT_ONCE):
            wakes = [world.update(world_ns) for world in self._worlds]
            has_happened = False
            for outlet in self._outlets:
                has_happened |= outlet.face.update(now_ns)
            if not has_happened:
                return earliest(*wakes)
        raise RuntimeError(f"world and faces do not come to rest at {now_ns} ns")

    def _set_alarm(self, world_wake_ns: int | None, now_ns: int) -> None:
        if world_wake_ns is not None:
            world_wake_ns = self._start_ns - -world_wake_ns * self._pace.denominator // self._pace.numerator
        wake_ns = earliest(self._first_face_wake(), world_wake_ns)
        due_s = None if wake_ns is None else max(wake_ns, now_ns) / NS_PER_S
        if self._timer is not None:
            if self._timer.when() == due_s:
                return  # most bytes change nothing that has a time
            self._timer.cancel()
        self._timer = None if due_s is None else self._loop.call_at(due_s, self._ring)

    def _ring(self) -> None:
        self._timer = None
        try:
            self.settle()
        except Exception as error:
            self.fail(error)


class Outlet:
    """Where a device's cable is plugged in: one link at a time, or none."""

    def __init__(self, stage: Stage, face: Face, *, sees_cable: bool) -> None:
        self.face = face
        self._stage = stage
        self._sees_cable = sees_cable
        self._link: Link | None = None
        self._outgoing: deque[bytes] = deque()
        self._has_news = asyncio.Event()
        self._is_free = asyncio.Event()
        self._lost: Exception | None = None

    async def serve(self, link: Link) -> None:
        """Carry bytes until the link ends. One link at a time."""
        if self._link is not None:
            raise RuntimeError(f"{link.address} refused: {self._link.address} is still plugged in; unplug it first")
        self._link, self._lost = link, None
        self._is_free.clear()
        self._outgoing.clear()
        self.face.connected(is_message_based=link.is_message_based)
        link.start(self)
        try:
            self._stage.settle()
            while self._lost is None:
                await self._has_news.wait()
                self._has_news.clear()
                while self._outgoing and self._lost is None:
                    await link.write(self._outgoing.popleft())
        except LinkClosed:
            pass
        finally:
            self._link = None
            await link.close()
            self._is_free.set()

    async def offer(self, link: Link) -> None:
        """A connection comes in, perhaps beside another: the older goes, unless its host is there (TDL 2.1)."""
        while self._link is not None:
            if self.face.is_host_present(self._stage.now_ns):
                await link.close()
                return
            await self.unplug()
            await self._is_free.wait()
        await self.serve(link)

    async def unplug(self) -> None:
        """Pull the cable out."""
        if self._link is not None:
            await self._link.close()

    def flush(self) -> None:
        """Hand over what the face says; with no cable it goes nowhere."""
        output = self.face.take_output()
        if output and self._link is not None:
            self._outgoing.extend(output)
            self._has_news.set()

    def chunk_received(self, chunk: bytes) -> None:
        try:
            self._stage.act(lambda: self._receive(chunk))
        except Exception as error:
            self._stage.fail(error)

    def _receive(self, chunk: bytes) -> None:
        try:
            self.face.receive(chunk, self._stage.now_ns)
        except PowerLost:
            self.face.power_off()

    def link_lost(self, reason: Exception) -> None:
        self._lost = reason
        self._has_news.set()
        if self._sees_cable:
            self.face.disconnected()
