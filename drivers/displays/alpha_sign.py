"""A jackpot display that is an ALPHA sign: one TEXT that calls a STRING, and the priority file over both.

The amount stands in the STRING, so a new one appears without a blank; *won* and *one moment* take the sign over by the
priority file. Everything is read back. A sign cannot be told when an amount is too old, so the driver tells it: when
the hub no longer says that the goal holds, guests read *one moment*. What it shows when the whole daemon is dead, it
keeps showing (docs/protocols/alpha.md).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from drivers.device import Report
from drivers.displays.showing import STALE_MS, WORDS, Showing
from drivers.events import DisplayLost, DisplayReady, DisplayShowed, DisplayTroubled, Shown
from firmware_bridge.links.base import Link, LinkRefused
from firmware_bridge.session.alpha import AlphaSession, Refused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.alpha import commands
from firmware_bridge.wire.alpha.characters import text_bytes
from firmware_bridge.wire.alpha.codes import BROADCAST, PRIORITY_LABEL, FileType, Insert, Mode, Special

MAX_AMOUNT = 2**63 - 1  # a sign is told characters: its width is what bounds an amount
# How often the sign is asked whether it still has what it was told: a power cut behind an adapter shows no other way.
LOOK_S = 3.0
# After the memory table is written a sign is deaf for a while; readerboard 0.7.0 waits ten seconds for a BetaBrite.
SETTLE_LIMIT_S = 20.0
CONNECT_LIMIT_S = 15.0

TEXT_LABEL, STRING_LABEL = "A", "a"
TEXT_BYTES, STRING_BYTES = 0x80, 0x20
MEMORY = (
    commands.FileEntry(TEXT_LABEL, FileType.TEXT, TEXT_BYTES),
    commands.FileEntry(STRING_LABEL, FileType.STRING, STRING_BYTES),
)
TAKEN_OVER = frozenset({Shown.WON, Shown.WAIT})
_FIXED_WIDTH = bytes((Insert.FIXED_WIDTH,)) + b"1"  # digits stand still while the amount rises
_WAIT = Showing(0, Shown.WAIT)


@dataclass(frozen=True, slots=True)
class SignSettings:
    """One sign of the configuration. `sign_address`: two hex digits, 00 for every sign on the cable."""

    name: str
    address: str
    model: str = ""
    serial: str = ""
    sign_address: str = BROADCAST
    caption: str = ""
    is_simulated: bool = False


def text_file(caption: str) -> bytes:
    """The TEXT that always runs: the caption on a page of its own, then whatever the STRING holds."""
    page = text_bytes(caption) + bytes((Insert.NEW_PAGE,)) if caption else b""
    return page + _FIXED_WIDTH + commands.call_string(STRING_LABEL)


class AlphaSign:
    """Keeps one sign connected and what it shall show on it. A `Display`."""

    def __init__(
        self,
        settings: SignSettings,
        report: Report,
        connect: Callable[[], Awaitable[Link]],
        jitter: random.Random | None = None,
    ) -> None:
        self.name = settings.name
        self.counts = LinkCounts()
        self.keeper = Keeper(
            settings.name, self._attempt, Backoff(table_for(settings.address), jitter or random.Random())
        )
        self._settings = settings
        self._report = report
        self._connect = connect
        self._goal: tuple[Showing, float] | None = None  # with the loop time at which it was last said to hold
        self._news = asyncio.Event()
        self._is_ready = False
        self._read_back: DisplayShowed | None = None  # as last reported

    async def run(self) -> NoReturn:
        """Report the sign as away, then keep it connected until cancelled."""
        await self._report(DisplayLost(device=self.name, why="not connected since the start"))
        await self.keeper.run()

    def show(self, showing: Showing) -> None:
        """Show this; dropped while the sign is away: the hub says what holds once it is back."""
        if not self._is_ready:
            self.counts.orders_dropped += 1
            return
        is_news = self._goal is None or self._goal[0] != showing
        self._goal = (showing, _now())
        if is_news:
            self._news.set()

    # One connection

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self._settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        session = AlphaSession(link, self.counts, address=self._settings.sign_address)
        is_simulated = link.is_simulated or self._settings.is_simulated
        try:
            await run_together(session.run(), self._serve(session, up, is_simulated=is_simulated))
        except Exception as error:
            was_ready, self._is_ready = self._is_ready, False
            if was_ready:
                await self._report(
                    DisplayLost(device=self.name, why=str(error), silent_ms=round(session.silent_s * 1_000))
                )
            raise
        finally:
            self._is_ready = False

    async def _serve(self, session: AlphaSession, up: Up, *, is_simulated: bool) -> None:
        """Everything again from the beginning; then what shall be shown, for as long as the sign keeps it."""
        firmware = await self._introduced(session)
        try:
            await self._set_up(session)
            self._goal, self._read_back, self._is_ready = None, None, True
            up()
            settings = self._settings
            await self._report(
                DisplayReady(
                    device=self.name,
                    model=settings.model,
                    serial=settings.serial,
                    firmware=firmware,
                    is_simulated=is_simulated,
                )
            )
            await self._keep(session)
        except Refused as refused:
            await self._report(DisplayTroubled(device=self.name, why=str(refused)))
            raise SessionOver(Ending.NONSENSE, f"{self._settings.address}: {refused}") from refused

    async def _introduced(self, session: AlphaSession) -> str:
        """Its firmware; raises SessionOver where nobody answers."""
        answer = await session.ask(commands.read_special(Special.GENERAL))
        if answer is None:
            why = "no answer; check power, speed, the sign's address and 7E1 or 8N1"
            raise SessionOver(Ending.SILENT, f"{self._settings.address}: {why}")
        return answer[:8].decode("ascii", "replace").strip()

    async def _set_up(self, session: AlphaSession) -> None:
        """*One moment* first, so that nobody reads an old amount meanwhile; then memory, text and sequence."""
        await session.try_acknowledgement(commands.acknowledge(is_wanted=True))
        await session.tell(_priority(Shown.WAIT))
        await session.tell(commands.configure_memory(MEMORY))
        async with asyncio.timeout(SETTLE_LIMIT_S):
            while await session.ask(commands.read_special(Special.GENERAL), 1.0) is None:
                pass
        # Some signs forget the mode with their memory, and a priority file that is gone is said again.
        await session.try_acknowledgement(commands.acknowledge(is_wanted=True))
        await session.tell(_priority(Shown.WAIT))
        await session.tell(commands.write_text(TEXT_LABEL, text_file(self._settings.caption)))
        await session.tell(commands.run_sequence(TEXT_LABEL))

    async def _keep(self, session: AlphaSession) -> NoReturn:
        """Show what holds now; look again and again whether it still stands there."""
        standing = _WAIT
        while True:
            self._news.clear()
            wanted = self._wanted()
            if wanted != standing:
                await self._write(session, standing, wanted)
                standing = wanted
            await self._look(session, wanted)
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._news.wait()
            except TimeoutError:
                pass  # time to look

    def _wanted(self) -> Showing:
        if self._goal is None:
            return _WAIT
        showing, said_s = self._goal
        return showing if _now() - said_s < STALE_MS / 1_000 else Showing(showing.version, Shown.WAIT)

    async def _write(self, session: AlphaSession, standing: Showing, wanted: Showing) -> None:
        """As little as it takes: the amount under a priority file first, then the file lets go."""
        if wanted.what in TAKEN_OVER:
            if wanted.what is not standing.what:
                await session.tell(_priority(wanted.what))
            return
        await session.tell(commands.write_string(STRING_LABEL, text_bytes(wanted.text)))
        if standing.what in TAKEN_OVER:
            await session.tell(commands.release_priority())

    async def _look(self, session: AlphaSession, wanted: Showing) -> None:
        """Read back the file that guests see. Raises SessionOver where it is not what was written."""
        if wanted.what in TAKEN_OVER:
            question, expected = commands.read_text(PRIORITY_LABEL), _priority(wanted.what)[2:]
        else:
            question, expected = commands.read_string(STRING_LABEL), text_bytes(wanted.text)
        answer = await session.ask(question)
        if answer is None:
            raise SessionOver(Ending.UNANSWERED, f"{self._settings.address}: the sign answers no more")
        if answer != expected:
            why = f"read back {answer!r} where {expected!r} was written"
            raise SessionOver(Ending.REBOOTED, f"{self._settings.address}: {why}; everything is sent again")
        showed = DisplayShowed(device=self.name, version=wanted.version, what=wanted.what)
        if wanted is not _WAIT and showed != self._read_back:  # what nobody has asked for is told nobody
            self._read_back = showed
            await self._report(showed)


def _priority(what: Shown) -> bytes:
    mode = Mode.FLASH if what is Shown.WON else Mode.HOLD
    return commands.write_text(PRIORITY_LABEL, text_bytes(WORDS[what]), mode)


def _now() -> float:
    return asyncio.get_running_loop().time()
