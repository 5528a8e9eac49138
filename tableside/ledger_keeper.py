"""Carries one table's entries to the ledger of linked tables, and the ledger's word back: I/O at the rim.

What has to be sent stands in the table's state, so a restart begins where the journal ends, and an entry is sent again
under its id until the ledger's acknowledgement is a row of the journal. A write without an answer is not known to be
done: the table is told that the ledger is away, and the same entry asks again (design rule 1).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import NoReturn, Protocol

from firmware_bridge.session.backoff import OWN_CABLE_S, Backoff
from firmware_bridge.session.keeper import Keeper, Up
from tableside.configuration.ledger import LedgerPlace
from tableside.inputs import AnyInput, LedgerLost, LedgerTold, LedgerTook
from tableside.jackpot.ledger import Ledger, LedgerAway, LedgerConflict, Store
from tableside.jackpot.linked import Entry, Standing
from tableside.state import TableState

# How often a table asks what others have put in: displays may lag, a win has to be shown within 30 s.
ASK_EVERY_S = 1.0


class Table(Protocol):
    """What is needed of a running table."""

    name: str
    published: int

    @property
    def state(self) -> TableState: ...

    async def until_news(self, after: int) -> None: ...


Tell = Callable[[AnyInput], Awaitable[None]]
NewStore = Callable[[LedgerPlace], Store]


class LedgerKeeper:
    """The ledger's task of one table; `run` it beside the hub."""

    def __init__(
        self, table: Table, place: LedgerPlace, new_store: NewStore, tell: Tell, jitter: random.Random
    ) -> None:
        self._table = table
        self._place = place
        self._new_store = new_store
        self._tell = tell
        self._told: Standing | None = None
        self._why = ""  # told already: an hour without a server is one row, not a thousand
        self._keeper = Keeper(f"ledger of {table.name}", self._attempt, Backoff(OWN_CABLE_S, jitter))

    async def run(self) -> NoReturn:
        """Until cancelled; the ledger is sought again as often as it is lost."""
        await self._keeper.run()

    def health(self) -> dict[str, object]:
        """For the technician."""
        waiting = len(self._outbox())
        return {"why_away": self._keeper.why_away, "losses": self._keeper.losses, "waiting": waiting}

    def _outbox(self) -> tuple[Entry, ...]:
        return self._table.state.procedures.jackpot_ledger.outbox

    async def _attempt(self, up: Up) -> None:
        store: Store | None = None
        self._told = None
        try:
            store = self._new_store(self._place)
            await store.open()
            ledger = Ledger(store, self._place.name, self._place.settings)
            await ledger.open()
            await self._ask(ledger)
            up()
            self._why = ""
            await self._serve(ledger)
        except (LedgerAway, LedgerConflict) as error:
            if str(error) != self._why:
                self._why = str(error)
                await self._tell(LedgerLost(why=self._why))
            raise ConnectionError(str(error)) from error
        finally:
            if store is not None:
                await store.close()

    async def _serve(self, ledger: Ledger) -> NoReturn:
        while True:
            seen = self._table.published
            outbox = self._outbox()
            if outbox:
                await self._send(ledger, outbox[0])
                continue
            try:
                await asyncio.wait_for(self._table.until_news(seen), ASK_EVERY_S)
            except TimeoutError:
                await self._ask(ledger)
                if ledger.is_closing_due:
                    await ledger.close_balance()

    async def _send(self, ledger: Ledger, entry: Entry) -> None:
        """And wait until the acknowledgement is in the record."""
        hit = await ledger.enter(entry)
        self._told = await ledger.standing()
        await self._tell(LedgerTook(entry=entry.id, standing=self._told, hit=hit))
        while entry in self._outbox():
            seen = self._table.published
            if entry in self._outbox():
                await self._table.until_news(seen)

    async def _ask(self, ledger: Ledger) -> None:
        standing = await ledger.standing()
        if standing != self._told:
            self._told = standing
            await self._tell(LedgerTold(standing=standing))
