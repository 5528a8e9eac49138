"""Frames out of a byte stream: chunks of any size in, whole checked frames and counted garbage out."""

from __future__ import annotations

import re

from firmware_bridge.wire.garbage import Garbage, GarbageReason
from firmware_bridge.wire.osdp.frame import FRAME_MAX, MARK, START, Frame, judge_header, read_checked

# Where a frame may begin: at a start, at the mark before it, or at a mark that ends the chunk.
_BEGINNING = re.compile(rb"\xff?\x53|\xff\Z")

_SHORTEST = 8  # a header tells the whole length before so many bytes are there


class StreamDecoder:
    """Owns the receive buffer of one bus. Resynchronises by sliding one byte; holds at most one frame.

    One mark byte directly before a frame is taken with it; every other byte outside a frame is garbage. Bytes
    that are thrown away together make one `Garbage`, with the reason that says most.
    """

    def __init__(self, frame_max: int = FRAME_MAX) -> None:
        self._frame_max = frame_max
        self._buffer = bytearray()
        self._thrown = 0
        self._reason = GarbageReason.NOISE

    @property
    def pending(self) -> int:
        """Bytes held of a frame that is not whole yet."""
        return len(self._buffer)

    @property
    def missing(self) -> int:
        """Bytes that the pending frame lacks at least; 0 when nothing is pending."""
        if not self._buffer:
            return 0
        start = 1 if self._buffer[0] == MARK else 0
        length = judge_header(self._buffer[start:], self._frame_max)
        return start + (length if isinstance(length, int) else _SHORTEST) - len(self._buffer)

    def feed(self, chunk: bytes) -> list[Frame | Garbage]:
        """Take some bytes, give what is whole now. Never raises."""
        self._buffer += chunk
        return self._take(is_final=False)

    def flush(self) -> list[Frame | Garbage]:
        """Nothing more will come: an unfinished tail is searched for frames behind a false start, then counted."""
        return self._take(is_final=True)

    def _take(self, *, is_final: bool) -> list[Frame | Garbage]:
        out: list[Frame | Garbage] = []
        while self._buffer:
            found = self._judge()
            if isinstance(found, Frame):
                self._give_thrown(out)
                out.append(found)
            elif found is not None:
                self._throw(found)
            elif is_final:
                self._throw(GarbageReason.TRUNCATED)
            else:
                break
        self._give_thrown(out)
        return out

    def _judge(self) -> Frame | GarbageReason | None:
        """Look at the buffer's head: a frame (taken out), a reason to throw the head away, or None: wait."""
        buffer = self._buffer
        start = 0
        if buffer[0] == MARK:
            if len(buffer) == 1:
                return None
            start = 1
        if buffer[start] != START:
            return GarbageReason.NOISE
        length = judge_header(buffer[start : start + 8], self._frame_max)
        if not isinstance(length, int):
            return length
        end = start + length
        if len(buffer) < end:
            return None
        frame = read_checked(bytes(buffer[start:end]))
        if frame is None:
            return GarbageReason.BAD_CHECK
        del buffer[:end]
        return frame

    def _throw(self, reason: GarbageReason) -> None:
        """Throw away up to the next place where a frame may begin."""
        beginning = _BEGINNING.search(self._buffer, 1)
        size = beginning.start() if beginning else len(self._buffer)
        if self._reason is GarbageReason.NOISE:
            self._reason = reason
        del self._buffer[:size]
        self._thrown += size

    def _give_thrown(self, out: list[Frame | Garbage]) -> None:
        if self._thrown:
            out.append(Garbage(self._reason, self._thrown))
        self._thrown, self._reason = 0, GarbageReason.NOISE
