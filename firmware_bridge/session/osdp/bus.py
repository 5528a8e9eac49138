"""Runs a control panel on real time and real links: the only part of OSDP that knows asyncio.

The keeper belongs to the link, everything else to the stations. One task drives the bus and waits for nobody. A
station whose listener has not taken what it was told is not polled: what was tapped waits in the reader. The other
stations, which may be another table's, go on.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

import structlog

from firmware_bridge.links.base import Link, LinkClosed, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.osdp.counts import BusCounts, StationCounts
from firmware_bridge.session.osdp.listening import Listener, Listening
from firmware_bridge.session.osdp.notices import (
    ChannelLost,
    CommandRefused,
    EchoChanged,
    KeyInstalled,
    Loss,
    StationLost,
    StationNotice,
    StationReady,
)
from firmware_bridge.session.osdp.panel import ControlPanel, PanelNotice, Send
from firmware_bridge.session.osdp.profile import LineProfile, StationProfile
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.osdp.commands import CommandMessage

# Opening a port or a socket takes seconds at worst; a call that hangs is given up.
CONNECT_LIMIT_S = 15.0
# A frame is a few hundred bytes; a cable that does not take them within a second has stopped.
WRITE_LIMIT_S = 1.0
# Nothing at all came for so long although we asked: a half-open connection looks like this, a new one is cheap. What
# an adapter plays back to us is nothing (BR-005).
SILENT_LINK_S = 60.0

_log = structlog.get_logger("osdp")


@dataclass(frozen=True, slots=True)
class BusSettings:
    """One cable: its name in the log, and its line."""

    name: str
    address: str
    line: LineProfile = field(default_factory=LineProfile)


class _Connection:
    """The receiver of one link: hands chunks to the panel, remembers the end."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self.ended: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def chunk_received(self, chunk: bytes) -> None:
        try:
            self._take(chunk)
        except Exception as error:  # a fault of ours must end the connection, not vanish in the link's callback
            self.end(error)

    def link_lost(self, reason: Exception) -> None:
        self.end(SessionOver(Ending.LINK_LOST, str(reason)))

    def end(self, reason: Exception) -> None:
        """The first reason counts."""
        if not self.ended.done():
            self.ended.set_result(reason)


class OsdpBus:
    """One cable with its stations, for the life of the daemon. Add the stations, then `run`.

    `connect` opens a new link each time, or raises `LinkRefused`. `random_bytes` makes the challenges.
    """

    def __init__(
        self,
        settings: BusSettings,
        connect: Callable[[], Awaitable[Link]],
        *,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
        jitter: random.Random | None = None,
    ) -> None:
        self.settings = settings
        self.is_simulated = False  # what the present link says of itself
        backoff = Backoff(table_for(settings.address), jitter or random.Random())
        self.keeper = Keeper(settings.name, self._attempt, backoff)
        self._connect = connect
        self._random_bytes = random_bytes
        self._profiles: list[StationProfile] = []
        self._listeners: dict[int, Listener] = {}
        self._listening: dict[int, Listening] = {}
        self._panel: ControlPanel | None = None
        self._link: Link | None = None
        self._connection: _Connection | None = None
        self._up: Up | None = None
        self._unheard_since_s: float | None = None  # when we asked into a silence that still lasts
        self._woken = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None  # only while the driving task sleeps until a time

    def add(self, profile: StationProfile, listener: Listener) -> None:
        """A station, before `run`. The listener is awaited: the station is not polled while it waits."""
        if self._panel is not None:
            raise RuntimeError("stations are added before the bus runs")
        if profile.address in self._listeners:
            raise ValueError(f"{self.settings.name}: two stations with OSDP address {profile.address}")
        self._profiles.append(profile)
        self._listeners[profile.address] = listener

    async def run(self) -> NoReturn:
        """Keep the bus alive until cancelled. Run anew after a fault, it knows nothing of its stations any more."""
        is_anew = self._panel is not None
        panel = ControlPanel(self.settings.line, self._profiles, self._random_bytes, self._now_s())
        self._panel = panel
        self._listening = {
            address: Listening(listener, partial(self._go_on, panel, address))
            for address, listener in self._listeners.items()
        }
        if is_anew:
            for address in self._listening:
                self._tell(panel, StationLost(address, Loss.LINK, "the bus begins anew"))
        tellers = (listening.run() for listening in self._listening.values())
        await run_together(self.keeper.run(), self._drive(panel), *tellers)

    def wish(self, address: int, command: CommandMessage, *, within_s: float | None = None) -> None:
        """Have a station show or sound something soon; a newer wish of its kind replaces it.

        Dropped where `within_s` passes first or the station is lost. What becomes of it is told by a notice.
        """
        if self._panel is not None:
            now_s = self._now_s()
            self._panel.wish(address, command, None if within_s is None else now_s + within_s, now_s)
            self._woken.set()

    def expect_tap(self, address: int) -> None:
        """Somebody was asked to tap there: poll quickly for two seconds."""
        if self._panel is not None:
            self._panel.expect_tap(address, self._now_s())
            self._woken.set()

    @property
    def counts(self) -> BusCounts:
        """What the cable counted."""
        return self._panel.counts if self._panel else BusCounts()

    def station_counts(self, address: int) -> StationCounts:
        """What a station counted. Raises KeyError once the bus runs and knows no such station."""
        return self._panel.station(address).counts if self._panel else StationCounts()

    def answered_s(self, address: int) -> float | None:
        """When a station last answered, in loop time; None: never. Raises as `station_counts`."""
        return self._panel.station(address).answered_at_s if self._panel else None

    # --- one connection after the other -------------------------------------------------------------------

    async def _attempt(self, up: Up) -> None:
        panel = self._panel
        if panel is None:
            raise RuntimeError("the keeper runs before the bus")
        link = await self._open()
        connection = _Connection(self._take)
        try:
            self._up, self._link, self._connection = up, link, connection
            self.is_simulated = link.is_simulated
            self._unheard_since_s = None
            panel.link_up(self._now_s())
            link.start(connection)
            self._woken.set()
            raise await connection.ended
        finally:
            self._up = self._link = self._connection = None
            is_told = connection.ended.done() and not connection.ended.cancelled()
            panel.link_down(str(connection.ended.result()) if is_told else "closed by us", self._now_s())
            self._woken.set()
            await link.close()

    async def _open(self) -> Link:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                return await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self.settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None

    def _take(self, chunk: bytes) -> None:
        if self._panel is not None:
            now_s = self._now_s()
            before = self._panel.counts.from_others
            self._panel.feed(chunk, now_s)
            if self._panel.counts.from_others > before:
                self._unheard_since_s = None
            self._go_on_driving(self._panel.resting_until(now_s))

    # --- driving ------------------------------------------------------------------------------------------

    async def _drive(self, panel: ControlPanel) -> NoReturn:
        while True:
            self._woken.clear()
            action = panel.next_action(self._now_s())
            if isinstance(action, Send):
                await self._write(panel, action.data)
            notices = panel.take_notices()
            for notice in notices:
                self._deliver(panel, notice)
            if not isinstance(action, Send) and not notices:
                self._end_silent_link()
                await self._sleep_until(action.until_s)

    async def _write(self, panel: ControlPanel, data: bytes) -> None:
        link, connection = self._link, self._connection
        if link is None or connection is None:
            return  # it went while we decided; `link_down` has been told
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await link.write(data)
        except LinkClosed as closed:
            connection.end(SessionOver(Ending.LINK_LOST, str(closed)))
        except TimeoutError:
            text = f"{link.address}: the cable took no bytes for {WRITE_LIMIT_S:g} s; check the other end"
            connection.end(SessionOver(Ending.STUCK, text))
        else:
            now_s = self._now_s()
            panel.sent(now_s)
            self._unheard_since_s = now_s if self._unheard_since_s is None else self._unheard_since_s

    def _deliver(self, panel: ControlPanel, notice: PanelNotice) -> None:
        self._log_notice(notice)
        if isinstance(notice, EchoChanged):
            return
        if isinstance(notice, StationReady) and self._up is not None:
            self._up()
        self._tell(panel, notice)

    def _tell(self, panel: ControlPanel, notice: StationNotice) -> None:
        panel.hold(notice.address)
        self._listening[notice.address].tell(notice)

    def _go_on(self, panel: ControlPanel, address: int) -> None:
        panel.release(address)
        self._woken.set()

    def _end_silent_link(self) -> None:
        since_s = self._unheard_since_s
        if self._connection is not None and since_s is not None and self._now_s() - since_s >= SILENT_LINK_S:
            text = f"{self.settings.address}: nobody answered for {SILENT_LINK_S:g} s; check cable and power"
            self._connection.end(SessionOver(Ending.SILENT, text))

    async def _sleep_until(self, until_s: float | None) -> None:
        """Until something comes in or is wished, or until this time: a timer on the same event costs least."""
        self._set_timer(until_s)
        try:
            await self._woken.wait()
        finally:
            self._set_timer(None)

    def _go_on_driving(self, resting_until_s: float | None) -> None:
        """Something came in. Where it leaves nothing to do the driving task sleeps on, to another time.

        Most that comes is the answer to a poll with nothing new: to wake a task for it is a third of what it costs.
        """
        if resting_until_s is None or self._timer is None:
            self._woken.set()
        else:
            self._set_timer(resting_until_s)

    def _set_timer(self, at_s: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if at_s is None else asyncio.get_running_loop().call_at(at_s, self._woken.set)

    def _log_notice(self, notice: PanelNotice) -> None:
        bus = self.settings.name
        match notice:
            case StationReady():
                _log.info("osdp_station_ready", bus=bus, station=notice.address, is_secure=notice.is_secure)
            case StationLost():
                _log.warning("osdp_station_lost", bus=bus, station=notice.address, loss=notice.loss, why=notice.text)
            case ChannelLost():
                _log.warning("osdp_channel_lost", bus=bus, station=notice.address, why=notice.text)
            case CommandRefused():
                command = type(notice.command).__name__
                _log.warning("osdp_refused", bus=bus, station=notice.address, command=command, why=notice.why)
            case KeyInstalled():
                _log.info("osdp_key_installed", bus=bus, station=notice.address)
            case EchoChanged():
                _log.info("osdp_echo", bus=bus, is_on=notice.is_on)

    @staticmethod
    def _now_s() -> float:
        return asyncio.get_running_loop().time()
