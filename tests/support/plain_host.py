"""A host that speaks TDL frame by frame, made of libraries that nobody here wrote: cbor2, cobs, zlib, a CDDL validator.

It believes nothing and repeats nothing by itself: what a test spells out goes out, and what comes is kept, each body
checked against docs/protocols/tdl.cddl. It never waits for silence: whether a frame was answered is told by the answer
to the PING behind it.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import cbor2
import pycddl
from cobs import cobs

from tests.support import tdl_numbers as tdl
from tests.support.tdl_rigs import Hands, Rig

PLAIN_EPOCH = 0x7E57_0003  # visibly a test's
FRAME_OVERHEAD = 12
ANSWER_S = 30.0  # a device has 200 ms; a busy machine fails no test
MECHANICS_S = 180.0
PAUSE_S = 0.02

Body = Mapping[int, Any]

SCHEMA = (Path(__file__).parents[2] / "docs" / "protocols" / "tdl.cddl").read_text(encoding="utf-8")


@cache
def schema(rule: str) -> pycddl.Schema:
    """The validator of one rule of tdl.cddl; a validator begins at the first rule."""
    return pycddl.Schema(f"root = {rule}\n{SCHEMA}")


def rule_of(kind: int, code: int) -> str:
    """The rule that a body of this type and code from a device follows."""
    if kind == tdl.NOTICE:
        return f"notice-{tdl.NOTICES[code]}"
    if kind == tdl.REPLY:
        return f"reply-{tdl.REPLIES.get(code, 'count-all' if 0x40 <= code < 0x80 else 'ping')}"
    return {tdl.HELLO_REPLY: "hello-reply", tdl.PROGRESS: "progress"}[kind]


class Heard(NamedTuple):
    """One frame from the device."""

    kind: int
    code: int
    seq: int
    session: int
    body: dict[int, Any]


def frame(kind: int, code: int, seq: int, session: int, body: Body | bytes) -> bytes:
    """A whole frame; a body in bytes goes as it is."""
    data = body if isinstance(body, bytes) else cbor2.dumps(dict(body))
    head = bytes([0xD1, kind, code, seq]) + session.to_bytes(2, "little") + len(data).to_bytes(2, "little") + data
    return head + zlib.crc32(head).to_bytes(4, "little")


def stuffed(whole: bytes) -> bytes:
    """A frame as it goes over a stream."""
    return b"\0" + cobs.encode(whole) + b"\0"


def refused(reason: int) -> dict[int, int]:
    """The body of a reply that refuses."""
    return {0: tdl.REFUSED, 1: reason}


class PlainHost:
    """One host at one rig, over one connection after the other."""

    _sessions = itertools.count(1)

    def __init__(self, rig: Rig, *, epoch: int = PLAIN_EPOCH) -> None:
        self.rig = rig
        self.epoch = epoch
        self.session = self.seq = self.boot = self.number = 0
        self.nonce = bytes(8)
        self.replies: list[Heard] = []
        self.notices: dict[int, Heard] = {}  # of this boot, by number
        self.sendings: list[int] = []  # notice numbers as often as they were sent
        self.progress: list[Heard] = []
        self.is_acknowledging = True
        self._buffer = b""
        self._wrong: Exception | None = None
        self._news = asyncio.Event()
        self._acks: set[asyncio.Task[None]] = set()

    @property
    def hands(self) -> Hands:
        """Whoever stands at the rig."""
        assert self.rig.hands is not None
        return self.rig.hands

    # --- the cable ----------------------------------------------------------------------------------------

    async def connect(self) -> None:
        """A new cable."""
        self._buffer = b""
        self.link = await self.rig.connect()
        self.link.start(self)

    async def close(self) -> None:
        """Hang up."""
        await self.rig.cut()
        await asyncio.gather(*self._acks, return_exceptions=True)

    async def put(self, data: bytes) -> None:
        """Bytes, as they are."""
        await self.link.write(data)

    def chunk_received(self, chunk: bytes) -> None:
        *runs, self._buffer = (self._buffer + chunk).split(b"\0")
        try:
            for run in runs:
                if run:
                    self._take(cobs.decode(run))
        except Exception as wrong:  # whoever waits for something raises it
            self._wrong = self._wrong or wrong
        self._news.set()

    def link_lost(self, reason: Exception) -> None:
        self._news.set()

    def _take(self, whole: bytes) -> None:
        assert whole[0] == 0xD1
        assert zlib.crc32(whole[:-4]) == int.from_bytes(whole[-4:], "little"), whole.hex()
        data = whole[8:-4]
        assert int.from_bytes(whole[6:8], "little") == len(data) <= 96
        body = cbor2.loads(data)
        assert cbor2.dumps(body) == data, "not the shortest form"
        assert list(body) == sorted(body)
        heard = Heard(whole[1], whole[2], whole[3], int.from_bytes(whole[4:6], "little"), body)
        schema(rule_of(heard.kind, heard.code)).validate_cbor(data)
        self._keep(heard)

    def _keep(self, heard: Heard) -> None:
        if heard.kind == tdl.PROGRESS:
            self.progress.append(heard)
        elif heard.kind == tdl.NOTICE:
            number = heard.body[1]
            self.sendings.append(number)
            if self.notices.get(number) is None or heard.body[0] != self.boot:
                self.notices[number] = heard
            if self.is_acknowledging and heard.session == self.session:
                task = asyncio.ensure_future(self.acknowledge(number, session=heard.session))
                self._acks.add(task)
                task.add_done_callback(self._acks.discard)
        else:
            self.replies.append(heard)

    # --- sessions -----------------------------------------------------------------------------------------

    def hello_frame(self, session: int, nonce: bytes, epoch: int, **changed: object) -> bytes:
        """HELLO with seq 1; `changed` replaces keys: `key_3=95`."""
        body = {0: nonce, 1: 1, 2: 1, 3: 1000, 4: epoch}
        body |= {int(name.removeprefix("key_")): value for name, value in changed.items()}  # type: ignore[misc]
        return stuffed(
            frame(tdl.HELLO, 0, 1, session, {key: value for key, value in body.items() if value is not None})
        )

    async def hello(self) -> dict[int, Any]:
        """A new session, adopted and not open; the HELLO_REPLY."""
        self.session, self.nonce, self.seq = next(self._sessions), os.urandom(8), 1
        self.last_hello = self.hello_frame(self.session, self.nonce, self.epoch)
        await self.put(self.last_hello)
        reply = await self.reply(lambda heard: heard.kind == tdl.HELLO_REPLY and heard.session == self.session)
        assert reply[0] == self.nonce
        if reply[2] != self.boot:
            self.notices.clear()
        self.boot = reply[2]
        return reply

    async def until_taken(self) -> dict[int, Any]:
        """HELLO until no other host is in the way (4.3: five seconds after its last word)."""
        while (reply := await self.hello())[12] & tdl.F_OTHER_HOST:
            await self.pause()
        return reply

    async def open(self) -> dict[int, Any]:
        """A new session, open."""
        reply = await self.hello()
        await self.acknowledge(0)
        return reply

    async def adopt(self) -> None:
        """A new session of a device that obeys nobody yet, and now us."""
        await self.open()
        assert await self.ask(tdl.ADOPT, {0: self.epoch, 1: 0}) == {0: tdl.DONE}

    async def acknowledge(self, number: int, *, boot: int | None = None, session: int | None = None) -> None:
        """NOTICE_ACK."""
        body = {0: self.boot if boot is None else boot, 1: number}
        await self.put(stuffed(frame(tdl.NOTICE_ACK, 0, 0, session or self.session, body)))

    # --- requests -----------------------------------------------------------------------------------------

    def request(self, code: int, body: Body | bytes, seq: int | None = None) -> bytes:
        """A REQUEST of this session, with the next seq unless one is given."""
        if seq is None:
            seq = self.seq = self.seq % 255 + 1
        return stuffed(frame(tdl.REQUEST, code, seq, self.session, body))

    async def ask(self, code: int, body: Body | None = None, *, seq: int | None = None) -> dict[int, Any]:
        """A request and its reply."""
        wanted = seq or self.seq % 255 + 1
        self.last = self.request(code, body or {}, seq)
        await self.put(self.last)
        return await self._reply_to(code, wanted)

    async def again(self) -> dict[int, Any]:
        """The very same bytes once more, and what is answered."""
        await self.put(self.last)
        return await self.reply(lambda heard: heard.kind == tdl.REPLY)

    async def move(self, code: int, argument: object = None, *, number: int | None = None) -> dict[int, Any]:
        """A moving command, with the next number unless one is given."""
        if number is None:
            number = self.number + 1
        self.number = max(self.number, number)
        return await self.ask(code, {0: self.epoch, 1: number} | ({} if argument is None else {2: argument}))

    async def outcome(self, number: int) -> dict[int, Any]:
        """OUTCOME; a number that is asked about is used up."""
        self.number = max(self.number, number)
        return await self.ask(tdl.OUTCOME, {0: self.epoch, 1: number})

    async def permit(self, what: int, ms: int, cards: int | None = None) -> dict[int, Any]:
        """PERMIT."""
        return await self.ask(tdl.PERMIT, {0: what, 1: ms} | ({} if cards is None else {2: cards}))

    async def grant(self, what: int, ms: int, cards: int | None = None) -> dict[int, Any]:
        """PERMIT, again while its last card still moves (9.2, line 10)."""
        async with asyncio.timeout(MECHANICS_S):
            while (reply := await self.permit(what, ms, cards)) == {0: tdl.BUSY}:
                await self.pause()
        return reply

    async def unanswered(self, *frames: bytes) -> int:
        """Send what must not be answered, and a PING behind it; how many frames the device dropped."""
        before = (await self.ask(tdl.METERS))[6]
        for data in frames:
            await self.put(data)
        wanted = self.seq % 255 + 1
        await self.put(self.request(tdl.PING, {}))
        first = await self.first_reply()
        assert (first.kind, first.code, first.seq) == (tdl.REPLY, tdl.PING, wanted), first
        dropped: int = (await self.ask(tdl.METERS))[6]
        return dropped - before

    async def _reply_to(self, code: int, seq: int) -> dict[int, Any]:
        return await self.reply(
            lambda heard: (heard.kind, heard.code, heard.seq, heard.session) == (tdl.REPLY, code, seq, self.session)
        )

    async def reply(self, is_it: Callable[[Heard], bool]) -> dict[int, Any]:
        """The next frame like this that is no notice; others before it are a mistake of the device."""
        heard = await self.first_reply()
        assert is_it(heard), heard
        return heard.body

    async def first_reply(self) -> Heard:
        """The next frame that is no notice and no PROGRESS."""
        await self.until(lambda: self.replies, ANSWER_S)
        return self.replies.pop(0)

    # --- what came ----------------------------------------------------------------------------------------

    async def until(self, is_so: Callable[[], object], limit_s: float = MECHANICS_S) -> None:
        """Wait for a state that frames bring about."""
        async with asyncio.timeout(limit_s):
            while not is_so():
                if self._wrong is not None:
                    raise AssertionError("the device said what it may not say") from self._wrong
                self._news.clear()
                await self._news.wait()

    async def until_state(self, is_so: Callable[[dict[int, Any]], object]) -> None:
        """Ask STATE until it is so."""
        async with asyncio.timeout(MECHANICS_S):
            while not is_so(await self.ask(tdl.STATE)):
                await self.pause()

    async def until_quiet(self) -> None:
        """Ask by HELLO until the device keeps no notice, and open again."""
        async with asyncio.timeout(MECHANICS_S):
            while (reply := await self.open())[10] <= reply[11]:
                await self.acknowledge(reply[11])
                await self.pause()

    async def pause(self) -> None:
        """A moment for mechanics."""
        await asyncio.sleep(PAUSE_S)

    def told(self, kind: int) -> list[dict[int, Any]]:
        """The keys from 3 of all notices of this kind, in the order of their numbers."""
        ordered = (self.notices[number] for number in sorted(self.notices))
        return [{k: v for k, v in heard.body.items() if k > 2} for heard in ordered if heard.code == kind]

    def kinds(self, after: int = 0) -> list[int]:
        """Kinds of the notices above this number, in the order of their numbers."""
        return [self.notices[number].code for number in sorted(self.notices) if number > after]

    @property
    def newest(self) -> int:
        """The highest notice number heard in this boot."""
        return max(self.notices, default=0)

    async def heard(self, kind: int, count: int = 1) -> dict[int, Any]:
        """Wait until so many notices of this kind have come; the last of them."""
        await self.until(lambda: len(self.told(kind)) >= count)
        return self.told(kind)[count - 1]

    async def ended(self, number: int) -> dict[int, Any]:
        """Wait for *command ended* of this number."""
        await self.until(lambda: any(keys[3] == number for keys in self.told(tdl.COMMAND_ENDED)))
        return next(keys for keys in self.told(tdl.COMMAND_ENDED) if keys[3] == number)

    async def count_all(self) -> int:
        """COUNT_ALL to its good end; the cards."""
        assert await self.move(tdl.COUNT_ALL) == {0: tdl.STARTED}
        ended = await self.ended(self.number)
        assert ended[4] == tdl.DONE, ended
        cards: int = ended[6]
        return cards

    async def load(self, cards: int) -> None:
        """One packet under its own permit."""
        ends = len(self.told(tdl.PERMIT_ENDED))
        await self.hands.lay(cards)
        assert (await self.permit(tdl.FEEDING, 0))[0] == tdl.OK
        assert await self.grant(tdl.FEEDING, 60_000, cards) == {0: tdl.OK, 2: 0}
        await self.heard(tdl.PERMIT_ENDED, ends + 1)

    def copies(self) -> dict[int, int]:
        """How often each notice was sent."""
        counted: dict[int, int] = defaultdict(int)
        for number in self.sendings:
            counted[number] += 1
        return counted
