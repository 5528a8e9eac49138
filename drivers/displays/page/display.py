"""A jackpot display that is a page in a browser. What counts is what the page says that it has painted.

Every open page must show the goal; with none open the display is away. The page itself says *one moment* when nobody
tells it anything, so neither a dead daemon nor a pulled cable leaves an old amount on the wall.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import NoReturn

from drivers.device import Report
from drivers.displays.page.address import parse_page_address
from drivers.displays.page.viewers import Painted, Viewer, Viewers
from drivers.displays.page.words import lines
from drivers.displays.showing import STALE_MS, Showing
from drivers.events import DisplayLost, DisplayReady, DisplayShowed, DisplayTroubled, Shown
from firmware_bridge.links.base import LinkClosed, LinkRefused
from firmware_bridge.session.backoff import OWN_CABLE_S, Backoff
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.supervised import run_together

MAX_AMOUNT = 2**53 - 1  # what every reader of JSON keeps exactly
LOOK_S = 1.0
# A page that is told nothing else is told that we are here, and answers what it shows.
ALIVE_S = 3.0
_ID_BYTES = 16
NO_PAGE = "no page is open"
_WORDS = frozenset(word.value for word in Shown)


@dataclass(frozen=True, slots=True)
class PageSettings:
    """One page of the configuration; `languages` in which its words stand there, one below the other."""

    name: str
    address: str
    model: str = "page"
    serial: str = ""
    caption: str = ""
    languages: tuple[str, ...] = ("en",)


class PageDisplay:
    """Serves the page for the life of the daemon. A `Display`."""

    def __init__(self, settings: PageSettings, report: Report, jitter: random.Random | None = None) -> None:
        self.name = settings.name
        self.counts = LinkCounts()
        self.keeper = Keeper(settings.name, self._serve, Backoff(OWN_CABLE_S, jitter or random.Random()))
        self._settings = settings
        self._report = report
        self._viewers = Viewers(lambda: secrets.token_urlsafe(_ID_BYTES))
        self._goal: tuple[Showing, float] | None = None  # with the loop time since which it holds
        self._said_s = 0.0  # when the hub last said that it holds
        self._is_connected = False
        self._heard_s: float | None = None
        self._showed: DisplayShowed | None = None  # as last reported
        self._is_late_told = False
        self._changed = asyncio.Event()

    @property
    def is_connected(self) -> bool:
        """A page is open."""
        return self._is_connected

    @property
    def silent_ms(self) -> int | None:
        """Since a page has said what it shows; None: none ever did."""
        return None if self._heard_s is None else round((_now() - self._heard_s) * 1_000)

    @property
    def why_away(self) -> str:
        """For a technician, where the page is served and nobody has it open."""
        return f"{NO_PAGE}: it is served at {self._settings.address}, open it in a browser there"

    async def run(self) -> NoReturn:
        """Serve until cancelled."""
        await self._report(DisplayLost(device=self.name, why=f"{NO_PAGE} since the start"))
        await self.keeper.run()

    def show(self, showing: Showing) -> None:
        """Show this on every open page; said again it renews."""
        if not self._is_connected:
            self.counts.orders_dropped += 1
            return
        if self._goal is None or self._goal[0] != showing:
            self._goal = (showing, _now())
            self._is_late_told = False
        self._said_s = _now()
        self._viewers.tell_all()

    def _is_fresh(self) -> bool:
        """The hub has said lately that the goal holds."""
        return _now() - self._said_s < STALE_MS / 1_000

    # Serving

    async def _serve(self, up: Up) -> None:
        """Raises LinkRefused where the address cannot be had, LinkClosed where the server ends."""
        try:
            from drivers.displays.page import server  # late: only a table with a page needs what it imports
        except ImportError as missing:
            raise LinkRefused(f"{missing.name} is not installed; install tableside[web]") from missing
        host, port = parse_page_address(self._settings.address)
        try:
            listening = server.listening(host, port)
        except OSError as refused:
            raise LinkRefused(f"{self._settings.address}: {refused.strerror or refused}") from refused
        running = server.server_of(server.application(self._stream, self._page_said))
        serving = asyncio.create_task(running.serve(sockets=[listening]), name=f"page {self.name}")
        up()
        try:
            await run_together(_ended(serving, self._settings.address), self._watch())
        finally:
            running.should_exit = running.force_exit = True
            self._viewers.end_all()
            await asyncio.wait({serving})
            listening.close()

    def _stream(self) -> AsyncIterator[dict[str, object]] | None:
        viewer = self._viewers.come(_now())
        if viewer is None:
            return None
        self._changed.set()
        return self._told(viewer)

    async def _told(self, viewer: Viewer) -> AsyncIterator[dict[str, object]]:
        """What one page is told: who it is, then what holds, each time that the hub says so."""
        try:
            yield {"viewer": viewer.id, "caption": self._settings.caption, "wait": self._lines(Shown.WAIT)}
            viewer.news.set()  # what holds now, where somebody has said so
            while True:
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await viewer.news.wait()
                except TimeoutError:
                    yield {"alive": True}
                    continue
                viewer.news.clear()
                if viewer.is_over:
                    return
                if self._goal is not None and self._is_fresh():
                    yield self._message(self._goal[0])
        finally:
            self._viewers.go(viewer)
            self._changed.set()

    def _message(self, showing: Showing) -> dict[str, object]:
        return {
            "version": showing.version,
            "what": showing.what.value,
            "text": showing.text if showing.what is Shown.AMOUNT else "",
            "lines": self._lines(showing.what) if showing.what is not Shown.AMOUNT else [],
            "stale_ms": STALE_MS,
        }

    def _lines(self, what: Shown) -> list[str]:
        return lines(what, self._settings.languages)

    async def _page_said(self, said: object) -> bool:
        """`{"viewer", "version", "what"}`, of a page that we know."""
        if not isinstance(said, dict):
            return False
        viewer, version, what = said.get("viewer"), said.get("version"), said.get("what")
        if not (isinstance(viewer, str) and isinstance(version, int) and isinstance(what, str) and what in _WORDS):
            return False
        if not self._viewers.painted(viewer, (version, Shown(what)), _now()):
            return False
        self.counts.frames_received += 1
        self._heard_s = _now()
        self._changed.set()
        return True

    # What is reported

    async def _watch(self) -> NoReturn:
        """Report what the pages say, and what they should have said."""
        try:
            while True:
                self._changed.clear()
                await self._judge()
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._changed.wait()
                except TimeoutError:
                    pass  # time to look
        finally:
            self._is_connected = False

    async def _judge(self) -> None:
        now_s = _now()
        self._viewers.drop_silent(now_s)
        if bool(self._viewers) is not self._is_connected:
            await self._came_or_went()
        if self._goal is None:
            return
        showing, told_s = self._goal
        painted: Painted = (showing.version, showing.what)
        if self._viewers.all_show(painted):
            await self._is_shown(DisplayShowed(device=self.name, version=showing.version, what=showing.what))
        elif self._viewers.is_late(painted, told_s, now_s) and not self._is_late_told:
            self._is_late_told, self._showed = True, None
            await self._report(DisplayTroubled(device=self.name, why="an open page does not show it: see the browser"))

    async def _came_or_went(self) -> None:
        self._is_connected, self._goal, self._showed = bool(self._viewers), None, None
        if not self._is_connected:
            await self._report(DisplayLost(device=self.name, why=NO_PAGE))
            return
        settings = self._settings
        await self._report(DisplayReady(device=self.name, model=settings.model, serial=settings.serial))

    async def _is_shown(self, showed: DisplayShowed) -> None:
        if showed != self._showed:
            self._showed, self._is_late_told = showed, False
            await self._report(showed)


async def _ended(serving: asyncio.Task[None], address: str) -> NoReturn:
    """The server's end, whatever it is."""
    await asyncio.wait({serving})
    serving.result()
    raise LinkClosed(f"{address}: the page's server has ended")


def _now() -> float:
    return asyncio.get_running_loop().time()
