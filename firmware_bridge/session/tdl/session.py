"""The host side of one TDL connection, used once (TDL 4 to 9).

One task owns the request that is outstanding and writes; everybody else puts requests into the outbox and, at
most, holds a future. So a caller that is cancelled, late or gone leaves nothing behind that the next one could
trip over (BR-017). Everything that the device says goes up through one queue, in the order of the wire.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NoReturn

from firmware_bridge.links.base import Link
from firmware_bridge.session.counts import LinkCounts
from firmware_bridge.session.endings import Ending, SessionOver
from firmware_bridge.session.supervised import run_together
from firmware_bridge.session.tdl.cable import Cable
from firmware_bridge.session.tdl.exchange import Sequence
from firmware_bridge.session.tdl.hello import (
    Expected,
    HelloReply,
    check_hello_reply,
    diagnose,
    hello_body,
    read_hello_reply,
)
from firmware_bridge.session.tdl.levels import read_levels
from firmware_bridge.session.tdl.notices import Arrival, NoticeOrder
from firmware_bridge.session.tdl.requester import Requester
from firmware_bridge.session.tdl.requests import Outbox, Reply, Request
from firmware_bridge.session.tdl.said import Noticed, Progressed
from firmware_bridge.session.tdl.timing import HELLO_LIMIT_S, HELLO_REPEAT_S
from firmware_bridge.session.tdl.upward import ReportSaid, Upward
from firmware_bridge.session.tdl.waking import Waking
from firmware_bridge.wire.tdl import read
from firmware_bridge.wire.tdl.cbor import BadBody
from firmware_bridge.wire.tdl.codes import MessageType
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.keys import HelloReplyKey, NoticeKey, ProgressKey


@dataclass(frozen=True, slots=True)
class Opening:
    """What is chosen anew for each connection, and who is expected at the other end.

    `session` is 1 to 65,535 and differs from the last one (a counter in the journal); `nonce` is 8 random bytes;
    `epoch` is the journal's.
    """

    session: int
    nonce: bytes
    epoch: int
    expected: Expected


class TdlSession:
    """One connection to one device. `run` it once; it ends by raising `SessionOver`.

    `report` gets, in the order of the wire, `Ready` once, then `Noticed`, `Answered` and `Progressed`; it may
    wait, and then reading pauses. `counts` outlives the session.
    """

    def __init__(self, link: Link, opening: Opening, report: ReportSaid, counts: LinkCounts) -> None:
        self._opening = opening
        self._counts = counts
        self._wake = Waking()
        self._over: Exception | None = None
        self._hello: HelloReply | None = None
        self._sequence = Sequence()
        self._notices = NoticeOrder()
        self._cable = Cable(link, opening.session, counts, take=self._take, end=self._end)
        self._upward = Upward(report, pause=self._cable.pause, resume=self._cable.resume)
        self._outbox = Outbox(self._wake.set)
        self._requester = Requester(self._cable, self._outbox, self._notices, self._upward, counts, self._sequence)

    @property
    def has_orders(self) -> bool:
        """Requests wait to be sent or to be answered."""
        return self._requester.has_orders

    @property
    def silent_s(self) -> float:
        """For how long no whole frame has come; 0 where none ever came."""
        return 0.0 if self._cable.heard_at_s is None else _now_s() - self._cable.heard_at_s

    def put(self, request: Request) -> None:
        """Let a request wait for its turn; what became of it is reported as `Answered`."""
        self._outbox.put(request, _now_s())

    async def ask(self, request: Request) -> Reply:
        """Put a request and wait for its reply, however often the line loses it. Raises `SessionOver`."""
        request.reply = asyncio.get_running_loop().create_future()
        self.put(request)
        return await request.reply

    def resume_notices(self, boot: int, number: int) -> None:
        """Handshake step 4: the journal holds the notices of `boot` up to `number`. Another boot is ignored."""
        if self._notices.resume(boot, number):
            self._acknowledge_soon()

    def acknowledge(self, boot: int, number: int) -> None:
        """The journal holds the notices of `boot` up to `number`. Another boot is ignored: it came late."""
        if self._notices.acknowledge(boot, number):
            self._acknowledge_soon()

    async def run(self) -> NoReturn:
        """Work until the connection ends. Raises `SessionOver`; the link is closed then."""
        reason = self._cable.over(Ending.LINK_LOST, "closed by this side")
        try:
            self._cable.start()
            hello = await self._greet()
            await run_together(self._requester.run(self._sleep_until), self._upward.run(), self._set_up(hello))
        except SessionOver as over:
            reason = over
            raise
        finally:
            self._wake.close()
            self._requester.close(reason)
            await self._cable.close()

    # --- handshake ----------------------------------------------------------------------------------------

    async def _greet(self) -> HelloReply:
        """Step 1: HELLO until it is answered with this nonce; then look who it is."""
        seq = self._sequence.next()
        body = hello_body(self._opening.nonce, self._opening.epoch)
        limit_s = _now_s() + HELLO_LIMIT_S
        while self._hello is None:
            if _now_s() >= limit_s:
                raise diagnose(self._cable.heard, self._cable.address, HELLO_LIMIT_S)
            await self._cable.write(MessageType.HELLO, 0, seq, body)
            await self._sleep_until(_now_s() + HELLO_REPEAT_S)
        check_hello_reply(self._hello, self._opening.expected, self._cable.address)
        self._cable.trust()
        self._notices.begin(self._hello.boot, oldest=self._hello.oldest_notice, newest=self._hello.newest_notice)
        return self._hello

    async def _set_up(self, hello: HelloReply) -> None:
        """Step 3: read identity and levels, say that the device is ready; then there is nothing left to do."""
        self._upward.put(await read_levels(self.ask, hello, self._opening.expected, self._cable.address))
        await asyncio.Event().wait()

    # --- what comes in ------------------------------------------------------------------------------------

    def _take(self, frame: Frame) -> None:
        if self._hello is None:
            self._take_hello_reply(frame)
        elif frame.session != self._opening.session:
            self._counts.wrong_session += 1
        elif frame.type is MessageType.REPLY:
            self._requester.take_reply(frame)
            if (until_s := self._requester.resting_until()) is None:
                self._wake.set()
            else:
                self._wake.sleep_on(until_s)
        elif frame.type is MessageType.NOTICE:
            self._take_notice(frame)
        elif frame.type is MessageType.PROGRESS:
            self._take_progress(frame)
        elif frame.type is not MessageType.HELLO_REPLY:  # the second answer to a repeated HELLO is no surprise
            self._counts.echoes += 1

    def _take_hello_reply(self, frame: Frame) -> None:
        is_ours = frame.type is MessageType.HELLO_REPLY and frame.session == self._opening.session
        if not is_ours or frame.body.get(HelloReplyKey.NONCE) != self._opening.nonce:
            self._cable.heard.take(frame)  # yesterday's bytes or another host's answer: not believed (BR-006)
            return
        try:
            self._hello = read_hello_reply(frame.body)
            self._wake.set()
        except BadBody as bad:
            self._counts.malformed += 1
            self._cable.heard.take(frame)
            self._cable.heard.malformed = f"HELLO_REPLY without sense: {bad}"

    def _take_notice(self, frame: Frame) -> None:
        try:
            boot, number = read.uint(frame.body, NoticeKey.BOOT), read.uint(frame.body, NoticeKey.NUMBER)
            ms = read.uint(frame.body, NoticeKey.MS)
        except BadBody:
            self._counts.malformed += 1
            return
        if boot != self._notices.boot:
            text = f"boot {boot} after boot {self._notices.boot}: the device was reset"
            raise self._cable.over(Ending.REBOOTED, text)
        arrival = self._notices.take(number)
        if arrival is Arrival.EARLY:
            self._counts.unexpected += 1
            return
        self._requester.is_open_proved = True
        if arrival is Arrival.NEW:
            noticed = Noticed(frame.code, boot, number, ms, frame.body)
            self._requester.noticed(noticed)
            self._upward.put(noticed)
            return
        self._counts.notices_ahead += arrival is Arrival.AHEAD
        self._counts.notices_again += arrival is not Arrival.AHEAD
        if arrival is not Arrival.AWAITING:
            self._acknowledge_soon()

    def _take_progress(self, frame: Frame) -> None:
        try:
            said = Progressed(
                read.uint(frame.body, ProgressKey.NUMBER),
                read.opt_uint(frame.body, ProgressKey.DONE),
                read.opt_uint(frame.body, ProgressKey.OF),
            )
        except BadBody:
            self._counts.malformed += 1
            return
        self._requester.progressed(said)
        self._upward.put(said)

    # --- small things -------------------------------------------------------------------------------------

    def _acknowledge_soon(self) -> None:
        self._requester.acknowledge_soon()
        self._wake.set()

    def _end(self, reason: Exception) -> None:
        """The first reason stands; the task that writes raises it at its next turn."""
        self._over = self._over or reason
        self._wake.set()

    async def _sleep_until(self, at_s: float) -> None:
        """Until something happens, at most until that loop time. Raises why the session is over."""
        await self._wake.until(at_s)
        if self._over is not None:
            raise self._over


def _now_s() -> float:
    return asyncio.get_running_loop().time()
