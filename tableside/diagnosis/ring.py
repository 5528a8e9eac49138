"""The last two minutes of a cable, as the bytes passed; only in memory, and never more than it may take. Pure."""

from __future__ import annotations

from collections import deque

from firmware_bridge.clock import NS_PER_S
from firmware_bridge.links.recording import Direction, Entry

RING_NS = 120 * NS_PER_S
# A serial line at 115,200 baud that never rests makes 1.4 MB of 120 s.
RING_BYTES = 2_000_000
# Of each entry beside its bytes: an entry of one byte costs about as much (measured with sys.getsizeof).
_ENTRY_BYTES = 120


class Ring:
    """Entries of one cable, oldest first. What had to go before its time is counted."""

    def __init__(self) -> None:
        self.dropped = 0
        self._entries: deque[Entry] = deque()
        self._held_bytes = 0

    def note(self, at_ns: int, direction: Direction, data: bytes) -> None:
        """Something passes."""
        self._entries.append(Entry(at_ns, direction, data))
        self._held_bytes += len(data) + _ENTRY_BYTES
        while self._entries[0].at_ns < at_ns - RING_NS:
            self._drop()
        while self._held_bytes > RING_BYTES:
            self._drop()
            self.dropped += 1

    def entries(self) -> tuple[Entry, ...]:
        """All that is here."""
        return tuple(self._entries)

    def _drop(self) -> None:
        self._held_bytes -= len(self._entries.popleft().data) + _ENTRY_BYTES
