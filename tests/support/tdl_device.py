"""A small TDL device for tests of the host side, written from the TDL page, not from the session.

It keeps what a device keeps over power loss (epoch, highest number, eight outcomes), counts what it physically
does, and can be told to misbehave. Every frame that crosses its cable may be lost, doubled or delayed by a
`Mischief`, which sees them in order and by name.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from firmware_bridge.links.base import Link, LinkClosed, LinkRefused
from firmware_bridge.links.memory import memory_pair
from firmware_bridge.wire.garbage import Garbage
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind, Operation, Reason, Status, is_moving
from firmware_bridge.wire.tdl.frame import Frame, encode_frame
from firmware_bridge.wire.tdl.stream import MessageDecoder, StreamDecoder, encode_stream

EPOCH = 0xA1B2C3D4
SERIAL, MODEL = "000123", "CSM-TEST"
NOTICE_REPEAT_S = 0.5
OTHER_HOST_S = 5.0
OUTCOMES_KEPT = 8

Body = dict[int, Value]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Crossing:
    """One frame on its way: `is_down` from host to device, and the how-manieth of its direction it is."""

    is_down: bool
    index: int
    frame: Frame


# Seconds after which each copy of a frame arrives: () loses it, (0.0,) is the good line, (0.0, 0.1) doubles it.
Mischief = Callable[[Crossing], tuple[float, ...]]


def kind(line: Crossing) -> tuple[float, ...]:
    """A line without fault."""
    return (0.0,)


def _after(wait_s: float, act: Callable[[T], None], what: T) -> None:
    """In order where nothing delays: equal timers of a loop are not."""
    loop = asyncio.get_running_loop()
    if wait_s:
        loop.call_later(wait_s, act, what)
    else:
        loop.call_soon(act, what)


@dataclass(slots=True)
class DeviceMemory:
    """What survives a reset."""

    boot: int = 0
    epoch: int = EPOCH
    highest: int = 0
    outcomes: dict[int, Body] = field(default_factory=dict)

    def store(self, number: int, outcome: Body) -> None:
        self.highest = max(self.highest, number)
        self.outcomes[number] = outcome
        for old in sorted(self.outcomes)[:-OUTCOMES_KEPT]:
            del self.outcomes[old]


class ScriptedDevice:
    """The device. `connect` gives a link to it and cuts the one before; `reset` is its reset button."""

    def __init__(self, *, profiles: tuple[int, ...] = (1,), run_s: float = 2.0, is_message_based: bool = False) -> None:
        self.memory = DeviceMemory()
        self.serial, self.model, self.version = SERIAL, MODEL, 1
        self.profiles = profiles
        self.run_s = run_s  # how long a moving command takes
        self.progress_s: float | None = None
        self.reply_after_s = 0.0
        self.mischief: Mischief = kind
        self.standing: tuple[int, ...] = ()
        self.unoffered: set[int] = set()
        self.busy: set[int] = set()
        self.is_other_host_active = False
        self.is_mute = False
        self.is_absent = False
        self.moved: list[int] = []  # numbers that really moved something, one entry for each motion
        self.requests: list[Frame] = []  # every request that was taken, in order
        self.hellos = 0
        self.meters: Body = {2: 0, 3: 0, 4: 0}
        self.content = 0
        self.permits: dict[int, float] = {}
        self.lamp = (0, 0)
        self.notices: deque[tuple[int, int, Body]] = deque()  # (number, kind, keys from 3)
        self.newest = 0
        self._is_message_based = is_message_based
        self._counts = [0, 0]
        self._tasks: set[asyncio.Task[None]] = set()
        self._far: Link | None = None
        self._running: asyncio.Task[None] | None = None
        self._running_number = 0
        self._boot(cause=1)

    # --- the cable ----------------------------------------------------------------------------------------

    async def connect(self) -> Link:
        """A new cable to the device. Raises `LinkRefused` while it is absent."""
        await self.cut()
        if self.is_absent:
            raise LinkRefused("memory://device: nobody there")
        near, far = memory_pair("device", is_message_based=self._is_message_based)
        self._far = far
        self._decoder = MessageDecoder() if self._is_message_based else StreamDecoder()
        far.start(self)
        return near

    async def cut(self) -> None:
        """Pull the cable."""
        far, self._far = self._far, None
        if far is not None:
            await far.close()

    def chunk_received(self, chunk: bytes) -> None:
        for piece in self._decoder.feed(chunk):
            if isinstance(piece, Garbage):
                continue
            for wait_s in self._crosses(piece, is_down=True):
                _after(wait_s, self._take, piece)

    def link_lost(self, reason: Exception) -> None:
        self._far = None

    async def send_raw(self, data: bytes) -> None:
        """Bytes that are no frame."""
        if self._far is not None:
            await self._far.write(data)

    def send(self, frame: Frame) -> None:
        """Put a frame on the line, subject to mischief."""
        data = encode_frame(frame) if self._is_message_based else encode_stream(frame)
        for wait_s in self._crosses(frame, is_down=False):
            _after(wait_s, self._emit, data)

    def _crosses(self, frame: Frame, *, is_down: bool) -> tuple[float, ...]:
        index = self._counts[is_down]
        self._counts[is_down] += 1
        return self.mischief(Crossing(is_down, index, frame))

    def _emit(self, data: bytes) -> None:
        self._spawn(self._write(data))

    async def _write(self, data: bytes) -> None:
        if self._far is not None:
            with contextlib.suppress(LinkClosed):
                await self._far.write(data)

    def _spawn(self, work: object) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)  # type: ignore[arg-type]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- life ---------------------------------------------------------------------------------------------

    def _boot(self, cause: int) -> None:
        self.memory.boot += 1
        for number, outcome in self.memory.outcomes.items():
            if outcome[0] == Status.STARTED:
                self.memory.outcomes[number] = {0: int(Status.INTERRUPTED)}
        self.session: int | None = None
        self._nonce: Value = b""
        self.is_flowing = False
        self._last_seq = 0
        self._last_reply: Frame | None = None
        self._heard_at_s = 0.0
        self.permits.clear()
        self.notices.clear()
        self.newest = 0
        self.meters = {2: 0, 3: 0, 4: 0}
        self.cause = cause
        self._queue(NoticeKind.BOOTED, {3: cause})

    def reset(self, cause: int = 2) -> None:
        """Reset: what runs stops where it is, memory stays."""
        if self._running is not None:
            self._running.cancel()
            self._running = None
            self._running_number = 0
        self._boot(cause)

    async def close(self) -> None:
        """End everything that runs."""
        await self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- notices ------------------------------------------------------------------------------------------

    def notice(self, what: int, keys: Mapping[int, Value] | None = None) -> int:
        """Something happened: queue a notice, and send it if it is the oldest. Returns its number."""
        number = self._queue(what, dict(keys or {}))
        if self.is_flowing and len(self.notices) == 1:
            self._send_oldest()
        return number

    def _queue(self, what: int, keys: Body) -> int:
        self.newest += 1
        self.notices.append((self.newest, int(what), keys))
        return self.newest

    def _send_oldest(self) -> None:
        if self.notices and self.is_flowing and self.session is not None:
            number, what, keys = self.notices[0]
            body = {0: self.memory.boot, 1: number, 2: 1000 + number, **keys}
            self.send(Frame(MessageType.NOTICE, what, 0, self.session, body))
            asyncio.get_running_loop().call_later(NOTICE_REPEAT_S, self._repeat, number, self.session)

    def _repeat(self, number: int, session: int) -> None:
        if self.notices and self.notices[0][0] == number and self.session == session:
            self._send_oldest()

    def _acknowledged(self, body: Mapping[int, Value]) -> None:
        if body[0] != self.memory.boot:
            return
        was_flowing, self.is_flowing = self.is_flowing, True
        was_oldest = self.notices[0][0] if self.notices else None
        while self.notices and self.notices[0][0] <= body[1]:  # type: ignore[operator]
            self.notices.popleft()
        if self.notices and (not was_flowing or self.notices[0][0] != was_oldest):
            self._send_oldest()

    # --- requests -----------------------------------------------------------------------------------------

    def _take(self, frame: Frame) -> None:
        if self.is_mute:
            return
        if frame.type is MessageType.HELLO:
            self._hello(frame)
        elif frame.session != self.session:
            return
        elif frame.type is MessageType.NOTICE_ACK:
            self._acknowledged(frame.body)
        elif frame.type is MessageType.REQUEST:
            self._request(frame)

    def _hello(self, frame: Frame) -> None:
        self.hellos += 1
        is_copy = frame.session == self.session and frame.body[0] == self._nonce
        if not is_copy and not self.is_other_host_active:
            self.session, self._nonce = frame.session, frame.body[0]
            self.is_flowing, self._last_seq, self._last_reply = False, frame.seq, None
        oldest = self.notices[0][0] if self.notices else self.newest + 1
        flags = (4 if self._running_number else 0) | (8 if self.is_other_host_active else 0)
        body: Body = {0: frame.body[0], 1: self.version, 2: self.memory.boot, 3: self.cause, 4: self.model}
        body |= {5: self.serial, 6: 96, 7: True, 8: self.memory.epoch, 9: self.memory.highest}
        body |= {10: oldest, 11: self.newest, 12: flags}
        self.send(Frame(MessageType.HELLO_REPLY, 0, frame.seq, frame.session, body))

    def _request(self, frame: Frame) -> None:
        behind = (self._last_seq - frame.seq) % 255
        if behind == 0 and self._last_reply is not None:
            if not is_moving(frame.code):
                self._reply_later(self._last_reply)
            return
        if 0 < behind <= 127:
            return  # a late copy
        self.requests.append(frame)
        self._last_seq = frame.seq
        reply = Frame(MessageType.REPLY, frame.code, frame.seq, frame.session, self._answer(frame))
        self._last_reply = reply
        self._reply_later(reply)

    def _reply_later(self, reply: Frame) -> None:
        if self.reply_after_s:
            asyncio.get_running_loop().call_later(self.reply_after_s, self.send, reply)
        else:
            self.send(reply)

    def _answer(self, frame: Frame) -> Body:
        code, body = frame.code, frame.body
        if code in self.unoffered:
            return {0: int(Status.REFUSED), 1: int(Reason.NOT_OFFERED)}
        is_revoke = code == Operation.PERMIT and body[1] == 0
        needs_open = code in (Operation.PERMIT, Operation.LAMP, Operation.CLEAR_FAULT) and not is_revoke
        if code in self.busy or (needs_open and not self.is_flowing):
            return {0: int(Status.BUSY)}
        if is_moving(code):
            return self._move(code, body)
        return {0: 0} | self._reads(code, body)

    def _reads(self, code: int, body: Mapping[int, Value]) -> Body:
        match code:
            case Operation.IDENTITY:
                return {2: "Test", 3: "1.0", 4: bytes(32), 5: self.profiles, 6: (2, 2, 2, 2, 1, 1, 2, 1)}
            case Operation.OUTCOME:
                return self._outcome(body[1])  # type: ignore[arg-type]
            case Operation.STATE:
                colour, pattern = self.lamp
                bits = sum(1 << (what - 1) for what in self.permits)
                state: Body = {2: self.content, 4: True, 5: False, 6: 16 * colour + pattern}
                return state | {7: bits, 8: self._running_number, 9: 0}
            case Operation.FAULTS:
                return {2: self.standing}
            case Operation.METERS:
                return dict(self.meters)
            case Operation.PERMIT:
                return self._permit(body)
            case Operation.LAMP:
                self.lamp = (body[0], body[1])  # type: ignore[assignment]
        return {}

    def _permit(self, body: Mapping[int, Value]) -> Body:
        if body[1]:
            self.permits[body[0]] = asyncio.get_running_loop().time() + body[1] / 1000  # type: ignore[index,operator]
        else:
            self.permits.pop(body[0], None)  # type: ignore[arg-type]
        return {2: 0}

    def _outcome(self, number: int) -> Body:
        if number in self.memory.outcomes:
            return self.memory.outcomes[number]
        if number > self.memory.highest:
            self.memory.store(number, {0: int(Status.NEVER)})
            return self.memory.outcomes[number]
        return {0: int(Status.OLD)}

    def _move(self, code: int, body: Mapping[int, Value]) -> Body:
        number = body[1]
        assert isinstance(number, int)
        if code == Operation.ADOPT:
            self.memory.epoch, self.memory.highest = body[0], number  # type: ignore[assignment]
            self.memory.outcomes.clear()
            return {0: int(Status.DONE)}
        if body[0] != self.memory.epoch:
            return {0: int(Status.REFUSED), 1: int(Reason.EPOCH)}
        if number <= self.memory.highest:
            return self.memory.outcomes.get(number, {0: int(Status.OLD)})
        if not self.is_flowing:
            self.memory.store(number, {0: int(Status.REFUSED), 1: int(Reason.NOT_OPEN)})
            return self.memory.outcomes[number]
        if self._running_number:
            self.memory.store(number, {0: int(Status.REFUSED), 1: int(Reason.COMMAND_RUNS)})
            return self.memory.outcomes[number]
        self.memory.store(number, {0: int(Status.STARTED)})
        self._running_number = number
        self._running = self._spawn(self._run(code, number))
        return {0: int(Status.STARTED)}

    async def _run(self, code: int, number: int) -> None:
        self.moved.append(number)
        left_s, step_s = self.run_s, self.progress_s or self.run_s
        while left_s > 0:
            await asyncio.sleep(min(step_s, left_s))
            left_s -= step_s
            if self.progress_s and left_s > 0 and self.session is not None:
                self.send(Frame(MessageType.PROGRESS, code, 0, self.session, {0: number, 1: 1, 2: 2}))
        self.memory.store(number, {0: int(Status.DONE), 2: 5})
        self._running_number, self._running = 0, None
        self.notice(NoticeKind.COMMAND_ENDED, {3: number, 4: int(Status.DONE), 6: 5})
