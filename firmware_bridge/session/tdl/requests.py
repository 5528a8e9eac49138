"""Requests that wait for their turn, and the order in which they go out.

One request is outstanding at a time (TDL 5), so what waits is a choice: what makes things safer goes first,
and of two goals about the same thing only the present one is sent (BR-051).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import Operation, Status, is_moving
from firmware_bridge.wire.tdl.keys import MovingKey, OutcomeKey, PermitKey

# A moving command that has waited so long behind others is not news any more: it is fenced instead of sent.
COMMAND_WAIT_S = 5.0

_MS_PER_S = 1_000
_GOALS = frozenset({Operation.LAMP, Operation.SHOW, Operation.CLEAR_FAULT})


class Urgency(IntEnum):
    """Lower goes first."""

    STOP = 0  # revoke, lamp: they wait for nothing but the one request that is outstanding
    ORDER = 1  # permits, commands, questions about commands: in the order given
    READ = 2


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the status, the reason (0: none) and the whole body."""

    status: Status
    reason: int
    body: Mapping[int, Value]


@dataclass(slots=True, eq=False)
class Request:
    """One request, on its way from an order to an answer.

    `goal`: a waiting request with the same goal is replaced by a newer one. `cancels`: the goal that this one
    undoes, so that a permit ordered before a revoke is never sent after it. `ends_at_s`: loop time at which what
    a permit grants shall end, however long the request waits (its copies say the same as the first, and may be
    0.7 s late). `is_watch`: asked because a running command has been quiet.
    """

    operation: Operation
    body: Mapping[int, Value] = field(default_factory=dict)
    urgency: Urgency = Urgency.ORDER
    goal: Hashable = None
    cancels: Hashable = None
    ends_at_s: float | None = None
    is_watch: bool = False
    put_at_s: float = 0.0
    reply: asyncio.Future[Reply] | None = None

    @property
    def is_moving(self) -> bool:
        """True for what moves something: its bytes go out once."""
        return is_moving(self.operation)

    @property
    def needs_open(self) -> bool:
        """True for what a device takes only in an open session: goals, but not a revoke, and what moves."""
        if self.operation is Operation.PERMIT:
            return self.body.get(PermitKey.MS) != 0
        return self.is_moving or self.operation in _GOALS

    @property
    def has_outcome(self) -> bool:
        """True where the device keeps an outcome under the command's number; ADOPT is seen in the next handshake."""
        return self.is_moving and self.operation is not Operation.ADOPT

    @property
    def is_abandoned(self) -> bool:
        """True when its only caller has gone and nothing must move for it."""
        return self.reply is not None and self.reply.cancelled() and not self.is_moving

    def body_at(self, now_s: float) -> Mapping[int, Value]:
        """The body to send now: a permit grants only what is left of it."""
        if self.ends_at_s is None:
            return self.body
        return {**self.body, PermitKey.MS: max(0, int((self.ends_at_s - now_s) * _MS_PER_S))}

    def outcome_question(self) -> Request:
        """OUTCOME for this moving command: asked when its own reply did not come."""
        names: dict[int, Value] = {
            OutcomeKey.EPOCH: self.body[MovingKey.EPOCH],
            OutcomeKey.NUMBER: self.body[MovingKey.NUMBER],
        }
        return Request(Operation.OUTCOME, names, reply=self.reply)


class Outbox:
    """What waits to be sent in one session. `wake` is called when there is something new."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.expired = 0  # permits that ran out while they waited
        self._wake = wake
        self._waiting: list[Request] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, request: Request, now_s: float) -> None:
        """Let it wait for its turn; a waiting request with the same goal gives its place to it."""
        request.put_at_s = now_s
        if request.cancels is not None:
            self._waiting = [other for other in self._waiting if other.goal != request.cancels]
        places = [at for at, other in enumerate(self._waiting) if _has_goal(other, request.goal)]
        if places:
            self._waiting[places[0]] = request
        else:
            self._waiting.append(request)
        self._wake()

    def put_back(self, request: Request) -> None:
        """It was out and must go out again; unless something newer undoes or replaces it."""
        if not self.overtakes(request):
            self._waiting.insert(0, request)
            self._wake()

    def overtakes(self, request: Request) -> bool:
        """True when something waits that undoes or replaces a request that is out."""
        goal = request.goal
        return any(_has_goal(other, goal) or (goal is not None and other.cancels == goal) for other in self._waiting)

    def take(self, now_s: float, *, is_open: bool = True) -> Request | None:
        """The next to send, most urgent first; goals wait until the session is open (tdl.md 4.1).

        What has waited too long moves nothing any more: its outcome is asked instead, and that fences it.
        """
        self.expired += sum(_has_ended(other, now_s) for other in self._waiting)
        self._waiting = [other for other in self._waiting if not other.is_abandoned and not _has_ended(other, now_s)]
        old = [other for other in self._waiting if other.has_outcome and now_s - other.put_at_s > COMMAND_WAIT_S]
        ready = [other for other in self._waiting if is_open or not other.needs_open]
        request = min(old + ready, key=lambda other: other.urgency, default=None)  # the first of the most urgent
        if request is None:
            return None
        self._waiting.remove(request)
        return request.outcome_question() if request in old else request

    def close(self, reason: Exception) -> None:
        """The session is over: what waits is dropped, and whoever holds a future is told."""
        dropped, self._waiting = self._waiting, []
        for request in dropped:
            if request.reply is not None and not request.reply.done():
                request.reply.set_exception(reason)


def _has_goal(waiting: Request, goal: Hashable) -> bool:
    return goal is not None and waiting.goal == goal


def _has_ended(request: Request, now_s: float) -> bool:
    """A permit that ran out while it waited grants nothing: it is not sent."""
    return request.ends_at_s is not None and now_s >= request.ends_at_s
