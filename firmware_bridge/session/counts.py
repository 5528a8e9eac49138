"""What a link threw away, counted, because nothing is lost silently; and the budget that closes a noisy line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from firmware_bridge.wire.garbage import Garbage, GarbageReason

# A piece of garbage costs its bytes, at least this much, so that a rain of tiny pieces costs too.
_SMALLEST_COST_BYTES = 16

# Four kilobytes of debt: chatter of a boot loader (300 bytes and more, BR-006) passes; a line with a wrong speed
# or a shorted pair reaches it within half a second of 115,200 baud.
GARBAGE_BUDGET_BYTES = 4_096

# Each good frame pays so much back: a line that loses one frame in three still lives.
_PAID_BACK_BYTES = 128


@dataclass(slots=True)
class LinkCounts:
    """Everything that a device's sessions counted, over the life of the daemon."""

    bytes_received: int = 0
    frames_received: int = 0
    frames_sent: int = 0
    garbage: Counter[GarbageReason] = field(default_factory=Counter)  # pieces
    garbage_bytes: int = 0
    wrong_session: int = 0  # frames of another connection: a copy that a broker or a bridge kept
    late_replies: int = 0  # answers to a request that is no longer the outstanding one (BR-011)
    echoes: int = 0  # types that only a host sends: our own bytes, or another host on the line
    malformed: int = 0  # checked frames whose known keys are missing or of another type
    unexpected: int = 0  # notices before step 4: the device will send them again
    repeats: int = 0  # copies of requests that went out beyond the first
    silences: int = 0  # moving commands whose reply did not come, asked for by OUTCOME
    notices_again: int = 0  # copies of notices
    notices_ahead: int = 0  # notices behind a gap
    pauses: int = 0  # times that reading stopped because nobody above had room
    orders_dropped: int = 0  # orders to a device that was away


class GarbageBudget:
    """Debt in bytes: garbage adds, good frames pay back; above the limit the line is closed."""

    def __init__(self) -> None:
        self._debt_bytes = 0

    @property
    def is_spent(self) -> bool:
        """True when the line has cost more than its budget."""
        return self._debt_bytes > GARBAGE_BUDGET_BYTES

    def thrown_away(self, garbage: Garbage) -> None:
        """A piece was thrown away."""
        self._debt_bytes += max(garbage.size, _SMALLEST_COST_BYTES)

    def frame_came(self) -> None:
        """A whole frame came."""
        self._debt_bytes = max(0, self._debt_bytes - _PAID_BACK_BYTES)
