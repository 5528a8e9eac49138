"""One TDL device over the life of the daemon: one keeper, one session after the other, facts up, orders down.

A driver has a line; it is none. The line knows how to stay connected; the driver knows what its device has.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NoReturn

import structlog

from drivers.device import Report
from drivers.events import DeviceLost, DeviceRejected, Fact, NoticesLost, PermitKind
from drivers.tdl import orders
from drivers.tdl.hearing import Hearing
from firmware_bridge.links.base import Link, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.supervised import run_together
from firmware_bridge.session.tdl import (
    Answered,
    Expected,
    Noticed,
    Opening,
    Progressed,
    Ready,
    Request,
    Said,
    TdlSession,
    WrongDevice,
)
from firmware_bridge.wire.tdl.codes import NONCE_SIZE

# Opening a port, a socket or a broker's session takes seconds at worst; a call that hangs is given up.
CONNECT_LIMIT_S = 15.0

_SESSIONS = 0xFFFF  # session numbers are 1 to this


@dataclass(frozen=True, slots=True)
class TdlSettings:
    """One device of the configuration: its name at the table, where to look, and who it must be."""

    name: str
    address: str
    serial: str
    model: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the daemon, or a test, gives a driver.

    `report` may wait. `connect` opens a new link each time, or raises `LinkRefused`. `next_session` counts for
    ever (kept in the journal), so that no two connections follow each other under one number. `epoch` is the
    journal's. `nonce` gives so many random bytes, `jitter` spreads reconnects.
    """

    report: Report
    connect: Callable[[], Awaitable[Link]]
    next_session: Callable[[], int]
    epoch: int
    nonce: Callable[[int], bytes] = secrets.token_bytes
    jitter: random.Random = field(default_factory=random.Random)


class TdlLine:
    """Keeps one device connected. Orders to a device that is away are dropped: `DeviceLost` stands then.

    `profile` must be among the device's; notices of `kinds` become facts, all others are kept raw.
    """

    def __init__(self, settings: TdlSettings, around: Surroundings, profile: int, kinds: frozenset[int]) -> None:
        self.name = settings.name
        self.counts = LinkCounts()
        self.keeper = Keeper(settings.name, self._attempt, Backoff(table_for(settings.address), around.jitter))
        self._settings = settings
        self._around = around
        self._expected = Expected(settings.serial, settings.model, profile)
        self._hearing = Hearing(settings.name, kinds)
        self._session: TdlSession | None = None  # only while it is ready
        self._rejection_told = ""
        self._refusals: deque[Fact] = deque()
        self._refused = asyncio.Event()

    @property
    def has_orders(self) -> bool:
        """Orders are on their way to the device."""
        return self._session is not None and self._session.has_orders

    async def run(self) -> NoReturn:
        """Report the device as away, then keep it connected until cancelled."""
        await self._around.report(DeviceLost(device=self.name, why="not connected since the start"))
        await run_together(self.keeper.run(), self._report_refusals())

    def order(self, *requests: Request) -> None:
        """Let requests wait for their turn; dropped and counted while the device is away."""
        if self._session is None:
            self.counts.orders_dropped += len(requests)
            return
        for request in requests:
            self._session.put(request)

    def grant(self, what: PermitKind, duration_ms: int, limit_cards: int | None) -> None:
        """A permit from now on."""
        self.order(orders.grant(what, duration_ms, limit_cards, asyncio.get_running_loop().time()))

    def refuse(self, fact: Fact) -> None:
        """Report that the driver itself refuses an order: its device has no such thing."""
        self._refusals.append(fact)
        self._refused.set()

    def resume_notices(self, boot: int, number: int) -> None:
        """Handshake step 4."""
        if self._session is not None:
            self._session.resume_notices(boot, number)

    def acknowledge(self, boot: int, number: int) -> None:
        """NOTICE_ACK, after the commit."""
        if self._session is not None:
            self._session.acknowledge(boot, number)

    def read_levels(self) -> None:
        """STATE and METERS, one fact."""
        self.order(orders.state(), *([orders.meters()] if self._hearing.has_meters else []))

    def clear_fault(self, fault: int) -> None:
        """CLEAR_FAULT wherever it stands. One that stands nowhere is cleared already."""
        self.order(*(orders.clear_fault(fault, place) for place in self._hearing.faults.places(fault)))

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._around.connect()
        except TimeoutError:
            raise LinkRefused(f"{self._settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        opening = Opening(
            session=(self._around.next_session() - 1) % _SESSIONS + 1,
            nonce=self._around.nonce(NONCE_SIZE),
            epoch=self._around.epoch,
            expected=self._expected,
        )
        structlog.contextvars.bind_contextvars(session=opening.session)

        async def said(what: Said) -> None:
            await self._said(what, session, up, is_link_simulated=link.is_simulated)

        session = TdlSession(link, opening, said, self.counts)
        try:
            await session.run()
        except Exception as error:
            await self._tell_loss(error, silent_ms=round(session.silent_s * 1_000))
            raise
        finally:
            self._session = None

    async def _tell_loss(self, error: Exception, *, silent_ms: int) -> None:
        was_ready, self._session = self._session is not None, None  # from here orders are dropped
        if was_ready:
            await self._around.report(DeviceLost(device=self.name, why=str(error), silent_ms=silent_ms))
        if isinstance(error, WrongDevice) and str(error) != self._rejection_told:
            self._rejection_told = str(error)
            await self._around.report(
                DeviceRejected(device=self.name, why=str(error), serial=error.serial, model=error.model)
            )

    async def _said(self, what: Said, session: TdlSession, up: Up, *, is_link_simulated: bool) -> None:
        fact: Fact | None
        match what:
            case Ready():
                fact = self._hearing.ready(what, is_link_simulated=is_link_simulated)
                self._session, self._rejection_told = session, ""
                up()
            case Noticed():
                fact = self._hearing.noticed(what)
            case Progressed():
                fact = self._hearing.progressed(what)
            case Answered():
                fact = self._hearing.answered(what)
        if isinstance(fact, NoticesLost):
            self.order(orders.faults())
            self.read_levels()  # the table compares what it did not hear with how things stand (TDL 8.5)
        if fact is not None:
            await self._around.report(fact)

    async def _report_refusals(self) -> NoReturn:
        while True:
            await self._refused.wait()
            self._refused.clear()
            while self._refusals:
                await self._around.report(self._refusals.popleft())
