"""One connection to the desk: lines in, lines out, at the pace of whoever reads. Knows no sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from tableside.control.answers import Word, line_of, mistaken
from tableside.control.desk import Desk, Write
from tableside.control.message import MAX_LINE_BYTES, STREAMS, Message, Mistaken, Read, parse_line

# A page shows one table or a few; more than this on one connection is a mistake of its maker.
MAX_SUBSCRIPTIONS = 64

ReadChunk = Callable[[], Awaitable[bytes]]
TOO_LONG = Mistaken("", (f"the line is longer than {MAX_LINE_BYTES} bytes, it was thrown away up to its end",))
TOO_MANY = (f"this connection has {MAX_SUBSCRIPTIONS} subscriptions already; open another one",)


class LineSplitter:
    """Chunks in, whole lines out; a line beyond the limit is thrown away up to its end and told as None."""

    def __init__(self) -> None:
        self._part = bytearray()
        self._is_too_long = False

    @property
    def held_bytes(self) -> int:
        """What waits for its line to end."""
        return len(self._part)

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines that this chunk ends, without their ends."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            whole = bytes(self._part) + line
            self._part.clear()
            was_too_long, self._is_too_long = self._is_too_long, False
            yield None if was_too_long or len(whole) > MAX_LINE_BYTES else whole
        if not self._is_too_long:
            self._part += rest
            if len(self._part) > MAX_LINE_BYTES:
                self._part.clear()
                self._is_too_long = True


class Conversation:
    """Answers each line in turn; subscriptions run beside."""

    def __init__(self, desk: Desk, write: Write) -> None:
        self._desk = desk
        self._write = write
        self._streams = 0

    async def run(self, read: ReadChunk) -> None:
        """Until the other side ends (`read` gives nothing), or `read`, `write` or a stream raise."""
        lines = LineSplitter()
        try:
            async with asyncio.TaskGroup() as streams:
                while chunk := await read():
                    for line in lines.feed(chunk):
                        await self._take(line, streams)
                raise _Ended
        except* _Ended:
            pass

    async def _take(self, line: bytes | None, streams: asyncio.TaskGroup) -> None:
        if line is not None and not line.strip():
            return  # an empty line keeps a connection alive and asks nothing
        message = TOO_LONG if line is None else parse_line(line)
        if _is_stream(message) and self._streams >= MAX_SUBSCRIPTIONS:
            message = Mistaken(message.id, TOO_MANY)
        if isinstance(message, Mistaken):
            await self._write(line_of(mistaken(message)))
            return
        answer = await self._desk.answer(message)
        await self._write(line_of(answer))
        if isinstance(message, Read) and _is_stream(message) and answer.answer is Word.TOLD:
            self._streams += 1
            streams.create_task(self._desk.stream(message, self._write))


def _is_stream(message: Message | Mistaken) -> bool:
    return isinstance(message, Read) and message.act in STREAMS


class _Ended(Exception):
    """The other side is gone: the streams end with it."""
