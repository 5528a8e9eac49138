"""The port by which a machine proves its firmware (GAT 3.50): asked when it first answers, each day, and on request.

The key of each proof is drawn from those of the list, so that the machine cannot know it in advance. What it tells is
*self-reported*: see docs/protocols/gat.md on what that is worth.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from drivers.device import Report
from drivers.firmware.allow_list import AllowList, judge
from drivers.firmware_events import FirmwarePortLost, FirmwarePortReady, FirmwareTold, FirmwareUntold
from firmware_bridge.links.base import Link, LinkRefused
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.gat import GatSession, NotTold, Progress, calculate
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.session.supervised import run_together
from firmware_bridge.wire.gat.codes import DIGESTS_FILE, GET_FILE, Format
from firmware_bridge.wire.gat.digests import BadDigests, read_digests
from firmware_bridge.wire.gat.messages import Status, special_function

# Whether the port still answers: often enough that the technician sees it, seldom enough not to burden the machine.
LOOK_S = 5.0
# Asked anew each day: firmware is changed at night.
PROVE_AGAIN_S = 24 * 3_600.0
CONNECT_LIMIT_S = 15.0

Proof = FirmwareTold | FirmwareUntold


@dataclass(frozen=True, slots=True)
class GatPortSettings:
    """One port of the configuration. `of`: the device whose firmware it proves; `baud`: of its serial cable."""

    name: str
    address: str
    of: str
    model: str
    serial: str
    allowed: AllowList
    baud: int
    is_simulated: bool = False


@dataclass(slots=True)
class _Asked:
    """Somebody who waits for a proof."""

    progress: Progress
    proof: asyncio.Future[Proof]


class GatPort:
    """Keeps one port connected, and proves what the machine behind it runs."""

    def __init__(
        self,
        settings: GatPortSettings,
        report: Report,
        connect: Callable[[], Awaitable[Link]],
        jitter: random.Random,
        draw: Callable[[Sequence[bytes]], bytes] = secrets.choice,
    ) -> None:
        self.name = settings.name
        self.counts = LinkCounts()
        self.keeper = Keeper(settings.name, self._attempt, Backoff(table_for(settings.address), jitter))
        self._settings = settings
        self._report = report
        self._connect = connect
        self._draw = draw
        self._asked: list[_Asked] = []
        self._news = asyncio.Event()
        self._proved_s: float | None = None

    async def run(self) -> NoReturn:
        """Report the port as away, then keep it connected until cancelled."""
        await self._report(FirmwarePortLost(device=self.name, why="not connected since the start"))
        await self.keeper.run()

    async def prove(self, progress: Progress = lambda _status: None) -> Proof:
        """A new proof, told as a fact too; where the port is away nothing can be asked, and nothing is told."""
        if not self.keeper.is_up:
            why = self.keeper.why_away or "it has not answered since the start"
            return FirmwareUntold(device=self.name, of=self._settings.of, why=why)
        asked = _Asked(progress, asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        self._news.set()
        return await asked.proof

    # One connection

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self._settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        session = GatSession(link, self.counts, baud=self._settings.baud)
        is_simulated = link.is_simulated or self._settings.is_simulated
        try:
            await run_together(session.run(), self._serve(session, up, is_simulated=is_simulated))
        except Exception as error:
            self._nothing_to_tell(str(error))
            if self.keeper.is_up:
                silent_ms = round(session.silent_s * 1_000)
                await self._report(FirmwarePortLost(device=self.name, why=str(error), silent_ms=silent_ms))
            raise

    async def _serve(self, session: GatSession, up: Up, *, is_simulated: bool) -> NoReturn:
        await session.status()
        up()
        settings = self._settings
        await self._report(
            FirmwarePortReady(device=self.name, model=settings.model, serial=settings.serial, is_simulated=is_simulated)
        )
        while True:
            if self._asked or self._is_due():
                await self._prove(session)
            else:
                await session.status()
            await self._until_news()

    def _is_due(self) -> bool:
        return self._proved_s is None or _now() - self._proved_s >= PROVE_AGAIN_S

    async def _prove(self, session: GatSession) -> None:
        asked = tuple(self._asked)
        proof: Proof
        try:
            proof = await prove_once(session, self._settings, self._draw, [each.progress for each in asked])
        except NotTold as not_told:
            proof = FirmwareUntold(device=self.name, of=self._settings.of, why=str(not_told))
        self._proved_s = _now()
        await self._report(proof)
        self._answer(asked, proof)

    def _answer(self, asked: Sequence[_Asked], proof: Proof) -> None:
        for each in asked:
            self._asked.remove(each)
            if not each.proof.done():
                each.proof.set_result(proof)

    def _nothing_to_tell(self, why: str) -> None:
        """Who waits learns that the port has gone."""
        self._answer(tuple(self._asked), FirmwareUntold(device=self.name, of=self._settings.of, why=why))

    async def _until_news(self) -> None:
        self._news.clear()
        try:
            async with asyncio.timeout(LOOK_S):
                await self._news.wait()
        except TimeoutError:
            pass  # time to look


async def prove_once(
    session: GatSession,
    settings: GatPortSettings,
    draw: Callable[[Sequence[bytes]], bytes] = secrets.choice,
    progress: Sequence[Progress] = (),
) -> FirmwareTold:
    """One proof on a session that runs. Raises NotTold, SessionOver."""
    allowed = settings.allowed
    key = draw(allowed.keys_for(settings.model) or tuple(entry.key_bytes for entry in allowed.firmware))
    asked = special_function(GET_FILE, DIGESTS_FILE, key.hex().upper())

    def tell(status: Status) -> None:
        for each in progress:
            each(status)

    result = await calculate(session, asked, Format.XML, tell)
    try:
        told = read_digests(result)
    except BadDigests as bad:
        raise NotTold(f"its result is no list of digests: {bad}") from None
    judgement = judge(allowed.firmware, told, settings.model, key)
    return FirmwareTold(
        device=settings.name,
        of=settings.of,
        maker=told.maker,
        model=told.model,
        version=judgement.version,
        is_listed=judgement.is_listed,
        differences=judgement.differences,
        key=key.hex().upper(),
        components=told.components,
    )


def _now() -> float:
    return asyncio.get_running_loop().time()
