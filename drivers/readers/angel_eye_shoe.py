"""The Angel Eye II-EX baccarat shoe: cards, results, errors and lock, listened to and never told anything.

The driver has no way to write: what a technician tells a shoe in engineering mode goes by `tableside diag shoe`, with
the daemon away from the cable. An open line proves nothing, so `has_spoken` stands beside it until a telegram came.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from drivers import card_events as facts
from drivers.card_events import CardReaderLost, CardReaderReady, CardReaderTroubled, OutsideMode, Target, Winner
from drivers.device import PlainSettings, Report
from drivers.fact import Fact
from firmware_bridge.links.base import Link, LinkRefused
from firmware_bridge.session.angel_eye import Said, ShoeSession, Unreadable
from firmware_bridge.session.backoff import Backoff, table_for
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.keeper import Keeper, Up
from firmware_bridge.wire.angel_eye import codes
from firmware_bridge.wire.angel_eye import messages as said
from firmware_bridge.wire.angel_eye.copies import Copies

CONNECT_LIMIT_S = 15.0
SUITS: Mapping[codes.Suit, str] = {
    codes.Suit.CLUB: "♣",
    codes.Suit.DIAMOND: "♦",
    codes.Suit.HEART: "♥",
    codes.Suit.SPADE: "♠",
}
TARGETS: Mapping[codes.Target, Target] = {
    codes.Target.PLAYER: Target.PLAYER,
    codes.Target.BANKER: Target.BANKER,
    codes.Target.BURN: Target.BURN,
    codes.Target.BURN_TELLING: Target.BURN_TELLING,
    codes.Target.BURN_COUNT: Target.BURN_COUNT,
}
MODES: Mapping[codes.Mode, OutsideMode] = {
    codes.Mode.LOCK: OutsideMode.LOCKED,
    codes.Mode.ERROR: OutsideMode.ERROR,
    codes.Mode.SETTING: OutsideMode.SETTING,
}
WINNERS: Mapping[codes.Winner, Winner] = {
    codes.Winner.PLAYER: Winner.PLAYER,
    codes.Winner.TIE: Winner.TIE,
    codes.Winner.BANKER: Winner.BANKER,
    codes.Winner.FORCED: Winner.FORCED,
}
CONTRADICTED = "two telegrams with the same number said different things: both are taken"


@dataclass(frozen=True, slots=True)
class ShoeSettings(PlainSettings):
    """What every plain device has, and whether the check of a block covers its STX: sources disagree (angel-eye.md)."""

    bcc_includes_stx: bool = True


class AngelEyeShoe:
    """Keeps one shoe's line open and tells what is heard on it; model and serial number are its plate's. A `Device`."""

    def __init__(
        self,
        settings: PlainSettings,
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
        self._copies = Copies()
        self._has_spoken = False
        self._is_simulated = False

    async def run(self) -> NoReturn:
        """Report the shoe as away, then keep its line open until cancelled."""
        await self._report(CardReaderLost(device=self.name, why="not connected since the start"))
        await self.keeper.run()

    async def _attempt(self, up: Up) -> None:
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                link = await self._connect()
        except TimeoutError:
            raise LinkRefused(f"{self._settings.address}: not open after {CONNECT_LIMIT_S:g} s") from None
        span = self._settings.bcc_includes_stx if isinstance(self._settings, ShoeSettings) else True
        session = ShoeSession(link, self.counts, self._copies, self._heard, bcc_includes_stx=span)
        self._has_spoken = False
        self._is_simulated = link.is_simulated or self._settings.is_simulated
        up()
        await self._report(self._ready())
        try:
            await session.run()
        except Exception as error:
            await self._report(CardReaderLost(device=self.name, why=str(error)))
            raise

    def _ready(self) -> CardReaderReady:
        settings = self._settings
        return CardReaderReady(
            device=self.name,
            model=settings.model,
            serial=settings.serial,
            is_simulated=self._is_simulated,
            has_spoken=self._has_spoken,
        )

    async def _heard(self, heard: Said | Unreadable) -> None:
        if isinstance(heard, Unreadable):
            await self._report(CardReaderTroubled(device=self.name, why=heard.why))
            return
        if not self._has_spoken:
            self._has_spoken = True
            await self._report(self._ready())
        if heard.is_contradicting:
            await self._report(CardReaderTroubled(device=self.name, why=CONTRADICTED))
        await self._report(fact_of(self.name, heard.message))


def fact_of(device: str, message: said.Message) -> Fact:
    """A telegram in the table's words."""
    match message:
        case said.Drawn(target, index, card, is_again):
            kind = facts.CardDrawnAgain if is_again else facts.CardDrawn
            return kind(device=device, card=face_of(card), target=TARGETS[target], index=index)
        case said.DrawnOutside(mode, card):
            return facts.CardDrawnOutside(device=device, card=face_of(card), mode=MODES[mode])
        case said.Result(winner, is_player_pair, is_banker_pair):
            return facts.GameEnded(
                device=device,
                winner=WINNERS[winner],
                is_player_pair=is_player_pair,
                is_banker_pair=is_banker_pair,
            )
        case said.Error(code, is_stopped):
            return facts.ShoeErrorBegan(device=device, code=code, is_stopped=is_stopped)
        case said.ErrorCancelled(code):
            return facts.ShoeErrorEnded(device=device, code=code)
        case said.LockStatus(is_locked):
            return facts.ShoeLockTold(device=device, is_locked=is_locked)
        case said.RegisterChanged(register, value):
            return facts.ShoeSettingChanged(device=device, register=register, value=value)
        case said.Malformed(letter, why):
            return CardReaderTroubled(device=device, why=f"a telegram {letter} that is none: {why}")
        case _:
            return _PLAIN[type(message)](device=device)


def face_of(card: said.Card) -> str:
    """The identity of a card, `UNREAD` where the shoe could not tell."""
    return facts.face(card.rank, SUITS[card.suit]) if card.suit in SUITS else facts.UNREAD


_PLAIN: Mapping[type, Callable[..., Fact]] = {
    said.Started: facts.ShoeStarted,
    said.StoodBy: facts.ShoeStoodBy,
    said.CutCard: facts.CutCardSeen,
}
