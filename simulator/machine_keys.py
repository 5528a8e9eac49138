"""A dealer at a machine that obeys nothing: what the table asks for is done at its own keys, and confirmed."""

from __future__ import annotations

import asyncio
from typing import NoReturn

from .people import Person
from .watch import Row, StandingAlert

# A hand goes from the cards to the key in so long.
REACH_S = (0.5, 1.5)
STOP, EMPTY, LOOK = "STOP-ASKED", "EJECT-ASKED", "EMPTY-LOOK"


class MachineKeys:
    """The keys of one table's machine, under one dealer's fingers."""

    def __init__(self, dealer: Person) -> None:
        self._dealer = dealer
        self._news = asyncio.Event()
        self._confirmed: set[int] = set()
        self._is_stopped = False
        self._is_emptying = False
        dealer.scene.watch.listeners.append(self._hear)

    def _hear(self, row: Row) -> None:
        if row.type in ("AlertRaised", "AlertCleared"):
            self._news.set()

    async def run(self) -> NoReturn:
        """Stop while a stop is asked, start once none is, give the cards out when that is asked."""
        while True:
            await self._news.wait()
            self._news.clear()
            stops = self._standing(STOP)
            if stops or self._standing(EMPTY) or self._is_stopped or self._is_emptying:
                await self._dealer.dawdle(*REACH_S)
                await self._press(self._standing(STOP))

    async def _press(self, stops: list[StandingAlert]) -> None:
        is_emptying = bool(self._standing(EMPTY))
        if bool(stops) is not self._is_stopped:
            self._is_stopped = bool(stops)
            await self._dealer.do("press-machine-key", key="stop" if stops else "start")
        for stop in stops:
            if stop.number not in self._confirmed:
                self._confirmed.add(stop.number)
                await self._dealer.say("take-alert", alert=stop.number)
        if is_emptying and not self._is_emptying:
            await self._dealer.do("press-machine-key", key="empty")
        self._is_emptying = is_emptying

    async def prove_when_empty(self) -> None:
        """No card comes any more though all were asked for: say so, and a supervisor looks inside."""
        if not self._standing(EMPTY) or self._standing(LOOK):
            return
        machines = (await self._dealer.scene.look())["machines"].values()
        if not any(machine["busy"] or machine["in mouth"] for machine in machines if machine["in play"]):
            await self._dealer.say("prove-empty")

    def _standing(self, text: str) -> list[StandingAlert]:
        return [alert for alert in self._dealer.scene.watch.alerts.values() if alert.text == text]
