"""The ledger of a jackpot that several tables feed: insert-only entries, the pot a sum of them (JP-2, JP-13).

No row is ever changed, and none is shared by all tables: each contribution is an entry under its own id, and the same
id again is the same contribution. Amounts in the ledger are *parts*: ten-thousandths of the smallest unit, so that
nothing is rounded before it is shown or paid. A closing balance now and then keeps the sum short. Wins are claimed one
after the other under the ledger's lock, so near-simultaneous ones have an order and none is paid from what another has
taken. What the jackpot is set to stands in its starts: other settings count from the next one on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from typing import Protocol

import msgspec
from msgspec.structs import replace

from tableside.jackpot import ledger_sql as sql
from tableside.jackpot.linked import Claim, Contribution, Entry, Hit, Payment, Pot, Stage, Standing, amended
from tableside.jackpot.settings import MAIN, WHOLE, JackpotSettings

Row = tuple[object, ...]
START_ID = "start"
# So many entries since the last closing balance: summing them takes some milliseconds, more would begin to be felt.
CLOSE_AFTER = 2_000


class LedgerAway(ConnectionError):
    """The ledger cannot be reached or does not answer: the table says so and takes no jackpot bets."""


class LedgerConflict(Exception):
    """An id that stands for something else, or settings that cannot be: never overwritten; no bets meanwhile."""


class Rows(Protocol):
    """Takes statements, arguments as `$1`, `$2`. Raises `LedgerAway`."""

    async def fetch(self, statement: str, *arguments: object) -> Sequence[Row]:
        """The rows that the statement gives."""


class Store(Protocol):
    """A database that holds ledgers."""

    async def open(self) -> None:
        """Connect, and make the tables where they lack. Raises `LedgerAway`."""

    def statements(self) -> AbstractAsyncContextManager[Rows]:
        """Each statement by itself, durable when it is answered. Raises `LedgerAway`."""

    def alone(self) -> AbstractAsyncContextManager[Rows]:
        """One transaction: all or nothing, and no entry of anybody comes between. Raises `LedgerAway`."""

    async def close(self) -> None:
        """Let go of it."""


class Ledger:
    """One jackpot in a store. `settings`: what this table was given; those in force stand in the ledger."""

    def __init__(self, store: Store, name: str, settings: JackpotSettings) -> None:
        self._store = store
        self._name = name
        self._settings = settings
        self._entries_open = 0

    async def open(self) -> None:
        """Put down this table's settings, and the first start where there was none (JP-7).

        Doing it again changes nothing. Raises `LedgerAway`, and `LedgerConflict` for settings that this jackpot cannot
        take: another currency, or other levels, which hold money.
        """
        about = msgspec.json.encode(self._settings).decode()
        digest = hashlib.sha256(about.encode()).hexdigest()[:16]
        async with self._store.alone() as rows:
            found = await rows.fetch(sql.LAST_START, self._name)
            if found:
                _fits(self._settings, _settings(found[0][1]))
            await rows.fetch(sql.ENTER, self._id(f"terms/{digest}"), self._name, "", sql.Kind.TERMS, 0, 0, about)
            for level in self._settings.pots if not found else ():
                start = self._settings.of(level).start * WHOLE
                await rows.fetch(
                    sql.ENTER, self._id(START_ID, level), self._key(level), "", sql.Kind.START, start, 0, about
                )

    async def enter(self, entry: Entry) -> Hit | None:
        """Whatever a table has to say, once however often it is sent; a claim's answer is its hit.

        Raises `LedgerAway` (send it again) and `LedgerConflict`.
        """
        match entry:
            case Contribution():
                await self.contribute(entry)
                return None
            case Claim():
                return await self.claim(entry)
            case Payment():
                await self.settle(entry)
                return None

    async def contribute(self, entry: Contribution) -> None:
        """Count these chips once. Raises as `enter`."""
        async with self._store.statements() as rows:
            for share in entry.shares:
                name, about = self._id(entry.id, share.level), str(entry.chips)
                content = (entry.table, sql.Kind.CHIPS, share.shown, share.hidden, about)
                if not await rows.fetch(sql.ENTER, name, self._key(share.level), *content):
                    await _same(rows, name, content)

    async def standing(self) -> Standing:
        """What it shows, what waits, what it is set to. Raises `LedgerAway`."""
        async with self._store.statements() as rows:
            return await self._standing(rows)

    async def claim(self, entry: Claim) -> Hit:
        """Lock the value at the hit and take the prizes out of it (JP-13); the same version gives the same hit.

        With all of a level gone it starts anew at once: other tables go on while the win is checked. A win that a
        later version no longer has goes back, and so does what was put in for a new start. Raises as `enter`.
        """
        async with self._store.alone() as rows:
            order = await self._order(rows, entry)
            before = await self._hit(rows, entry.hit) or Hit(entry.hit, order, 0)
            if entry.version <= before.version:
                return before
            if before.is_settled:
                raise LedgerConflict(f"{entry.hit} is settled: version {entry.version} comes too late")
            standing = await self._standing(rows)
            stages = amended(entry.settings, before.stages, tuple(sorted(entry.wins)), standing.pots)
            for pot in standing.pots:
                stages = await self._move(rows, entry, pot, before.stages, stages)
            after = Hit(entry.hit, order, entry.version, stages)
            await self._write(rows, entry, before, after, standing)
            if not stages:
                await self._settled(rows, entry.hit, entry.table)
            return replace(after, is_settled=not stages)

    async def settle(self, entry: Payment) -> None:
        """The prizes were paid. Raises as `enter`; `LedgerConflict` for a hit that nobody claimed."""
        async with self._store.alone() as rows:
            hit = await self._hit(rows, entry.hit)
            if hit is None or not hit.stages:
                raise LedgerConflict(f"{entry.hit} was not claimed, or was denied: there is nothing to pay")
            await self._settled(rows, entry.hit, entry.table)

    async def close_balance(self) -> None:
        """Write down the sums so far: later ones begin there. Raises `LedgerAway`."""
        async with self._store.alone() as rows:
            found = await rows.fetch(sql.LAST_START, self._name)
            for level in _settings(found[0][1]).pots:
                await rows.fetch(sql.CLOSE, self._key(level))

    @property
    def is_closing_due(self) -> bool:
        """Whether the last sum was of many entries."""
        return self._entries_open >= CLOSE_AFTER

    # --- within a transaction -----------------------------------------------------------------------------------

    async def _standing(self, rows: Rows) -> Standing:
        ((_, about),) = await rows.fetch(sql.LAST_START, self._name)
        settings = _settings(about)
        pots = [await self._pot(rows, settings, level) for level in settings.pots]
        ((pending,),) = await rows.fetch(sql.PENDING, self._name)
        return Standing(tuple(pots), settings, _number(pending))

    async def _pot(self, rows: Rows, settings: JackpotSettings, level: str) -> Pot:
        (sums,) = await rows.fetch(sql.SUMS, self._key(level))
        shown, hidden, started, contributed, taken, entries = map(_number, sums)
        ((start, _),) = await rows.fetch(sql.LAST_START, self._key(level))
        if level == MAIN:
            self._entries_open = entries
        value, limit = shown // WHOLE, settings.of(level).limit
        shows = value if limit is None else min(value, limit)
        return Pot(level, shows, shown, hidden, started, contributed, taken, _number(start))

    async def _order(self, rows: Rows, entry: Claim) -> int:
        name = self._id(f"{entry.hit}/hit")
        await rows.fetch(sql.ENTER, name, self._name, entry.table, sql.Kind.HIT, 0, 0, "")
        ((order,),) = await rows.fetch(sql.ORDER, self._name, name)
        return _number(order)

    async def _hit(self, rows: Rows, hit: str) -> Hit | None:
        found = await rows.fetch(sql.LAST_CLAIM, self._name, self._id(f"{hit}/"))
        if not found:
            return None
        settled = await rows.fetch(sql.ENTRY, self._id(f"{hit}/settled"))
        return replace(msgspec.json.decode(str(found[0][0]), type=Hit), is_settled=bool(settled))

    async def _move(
        self, rows: Rows, entry: Claim, pot: Pot, before: tuple[Stage, ...], stages: tuple[Stage, ...]
    ) -> tuple[Stage, ...]:
        """A level that this version empties starts anew; one that is not emptied after all stands as before."""
        level = pot.level
        more = sum(level in stage.emptied for stage in stages) - sum(level in stage.emptied for stage in before)
        left = pot.shown - WHOLE * (sum(s.taken(level) for s in stages) - sum(s.taken(level) for s in before))
        if more > 0:
            seq = await self._start_anew(rows, entry, level, left, pot.hidden)
        elif more < 0:
            seq = await self._start_undone(rows, entry, level, left, pot.start)
        else:
            return stages
        return tuple(
            replace(stage, starts={**stage.starts, level: seq}) if stage.starts.get(level) == pot.start else stage
            for stage in stages
        )

    async def _start_anew(self, rows: Rows, entry: Claim, level: str, left: int, hidden: int) -> int:
        """At least the starting value again: the hidden pool and what is left go into it, the house adds the rest."""
        about = await self._next_settings(rows) if level == MAIN else await self._in_force(rows)
        lacks = max(0, _settings(about).of(level).start * WHOLE - left - hidden)
        content = (entry.table, sql.Kind.START, lacks + hidden, -hidden, about)
        ((seq,),) = await rows.fetch(sql.ENTER, self._id(f"{entry.id}/start", level), self._key(level), *content)
        return _number(seq)

    async def _start_undone(self, rows: Rows, entry: Claim, level: str, left: int, start: int) -> int:
        """What was put in for a start goes out again, as far as it is still there."""
        shown, hidden = 0, 0
        for version in range(entry.version - 1, 0, -1):
            found = await rows.fetch(sql.ENTRY, self._id(f"{entry.hit}/{version}/start", level))
            if found:
                shown, hidden = _number(found[0][2]), -_number(found[0][3])
                break
        out = min(shown, left)
        before = await rows.fetch(sql.START_BEFORE, self._key(level), start)
        about = before[0][0] if before else await self._in_force(rows)
        content = (entry.table, sql.Kind.START, -out, min(hidden, out), about)
        ((seq,),) = await rows.fetch(sql.ENTER, self._id(f"{entry.id}/undone", level), self._key(level), *content)
        return _number(seq)

    async def _next_settings(self, rows: Rows) -> str:
        """Of all that tables were given the last approved ones; of several of one day the last that came."""
        told = [str(about) for (about,) in await rows.fetch(sql.TERMS, self._name)]
        return max(enumerate(told), key=lambda one: (_settings(one[1]).approved_on, one[0]))[1]

    async def _in_force(self, rows: Rows) -> str:
        return str((await rows.fetch(sql.LAST_START, self._name))[0][1])

    async def _write(self, rows: Rows, entry: Claim, before: Hit, after: Hit, standing: Standing) -> None:
        about = msgspec.json.encode(after).decode()
        for pot in standing.pots:
            more = sum(s.taken(pot.level) for s in after.stages) - sum(s.taken(pot.level) for s in before.stages)
            if pot.level == MAIN or more:
                content = (entry.table, sql.Kind.CLAIM, -more * WHOLE, 0, about)
                await rows.fetch(sql.ENTER, self._id(entry.id, pot.level), self._key(pot.level), *content)

    async def _settled(self, rows: Rows, hit: str, table: str) -> None:
        await rows.fetch(sql.ENTER, self._id(f"{hit}/settled"), self._name, table, sql.Kind.SETTLED, 0, 0, "")

    def _key(self, level: str) -> str:
        return self._name if level == MAIN else f"{self._name}/{level}"

    def _id(self, id: str, level: str = MAIN) -> str:  # noqa: A002 - the ledger's word
        return f"{self._key(level)}:{id}"


async def _same(rows: Rows, name: str, wanted: tuple[str, sql.Kind, int, int, str]) -> None:
    ((table, kind, shown, hidden, about),) = await rows.fetch(sql.ENTRY, name)
    known = (str(table), str(kind), _number(shown), _number(hidden), str(about))
    if known != wanted:
        raise LedgerConflict(f"{name} stands for {known} already, not for {wanted}")


def _fits(given: JackpotSettings, in_force: JackpotSettings) -> None:
    if given.currency != in_force.currency:
        raise LedgerConflict(f"this jackpot is in {in_force.currency}, not in {given.currency}: give it another name")
    if given.pots != in_force.pots:
        told = ", ".join(in_force.pots[1:]) or "none beside the main one"
        raise LedgerConflict(f"this jackpot's levels hold money ({told}): other levels need another name")


def _settings(about: object) -> JackpotSettings:
    return msgspec.json.decode(str(about), type=JackpotSettings)


def _number(value: object) -> int:
    """A sum is an int in one database and a Decimal in the other, exact in both."""
    assert isinstance(value, (int, Decimal))
    return int(value)
