"""The host side in tests: a session or a driver on a scripted device, and a list of all that it said."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from drivers.events import Fact, Notice
from drivers.tdl import Surroundings, TdlSettings
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.tdl import Expected, Noticed, Opening, Ready, Said, TdlSession
from tests.support.tdl_device import EPOCH, MODEL, SERIAL, ScriptedDevice

NONCE = bytes(range(1, 9))
DEADLINE_S = 30.0


class Host:
    """One session and what it said. It acknowledges what `is_durable` allows, as the hub does after a commit."""

    def __init__(self, *, is_resuming: bool = True, is_durable: bool = True) -> None:
        self.said: list[Said] = []
        self.counts = LinkCounts()
        self.is_resuming = is_resuming
        self.is_durable = is_durable
        self.gate = asyncio.Event()  # the callback waits while this is clear
        self.gate.set()
        self.held = 0  # highest notice that the journal holds

    def session(self, link: object, *, number: int = 0x1234, expected: Expected | None = None) -> TdlSession:
        opening = Opening(number, NONCE, EPOCH, expected or Expected(SERIAL, MODEL, 1))
        self.current = TdlSession(link, opening, self._report, self.counts)  # type: ignore[arg-type]
        return self.current

    async def _report(self, said: Said) -> None:
        await self.gate.wait()
        self.said.append(said)
        if isinstance(said, Ready) and self.is_resuming:
            self.current.resume_notices(said.hello.boot, self.held)
        if isinstance(said, Noticed) and self.is_durable:
            self.held = said.number
            self.current.acknowledge(said.boot, said.number)

    def of(self, kind: type) -> list:  # type: ignore[type-arg]
        return [said for said in self.said if isinstance(said, kind)]


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for a named state, of the device or of the host."""
    async with asyncio.timeout(DEADLINE_S):
        while not is_so():  # noqa: ASYNC110 - the state may be the device's, which tells nobody that it changed
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(session: TdlSession) -> AsyncIterator[asyncio.Task[None]]:
    """The session as a task, cancelled at the end."""
    task: asyncio.Task[None] = asyncio.create_task(session.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Table:
    """What a hub does with a driver: keeps the facts, resumes and acknowledges notices."""

    def __init__(self, device: ScriptedDevice) -> None:
        self.device = device
        self.facts: list[Fact] = []
        self.sessions = 0
        self.settings = TdlSettings("shuffler", "memory://device", SERIAL, MODEL)
        self.around = Surroundings(
            report=self.report,
            connect=self.device.connect,
            next_session=self._next_session,
            epoch=EPOCH,
            nonce=random.Random(7).randbytes,
            jitter=random.Random(7),
        )

    async def report(self, fact: Fact) -> None:
        self.facts.append(fact)

    def _next_session(self) -> int:
        self.sessions += 1
        return self.sessions

    def of(self, kind: type) -> list:  # type: ignore[type-arg]
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def held(self, boot: int) -> int:
        """The last notice of a boot that the journal holds."""
        return max((fact.number for fact in self.facts if isinstance(fact, Notice) and fact.boot == boot), default=0)
