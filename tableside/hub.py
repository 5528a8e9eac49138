"""The hub of one table: ONE bounded queue, ONE task, a turn takes a batch (semantics §1.1).

A turn: take what waits; reduce (pure); stopping acts go out; ONE transaction; only then acknowledgements, answers,
orders, publication. Permits are renewed from the same task: a hub that hangs stops the table.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import structlog

from drivers.device import Device
from drivers.events import Fact, LampColour, LampPattern, Notice
from firmware_bridge.clock import NS_PER_S, Clock
from tableside.alarm import Alarm
from tableside.answering import answer_of, refused_blind
from tableside.decisions import (
    CardsToOpen,
    Decision,
    LampSet,
    Order,
    PermitGranted,
    RequestAnswered,
    StateKept,
    Stopping,
)
from tableside.inputs import (
    AnyInput,
    ClockStepped,
    CommitSlow,
    DeadlinePassed,
    Input,
    JournalOnReserve,
    JournalReached,
    JournalRestored,
)
from tableside.journal.record import CommitResult, Draft
from tableside.journal.store import Journal, JournalUnavailable
from tableside.orders import acknowledge, carry_out
from tableside.procedures.conditions import is_on_reserve
from tableside.renewals import Renewals
from tableside.requests import AnyRequest, Request
from tableside.rim import Rim
from tableside.rows import decision_of, draft_checkpoint, drafts_of_turn
from tableside.state import TableState, reduce

_log = structlog.get_logger("hub")

BATCH_MAX = 256  # semantics §1.1: a turn stays short, so a stop never waits behind a long batch
QUEUE_MAX = 1_024  # four batches; beyond it sessions stop reading and devices keep their notices
CHECKPOINT_ROWS = 10_000  # semantics §1.4
SLOW_COMMIT_S = 0.25  # semantics §1.1: a fact of its own
RETRY_S = 1.0  # semantics §1.1: again each second
CLOCK_STEP_S = 1.0  # smaller corrections are slewing, not steps


# A struct and not a dataclass, as for rows: a table's day publishes a hundred thousand.
class Entry(msgspec.Struct, frozen=True, gc=False):
    """A durable row as it is published: its number, the input's instant, the input or decision."""

    seq: int
    given: Input
    what: AnyInput | Decision


@dataclass(slots=True)
class _Waiting:
    """An input in the queue, and who waits for its answer."""

    what: AnyInput
    answer: asyncio.Future[RequestAnswered] | None = None


@dataclass(slots=True)
class _Taken:
    """One reduced input of a batch."""

    waiting: _Waiting
    given: Input
    decisions: tuple[Decision, ...]


Listener = Callable[[Sequence[Entry]], None]


class Hub:
    """One table. `devices` are the drivers by name; `listeners` get every durable row, in order, once.

    `rim` keeps back what the journal must not hold.
    """

    def __init__(
        self,
        journal: Journal,
        state: TableState,
        clock: Clock,
        devices: Mapping[str, Device],
        listeners: Sequence[Listener] = (),
        *,
        rim: Rim,
        version: str = "0",
    ) -> None:
        self.state = state
        self._journal = journal
        self._clock = clock
        self._devices = devices
        self._listeners = listeners
        self.rim = rim
        self._version = version
        self._inbox: deque[_Waiting] = deque()
        self._wake = asyncio.Event()
        self._alarm = Alarm(clock, self._wake.set)
        self._room = asyncio.Event()
        self._room.set()
        self._renewals = Renewals()
        self._blind_since_ns: int | None = None
        self._blind_why = ""
        # As the table was told: what has changed while no daemon ran, opening the journal included, it hears now.
        self._is_on_reserve = is_on_reserve(state)
        self._carry_over_ns = 0
        self._working_since_ns: int | None = None
        self._rows_since_checkpoint = 0
        self._wall_offset_ns: int | None = None

    @property
    def working_s(self) -> float:
        """How long the hub has been at its present turn, each try of a commit counted anew; 0 while it waits."""
        since_ns = self._working_since_ns
        return 0.0 if since_ns is None else (self._clock.monotonic_ns() - since_ns) / NS_PER_S

    @property
    def blind(self) -> tuple[int, str] | None:
        """Since when (monotonic ns) nothing can be recorded, so that everything is locked, and why; None as a rule."""
        return None if self._blind_since_ns is None else (self._blind_since_ns, self._blind_why)

    # --- the two ways in ------------------------------------------------------------------------------------

    async def report(self, what: AnyInput | Fact) -> None:
        """A fact, without what the rim keeps back. Waits while the queue is full: back-pressure reaches the device."""
        kept = self.rim.kept(what)
        if kept is not None:
            await self._room.wait()
            self._put(_Waiting(kept))

    async def ask(self, request: AnyRequest) -> RequestAnswered:
        """A request: its one answer, once it is durable."""
        if self._blind_since_ns is not None:
            return refused_blind(request)
        try:
            known = self._answer_given(request.id)
        except JournalUnavailable:
            return refused_blind(request)
        if known is not None:
            return known
        await self._room.wait()
        answer: asyncio.Future[RequestAnswered] = asyncio.get_running_loop().create_future()
        self._put(_Waiting(request, answer))
        return await answer

    def _put(self, waiting: _Waiting) -> None:
        self._inbox.append(waiting)
        if len(self._inbox) >= QUEUE_MAX:
            self._room.clear()
        self._wake.set()

    # --- the one task ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Run the table until cancelled. On the way out every permit is revoked: stopping needs no journal."""
        try:
            while True:
                await self._wait_for_work()
                self._renew()
                await self._carry_over()
                self._watch_wall()
                self._collect_deadlines()
                if self._inbox:
                    await self._turn()
        finally:
            self._alarm.set(None)
            self._stop_everything()

    async def _wait_for_work(self) -> None:
        if not self._inbox:
            self._wake.clear()
            self._alarm.set(self._next_due_ns())
            await self._wake.wait()

    def _next_due_ns(self) -> int | None:
        dues = self._renewals.next_ns()
        if self._is_on_reserve:
            dues.append(self._carry_over_ns)
        dues.extend(self.state.timers.due.values())
        return min(dues, default=None)

    def _collect_deadlines(self) -> None:
        now = self._clock.monotonic_ns()
        due = [(at, name) for name, at in self.state.timers.due.items() if at <= now]
        for _, name in sorted(due):
            self._inbox.append(_Waiting(DeadlinePassed(name=name)))

    def _watch_wall(self) -> None:
        now = self._clock.now()
        offset = now.wall_ns - now.at_ns
        before, self._wall_offset_ns = self._wall_offset_ns, offset
        if before is not None and abs(offset - before) > CLOCK_STEP_S * NS_PER_S:
            self._inbox.append(_Waiting(ClockStepped(seconds=round((offset - before) / NS_PER_S, 3))))

    async def _turn(self) -> None:
        batch = [self._inbox.popleft() for _ in range(min(BATCH_MAX, len(self._inbox)))]
        while batch:
            self._working_since_ns = self._clock.monotonic_ns()
            try:
                state, taken = self._reduce(batch)
                if self._blind_since_ns is None:
                    self._stop_first(taken)  # without journal everything has stopped already
                result = await self._journal.commit(self._drafts(state, taken)) if taken else None
            except JournalUnavailable as refusal:
                batch = await self._go_blind(batch, refusal)
                continue
            self.state = state
            if result is not None:
                self._after_commit(taken, result)
            break
        self._working_since_ns = None
        if len(self._inbox) < QUEUE_MAX:
            self._room.set()

    def _stop_first(self, taken: Sequence[_Taken]) -> None:
        """Stopping acts wait for no disk; given again after a failed commit they change nothing."""
        for one in taken:
            for decision in one.decisions:
                if isinstance(decision, Stopping):
                    self._carry_out(decision)

    def _reduce(self, batch: Sequence[_Waiting]) -> tuple[TableState, list[_Taken]]:
        state, taken = self.state, []
        answered: dict[str, RequestAnswered] = {}
        for waiting in batch:
            what = waiting.what
            if isinstance(what, Request) and self._is_answered(waiting, what, answered):
                continue
            now = self._clock.now()
            given = Input(now.at_ns, now.wall_ns, now.quality, what)
            state, decisions = reduce(state, given)
            taken.append(_Taken(waiting, given, decisions))
            if isinstance(what, Request):
                answered[what.id] = answer_of(what, decisions)
        return state, taken

    def _is_answered(self, waiting: _Waiting, request: Request, answered: Mapping[str, RequestAnswered]) -> bool:
        """The same id gets the same answer for ever; a copy in this batch waits for the first one's commit."""
        known = self._answer_given(request.id)
        if known is not None:
            _resolve(waiting, known)
            return True
        if request.id in answered:
            asyncio.get_running_loop().call_soon(self._put, waiting)
            return True
        return False

    def _answer_given(self, request: str) -> RequestAnswered | None:
        row = self._journal.find_request(request)
        if row is None:
            return None
        for record in self._journal.decisions_of(row):
            if record.type == RequestAnswered.__name__:
                decision = decision_of(record)
                if isinstance(decision, RequestAnswered) and decision.request == request:
                    return decision
        return None

    def _drafts(self, state: TableState, taken: Sequence[_Taken]) -> list[Draft]:
        drafts = [draft for one in taken for draft in drafts_of_turn(one.given, one.decisions)]
        is_asked = any(isinstance(decision, StateKept) for one in taken for decision in one.decisions)
        if is_asked or self._rows_since_checkpoint + len(drafts) >= CHECKPOINT_ROWS:
            drafts.append(draft_checkpoint(taken[-1].given, state, self._version))
        return drafts

    # --- after the commit -----------------------------------------------------------------------------------

    def _after_commit(self, taken: Sequence[_Taken], result: CommitResult) -> None:
        last = {one.given.what.device: one.given.what for one in taken if isinstance(one.given.what, Notice)}
        for notice in last.values():
            acknowledge(self._devices, notice)  # cumulative (TDL 8.3)
        entries: list[Entry] = []
        seq = result.first_seq
        for one in taken:
            for what in (one.given.what, *one.decisions):
                entries.append(Entry(seq, one.given, what))
                seq += 1
            for decision in one.decisions:
                is_late = self._blind_since_ns is not None and isinstance(decision, Stopping)
                if is_late or isinstance(decision, Order | CardsToOpen):
                    self._hand_out(decision)
            if isinstance(one.given.what, Request):
                _resolve(one.waiting, answer_of(one.given.what, one.decisions))
        if self._blind_since_ns is not None:
            _log.info("journal_written_again", locked_s=self._blind_s())
            self._blind_since_ns = None
        is_kept = result.last_seq - result.first_seq + 1 > len(entries)
        self._rows_since_checkpoint = 0 if is_kept else self._rows_since_checkpoint + len(entries)
        for listener in self._listeners:
            listener(entries)
        self._watch_commit(result)

    def _watch_commit(self, result: CommitResult) -> None:
        if result.seconds > SLOW_COMMIT_S:
            self._put(_Waiting(CommitSlow(seconds=round(result.seconds, 3))))
        is_reserve = result.where == "reserve"
        if is_reserve and not self._is_on_reserve:
            self._put(_Waiting(JournalOnReserve(why="; ".join(self._journal.condition().troubles))))
        elif self._is_on_reserve and not is_reserve:
            self._put(_Waiting(JournalRestored(rows=0)))  # a commit that reached the journal carried them over
        self._is_on_reserve = is_reserve

    async def _carry_over(self) -> None:
        """While rows stand on the reserve, try each second to bring them into the journal."""
        if not self._is_on_reserve:
            return
        now = self._clock.monotonic_ns()
        if self._carry_over_ns > now:
            return
        self._carry_over_ns = now + round(RETRY_S * NS_PER_S)
        rows = self._journal.condition().reserve_rows
        if await self._journal.carry_over():
            self._is_on_reserve = False
            self._inbox.append(_Waiting(JournalRestored(rows=rows)))

    async def _go_blind(self, batch: Sequence[_Waiting], refusal: JournalUnavailable) -> list[_Waiting]:
        """Neither journal nor reserve: everything stops, requests are refused and gone, facts stay and wait.

        What is tried next begins with the fact that nothing could be recorded until then.
        """
        now = self._clock.monotonic_ns()
        if self._blind_since_ns is None:
            _log.error("journal_unavailable", why=str(refusal))
            self._blind_since_ns, self._blind_why = now, str(refusal)
            self._stop_everything()
        for device in self.state.lamps:  # the product itself fails: no lamp may look as if all were well
            carry_out(self._devices, LampSet(device=device, colour=LampColour.RED, pattern=LampPattern.BLINKING), now)
        for waiting in batch:
            if isinstance(waiting.what, Request):
                _resolve(waiting, refused_blind(waiting.what))
        await asyncio.sleep(RETRY_S)
        seconds = self._blind_s()
        facts = [one for one in batch if not isinstance(one.what, Request | JournalReached)]
        return [_Waiting(JournalReached(seconds=seconds, why=str(refusal))), *facts]

    def _blind_s(self) -> float:
        return round((self._clock.monotonic_ns() - (self._blind_since_ns or 0)) / NS_PER_S, 3)

    # --- devices --------------------------------------------------------------------------------------------

    def _hand_out(self, decision: Decision) -> None:
        """A permit that a later input of the same turn has taken back is not given: its revoke went out long ago."""
        if isinstance(decision, CardsToOpen):
            self._put(_Waiting(self.rim.opened(decision)))
        elif not isinstance(decision, PermitGranted) or self._stands(decision):
            self._carry_out(decision)

    def _stands(self, grant: PermitGranted) -> bool:
        return f"{grant.device}:{grant.what}" in self.state.permits.granted

    def _carry_out(self, decision: Decision) -> None:
        now = self._clock.monotonic_ns()
        self._renewals.note(decision, now)
        carry_out(self._devices, decision, now)

    def _renew(self) -> None:
        grants, lamps = self.state.permits.granted, self.state.house.lamps
        for due in self._renewals.take_due(grants, lamps, self._clock.monotonic_ns()):
            self._carry_out(due)

    def _stop_everything(self) -> None:
        for revoked in self._renewals.take_all():
            carry_out(self._devices, revoked, self._clock.monotonic_ns())


def _resolve(waiting: _Waiting, answer: RequestAnswered) -> None:
    if waiting.answer is not None and not waiting.answer.done():
        waiting.answer.set_result(answer)
