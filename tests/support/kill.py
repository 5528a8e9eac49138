"""A daemon in virtual time that can be killed at any point at which something becomes durable or goes out.

Points are counted: each commit before and after it is durable, each order handed to a driver, each write to a cable
before and after. From the kill on nothing more goes out and nothing more is written, as after SIGKILL.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from firmware_bridge.clock import LoopClock
from firmware_bridge.links.base import Link, LinkClosed, Receiver
from tableside.cabling import Equipment
from tableside.config import HostConfig
from tableside.daemon import Daemon
from tableside.journal.in_loop import InLoopJournal
from tableside.journal.opening import Place
from tableside.journal.record import CommitResult, Draft
from tableside.journal.store import Journal
from tests.support.simulated_host import ground


class Killed(BaseException):
    """The process is gone here."""


class Reaper:
    """Counts the points that it passes, by name, and kills at the one whose number it was given."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.passed: list[str] = []
        self.is_dead = False

    def point(self, name: str) -> None:
        """Live on, or die."""
        if not self.is_dead and len(self.passed) == self.at:
            self.is_dead = True
        if self.is_dead:
            raise Killed(name)
        self.passed.append(name)


class MortalJournal(InLoopJournal):
    """A journal whose process may die before a commit, or after it and before anybody learns of it."""

    reaper: Reaper

    async def commit(self, drafts: Sequence[Draft]) -> CommitResult:
        what = drafts[0].type
        self.reaper.point(f"before the commit of {what}")
        result = await super().commit(drafts)
        self.reaper.point(f"after the commit of {what}")
        return result


class MortalDevice:
    """A driver as the hub sees it: the process may die before any order."""

    def __init__(self, driver: Any, reaper: Reaper) -> None:
        self.name = driver.name
        self._driver = driver
        self._reaper = reaper

    def __getattr__(self, order: str) -> Any:
        given = getattr(self._driver, order)

        def act(*arguments: object, **more: object) -> object:
            if self._reaper.is_dead:
                return None  # what the hub does on its way out, a killed process does not
            self._reaper.point(f"before {order} of {self.name}")
            return given(*arguments, **more)

        return act


class MortalLink:
    """A cable of a process that may die before or after any write."""

    def __init__(self, link: Link, reaper: Reaper) -> None:
        self.address = link.address
        self.is_message_based = link.is_message_based
        self.is_simulated = link.is_simulated
        self._link = link
        self._reaper = reaper

    def start(self, receiver: Receiver) -> None:
        self._link.start(receiver)

    async def write(self, data: bytes) -> None:
        if self._reaper.is_dead:
            raise LinkClosed("the process is dead")
        self._reaper.point("before a write")
        await self._link.write(data)
        self._reaper.point("after a write")

    def pause_reading(self) -> None:
        self._link.pause_reading()

    def resume_reading(self) -> None:
        self._link.resume_reading()

    async def close(self) -> None:
        await self._link.close()


def _is_kill(end: BaseException) -> bool:
    return isinstance(end, Killed) or (isinstance(end, BaseExceptionGroup) and all(map(_is_kill, end.exceptions)))


class MortalHost:
    """A host whose daemon is started, killed and started again over the same files and devices."""

    def __init__(self, config: HostConfig, connect: Callable[[str], Awaitable[Link]], clock: LoopClock) -> None:
        self.config = config
        self.daemon: Daemon | None = None
        self._connect = connect
        self._clock = clock
        self._numbers: list[int] = []
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        for path in (config.journal_directory, config.reserve_directory):
            path.mkdir(exist_ok=True)

    async def start(self, reaper: Reaper, monkeypatch: Any) -> None:
        """A new process. What dies within its opening leaves no daemon."""
        from tableside import table_host

        equip = table_host.equip

        def equip_mortally(*arguments: Any) -> Equipment:
            equipment = equip(*arguments)
            for name, driver in equipment.devices.items():
                equipment.devices[name] = MortalDevice(driver, reaper)
            return equipment

        async def open_journal(place: Place) -> Journal:
            journal = MortalJournal.open(place, self._clock, epoch=0xA1B2C3D4)
            journal.reaper = reaper
            return journal

        async def connect(address: str) -> Link:
            return MortalLink(await self._connect(address), reaper)

        under = dataclasses.replace(ground(self._clock, connect, self._numbers), open_journal=open_journal)
        self._stop = asyncio.Event()
        with monkeypatch.context() as patch:
            patch.setattr(table_host, "equip", equip_mortally)
            daemon = Daemon(self.config, under, "test")
            await daemon.open()
        self.daemon = daemon
        self._task = asyncio.create_task(daemon.run(self._stop), name="daemon")

    async def until_dead(self, is_enough: Callable[[], bool]) -> bool:
        """Let it live until it is killed (True) or has done enough; the dead one is carried away."""
        assert self._task is not None
        while not self._task.done() and not is_enough():  # noqa: ASYNC110 - as `until` of the simulated host
            await asyncio.sleep(0.05)
        return self._task.done()

    async def bury(self) -> None:
        """End what is left of a killed process; its file handles go as the system takes them."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self.daemon = None

    async def stop(self) -> None:
        """A clean stop; it may be killed in the middle of it."""
        self._stop.set()
        assert self._task is not None
        (end,) = await asyncio.gather(self._task, return_exceptions=True)
        self.daemon = None
        if end is not None and not _is_kill(end):
            raise end
