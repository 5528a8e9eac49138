"""Asks the acceptors of one ccTalk bus in turn, on real time and real links: the only part of it that knows asyncio.

One exchange at a time, the next one as soon as a reply is whole. A station that is silent costs one deadline in a turn
and soon hardly any turn (`Acceptor`). What garbled reads lose is asked again at once; goals are said again next time.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NoReturn

import structlog

from firmware_bridge.links.base import Link, LinkClosed, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.cctalk.acceptor import Acceptor, AcceptorLost, AcceptorNotice, AcceptorReady
from firmware_bridge.session.cctalk.hearing import Hearing, Miss
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.cctalk.codes import READS
from firmware_bridge.wire.cctalk.frame import Check, Frame, encode
from firmware_bridge.wire.garbage import GarbageReason

CONNECT_LIMIT_S = 15.0
WRITE_LIMIT_S = 1.0
# A station answers within some 10 ms; 50 ms without a byte end a message (specification), and an adapter of the FTDI
# kind holds bytes back for 16 ms.
GAP_S = 0.05
ADAPTER_S = 0.016
_BITS_PER_BYTE = 10
# A read that came back garbled is asked again so often in the same turn.
COPIES_MAX = 3
# Nobody answered for so long although we asked: a new connection is cheap. Our own echo is no answer.
SILENT_LINK_S = 60.0

Listener = Callable[[AcceptorNotice], Awaitable[None]]
_log = structlog.get_logger("cctalk")


@dataclass(frozen=True, slots=True)
class BusSettings:
    """One cable: its name in the log, where it is, its speed, and how its frames are protected."""

    name: str
    address: str
    baud: int = 9_600
    check: Check = Check.SUM


@dataclass(slots=True)
class BusCounts:
    """What the cable counted, because nothing is lost silently."""

    bytes_received: int = 0
    frames_received: int = 0
    frames_sent: int = 0
    garbage: Counter[GarbageReason] = field(default_factory=Counter)
    garbage_bytes: int = 0
    echoes: int = 0
    collisions: int = 0
    strangers: int = 0  # replies of stations that were not asked
    late_bytes: int = 0  # came when nothing was asked


@dataclass(slots=True)
class _Station:
    """An acceptor, and who is told of it. While something waits to be told it is not asked for more."""

    acceptor: Acceptor
    listener: Listener
    waiting: deque[AcceptorNotice] = field(default_factory=deque)
    came: asyncio.Event = field(default_factory=asyncio.Event)


class CctalkBus:
    """One cable with its acceptors, for the life of the daemon. Add them, then `run`."""

    def __init__(
        self, settings: BusSettings, connect: Callable[[], Awaitable[Link]], jitter: random.Random | None = None
    ) -> None:
        self.settings = settings
        self.counts = BusCounts()
        self.is_simulated = False
        self.cycles_s: deque[float] = deque(maxlen=100)  # how long each round over all stations took
        self.keeper = Keeper(
            settings.name, self._attempt, Backoff(table_for(settings.address), jitter or random.Random())
        )
        self._connect = connect
        self._stations: dict[int, _Station] = {}
        self._hearing: Hearing | None = None
        self._news = asyncio.Event()
        self._woken = asyncio.Event()
        self._lost: Exception | None = None
        self._silent_since_s: float | None = None  # when we asked into a silence that still lasts

    def add(self, acceptor: Acceptor, listener: Listener) -> None:
        """An acceptor, before `run`; the listener is awaited. Raises ValueError: the address is taken."""
        address = acceptor.profile.address
        if address in self._stations:
            raise ValueError(f"{self.settings.name}: two acceptors with ccTalk address {address}")
        self._stations[address] = _Station(acceptor, listener)

    async def run(self) -> NoReturn:
        """Keep the bus alive until cancelled."""
        tellers = (self._tell(station) for station in self._stations.values())
        await run_together(self.keeper.run(), *tellers)

    def wake(self, acceptor: Acceptor) -> None:
        """A goal of it has changed: it need not wait for its next turn; one that is away is not asked sooner."""
        if acceptor.is_ready:
            acceptor.due_s = 0.0
        self._woken.set()

    # --- one connection after the other -------------------------------------------------------------------

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self.settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        self._lost, self.is_simulated = None, link.is_simulated
        self._silent_since_s = None
        for station in self._stations.values():
            station.acceptor.begin()
            station.acceptor.due_s = 0.0
        try:
            link.start(self)
            await self._ask_all(link, up)
        finally:
            why = str(self._lost) if self._lost is not None else "the cable was closed"
            for station in self._stations.values():
                station.acceptor.begin(why)
                self._hand_over(station)
            await link.close()

    async def _ask_all(self, link: Link, up: Up) -> NoReturn:
        while True:
            begun_s, asked = self._now_s(), 0
            for station in self._stations.values():
                if station.acceptor.due_s <= self._now_s() and not station.waiting:
                    await self._turn(link, station, up)
                    asked += 1
            if not asked:
                await self._until_due()
            elif asked == len(self._stations):
                self.cycles_s.append(self._now_s() - begun_s)
            if self._silent_since_s is not None and self._now_s() - self._silent_since_s >= SILENT_LINK_S:
                raise self._over(link, Ending.SILENT, f"nobody answered for {SILENT_LINK_S:g} s; check cable and power")

    async def _turn(self, link: Link, station: _Station, up: Up) -> None:
        acceptor = station.acceptor
        asked = acceptor.next_command()
        copies = COPIES_MAX if asked.header in READS else 1
        hearing = await self._exchange(link, asked)
        acceptor.counts.commands += 1
        for _ in range(copies - 1):
            if hearing.reply is not None or hearing.miss is Miss.SILENCE:
                break
            acceptor.counts.repeats += 1
            hearing = await self._exchange(link, asked)
        if hearing.reply is None:
            acceptor.missed(self._now_s(), hearing.miss.value)
        else:
            acceptor.take(asked, hearing.reply.data, self._now_s())
            up()
        self._hand_over(station)

    async def _exchange(self, link: Link, asked: Frame) -> Hearing:
        """One command and what came back. Raises SessionOver where the cable ended."""
        hearing = self._hearing = Hearing(asked, self.settings.check)
        data = encode(asked, self.settings.check)
        self.counts.frames_sent += 1
        asked_s = self._now_s()
        await self._write(link, data)
        wire_s = len(data) * _BITS_PER_BYTE / self.settings.baud
        await self._listen(link, hearing, self._now_s() + wire_s + GAP_S + ADAPTER_S)
        self._hearing = None
        self._count(hearing)
        if hearing.reply is not None:
            self._silent_since_s = None
        elif self._silent_since_s is None:
            self._silent_since_s = asked_s
        return hearing

    async def _listen(self, link: Link, hearing: Hearing, until_s: float) -> None:
        """Until the reply is whole, or the wire has been silent for 50 ms; the first byte may take until `until_s`."""
        try:
            async with asyncio.timeout_at(until_s) as limit:
                while not hearing.is_over:
                    self._news.clear()
                    if self._lost is not None:
                        raise self._over(link, Ending.LINK_LOST, str(self._lost))
                    await self._news.wait()
                    limit.reschedule(max(until_s, self._now_s() + GAP_S + ADAPTER_S))
        except TimeoutError:
            pass
        if hearing.miss is Miss.COLLISION:
            await asyncio.sleep(GAP_S)  # whatever the others say must be over before the next command
        hearing.end()

    async def _until_due(self) -> None:
        """All wait for their time, or for their listener."""
        due_s = min((station.acceptor.due_s for station in self._stations.values()), default=None)
        self._woken.clear()
        pause_s = GAP_S if due_s is None else max(GAP_S / 10, due_s - self._now_s())
        try:
            async with asyncio.timeout(pause_s):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _write(self, link: Link, data: bytes) -> None:
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await link.write(data)
        except LinkClosed as closed:
            self._lost = closed
            raise self._over(link, Ending.LINK_LOST, str(closed)) from closed
        except TimeoutError:
            text = f"the cable took no bytes for {WRITE_LIMIT_S:g} s; check the other end"
            raise self._over(link, Ending.STUCK, text) from None

    # --- receiver -----------------------------------------------------------------------------------------

    def chunk_received(self, chunk: bytes) -> None:
        """Bytes from the wire."""
        self.counts.bytes_received += len(chunk)
        if self._hearing is None or self._hearing.is_over:
            self.counts.late_bytes += len(chunk)
        else:
            self._hearing.feed(chunk)
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        """The end of the cable."""
        self._lost = reason
        self._news.set()
        self._woken.set()

    # --- what comes of it ---------------------------------------------------------------------------------

    def _count(self, hearing: Hearing) -> None:
        self.counts.echoes += hearing.has_echo
        self.counts.frames_received += hearing.reply is not None
        self.counts.collisions += hearing.miss is Miss.COLLISION
        self.counts.strangers += hearing.miss is Miss.STRANGER
        for garbage in hearing.garbage:
            self.counts.garbage[garbage.reason] += 1
            self.counts.garbage_bytes += garbage.size

    def _hand_over(self, station: _Station) -> None:
        while station.acceptor.notices:
            notice = station.acceptor.notices.popleft()
            address = station.acceptor.profile.address
            if isinstance(notice, AcceptorLost):
                _log.warning("cctalk_station_lost", bus=self.settings.name, station=address, why=notice.why)
            elif isinstance(notice, AcceptorReady):
                _log.info("cctalk_station_ready", bus=self.settings.name, station=address)
            station.waiting.append(notice)
            station.came.set()

    async def _tell(self, station: _Station) -> NoReturn:
        """One notice after the other; the station is asked again when its listener has taken them."""
        while True:
            await station.came.wait()
            station.came.clear()
            while station.waiting:
                await station.listener(station.waiting[0])
                station.waiting.popleft()
            self._woken.set()

    def _over(self, link: Link, ending: Ending, why: str) -> SessionOver:
        return SessionOver(ending, f"{link.address}: {why}")

    @staticmethod
    def _now_s() -> float:
        return asyncio.get_running_loop().time()
