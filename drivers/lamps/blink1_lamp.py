"""A blink(1) as warning lamp: goals are set and read back, and its own watchdog shows red when nobody tends it.

The watchdog is fed by what the hub says and by nothing else (goal.py): a hub that hangs, a daemon that was killed and a
host that lost its power all look alike after `STALE_S`, red and blinking. No task of this driver feeds it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from drivers.device import Connect, PlainSettings, Report
from drivers.events import LampColour, LampLost, LampPattern, LampReady, LampShowed, LampTroubled
from drivers.lamps.goal import HALF_BLINK_S, STALE_S, UNTENDED, LampGoal, Shown
from firmware_bridge.links.base import LinkRefused
from firmware_bridge.links.features import FeatureReports
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.wire.blink1.reports import (
    REPORT,
    AskVersion,
    BadReport,
    Command,
    Play,
    ReadColour,
    ReadLine,
    Rgb,
    SetLine,
    SetNow,
    Watchdog,
    decode_colour,
    decode_line,
    decode_version,
    encode_command,
)

T = TypeVar("T")
# How often the lamp is read back when nothing changes.
LOOK_S = 1.0
CONNECT_LIMIT_S = 15.0
# A control transfer may take the device a second (usb_pipes.py); two in turn, and some room.
ASK_LIMIT_S = 5.0
DARK: Rgb = (0, 0, 0)
RED: Rgb = (255, 0, 0)
# Amber with as much green as still looks unlike red and unlike yellow on an RGB lamp (assumed; no real one was seen).
COLOURS: Mapping[LampColour, Rgb] = {
    LampColour.OFF: DARK,
    LampColour.RED: RED,
    LampColour.AMBER: (255, 96, 0),
    LampColour.BLUE: (0, 0, 255),
}
_HALF_MS = int(HALF_BLINK_S * 1_000)
# What it plays by itself. Whether the last line named is played is told in two ways: a second dark line does no harm.
UNTENDED_LINES = (SetLine(0, RED, _HALF_MS), SetLine(1, DARK, _HALF_MS), SetLine(2, DARK, _HALF_MS))
UNTENDED_END = 2
# The first make cannot be read back and cannot keep its colour while it is watched.
LEAST_MAJOR = 2


class Blink1Lamp:
    """Keeps one lamp connected and what it shall show on it. A `Lamp` and a `PlainDevice`."""

    def __init__(self, settings: PlainSettings, report: Report, connect: Connect, jitter: random.Random) -> None:
        self.name = settings.name
        self.counts = LinkCounts()
        self.keeper = Keeper(settings.name, self._attempt, Backoff(table_for(settings.address), jitter))
        self._settings = settings
        self._report = report
        self._connect = connect
        self._goal = LampGoal()
        self._is_said = False  # the hub has said something that the watchdog has not been told yet
        self._news = asyncio.Event()
        self._showed: Shown | None = None  # as last reported
        self._is_troubled = False
        self._lost: Exception | None = None

    def set_lamp(self, colour: LampColour, pattern: LampPattern) -> None:
        """Show this; dropped while the lamp is away: the hub says what holds once it is back."""
        if not self.keeper.is_up:
            self.counts.orders_dropped += 1
            return
        self._goal.say(colour, pattern, _now())
        self._is_said = True
        self._news.set()

    async def run(self) -> NoReturn:
        """Report the lamp as away, then keep it connected until cancelled."""
        await self._report(LampLost(device=self.name, why="not connected since the start"))
        await self.keeper.run()

    # Receiver: a lamp says nothing by itself

    def chunk_received(self, chunk: bytes) -> None:
        """An input report, which no lamp of this kind sends."""
        self.counts.bytes_received += len(chunk)
        self.counts.unexpected += 1

    def link_lost(self, reason: Exception) -> None:
        """Unplugged."""
        self._lost = reason
        self._news.set()

    # One connection

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self._settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        self._lost = None
        link.start(self)
        try:
            if not isinstance(link, FeatureReports):
                raise LinkRefused(f"{link.address} has no feature reports: a blink(1) is reached by usb://")
            await self._serve(link, up, is_simulated=link.is_simulated or self._settings.is_simulated)
        except Exception as error:
            if self.keeper.is_up:
                await self._report(LampLost(device=self.name, why=str(error)))
            raise
        finally:
            await link.close()

    async def _serve(self, lamp: FeatureReports, up: Up, *, is_simulated: bool) -> None:
        firmware = await self._introduced(lamp)
        await self._prepared(lamp)
        self._goal.forget()
        self._is_said, self._showed, self._is_troubled = False, None, False
        up()
        settings = self._settings
        await self._report(
            LampReady(
                device=self.name,
                model=settings.model,
                serial=settings.serial,
                firmware=firmware,
                is_simulated=is_simulated,
            )
        )
        while self._lost is None:
            await self._keep(lamp)
        raise SessionOver(Ending.LINK_LOST, str(self._lost))

    async def _introduced(self, lamp: FeatureReports) -> str:
        version = await self._asked(lamp, AskVersion(), decode_version)
        if version.major < LEAST_MAJOR:
            why = f"blink(1) of make {version.major} cannot be read back; use a mk2 or later"
            raise SessionOver(Ending.WRONG_VERSION, f"{self._settings.address}: {why}")
        return version.text

    async def _prepared(self, lamp: FeatureReports) -> None:
        """The lines that its watchdog plays stand in it, read back; until the hub says something they are played."""
        for line in UNTENDED_LINES:
            await self._tell(lamp, line)
            if await self._asked(lamp, ReadLine(line.position), decode_line) != line:
                why = f"line {line.position} of its pattern does not stay: its watchdog would show something else"
                raise SessionOver(Ending.NONSENSE, f"{self._settings.address}: {why}")
        await self._tell(lamp, Play(is_on=True, start=0, end=UNTENDED_END))

    async def _keep(self, lamp: FeatureReports) -> None:
        """Feed the watchdog where the hub has spoken; set what holds, look at it, wait."""
        self._news.clear()
        now_s = _now()
        if self._is_said:
            self._is_said = False
            await self._tell(lamp, Watchdog(is_on=True, ms=int(STALE_S * 1_000), start=0, end=UNTENDED_END))
        wanted, stale_s = self._goal.wanted(now_s), self._goal.stale_s()
        is_tended = stale_s is not None and now_s < stale_s
        is_bright = wanted[1] is LampPattern.STEADY or int(now_s / HALF_BLINK_S) % 2 == 0
        rgb = COLOURS[wanted[0]] if is_bright else DARK
        if is_tended:
            await self._tell(lamp, SetNow(rgb))
        seen = (await self._asked(lamp, ReadColour(), decode_colour)).rgb
        # Untended it plays by itself: then it is in either half of a blink, and nobody writes into that.
        is_kept = seen == rgb if is_tended else seen in (RED, DARK)
        await self._told(wanted if is_tended else UNTENDED, is_kept=is_kept, seen=seen)
        await self._until_news(now_s, is_blinked=is_tended and wanted[1] is LampPattern.BLINKING)

    async def _told(self, shown: Shown, *, is_kept: bool, seen: Rgb) -> None:
        if not is_kept:
            if not self._is_troubled:
                self._is_troubled, self._showed = True, None
                await self._report(LampTroubled(device=self.name, why=f"it shows {seen} where it was told otherwise"))
            return
        self._is_troubled = False
        if shown != self._showed:
            self._showed = shown
            await self._report(LampShowed(device=self.name, colour=shown[0], pattern=shown[1]))

    async def _until_news(self, began_s: float, *, is_blinked: bool) -> None:
        due_s = (int(began_s / HALF_BLINK_S) + 1) * HALF_BLINK_S if is_blinked else began_s + LOOK_S
        try:
            async with asyncio.timeout(max(0.0, due_s - _now())):
                await self._news.wait()
        except TimeoutError:
            pass  # time to look

    # Reports

    async def _tell(self, lamp: FeatureReports, command: Command) -> None:
        self.counts.frames_sent += 1
        try:
            async with asyncio.timeout(ASK_LIMIT_S):
                await lamp.set_feature(encode_command(command))
        except TimeoutError:
            raise self._stuck() from None

    async def _asked(self, lamp: FeatureReports, command: Command, decode: Callable[[bytes], T]) -> T:
        """What is read after a command. Raises SessionOver."""
        await self._tell(lamp, command)
        try:
            async with asyncio.timeout(ASK_LIMIT_S):
                answer = await lamp.feature(REPORT)
        except TimeoutError:
            raise self._stuck() from None
        self.counts.bytes_received += len(answer)
        try:
            found = decode(answer)
        except BadReport as bad:
            self.counts.malformed += 1
            raise SessionOver(Ending.NONSENSE, f"{self._settings.address}: {bad}; is it a blink(1)?") from None
        self.counts.frames_received += 1
        return found

    def _stuck(self) -> SessionOver:
        return SessionOver(
            Ending.STUCK, f"{self._settings.address}: no answer within {ASK_LIMIT_S:g} s; plug it in anew"
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
