"""What comes back over one wire after a command: our own echo, taken off by content, then the reply. Sans I/O.

On a single wire the host hears itself; through some adapters it does not. A command goes to a station and never to the
host, so its first byte tells an echo from a reply. An echo that differs is a collision: two spoke at once (BR-005).
"""

from __future__ import annotations

from enum import Enum

from firmware_bridge.wire.cctalk.codes import HOST, REPLY
from firmware_bridge.wire.cctalk.frame import Check, Frame, FrameDecoder, encode
from firmware_bridge.wire.garbage import Garbage


class Miss(Enum):
    """Why there is no reply."""

    SILENCE = "no answer"
    COLLISION = "what was sent came back changed: two spoke at once, or the wire is disturbed"
    TORN = "bytes came, and no whole reply"
    STRANGER = "another station answered"


class Hearing:
    """For one command. `reply` is there once it is whole; else `miss` says what to think of the silence so far."""

    def __init__(self, asked: Frame, check: Check) -> None:
        self.reply: Frame | None = None
        self.miss = Miss.SILENCE
        self.garbage: list[Garbage] = []
        self.has_echo = False
        self._asked = asked
        self._check = check
        self._sent = encode(asked, check)
        self._heard = 0  # of the echo
        self._is_begun = False
        self._decoder = FrameDecoder(check, HOST)

    @property
    def is_over(self) -> bool:
        """Nothing more is waited for: a reply, or a collision that spoils whatever follows."""
        return self.reply is not None or self.miss is Miss.COLLISION

    @property
    def is_echo_due(self) -> bool:
        """Our own bytes are still coming back: the station has not begun."""
        return self.has_echo and self._heard < len(self._sent)

    def feed(self, chunk: bytes) -> None:
        """The next bytes from the wire."""
        if chunk and not self._is_begun:
            self._is_begun = True
            self.has_echo = chunk[0] == self._sent[0]
            if not self.has_echo and chunk[0] != HOST:
                self.miss = Miss.COLLISION
        if self.miss is Miss.COLLISION:
            return
        if self.is_echo_due:
            due = self._sent[self._heard : self._heard + len(chunk)]
            if chunk[: len(due)] != due:
                self.miss = Miss.COLLISION
                return
            self._heard += len(due)
            chunk = chunk[len(due) :]
        if chunk and self.reply is None:
            self._decode(chunk)

    def end(self) -> None:
        """The wire has been silent for 50 ms."""
        self.garbage += self._decoder.silence()

    def _decode(self, chunk: bytes) -> None:
        self.miss = Miss.TORN
        for piece in self._decoder.feed(chunk):
            if isinstance(piece, Garbage):
                self.garbage.append(piece)
            elif self.reply is None:
                self._judge(piece)

    def _judge(self, frame: Frame) -> None:
        is_from_station = self._check is Check.CRC or frame.source == self._asked.destination
        if frame.header == REPLY and is_from_station:
            self.reply = frame
        else:
            self.miss = Miss.STRANGER
