"""From what a session says to the facts that are reported, for one device. Holds what spans several messages."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from drivers.events import CommandProgressed, DisplayTroubled, Fact, NoticesLost, NoticeUnknown, Reason
from drivers.tdl import facts, words
from drivers.tdl.faults import StandingFaults
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.tdl import Answered, Noticed, Progressed, Ready
from firmware_bridge.session.tdl.levels import read_standing
from firmware_bridge.wire.tdl import keys
from firmware_bridge.wire.tdl.cbor import BadBody, Value
from firmware_bridge.wire.tdl.codes import Operation, Status

_log = structlog.get_logger("tdl")


class Hearing:
    """Facts of one device. Raises `SessionOver` (*nonsense*) where the device breaks the protocol."""

    def __init__(self, device: str, kinds: frozenset[int]) -> None:
        self.faults = StandingFaults()
        self._device = device
        self._kinds = kinds
        self._boot = 0
        self.has_meters = False
        self._state: Mapping[int, Value] = {}
        self._unknown_told: set[int] = set()
        self._showed: Fact | None = None  # what a display was last said to show

    def ready(self, ready: Ready, *, is_link_simulated: bool) -> Fact:
        """The handshake is through."""
        self._boot = ready.hello.boot
        self._showed = None
        self.has_meters = ready.meters is not None
        self.faults.begin(ready.standing)
        try:
            return facts.ready_fact(self._device, ready, is_link_simulated=is_link_simulated)
        except BadBody as bad:
            raise self._nonsense("levels", bad) from bad

    def noticed(self, noticed: Noticed) -> Fact:
        """A notice, known or kept raw; never refused, for then the device would send it for ever."""
        fact = facts.notice_fact(self._device, noticed, self._kinds)
        if isinstance(fact, NoticeUnknown):
            self._tell_unknown(fact)
        elif not isinstance(fact, NoticesLost):
            self.faults.take(noticed)
        return fact

    def progressed(self, progressed: Progressed) -> Fact:
        """A running command is alive."""
        return CommandProgressed(device=self._device, command=progressed.number, done=progressed.done, of=progressed.of)

    def answered(self, answered: Answered) -> Fact | None:
        """An order or question has its answer; None where that says nothing to the table."""
        operation = answered.request.operation
        try:
            if answered.request.is_moving or operation is Operation.OUTCOME:
                return facts.command_fact(self._device, answered)
            if operation is Operation.PERMIT:
                return facts.permit_fact(self._device, answered)
            if answered.reply.status is not Status.OK:
                self._tell_refused(answered)
                return self._not_shown(answered)
            if operation is Operation.STATE and keys.StateKey.VERSION_SHOWN in answered.reply.body:
                return self._shown(answered.reply.body)
            return self._level_read(operation, answered.reply.body)
        except BadBody as bad:
            raise self._nonsense(operation.name, bad) from bad

    def _shown(self, state: Mapping[int, Value]) -> Fact | None:
        """What a display shows, where it is news: the renewals of a goal say nothing new."""
        fact = facts.showed_fact(self._device, state)
        is_news, self._showed = fact != self._showed, fact
        return fact if is_news else None

    def _not_shown(self, answered: Answered) -> Fact | None:
        """A display refuses to show something. *Old*: a newer goal is shown already, and STATE tells which."""
        reply = answered.reply
        if answered.request.operation is not Operation.SHOW or reply.status is Status.OLD:
            return None
        self._showed = None
        why = words.REASONS.get(reply.reason, Reason.UNKNOWN)
        return DisplayTroubled(device=self._device, why=f"SHOW is answered {reply.status.name.lower()}: {why}")

    def _level_read(self, operation: Operation, body: Mapping[int, Value]) -> Fact | None:
        if operation is Operation.FAULTS:
            self.faults.begin(read_standing(body))
        elif operation is Operation.STATE:
            self._state = body  # with METERS, asked next, it makes one fact
        is_whole = operation is (Operation.METERS if self.has_meters else Operation.STATE)
        if not is_whole:
            return None
        meters = body if self.has_meters else {}
        return facts.levels_fact(self._device, self._boot, self._state, meters)

    def _tell_refused(self, answered: Answered) -> None:
        reply = answered.reply
        name = answered.request.operation.name
        _log.warning("order_refused", device=self._device, order=name, status=reply.status.name, reason=reply.reason)

    def _tell_unknown(self, fact: NoticeUnknown) -> None:
        if fact.kind not in self._unknown_told:
            self._unknown_told.add(fact.kind)
            _log.warning("notice_unknown", device=self._device, kind=f"{fact.kind:02X}", body=fact.body)

    def _nonsense(self, what: str, bad: BadBody) -> SessionOver:
        return SessionOver(Ending.NONSENSE, f"{self._device}: {what} without sense: {bad}")
