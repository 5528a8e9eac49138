"""A badge or barcode reader that types: a USB keyboard of its own, read key by key and for us alone.

It can show nothing, so a prompt is not seen at it; it cannot tell a badge that is held from one that was tapped; and
whoever plugs in a device with its numbers can type what he likes. The configuration says so.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NoReturn

import structlog

from drivers.badges.badge_id import badge_id
from drivers.badges.resting import GONE_AFTER_S
from drivers.badges.typed_scan import CHARACTERS_MAX, Rejected, TypedScan
from drivers.device import Report
from drivers.events import BadgeSeen, ReaderLost, ReaderReady, SightingKind
from firmware_bridge.links.base import Link, LinkClosed, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.wire.keyboard.maps import MAPS
from firmware_bridge.wire.keyboard.reports import BadReport, StrokeReader

# A reader types some 100 reports a second; one that floods is held up at its endpoint.
REPORTS_KEPT = 256
_BITS_PER_CHARACTER = 8

_log = structlog.get_logger("badge_reader")


@dataclass(frozen=True, slots=True)
class TypingReaderSettings:
    """One reader of the configuration. `keyboard`: the map that its keys have; `characters`: of each badge."""

    name: str
    address: str
    serial: str
    keyboard: str
    characters: int
    is_simulated: bool = False

    def scan(self) -> TypedScan:
        """A scan of this reader. Raises ValueError where map or number cannot be."""
        if self.keyboard not in MAPS:
            raise ValueError(f"keyboard {self.keyboard!r} is not known; there are {', '.join(MAPS)}")
        if not 1 <= self.characters <= CHARACTERS_MAX:
            raise ValueError(f"badge_characters {self.characters}: 1 to {CHARACTERS_MAX}")
        return TypedScan(MAPS[self.keyboard], self.characters)


@dataclass(slots=True)
class ScanCounts:
    """For the technician."""

    scans: int = 0
    repeated: int = 0  # the same badge again while it still lies there (BR-033)
    rejected: int = 0
    bad_reports: int = 0


class KeyboardReader:
    """One reader. A `BadgeReader` of `drivers.device`."""

    def __init__(
        self,
        settings: TypingReaderSettings,
        connect: Callable[[], Awaitable[Link]],
        report: Report,
        jitter: random.Random | None = None,
    ) -> None:
        self.name = settings.name
        self.counts = ScanCounts()
        backoff = Backoff(table_for(settings.address), jitter or random.Random())
        self.keeper = Keeper(settings.name, self._attempt, backoff)
        self._settings = settings
        self._connect = connect
        self._report = report
        self._scan = settings.scan()
        self._last: tuple[str, float] | None = None  # the badge that was seen last, and when

    @property
    def is_connected(self) -> bool:
        """The reader is there and ours."""
        return self.keeper.is_up

    async def run(self) -> NoReturn:
        """Report the reader as away, then keep it connected until cancelled."""
        await self._report(ReaderLost(device=self.name, why="not connected since the start"))
        await self.keeper.run()

    def prompt(self, *, is_amber: bool, beeps: int) -> None:
        """Nothing: it has neither lamp nor beeper of ours. The panel asks for the badge."""

    async def _attempt(self, up: Up) -> None:
        link = await self._connect()
        try:
            if not link.is_message_based:
                raise LinkRefused(f"{self._settings.address} is no keyboard: it has no HID interface that is free")
            inbox = _Inbox(link)
            link.start(inbox)
            up()
            await self._report(self._ready(link))
            try:
                await self._hear(inbox)
            except LinkClosed as lost:
                await self._report(ReaderLost(device=self.name, why=str(lost)))
                raise
        finally:
            await link.close()

    def _ready(self, link: Link) -> ReaderReady:
        vendor, _, product = self._settings.address.removeprefix("usb://").partition("/")[0].partition(":")
        return ReaderReady(
            device=self.name,
            vendor=vendor.upper(),
            model=product.upper(),
            serial=self._settings.serial,
            firmware="",
            is_secure=False,
            is_simulated=self._settings.is_simulated or link.is_simulated,
        )

    async def _hear(self, inbox: _Inbox) -> NoReturn:
        strokes = StrokeReader()
        try:
            while True:
                await inbox.wait(until_s=self._scan.gives_up_at_s)
                for report, at_s in inbox.take():
                    await self._reported(strokes, report, at_s)
                self._reject(self._scan.paused(_now_s()))
        finally:
            self._reject(self._scan.left())

    async def _reported(self, strokes: StrokeReader, report: bytes, at_s: float) -> None:
        self._reject(self._scan.paused(at_s))
        try:
            for stroke in strokes.feed(report):
                outcome = self._scan.typed(stroke, at_s)
                if isinstance(outcome, str):
                    await self._scanned(outcome, at_s)
                else:
                    self._reject(outcome)
        except BadReport as bad:
            self.counts.bad_reports += 1
            self._scan.spoil(str(bad), at_s)

    async def _scanned(self, text: str, at_s: float) -> None:
        badge = badge_id(len(text) * _BITS_PER_CHARACTER, text.encode("ascii"))
        self.counts.scans += 1
        before, self._last = self._last, (badge, at_s)
        if before is not None and before[0] == badge and at_s - before[1] < GONE_AFTER_S:
            self.counts.repeated += 1
            return
        await self._report(BadgeSeen(device=self.name, badge=badge, kind=SightingKind.TAP))

    def _reject(self, outcome: Rejected | None) -> None:
        if outcome is not None:
            self.counts.rejected += 1
            _log.warning("scan_rejected", device=self.name, why=outcome.why)


@dataclass(slots=True)
class _Inbox:
    """Reports as they came, each with its time; a full one holds the reader up."""

    link: Link
    _reports: deque[tuple[bytes, float]] = field(default_factory=deque)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _lost: Exception | None = None

    def chunk_received(self, chunk: bytes) -> None:
        self._reports.append((chunk, _now_s()))
        self._news.set()
        if len(self._reports) >= REPORTS_KEPT:
            self.link.pause_reading()

    def link_lost(self, reason: Exception) -> None:
        self._lost = reason
        self._news.set()

    async def wait(self, *, until_s: float | None) -> None:
        """Until something is here, or a time has come. Raises `LinkClosed` once all is taken."""
        if self._lost is not None and not self._reports:
            raise LinkClosed(str(self._lost))
        loop = asyncio.get_running_loop()
        timer = loop.call_at(until_s, self._news.set) if until_s is not None else None
        try:
            await self._news.wait()
        finally:
            if timer is not None:
                timer.cancel()
        self._news.clear()
        if self._lost is not None:
            self._news.set()

    def take(self) -> list[tuple[bytes, float]]:
        """All that is here."""
        reports = list(self._reports)
        self._reports.clear()
        if self._lost is None:
            self.link.resume_reading()
        return reports


def _now_s() -> float:
    return asyncio.get_running_loop().time()
