"""An antenna under the felt: a PN532 on a serial link of its own, asked again and again which tags lie on it.

The antennas of one table take turns: only one field stands at a time, since fields that stand close put each other's
tags out. What lies where is decided for all of them together (`drivers.readers.lying_tags`), so that a tag between two
antennas is never two cards. A PN532 has no number of its own: which board is which, only its port says.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from drivers.antenna_events import ChipRead, ChipRemoved, TagUnknown, UnknownTagGone
from drivers.card_events import (
    CardRead,
    CardReaderLost,
    CardReaderReady,
    CardRemoved,
    CardsAmbiguous,
)
from drivers.device import Report
from drivers.fact import Fact
from drivers.readers.lying_tags import Ambiguous, Change, LyingTags, Placed
from drivers.readers.tag_register import Card, Chip, Register, is_number, tag_of
from firmware_bridge.links.base import Link, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.pn532 import Missed, Pn532Session
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.pn532 import commands

CHIP = 0x32  # what GetFirmwareVersion calls a PN532
MODEL = "PN532"
CONNECT_LIMIT_S = 15.0
# A hand that lays a card down takes longer; looking more often tells nothing sooner and costs the host its time.
REST_S = 0.05
# Twice, some 10 ms: a tag that does not wake at the first call does at the second.
PASSIVE_RETRIES = 1
# No answer that can be read for so long: the antenna is blind, and the table is told so.
SILENT_S = 2.0


@dataclass(frozen=True, slots=True)
class AntennaSettings:
    """One antenna of the configuration. `place`: what the table calls the spot above it."""

    name: str
    address: str
    place: str
    model: str = MODEL
    serial: str = ""
    is_simulated: bool = False


@dataclass(slots=True)
class AntennaSet:
    """The antennas of one table: who looks now, what lies where, and what each tag is."""

    register: Register
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    lying: LyingTags = field(default_factory=LyingTags)
    places: dict[str, str] = field(default_factory=dict)  # by antenna

    def facts(self, changes: Iterable[Change]) -> list[Fact]:
        """What of it the table is told."""
        return [self._fact(change) for change in changes]

    def _fact(self, change: Change) -> Fact:
        if isinstance(change, Ambiguous):
            places = tuple(self.places[name] for name in change.antennas)
            return CardsAmbiguous(device=change.antennas[0], places=places, why=change.why)
        place, known, is_placed = self.places[change.antenna], self.register.get(change.tag), isinstance(change, Placed)
        match known:
            case Card(face):
                told = CardRead if is_placed else CardRemoved
                return told(device=change.antenna, card=face, place=place)
            case Chip(value):
                moved = ChipRead if is_placed else ChipRemoved
                return moved(device=change.antenna, value=value, place=place)
            case None:
                unknown = TagUnknown if is_placed else UnknownTagGone
                return unknown(device=change.antenna, tag=change.tag, place=place)


class Pn532Antenna:
    """Keeps one board connected and looks what lies on it. A `Device`."""

    def __init__(
        self,
        settings: AntennaSettings,
        antennas: AntennaSet,
        report: Report,
        connect: Callable[[], Awaitable[Link]],
        jitter: random.Random | None = None,
    ) -> None:
        self.name = settings.name
        self.counts = LinkCounts()
        backoff = Backoff(table_for(settings.address), jitter or random.Random())
        self.keeper = Keeper(settings.name, self._attempt, backoff)
        self._settings = settings
        self._antennas = antennas
        self._report = report
        self._connect = connect
        self._answered_s = 0.0
        antennas.places[settings.name] = settings.place

    async def run(self) -> NoReturn:
        """Report the antenna as away, then keep it connected until cancelled."""
        await self._report(CardReaderLost(device=self.name, why="not connected since the start"))
        await self.keeper.run()

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self._settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        session = Pn532Session(link, self.counts)
        is_simulated = link.is_simulated or self._settings.is_simulated
        is_ready = False

        def ready() -> None:
            nonlocal is_ready
            is_ready = True
            up()

        try:
            await run_together(session.run(), self._serve(session, ready, is_simulated=is_simulated))
        except Exception as error:
            if is_ready:
                await self._report(CardReaderLost(device=self.name, why=str(error)))
            raise
        finally:
            self._antennas.lying.away(self.name)

    async def _serve(self, session: Pn532Session, up: Up, *, is_simulated: bool) -> NoReturn:
        firmware = await self._introduced(session)
        up()
        await self._report(
            CardReaderReady(
                device=self.name,
                model=self._settings.model or MODEL,
                serial=self._settings.serial,
                firmware=firmware.text,
                is_simulated=is_simulated,
            )
        )
        self._answered_s = _now_s()
        while True:
            async with self._antennas.turn:
                await self._look(session)
            await asyncio.sleep(REST_S)

    async def _introduced(self, session: Pn532Session) -> commands.Firmware:
        """Awake and set up. Raises SessionOver."""
        try:
            firmware = await session.wake()
            if firmware.chip != CHIP:
                why = f"a chip PN5{firmware.chip:02X} answers, no PN532"
                raise SessionOver(Ending.WRONG_DEVICE, f"{self._settings.address}: {why}")
            await session.ask(commands.retries(PASSIVE_RETRIES))
            await session.ask(commands.field(is_on=False))
        except Missed as missed:
            ending = Ending.SILENT if not self.counts.bytes_received else Ending.UNANSWERED
            why = f"{missed}; check power, speed and that the board's switches say HSU"
            raise SessionOver(ending, f"{self._settings.address}: {why}") from missed
        return firmware

    async def _look(self, session: Pn532Session) -> None:
        """One look, and what follows from it; told before anybody else looks, so that facts come in order."""
        try:
            found = await session.list_targets()
            if not all(is_number(target.uid) for target in found):
                raise Missed("a number that no tag has")
        except Missed as missed:
            self._not_answered(missed)
        else:
            await self._answered([tag_of(target.uid) for target in found])
        with suppress(Missed):  # counted by the session; the next look selects anew all the same
            await session.ask(commands.field(is_on=False))

    async def _answered(self, tags: list[str]) -> None:
        now_s = _now_s()
        self._answered_s = now_s
        for fact in self._antennas.facts(self._antennas.lying.answered(self.name, tags, now_s)):
            await self._report(fact)

    def _not_answered(self, missed: Missed) -> None:
        """Neither presence nor absence; for too long, and the antenna is blind. Raises SessionOver."""
        if _now_s() - self._answered_s > SILENT_S:
            why = f"no answer that can be read for {SILENT_S:g} s, at last: {missed}"
            raise SessionOver(Ending.UNANSWERED, f"{self._settings.address}: {why}")


def _now_s() -> float:
    return asyncio.get_running_loop().time()
