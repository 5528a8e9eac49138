"""The moving command that runs, as far as the host knows. Pure: time is given.

A device tells PROGRESS at least each second; a host that hears none for 5 s asks OUTCOME (tdl.md 7.4). Such a
question is no repetition of the command: it moves nothing.
"""

from __future__ import annotations

import dataclasses

from firmware_bridge.session.tdl.requests import Reply, Request
from firmware_bridge.wire.tdl.codes import Operation, Status
from firmware_bridge.wire.tdl.keys import MovingKey

QUIET_S = 5.0


class CommandWatch:
    """At most one command runs at a time, so at most one is watched."""

    def __init__(self) -> None:
        self._running: Request | None = None
        self._ask_at_s = 0.0

    @property
    def ask_at_s(self) -> float | None:
        """Loop time at which to ask, or None while nothing runs."""
        return None if self._running is None else self._ask_at_s

    def answered(self, request: Request, reply: Reply, now_s: float) -> None:
        """A command, or a question about one, has its answer."""
        if not request.has_outcome and request.operation is not Operation.OUTCOME:
            return
        if reply.status is Status.STARTED:
            self._running, self._ask_at_s = request, now_s + QUIET_S
        elif self._running is not None and _number(request) == _number(self._running):
            self._running = None

    def heard(self, number: int, now_s: float) -> None:
        """PROGRESS came."""
        if self._running is not None and number == _number(self._running):
            self._ask_at_s = now_s + QUIET_S

    def ended(self, number: int) -> None:
        """*command ended* came."""
        if self._running is not None and number == _number(self._running):
            self._running = None

    def question(self, now_s: float) -> Request | None:
        """OUTCOME of a command that has been quiet for too long, or None."""
        if self._running is None or now_s < self._ask_at_s:
            return None
        self._ask_at_s = now_s + QUIET_S
        return dataclasses.replace(self._running.outcome_question(), is_watch=True, reply=None)


def _number(request: Request) -> object:
    return request.body[MovingKey.NUMBER]  # the same key in OUTCOME
