"""Who claims what was seen to win, and pays it: people at the desk of a house in virtual time (JP-12, JP-13, BJ-19).

Bets are paid as the evaluator reckons that was written apart; the table refuses what is not due by its own.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from simulator.watch import Row
from tableside.procedures.blackjack_slice import BlackjackSlice
from tableside.procedures.jackpot_slice import due
from tests.law.blackjack_chance import plainly
from tests.law.plain_blackjack import PlainBet, paid_in_all
from tests.scenarios.virtual_house import TABLE, House, Pipe

DEALER, SUPERVISOR = "D-101", "S-201"
# A dealer looks before she claims; a supervisor looks at cards and register before she pays.
LOOK_S = 4.0
TRY_AGAIN_S = 2.0
TRIES = 60


class Cashier:
    """Attached to a house before it plays. `answers` counts what was said to whom."""

    def __init__(self, here: House) -> None:
        self.answers: Counter[tuple[str, str]] = Counter()
        self._here = here
        self._said = 0
        self._tasks: set[asyncio.Task[None]] = set()
        here.hears.append(self._hear)

    def _hear(self, row: Row) -> None:
        place = str(row.body.get("place", ""))
        if row.type == "Advised" and place.startswith("jackpot, seat "):
            self._begin(self._claim(int(place.removeprefix("jackpot, seat "))))
        elif row.type == "JackpotClaimed":
            self._begin(self._pay())
        elif row.type == "HandsOver":
            self._begin(self._pay_bets())

    def _begin(self, deed: Any) -> None:
        task = asyncio.create_task(deed, name="cashier")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _claim(self, seat: int) -> None:
        await asyncio.sleep(LOOK_S)
        await self._say("claim-jackpot", DEALER, seat=seat, cards=[])

    async def _pay(self) -> None:
        await asyncio.sleep(LOOK_S)
        owed = due(self._here.host.daemon.tables[TABLE].state) if self._here.host.daemon is not None else ()
        if owed:
            seats, amounts = [each.win.seat for each in owed], [each.amount for each in owed]
            await self._say("pay-jackpot", SUPERVISOR, seats=seats, amounts=amounts)

    async def _pay_bets(self) -> None:
        await asyncio.sleep(LOOK_S)
        if self._here.host.daemon is None:
            return
        round_of = self._here.host.daemon.tables[TABLE].state.procedures.blackjack
        if round_of.played is None or not round_of.bets or round_of.unsure:
            return
        amounts = due_bets(round_of)
        await self._say("pay-bets", DEALER, seats=sorted(amounts), amounts=[amounts[seat] for seat in sorted(amounts)])

    async def _say(self, act: str, staff: str, **fields: object) -> None:
        self._said += 1
        asked = {"id": f"cashier-{self._said}", "act": act, "table": TABLE, "staff": staff, "fields": fields}
        pipe: Pipe = await self._here.host.talk()
        try:
            await pipe.write(json.dumps(asked).encode())
            while (said := json.loads(await pipe.read())).get("id") != asked["id"]:
                pass
            self.answers[act, said["answer"]] += 1
        finally:
            await pipe.close()


def due_bets(kept: BlackjackSlice) -> dict[int, int]:
    """What goes back to each holder, by seat, as `tests.law.plain_blackjack` reckons it."""
    played, bank = kept.played, [card.rank for card in kept.played.bank] if kept.played is not None else []
    assert played is not None
    amounts: dict[int, int] = {}
    for bet in kept.bets:
        hands = [plainly(played, hand) for hand in played.hands[bet.seat]]
        _, amounts[bet.seat] = paid_in_all(hands, bank, PlainBet(bet.amount, bet.insurance, len(hands), doubles=True))
    return amounts
