"""The ledger of a jackpot that several tables feed: insert-only entries, the pot a sum of them (JP-2, JP-13).

No row is ever changed, and none is shared by all tables: each contribution is an entry under its own id, and the same
id again is the same contribution. Amounts in the ledger are *parts*: ten-thousandths of the smallest unit, so that
nothing is rounded before it is shown or paid. A closing balance now and then keeps the sum short. Wins are claimed one
after the other under the ledger's lock, so near-simultaneous ones have an order and none is paid from what another has
taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from typing import Protocol

import msgspec

from tableside.jackpot import ledger_sql as sql
from tableside.jackpot.settings import WHOLE, JackpotSettings
from tableside.jackpot.wins import Payout, Win, pay_out

Row = tuple[object, ...]
START_ID = "start"


class LedgerAway(Exception):
    """The ledger cannot be reached or does not answer: the table says so and takes no jackpot bets."""


class LedgerConflict(Exception):
    """An id that stands for something else already: an incident, never overwritten."""


class Rows(Protocol):
    """Takes statements, arguments as `$1`, `$2`. Raises `LedgerAway`."""

    async def fetch(self, statement: str, *arguments: object) -> Sequence[Row]:
        """The rows that the statement gives."""


class Store(Protocol):
    """A database that holds ledgers."""

    def statements(self) -> AbstractAsyncContextManager[Rows]:
        """Each statement by itself, durable when it is answered. Raises `LedgerAway`."""

    def alone(self) -> AbstractAsyncContextManager[Rows]:
        """One transaction: all or nothing, and no entry of anybody comes between. Raises `LedgerAway`."""

    async def close(self) -> None:
        """Let go of it."""


class Contribution(msgspec.Struct, frozen=True):
    """Chips that a table collected for one round. `id` is the table's own, the same however often it is sent."""

    id: str
    table: str
    chips: int


class Pot(msgspec.Struct, frozen=True):
    """What stands now: `shown` on the displays, in smallest units; `waiting`: what waits for the next start."""

    shown: int
    waiting: int


class Hit(msgspec.Struct, frozen=True):
    """Wins of one round, claimed. `value`: what the display showed then, locked; payouts from the lowest to the top."""

    id: str
    value: int
    payouts: tuple[Payout, ...]


class Ledger:
    """One jackpot in a store."""

    def __init__(self, store: Store, name: str, settings: JackpotSettings) -> None:
        self._store = store
        self._name = name
        self._settings = settings

    async def open(self) -> None:
        """Make the tables where they lack, and the first start (JP-7). Doing it again changes nothing."""
        async with self._store.alone() as rows:
            start = self._settings.start * WHOLE
            await rows.fetch(sql.ENTER, self._entry_id(START_ID), self._name, "", sql.Kind.START, start, 0, "")

    async def contribute(self, contribution: Contribution) -> None:
        """Count these chips once. Raises `LedgerAway` (send it again, same id), `LedgerConflict`, ValueError."""
        if contribution.chips < 0:
            raise ValueError(f"{contribution.chips} chips: a contribution is never negative")
        staked = contribution.chips * self._settings.bet
        shown, hidden = staked * self._settings.increment, staked * self._settings.hidden
        entry = self._entry_id(contribution.id)
        async with self._store.statements() as rows:
            added = await rows.fetch(
                sql.ENTER, entry, self._name, contribution.table, sql.Kind.CHIPS, shown, hidden, ""
            )
            if not added:
                await self._same(rows, entry, (contribution.table, sql.Kind.CHIPS, shown, hidden))

    async def pot(self) -> Pot:
        """What it shows and what waits. Raises `LedgerAway`."""
        async with self._store.statements() as rows:
            shown, hidden = await self._sums(rows)
        value = self._value(shown)
        return Pot(value, shown // WHOLE - value + hidden // WHOLE)

    async def claim(self, id: str, table: str, wins: Iterable[Win]) -> Hit:  # noqa: A002 - the ledger's word
        """Lock the value at the hit and take the prizes out of it (JP-13); the same id gives the same hit.

        With the top prize gone the pot starts anew at once: other tables go on while the win is checked.
        """
        known = sorted(wins)
        async with self._store.alone() as rows:
            entry = self._entry_id(id)
            before = await rows.fetch(sql.HIT_OF, entry)
            if before:
                return _hit(id, before)
            shown, hidden = await self._sums(rows)
            value = self._value(shown)
            paid = pay_out(self._settings, value, known)
            for place, payout in enumerate(paid.payouts):
                about = msgspec.json.encode((value, payout)).decode()
                taken = -payout.amount * WHOLE
                await rows.fetch(sql.ENTER, f"{entry}/{place}", self._name, table, sql.Kind.CLAIM, taken, 0, about)
                shown += taken
            if paid.is_top:
                lacks = max(0, self._settings.start * WHOLE - shown - hidden)
                await rows.fetch(
                    sql.ENTER, f"{entry}/start", self._name, table, sql.Kind.START, lacks + hidden, -hidden, ""
                )
            return Hit(id, value, paid.payouts)

    async def settle(self, id: str, place: int, *, is_paid: bool) -> None:  # noqa: A002 - the ledger's word
        """A claimed prize was paid, or the check has shown that it is none: then it goes back into the pot.

        Raises LookupError for a prize that was not claimed, `LedgerConflict` for one that is settled otherwise.
        """
        claimed = f"{self._entry_id(id)}/{place}"
        async with self._store.alone() as rows:
            found = await rows.fetch(sql.ENTRY, claimed)
            if not found:
                raise LookupError(f"prize {place} of {id} was not claimed")
            table, _, parts, _ = found[0]
            back = 0 if is_paid else -_number(parts)
            kind = sql.Kind.PAID if is_paid else sql.Kind.RETURNED
            added = await rows.fetch(sql.ENTER, f"{claimed}/settled", self._name, table, kind, back, 0, claimed)
            if not added:
                await self._same(rows, f"{claimed}/settled", (str(table), kind, back, 0))
            elif not is_paid:
                await self._start_undone(rows, self._entry_id(id), str(table))

    async def pending(self) -> tuple[str, ...]:
        """Claims that nobody has settled, in the order in which they were hit."""
        async with self._store.statements() as rows:
            return tuple(str(row[0]) for row in await rows.fetch(sql.PENDING, self._name))

    async def close_balance(self) -> None:
        """Write down the sum so far: later sums begin there."""
        async with self._store.alone() as rows:
            await rows.fetch(sql.CLOSE, self._name)

    async def _start_undone(self, rows: Rows, entry: str, table: str) -> None:
        """No top win was one: what was put in for a new start goes out again."""
        top = len(self._settings.prizes) - 1
        claims = [(_payout(about), kind) for about, kind in await rows.fetch(sql.HIT_OF, entry)]
        tops = [kind for payout, kind in claims if payout.win.prize == top]
        started = await rows.fetch(sql.ENTRY, f"{entry}/start")
        if tops and started and all(kind == sql.Kind.RETURNED for kind in tops):
            _, _, shown, hidden = started[0]
            undone = (f"{entry}/start/undone", self._name, table, sql.Kind.START, -_number(shown), -_number(hidden), "")
            await rows.fetch(sql.ENTER, *undone)

    async def _sums(self, rows: Rows) -> tuple[int, int]:
        ((shown, hidden),) = await rows.fetch(sql.SUMS, self._name)
        return _number(shown), _number(hidden)

    def _value(self, shown: int) -> int:
        whole = shown // WHOLE
        return whole if self._settings.limit is None else min(whole, self._settings.limit)

    async def _same(self, rows: Rows, entry: str, wanted: tuple[str, sql.Kind, int, int]) -> None:
        (found,) = await rows.fetch(sql.ENTRY, entry)
        table, kind, shown, hidden = found
        known = (str(table), str(kind), _number(shown), _number(hidden))
        if known != wanted:
            raise LedgerConflict(f"{entry} stands for {known} already, not for {wanted}")

    def _entry_id(self, id: str) -> str:  # noqa: A002 - the ledger's word
        return f"{self._name}/{id}"


def _hit(id: str, found: Sequence[Row]) -> Hit:  # noqa: A002 - the ledger's word
    value, _ = msgspec.json.decode(str(found[0][0]), type=tuple[int, Payout])
    return Hit(id, value, tuple(_payout(about) for about, _ in found))


def _payout(about: object) -> Payout:
    return msgspec.json.decode(str(about), type=tuple[int, Payout])[1]


def _number(value: object) -> int:
    """A sum is an int in one database and a Decimal in the other, exact in both."""
    assert isinstance(value, (int, Decimal))
    return int(value)
