"""What a Modbus cable counted beside what every cable counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from firmware_bridge.session.counts import LinkCounts


@dataclass(slots=True)
class ModbusCounts(LinkCounts):
    """Over the life of the daemon; `late_replies` are answers whose question was given up (BR-011)."""

    unanswered: Counter[int] = field(default_factory=Counter)  # questions, by board
    refused: Counter[int] = field(default_factory=Counter)  # exceptions, by board
    strange: int = 0  # whole frames that answer nothing that was asked
    turnarounds: int = 0  # times that the bus was left silent before the next question
