"""A host on a link, as little as a test needs: it greets, acknowledges every notice, and asks what it is told."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping

from firmware_bridge.links.base import Link, LinkClosed
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MessageType, NoticeKind
from firmware_bridge.wire.tdl.frame import Frame
from firmware_bridge.wire.tdl.stream import StreamDecoder, encode_stream

EPOCH = 7
SESSION = 9
_nonces = itertools.count(1)


class Host:
    """Keeps what comes, sends what it is told, acknowledges every notice."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.frames: list[Frame] = []
        self.garbage = 0
        self.lost: Exception | None = None
        self.seq = 1
        self._nonce = next(_nonces).to_bytes(8, "big")
        self._decoder = StreamDecoder()
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def chunk_received(self, chunk: bytes) -> None:
        for frame in self._decoder.feed(chunk):
            if not isinstance(frame, Frame):
                self.garbage += 1
                continue
            self.frames.append(frame)
            self._news.set()
            if frame.type is MessageType.NOTICE:
                ack = Frame(MessageType.NOTICE_ACK, 0, 0, SESSION, {0: frame.body[0], 1: frame.body[1]})
                task = asyncio.ensure_future(self.send(ack))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def link_lost(self, reason: Exception) -> None:
        self.lost = reason

    async def heard(self, kind: NoticeKind) -> None:
        """Wait until a notice of this kind has come."""
        async with asyncio.timeout(600):
            while kind not in self.kinds():
                self._news.clear()
                await self._news.wait()

    async def send(self, frame: Frame) -> None:
        """A frame; into a dead cable it goes nowhere."""
        if self.lost is None:
            try:
                await self.link.write(encode_stream(frame))
            except LinkClosed as error:
                self.lost = error

    async def ask(self, operation: int, body: Mapping[int, Value]) -> None:
        """A request with the next seq; whoever wants the reply looks for it."""
        self.seq += 1
        await self.send(Frame(MessageType.REQUEST, operation, self.seq, SESSION, body))

    async def begin(self, boot: int = 1) -> None:
        """HELLO and the acknowledgement that opens the session."""
        self.link.start(self)
        await self.greet(boot)

    async def greet(self, boot: int) -> None:
        self.seq = 1
        await self.send(Frame(MessageType.HELLO, 0, 1, SESSION, {0: self._nonce, 1: 1, 2: 1, 3: 1000, 4: EPOCH}))
        await self.send(Frame(MessageType.NOTICE_ACK, 0, 0, SESSION, {0: boot, 1: 0}))

    def kinds(self) -> list[int]:
        """Kinds of the notices heard, copies too."""
        return [frame.code for frame in self.frames if frame.type is MessageType.NOTICE]
