"""What must hold at every row of a day, whatever is played: money, presence, locks, secrets (semantics §2.1, §3, §6).

Each watcher keeps books of its own from what the rows say, never from the table's own reckoning of the same thing.
"""

from __future__ import annotations

import re
from typing import Protocol

from drivers.card_events import CARD_TOLD
from drivers.events import Ability, Holding, PermitKind, Verb
from firmware_bridge.clock import NS_PER_S
from tableside import card_account
from tableside.decisions import CommandIntended, Decision, LockAdded, LockRemoved, PermitGranted
from tableside.happenings import BadgeTapped, CardsEntered, CardsLeft
from tableside.house import Role, TableKind
from tableside.inputs import DaemonStarted, Input
from tableside.jackpot.settings import WHOLE
from tableside.jackpot_happenings import JackpotPaid, JackpotRaised, JackpotStarted
from tableside.journal.record import Record
from tableside.permits import SCOPE_OF
from tableside.sealing import PREFIX
from tableside.state import TableState

# A machine whose lease has run out still lets the card pass that is on its way (TDL 9.3); one that hears of a stop too.
LEASE_S = 2.0
ON_ITS_WAY_S = 2.0
ON_ITS_WAY_CARDS = 1
# Badge numbers of the demo's staff, and their PINs as values.
BADGE = re.compile(rb"26:[0-9A-F]{8}")
PIN = re.compile(rb"\"[1-5]0000[1-9]\"")


class Watcher(Protocol):
    """Looks at each turn of a day; `findings` is everything that did not hold."""

    findings: list[str]

    def turn(self, seq: int, given: Input, decided: tuple[Decision, ...], state: TableState) -> None:
        """One input, what was decided, and the state after it."""


class Money:
    """Start + contributions − paid = shown, at every row; a contribution exact to the ten-thousandth (JP-2, JP-13)."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.rows = 0
        self.paid = 0
        self._shown: int | None = None
        self._staked_parts = 0  # of this start, in parts of ten thousand
        self._raised = 0

    def turn(self, seq: int, given: Input, decided: tuple[Decision, ...], state: TableState) -> None:
        jackpot = state.procedures.jackpot
        settings, meters = jackpot.settings, jackpot.meters
        if settings is None or meters is None:
            return
        self.rows += 1
        for what in decided:
            if isinstance(what, JackpotStarted):
                if what.shown < settings.start:
                    self.findings.append(f"row {seq}: the jackpot starts at {what.shown}, below {settings.start}")
                self._shown = what.shown
            elif isinstance(what, JackpotRaised):
                self._raise(seq, what, settings.bet * settings.increment)
            elif isinstance(what, JackpotPaid):
                self._pay(seq, what)
        if meters.started + meters.contributed - meters.paid != meters.shown:
            self.findings.append(f"row {seq}: the meters do not reconcile: {meters}")
        if not jackpot.levels and meters.shown != self._shown:
            self.findings.append(f"row {seq}: the meter shows {meters.shown}, the rows say {self._shown}")

    def _raise(self, seq: int, what: JackpotRaised, parts_of_a_chip: int) -> None:
        self._staked_parts += len(what.seats) * parts_of_a_chip
        whole = self._staked_parts // WHOLE - self._raised
        self._raised += whole
        self._shown = (self._shown or 0) + whole
        if what.shown != self._shown:
            self.findings.append(f"row {seq}: raised to {what.shown}, by the bets it is {self._shown}")

    def _pay(self, seq: int, what: JackpotPaid) -> None:
        self._shown = (self._shown or 0) - sum(what.amounts)
        self.paid += len(what.amounts)
        if what.left != self._shown or min(what.amounts, default=0) < 0:
            self.findings.append(f"row {seq}: {what.left} left after {what.amounts}, by the rows {self._shown}")


def _deals_by_deck(state: TableState) -> bool:
    """A batch machine gives the mixed deck out to be dealt, which is the dealer's own act (ADR 35)."""
    return state.house.kind is TableKind.BATCH


class Attendance:
    """No card of a load goes in, no lid is freed, nothing is emptied, unless a supervisor was seen shortly before."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.acts = 0
        self._seen_ns: int | None = None

    def turn(self, seq: int, given: Input, decided: tuple[Decision, ...], state: TableState) -> None:
        if isinstance(given.what, DaemonStarted):
            self._seen_ns = None  # semantics §2.1.7: everyone is absent
        for what in decided:
            if isinstance(what, BadgeTapped):
                person = state.house.person(what.staff)
                if person is not None and {Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT} & set(person.roles):
                    self._seen_ns = given.at_ns
            elif isinstance(what, CardsEntered) and what.source == card_account.HOPPER:
                self._judge(seq, given, state, "a card of a load went in", LEASE_S + ON_ITS_WAY_S)
            elif isinstance(what, PermitGranted) and what.what is PermitKind.LID:
                self._judge(seq, given, state, "the lid was freed", 0)
            elif isinstance(what, CommandIntended) and what.verb is Verb.EJECT_ALL and not _deals_by_deck(state):
                self._judge(seq, given, state, "the machine was emptied", 0)

    def _judge(self, seq: int, given: Input, state: TableState, act: str, grace_s: float) -> None:
        self.acts += 1
        limit_s = state.house.presence_s + grace_s
        if self._seen_ns is None:
            self.findings.append(f"row {seq}: {act}, and no supervisor was seen")
        elif given.at_ns - self._seen_ns > limit_s * NS_PER_S:
            ago_s = (given.at_ns - self._seen_ns) / NS_PER_S
            self.findings.append(f"row {seq}: {act} {ago_s:.1f} s after a supervisor was seen")


class Stops:
    """While a stop stands no permit of its scope is given, and a machine that obeys gives out one card at most."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.stops = 0
        self._standing: dict[str, set[str]] = {}
        self._cards = 0

    def turn(self, seq: int, given: Input, decided: tuple[Decision, ...], state: TableState) -> None:
        for what in decided:
            if isinstance(what, LockAdded) and not what.is_from_next_round:
                if not self._standing.setdefault(what.scope, set()):
                    self._cards = 0
                self._standing[what.scope].add(what.reason)
                self.stops += 1
            elif isinstance(what, LockRemoved):
                self._standing.get(what.scope, set()).discard(what.reason)
            elif isinstance(what, PermitGranted) and (reasons := self._standing.get(str(SCOPE_OF[what.what]))):
                self.findings.append(f"row {seq}: {what.what} was permitted while {sorted(reasons)} stood")
            elif isinstance(what, CardsLeft):
                self._card(seq, what, state)

    def _card(self, seq: int, what: CardsLeft, state: TableState) -> None:
        device = state.devices.known[what.device]
        if not self._standing.get("deal") or not device.is_up_to_date:
            return  # what a machine tells when it is back was dealt before
        self._cards += what.cards
        if self._cards > ON_ITS_WAY_CARDS and device.holding(Ability.DEAL) is Holding.ENFORCES:
            reasons = sorted(self._standing["deal"])
            self.findings.append(f"row {seq}: {self._cards} cards came out while {reasons} stood")


class Secrets:
    """No row holds a badge's number, a PIN, a key of the host, or a card's identity that was told and not sealed."""

    def __init__(self, *keys: bytes) -> None:
        self.findings: list[str] = []
        self.told = 0
        self._keys = tuple(form for key in keys for form in (key, key.hex().encode(), key.hex().upper().encode()))

    def turn(self, seq: int, given: Input, decided: tuple[Decision, ...], state: TableState) -> None:
        if isinstance(given.what, CARD_TOLD):
            self.told += 1
            if not given.what.card.startswith(PREFIX):
                self.findings.append(f"row {seq}: a card's identity is not sealed")

    def row(self, record: Record) -> None:
        """One row as it is stored."""
        for name, found in (("a badge's number", BADGE.search), ("a PIN", PIN.search)):
            if found(record.body):
                self.findings.append(f"row {record.seq}: {name} stands in {record.type}")
        if any(key in record.body for key in self._keys):
            self.findings.append(f"row {record.seq}: a key stands in {record.type}")
