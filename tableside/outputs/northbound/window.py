"""One consumer's place in a journal: what it has acknowledged, what is under way, when to send it again. Pure.

A consumer is a cursor over the journal (ADR 23). Rows are read at its pace; at most `WINDOW` messages are kept here, so
that a consumer which is away for a week costs no memory. A broker's own acknowledgement counts for nothing: only the
consumer's moves the cursor, and what it does not acknowledge in time is sent again, one message until it answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import msgspec

from tableside.journal.record import Record

# So many go out before the first is acknowledged: at play rate a table makes some 20 rows a card, in bursts.
WINDOW = 64
# A consumer that is there answers in milliseconds; one that is away is asked ever less often.
PATIENCE_S = (5.0, 10.0, 20.0, 40.0, 60.0)


class Position(msgspec.Struct, frozen=True):
    """A consumer has everything up to row `row`, whose hash this is; `memory` is what its shaper then knew."""

    row: int = 0
    hash: str = ""
    follows: int = 0
    memory: str = "{}"


class Message(Protocol):
    """What a shaper makes of a row."""

    @property
    def row(self) -> int: ...


class Shaper(Protocol):
    """What becomes of rows for one kind of output. Its memory is a value, so that it can be kept with a cursor."""

    output: str

    def take(self, memory: str, record: Record, follows: int) -> tuple[str, bytes | None]:
        """The memory after this row, and the message as JSON where the row makes one."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A message under way, and where the consumer stands once it has it."""

    after: Position
    payload: bytes


class Window:
    """The messages between a cursor and the end of the journal. `now_s` are monotonic seconds."""

    def __init__(self, position: Position, shaper: Shaper) -> None:
        self.acknowledged = position
        self.resent = 0
        self.acks_ignored = 0
        self._shaper = shaper
        self._read_to = position
        self._kept: deque[Sending] = deque()
        self._next = 0  # index of the first one that is not sent
        self._limit = WINDOW
        self._tries = 0
        self._due_s: float | None = None

    @property
    def read_to(self) -> int:
        """The last row that was looked at."""
        return self._read_to.row

    @property
    def has_room(self) -> bool:
        """Whether more rows should be read."""
        return len(self._kept) < WINDOW

    @property
    def under_way(self) -> int:
        """Messages that are kept until they are acknowledged."""
        return len(self._kept)

    def read(self, records: Iterable[Record], end: int) -> None:
        """Take rows up to `end` while there is room."""
        for record in records:
            if record.seq > end:
                return
            before = self._read_to
            memory, payload = self._shaper.take(before.memory, record, before.follows)
            follows = before.follows if payload is None else record.seq
            self._read_to = Position(record.seq, record.hash.hex(), follows, memory)
            if payload is not None:
                self._kept.append(Sending(self._read_to, payload))
                if not self.has_room:
                    return
        if not self._kept:
            self.acknowledged = self._read_to  # nothing for this consumer in between

    def to_send(self) -> Iterator[Sending]:
        """What goes out now, each once; whoever sends it calls `sent` after each."""
        while self._next < min(len(self._kept), self._limit):
            yield self._kept[self._next]

    def sent(self, sending: Sending, now_s: float) -> None:
        """The broker says that it has this one, which proves nothing. It may be acknowledged already."""
        if self._next < len(self._kept) and self._kept[self._next] is sending:
            self._next += 1
            if self._due_s is None:
                self._due_s = now_s + self._patience_s()

    def acknowledge(self, row: int, now_s: float) -> bool:
        """The consumer has this message and all before it. False for one that is not under way: ignored, counted."""
        if not any(sending.after.row == row for sending in self._kept):
            self.acks_ignored += 1
            return False
        while self._kept and self._kept[0].after.row <= row:
            self.acknowledged = self._kept.popleft().after
            self._next = max(0, self._next - 1)
        self._limit, self._tries = WINDOW, 0
        self._due_s = now_s + self._patience_s() if self._next else None
        if not self._kept:
            self.acknowledged = self._read_to
        return True

    def taken(self, payload: bytes, now_s: float) -> None:
        """The consumer itself took this message."""
        row = next((sending.after.row for sending in self._kept if sending.payload is payload), None)
        if row is not None:
            self.acknowledge(row, now_s)

    def due_in_s(self, now_s: float) -> float | None:
        """Seconds until something is sent again; None while nothing is under way."""
        return None if self._due_s is None else max(0.0, self._due_s - now_s)

    def again_if_due(self, now_s: float) -> None:
        """Nobody answered: the oldest alone is sent again, after each try less soon."""
        if self._due_s is not None and now_s >= self._due_s:
            self._tries += 1
            self.resent += 1
            self._next, self._limit, self._due_s = 0, 1, None

    def start_over(self) -> None:
        """A new connection: whatever the last one carried may be lost."""
        self._next, self._limit, self._tries, self._due_s = 0, WINDOW, 0, None

    def _patience_s(self) -> float:
        return PATIENCE_S[min(self._tries, len(PATIENCE_S) - 1)]


def fitting(position: Position, hash_of: Callable[[int], str | None]) -> Position:
    """The position, or the journal's beginning where it belongs to another journal (a restored backup, another table).

    `hash_of` tells a row's hash, None where there is no such row.
    """
    if position.row and hash_of(position.row) != position.hash:
        return Position()
    return position
