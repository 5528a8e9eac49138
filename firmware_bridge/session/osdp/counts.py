"""What a bus and its stations counted over the life of the daemon, because nothing is lost silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from firmware_bridge.session.osdp.conversation import Misheard
from firmware_bridge.wire.garbage import GarbageReason


@dataclass(slots=True)
class StationCounts:
    """One station."""

    commands: int = 0  # first copies sent
    repeats: int = 0  # further copies, under the same number
    answers: int = 0
    clean_polls: int = 0  # polls answered with nothing new
    misses: int = 0  # deadlines passed
    forgiven: int = 0  # deadlines passed while the event loop was late
    busy: int = 0
    refusals: Counter[int] = field(default_factory=Counter)  # by NAK code
    misheard: Counter[Misheard] = field(default_factory=Counter)
    sessions: int = 0  # set-ups completed
    channels_lost: int = 0
    unknown_replies: int = 0  # codes that this version does not know


@dataclass(slots=True)
class BusCounts:
    """The cable."""

    bytes_received: int = 0
    frames_received: int = 0
    frames_sent: int = 0
    garbage: Counter[GarbageReason] = field(default_factory=Counter)  # pieces
    garbage_bytes: int = 0
    bytes_before_speaking: int = 0  # lay in the cable before the first command (BR-006)
    echoes: int = 0  # our own frames, played back whole
    collisions: int = 0  # garbage where the echo should have been
    foreign_commands: int = 0  # another panel on this bus
    strangers: int = 0  # replies from addresses that are not configured

    @property
    def from_others(self) -> int:
        """Frames and garbage that are not our own frames played back, each of which is counted as both."""
        return self.frames_received + self.garbage.total() - 2 * self.echoes
