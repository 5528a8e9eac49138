"""One session as the device keeps it (TDL 4.1, 5), and what it may be told to do with a seq."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import MAX_RX_MAX, MAX_SEQ, MIN_RX_MAX, NONCE_SIZE, Reason, Status
from firmware_bridge.wire.tdl.keys import HelloKey, ReplyKey
from firmware_bridge.wire.tdl.read import U8, U16, octets, uint

# A host that was heard so recently keeps its device against another one (TDL 4.3).
HOST_PRESENT_NS = 5 * NS_PER_S
ARMED_NS = 10 * NS_PER_S
# Seqs are compared on a circle of 255: up to so many ahead is new, the rest is old.
NEWEST_AHEAD = 127


@dataclass(frozen=True, slots=True)
class Hello:
    """A well-formed HELLO."""

    session: int
    seq: int
    nonce: bytes
    lowest: int
    highest: int
    rx_max: int
    epoch: int

    @classmethod
    def of(cls, session: int, seq: int, body: Mapping[int, Value]) -> Hello | None:
        """None where a needed value makes no sense. Raises `BadBody` for one that is missing or of a wrong type."""
        nonce = octets(body, HelloKey.NONCE)
        hello = cls(
            session,
            seq,
            nonce,
            uint(body, HelloKey.LOWEST_VERSION, U8),
            uint(body, HelloKey.HIGHEST_VERSION, U8),
            min(uint(body, HelloKey.RX_MAX, U16), MAX_RX_MAX),
            uint(body, HelloKey.EPOCH),
        )
        is_sound = len(nonce) == NONCE_SIZE and hello.rx_max >= MIN_RX_MAX and hello.epoch
        return hello if is_sound else None

    def is_copy_of(self, other: Hello | None) -> bool:
        return other is not None and (self.session, self.nonce) == (other.session, other.nonce)


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of one REPLY."""

    status: Status
    reason: Reason | None = None
    keys: dict[int, Value] = field(default_factory=dict)

    @property
    def body(self) -> dict[int, Value]:
        body: dict[int, Value] = {ReplyKey.STATUS: self.status}
        if self.reason is not None:
            body[ReplyKey.REASON] = self.reason
        return body | self.keys


OK = Answer(Status.OK)
BUSY = Answer(Status.BUSY)


def refused(reason: Reason) -> Answer:
    return Answer(Status.REFUSED, reason)


class Turn(StrEnum):
    """What a request's seq makes of it."""

    NEW = "new"
    COPY = "copy"
    DROP = "drop"


@dataclass(slots=True)
class Session:
    """The session in force."""

    hello: Hello
    heard_ns: int
    last_seq: int
    last_code: int = 0
    last_answer: Answer | None = None
    is_open: bool = False
    armed_code: int = 0
    armed_until_ns: int = 0

    def judge(self, seq: int, code: int) -> Turn:
        """New, a copy of the last request, or nothing to be answered."""
        ahead = (seq - self.last_seq) % MAX_SEQ
        if ahead == 0:
            is_copy = self.last_answer is not None and code == self.last_code
            return Turn.COPY if is_copy else Turn.DROP
        return Turn.NEW if ahead <= NEWEST_AHEAD else Turn.DROP

    def arm(self, code: int, now_ns: int) -> None:
        self.armed_code, self.armed_until_ns = code, now_ns + ARMED_NS

    def disarm(self, code: int, now_ns: int) -> bool:
        """Use up what is armed; True if it was this code, in time."""
        is_armed = self.armed_code == code and now_ns <= self.armed_until_ns
        if self.armed_code == code:
            self.armed_code = 0
        return is_armed
