"""What a decoder throws away, and why: one record for each thing, so that nothing is lost silently."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GarbageReason(StrEnum):
    """Why bytes were thrown away. The values are the words that journal, page and CLI show."""

    TRUNCATED = "truncated"  # ended before the shortest whole frame
    OVERSIZED = "oversized"  # longer than this receiver takes
    BAD_COBS = "bad_cobs"  # a COBS group runs past the delimiter
    NOT_TDL = "not_tdl"  # another protocol, another major version, another speed
    BAD_LENGTH = "bad_length"  # the length field disagrees with what is there
    BAD_CHECK = "bad_check"  # checksum or CRC wrong
    BAD_TYPE = "bad_type"  # a message type that this version does not know
    BAD_FIELD = "bad_field"  # a header field has a value that its type forbids
    BAD_BODY = "bad_body"  # checked, but the body is outside the protocol's profile
    SEALED = "sealed"  # an encrypted message, which nothing here can open
    NOISE = "noise"  # bytes between frames where the protocol allows none
    ECHO = "echo"  # our own bytes came back


@dataclass(frozen=True, slots=True)
class Garbage:
    """`size` bytes thrown away for one reason; delimiters are not counted, and no byte is counted twice."""

    reason: GarbageReason
    size: int
