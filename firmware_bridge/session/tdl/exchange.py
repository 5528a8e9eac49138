"""The one request that is outstanding: its number, its copies, its deadline (TDL 5). Pure: time is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from firmware_bridge.session.tdl.requests import Request
from firmware_bridge.session.tdl.timing import COPIES
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MAX_SEQ, MessageType
from firmware_bridge.wire.tdl.frame import Frame


class Next(Enum):
    """What a silence leads to."""

    REPEAT = auto()  # another copy under the same seq
    ASK_OUTCOME = auto()  # it moves: never again, only ask
    OVER = auto()  # the last copy was not answered: only a new connection can tell


@dataclass(slots=True)
class Outstanding:
    """A request whose first copy is out."""

    request: Request
    seq: int
    body: Mapping[int, Value]  # of every copy: they are the same bytes
    deadline_s: float
    copies: int = 1

    def is_answered_by(self, frame: Frame) -> bool:
        """True for the reply to this request, and to no other (BR-011)."""
        return frame.type is MessageType.REPLY and frame.seq == self.seq and frame.code == int(self.request.operation)

    def after_silence(self) -> Next:
        """What to do now that the deadline has passed."""
        if self.request.has_outcome:
            return Next.ASK_OUTCOME
        is_repeatable = not self.request.is_moving and self.copies < COPIES
        return Next.REPEAT if is_repeatable else Next.OVER


class Sequence:
    """Numbers of requests: 1 to 255, then 1 again (BR-014)."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        """The next number."""
        self._last = self._last % MAX_SEQ + 1
        return self._last
