"""The one task that writes after the handshake's first step: requests, repeats, pings, acknowledgements (TDL §3)."""

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
from firmware_bridge.session.tdl.said import Answered
from firmware_bridge.session.tdl.timing import BUSY_LIMIT_S, BUSY_PAUSE_S, PING_AFTER_S
from firmware_bridge.session.tdl.upward import Upward
from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, Operation, Status
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import NoticeAckKey, ReplyKey


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
        self._is_ack_due = False
        self._is_ack_proved = False
        self._busy_since_s: float | None = None
        self._quiet_until_s = 0.0
        self._ping_at_s = 0.0

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

    def notice_came(self) -> None:
        """Notices flow: the device has taken step 4, which needs no more repeating."""
        self._is_ack_proved = True

    def take_reply(self, frame: Frame) -> None:
        """A reply came: to the request that is outstanding, or to nothing any more."""
        out = self._outstanding
        if out is None or not out.is_answered_by(frame):
            self._counts.late_replies += 1
            return
        try:
            status = Status(read.uint(frame.body, ReplyKey.STATUS))
            reason = read.opt_uint(frame.body, ReplyKey.REASON) or 0
        except ValueError as bad:
            name = out.request.operation.name
            raise self._cable.over(Ending.NONSENSE, f"reply to {name} without sense: {bad}") from bad
        self._outstanding = None
        if status is Status.BUSY:
            self._ask_again(out.request)
        else:
            self._busy_since_s = None
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
        if len(self._outbox):
            return self._quiet_until_s
        return max(self._ping_at_s, _now_s() + BUSY_PAUSE_S)  # later than now while pings are held back

    async def _send_next(self) -> None:
        now_s = _now_s()
        if now_s < self._quiet_until_s:
            return
        request = self._outbox.take(now_s)
        if request is None and now_s >= self._ping_at_s and not self._upward.is_paused:
            request = await self._ping()
        if request is not None:
            self._outstanding = Outstanding(request, self._sequence.next(), deadline_s=now_s)
            await self._write_copy(self._outstanding)

    async def _ping(self) -> Request:
        await self._repeat_step_4()
        return Request(Operation.PING)

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
        request = out.request
        body = request.body_at(_now_s())
        limit_s = await self._cable.write(MessageType.REQUEST, request.operation, out.seq, body)
        out.deadline_s = _now_s() + limit_s
        self._ping_at_s = _now_s() + PING_AFTER_S

    async def _write_acknowledgement(self) -> None:
        self._is_ack_due = False
        assert self._notices.boot is not None  # an acknowledgement is due only once notices flow
        body: dict[int, Value] = {NoticeAckKey.BOOT: self._notices.boot, NoticeAckKey.NUMBER: self._notices.durable}
        await self._cable.write(MessageType.NOTICE_ACK, 0, 0, body)

    async def _repeat_step_4(self) -> None:
        """Step 4 has no reply; if it was lost, the device would stay mute for ever."""
        if self._notices.is_flowing and not self._is_ack_proved:
            await self._write_acknowledgement()

    def _answered(self, request: Request, reply: Reply) -> None:
        if request.reply is not None:
            if not request.reply.done():
                request.reply.set_result(reply)
        elif request.operation is not Operation.PING:
            self._upward.put(Answered(request, reply))

    def _ask_again(self, request: Request) -> None:
        """*Busy*: the same question in a moment, under a new number; of what moves only the outcome."""
        now_s = _now_s()
        self._busy_since_s = now_s if self._busy_since_s is None else self._busy_since_s
        if now_s - self._busy_since_s > BUSY_LIMIT_S:
            raise self._cable.over(Ending.BUSY, f"busy for {BUSY_LIMIT_S:g} s; look at the device")
        self._quiet_until_s = now_s + BUSY_PAUSE_S
        self._is_ack_due = self._notices.is_flowing and not self._is_ack_proved
        self._outbox.put_back(request.outcome_question() if request.has_outcome else request)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
