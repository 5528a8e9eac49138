"""Sign-ins: a screen that asks, the badge that is tapped next at the reader it named, and how long that holds (ADR 38).

A screen is a browser with a random token that nothing but its own requests carries. It waits at one reader; the tap
that follows says whose acts it sends. A tap proves a badge, not a person: it holds for `holds_s`, a badge that lies on
the reader for as long as it lies there. Nothing here outlives the daemon.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn, Protocol

from drivers.events import ReaderLost, SightingKind
from firmware_bridge.clock import NS_PER_S, Clock
from tableside.house import Person
from tableside.inputs import AnyInput, BadgeSighted, ScreenSignedIn, ScreenSignedOut
from tableside.journal.record import RecordKind
from tableside.journal.store import Journal
from tableside.rows import what_of
from tableside.sightings import SHORT_HOLD_S
from tableside.state import TableState

# So long a screen waits for the tap: who has asked stands at the reader, and nobody else may wait there meanwhile.
WAITS_S = 30
# So long a screen is told why it is signed out.
TOLD_S = 300
# More screens than are ever open (`server.MAX_VIEWERS`) are somebody's try.
MAX_SCREENS = 64
TOKEN_BYTES = 32
# An end that nobody's screen looks for is told so soon after its time.
LOOK_S = 1.0
_SEEN_AT_READERS = frozenset({BadgeSighted.__name__, ReaderLost.__name__})


class SignInState(StrEnum):
    """How far a screen has come."""

    WAITING = "waiting"
    IN = "in"
    OVER = "over"


class Why(StrEnum):
    """Why a screen is not signed in; words of the page."""

    NOT_TAPPED = "nobody tapped"
    TIME = "time is over"
    LEFT = "badge taken away"
    SIGNED_OUT = "signed out"
    MOVED = "signed in elsewhere"
    READER_LOST = "reader does not answer"
    UNKNOWN = "badge unknown"
    REVOKED = "badge revoked"
    OUT_OF_DATE = "badge out of date"
    TAKEN = "another screen waits"
    FULL = "too many screens"
    NO_READER = "no reader"
    NO_TABLE = "no such table"


class SignInRefused(Exception):
    """A screen may not wait now; `why` is a word of the page."""

    def __init__(self, why: Why) -> None:
        super().__init__(why.value)
        self.why = why


class Table(Protocol):
    """What sign-ins need of a table of the host."""

    name: str
    published: int

    @property
    def state(self) -> TableState: ...
    @property
    def journal(self) -> Journal: ...
    async def until_news(self, after: int) -> None: ...
    async def tell(self, what: AnyInput) -> None: ...


@dataclass(slots=True)
class SignIn:
    """One screen. `until_ns` None: the badge lies on the reader since `held_ns`. `note`: why the last did not count."""

    screen: int
    table: str
    reader: str
    until_ns: int | None
    held_ns: int = 0
    state: SignInState = SignInState.WAITING
    person: Person | None = None
    note: Why | None = None
    why: Why | None = None


class SignIns:
    """The screens of the host. `run` follows the tables' readers; `changed` is called after each change."""

    def __init__(
        self, tables: Mapping[str, Table], clock: Clock, holds_s: int, changed: Callable[[], None] = lambda: None
    ) -> None:
        self._tables = tables
        self._clock = clock
        self._holds_ns = holds_s * NS_PER_S
        self.changed = changed
        self._screens: dict[str, SignIn] = {}
        self._numbers = 0
        self._to_tell: asyncio.Queue[tuple[str, AnyInput]] = asyncio.Queue()

    # --- what a screen asks -------------------------------------------------------------------------------------

    def ask(self, name: str, token: str = "") -> str:
        """Wait for a tap at the table's reader. Returns the screen's new token. Raises `SignInRefused`."""
        self._look()
        table = self._tables.get(name)
        if table is None:
            raise SignInRefused(Why.NO_TABLE)
        reader = _answering(table.state)
        known = self._screens.get(_key(token))
        if any(one.reader == reader and one.table == name and one is not known for one in self._waiting()):
            raise SignInRefused(Why.TAKEN)
        if known is None and len(self._screens) >= MAX_SCREENS and not self._forget_one():
            raise SignInRefused(Why.FULL)
        self._screens.pop(_key(token), None)
        self._numbers += 1
        fresh = secrets.token_urlsafe(TOKEN_BYTES)
        until_ns = self._clock.monotonic_ns() + WAITS_S * NS_PER_S
        self._screens[_key(fresh)] = SignIn(self._numbers, name, reader, until_ns)
        self.changed()
        return fresh

    def of(self, token: str) -> SignIn | None:
        """How the screen of this token stands now; None: it has never asked, or was told long ago."""
        self._look()
        return self._screens.get(_key(token)) if token else None

    def sign_out(self, token: str) -> None:
        """The person has done."""
        known = self.of(token)
        if known is not None and known.state is not SignInState.OVER:
            self._end(known, Why.SIGNED_OUT)

    def left_s(self, one: SignIn) -> int | None:
        """Seconds until it ends as things stand; None while the badge lies on the reader."""
        return None if one.until_ns is None else max(0, (one.until_ns - self._clock.monotonic_ns()) // NS_PER_S)

    def at(self, table: str) -> list[SignIn]:
        """The screens that wait or are signed in at a table's reader: everybody may see that they are."""
        self._look()
        return [one for one in self._screens.values() if one.table == table and one.state is not SignInState.OVER]

    # --- what the readers see -----------------------------------------------------------------------------------

    async def run(self) -> NoReturn:
        """Follow every table's badges, from now on, as they are durable."""
        async with asyncio.TaskGroup() as tasks:
            for table in self._tables.values():
                tasks.create_task(self._follow(table), name=f"sign-ins of {table.name}")
            tasks.create_task(self._tell(), name="sign-ins told")
            while True:
                await asyncio.sleep(LOOK_S)
                self._look()

    async def _tell(self) -> NoReturn:
        """Who signs in and out stands in the journal of the table where the badge was tapped."""
        while True:
            table, what = await self._to_tell.get()
            await self._tables[table].tell(what)

    async def _follow(self, table: Table) -> NoReturn:
        after = table.published
        while True:
            await table.until_news(after)
            end = table.published
            for record in table.journal.records(after, {RecordKind.INPUT}):
                if record.seq > end:
                    break
                if record.type in _SEEN_AT_READERS:
                    self.take(table, what_of(record))
            after = end

    def take(self, table: Table, what: object) -> None:
        """One fact of a table's reader."""
        self._look()
        if isinstance(what, ReaderLost):
            for one in self.at(table.name):
                if one.reader == what.device:
                    self._end(one, Why.READER_LOST)
        elif isinstance(what, BadgeSighted):
            if what.kind is SightingKind.HELD_TO:
                self._let_go(table.name, what)
            else:
                self._tapped(table, what)

    def _tapped(self, table: Table, what: BadgeSighted) -> None:
        person = table.state.house.person(what.staff) if what.staff else None
        until_ns = self._until_ns() if what.kind is SightingKind.TAP else None
        here = [one for one in self.at(table.name) if one.reader == what.reader]
        waiting = next((one for one in here if one.state is SignInState.WAITING), None)
        objection = _objection(person, self._clock.now().wall_ns)
        if waiting is None:
            for one in here:
                if person is not None and objection is None and one.person is not None:
                    self._prolong(one, person, until_ns)
        elif objection is not None:
            waiting.note = objection
        elif person is not None:
            self._begin(waiting, person, until_ns)
        self.changed()

    def _begin(self, one: SignIn, person: Person, until_ns: int | None) -> None:
        """A badge is at one screen at a time: the newest has it."""
        for other in self._screens.values():
            if other.state is SignInState.IN and other.person is not None and other.person.staff == person.staff:
                self._end(other, Why.MOVED)
        signed_in = ScreenSignedIn(screen=one.screen, reader=one.reader, staff=person.staff)
        self._to_tell.put_nowait((one.table, signed_in))
        one.state, one.person, one.note = SignInState.IN, person, None
        one.until_ns, one.held_ns = until_ns, self._clock.monotonic_ns()

    def _prolong(self, one: SignIn, person: Person, until_ns: int | None) -> None:
        """The same badge again; a tap beside a badge that lies there takes nothing away."""
        if one.person is not None and one.person.staff == person.staff and one.until_ns is not None:
            one.until_ns, one.held_ns = until_ns, self._clock.monotonic_ns()

    def _let_go(self, table: str, what: BadgeSighted) -> None:
        for one in self.at(table):
            is_his = one.person is not None and one.person.staff == what.staff
            if one.reader == what.reader and one.until_ns is None and is_his:
                self._left(one)

    def _left(self, one: SignIn) -> None:
        """Who taps twice or thrice in a row looks like one who holds the badge there and takes it away at once."""
        if self._clock.monotonic_ns() - one.held_ns < SHORT_HOLD_S * NS_PER_S:
            one.until_ns = self._until_ns()
            self.changed()
        else:
            self._end(one, Why.LEFT)

    def _until_ns(self) -> int:
        return self._clock.monotonic_ns() + self._holds_ns

    # --- ends ---------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        now_ns = self._clock.monotonic_ns()
        for key, one in tuple(self._screens.items()):
            if one.until_ns is None or one.until_ns > now_ns:
                continue
            if one.state is SignInState.OVER:
                del self._screens[key]
            else:
                self._end(one, Why.NOT_TAPPED if one.state is SignInState.WAITING else Why.TIME)

    def _end(self, one: SignIn, why: Why) -> None:
        if one.person is not None:
            signed_out = ScreenSignedOut(screen=one.screen, staff=one.person.staff, why=why.value)
            self._to_tell.put_nowait((one.table, signed_out))
        one.state, one.why = SignInState.OVER, why
        one.until_ns = self._clock.monotonic_ns() + TOLD_S * NS_PER_S
        self.changed()

    def _waiting(self) -> list[SignIn]:
        return [one for one in self._screens.values() if one.state is SignInState.WAITING]

    def _forget_one(self) -> bool:
        """Make room: who is signed out already goes first, and nobody who is signed in."""
        over = next((key for key, one in self._screens.items() if one.state is SignInState.OVER), None)
        if over is not None:
            del self._screens[over]
        return over is not None


def _answering(state: TableState) -> str:
    """The table's reader at which a tap would be seen. Raises `SignInRefused`."""
    if not state.house.readers:
        raise SignInRefused(Why.NO_READER)
    known = state.devices.known
    for reader in state.house.readers:
        if reader in known and known[reader].is_connected:
            return reader
    raise SignInRefused(Why.READER_LOST)


def _objection(person: Person | None, wall_ns: int) -> Why | None:
    """Why a badge does not count (`sightings.objection`, here for a screen)."""
    if person is None:
        return Why.UNKNOWN
    if person.is_revoked:
        return Why.REVOKED
    return None if person.is_valid_at(wall_ns) else Why.OUT_OF_DATE


def _key(token: str) -> str:
    """Screens are found by a digest of their token: comparing tells nothing of it, and no list here holds one."""
    return hashlib.sha256(token.encode()).hexdigest()
