"""The one task that writes after the handshake's first step: requests, repeats, pings, acknowledgements (TDL 5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending
from firmware_bridge.session.tdl.cable import Cable
from firmware_bridge.session.tdl.exchange import Next, Outstanding, Sequence
from firmware_bridge.session.tdl.notices import NoticeOrder
from firmware_bridge.session.tdl.requests import Outbox, Reply, Request
from firmware_bridge.session.tdl.said import Answered, Noticed, Progressed
from firmware_bridge.session.tdl.timing import ASK_AGAIN_LIMIT_S, ASK_AGAIN_S, PING_AFTER_S
from firmware_bridge.session.tdl.upward import Upward
from firmware_bridge.session.tdl.watch import CommandWatch
from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, Reason, Status
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import CommandEndedKey, NoticeAckKey, OutcomeKey, ReplyKey


class Requester:
    """Owns what is outstanding. `sleep_until` waits for that loop time or for something to happen."""

    def __init__(
        self,
        cable: Cable,
        outbox: Outbox,
        notices: NoticeOrder,
        upward: Upward,
        counts: LinkCounts,
        sequence: Sequence,
    ) -> None:
        self._cable = cable
        self._outbox = outbox
        self._notices = notices
        self._upward = upward
        self._counts = counts
        self._sequence = sequence
        self._outstanding: Outstanding | None = None
        self._last = Operation.IDENTITY  # what was asked last
        self._is_ack_due = False
        self.is_open_proved = False  # a notice, or *ok* to a goal, has shown that the device took step 4
        self._ask_again_since_s: float | None = None
        self._watch = CommandWatch()
        self._quiet_until_s = 0.0
        self._ping_at_s = 0.0

    @property
    def has_orders(self) -> bool:
        """Something waits to be sent or to be answered."""
        return self._outstanding is not None or len(self._outbox) > 0

    async def run(self, sleep_until: Callable[[float], Awaitable[None]]) -> NoReturn:
        """Work until cancelled; raises `SessionOver`."""
        self._ping_at_s = _now_s() + PING_AFTER_S
        while True:
            if self._is_ack_due:
                await self._write_acknowledgement()
            if self._outstanding is not None:
                await self._mind(self._outstanding)
            if self._outstanding is None:
                await self._send_next()
            await sleep_until(self._due_s())

    def acknowledge_soon(self) -> None:
        """What the journal holds has changed, or the device has asked."""
        self._is_ack_due = True

    def noticed(self, noticed: Noticed) -> None:
        """A new notice has come."""
        number = noticed.body.get(CommandEndedKey.NUMBER)
        if noticed.kind == NoticeKind.COMMAND_ENDED and isinstance(number, int):
            self._watch.ended(number)

    def progressed(self, progressed: Progressed) -> None:
        """A running command is alive."""
        self._watch.heard(progressed.number, _now_s())

    def take_reply(self, frame: Frame) -> None:
        """A reply came: to the request that is outstanding, or to nothing any more."""
        out = self._outstanding
        if out is None or not out.is_answered_by(frame):
            self._counts.late_replies += 1
            return
        try:
            status = Status(read.uint(frame.body, ReplyKey.STATUS))
            reason = read.opt_uint(frame.body, ReplyKey.REASON) or 0
        except ValueError:  # as if it had not come: asked again, and in the end given up
            self._counts.malformed += 1
            return
        self._outstanding = None
        if self._is_asked_again(out.request, status, reason):
            self._ask_again(out.request)
        else:
            self._ask_again_since_s = None
            self._answered(out.request, Reply(status, reason, frame.body))

    def close(self, reason: Exception) -> None:
        """The session is over: whoever waits is told, what waits unsent is dropped."""
        if self._outstanding is not None:
            self._outbox.put_back(self._outstanding.request)
        self._outbox.close(reason)

    def _due_s(self) -> float:
        """When there is something to do even if nothing happens."""
        if self._outstanding is not None:
            return self._outstanding.deadline_s
        if self._quiet_until_s > _now_s():
            return self._quiet_until_s
        due_s = min(self._ping_at_s, self._watch.ask_at_s or self._ping_at_s)
        return max(due_s, _now_s() + ASK_AGAIN_S) if self._upward.is_paused else due_s

    def resting_until(self) -> float | None:
        """When there is something to do again, where a PING was answered and that was all; else None.

        At rest the task that writes is not woken for it. Whoever waits for another answer mostly asks on.
        """
        if self._last is not Operation.PING or self._is_ack_due or self.has_orders:
            return None
        due_s = self._due_s()
        return due_s if due_s > _now_s() else None

    async def _send_next(self) -> None:
        now_s = _now_s()
        if now_s < self._quiet_until_s:
            return
        request = self._outbox.take(now_s, is_open=self._notices.is_flowing)
        if request is None and not self._upward.is_paused:
            request = self._watch.question(now_s) or (Request(Operation.PING) if now_s >= self._ping_at_s else None)
        if request is None:
            return
        if request.operation is Operation.PING or request.is_moving:
            await self._repeat_opening()
        out = Outstanding(request, self._sequence.next(), request.body_at(_now_s()), deadline_s=now_s)
        self._outstanding, self._last = out, request.operation
        await self._write_copy(out)

    async def _mind(self, out: Outstanding) -> None:
        """Look after the outstanding request once its deadline has passed."""
        now_s = _now_s()
        if now_s < out.deadline_s:
            return
        if self._upward.is_paused:  # the answer may lie in the cable: it is we who do not listen
            out.deadline_s = now_s + PING_AFTER_S
            return
        following = out.after_silence()
        if following is Next.ASK_OUTCOME:
            self._counts.silences += 1
            self._outstanding = None
            self._outbox.put_back(out.request.outcome_question())
        elif self._outbox.overtakes(out.request):
            self._outstanding = None  # a copy would only delay what undoes it; a late one is dropped by its seq
        elif following is Next.OVER:
            name = out.request.operation.name
            raise self._cable.over(Ending.UNANSWERED, f"{name} not answered, copies sent: {out.copies}")
        else:
            self._counts.repeats += 1
            out.copies += 1
            await self._write_copy(out)

    async def _write_copy(self, out: Outstanding) -> None:
        limit_s = await self._cable.write(MessageType.REQUEST, out.request.operation, out.seq, out.body)
        now_s = _now_s()
        out.deadline_s = now_s + limit_s
        self._ping_at_s = now_s + PING_AFTER_S

    async def _write_acknowledgement(self) -> None:
        self._is_ack_due = False
        assert self._notices.boot is not None  # an acknowledgement is due only once notices flow
        body: dict[int, Value] = {NoticeAckKey.BOOT: self._notices.boot, NoticeAckKey.NUMBER: self._notices.durable}
        await self._cable.write(MessageType.NOTICE_ACK, 0, 0, body)

    async def _repeat_opening(self) -> None:
        """NOTICE_ACK has no answer; had the first been lost, the device would stay mute for ever (tdl.md 4.2)."""
        if self._notices.is_flowing and not self.is_open_proved:
            await self._write_acknowledgement()

    def _answered(self, request: Request, reply: Reply) -> None:
        self._watch.answered(request, reply, _now_s())
        self.is_open_proved = self.is_open_proved or (reply.status is Status.OK and request.needs_open)
        if request.reply is not None:
            if not request.reply.done():
                request.reply.set_result(reply)
        elif request.is_watch and reply.status is Status.STARTED:
            self._upward.put(Progressed(read.uint(request.body, OutcomeKey.NUMBER), None, None))
        elif request.operation is not Operation.PING:
            self._upward.put(Answered(request, reply))

    def _is_asked_again(self, request: Request, status: Status, reason: int) -> bool:
        """*Busy*; or *not open* although we have opened: then the opening NOTICE_ACK was lost (tdl.md 4.2)."""
        if status is Status.BUSY:
            return True
        is_not_open = status is Status.REFUSED and reason == Reason.NOT_OPEN
        return is_not_open and self._notices.is_flowing and not request.has_outcome

    def _ask_again(self, request: Request) -> None:
        """The same question in a moment, under a new number; of what moves only the outcome."""
        now_s = _now_s()
        if self._ask_again_since_s is None:
            self._ask_again_since_s = now_s
        if now_s - self._ask_again_since_s > ASK_AGAIN_LIMIT_S:
            name = request.operation.name
            raise self._cable.over(Ending.BUSY, f"busy for {ASK_AGAIN_LIMIT_S:g} s at {name}; look at the device")
        self._quiet_until_s = now_s + ASK_AGAIN_S
        self._is_ack_due = self._notices.is_flowing and not self.is_open_proved
        self._outbox.put_back(request.outcome_question() if request.has_outcome else request)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
