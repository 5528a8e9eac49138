"""How a cable is spoken on, and the times that follow from it."""

from __future__ import annotations

from dataclasses import dataclass

# Start, eight bits, parity or a second stop bit, stop (Serial Line V1.02, 2.5.1): eleven bits a character.
BITS_PER_CHARACTER = 11
GAP_CHARACTERS = 3.5
# Above 19,200 baud the standard fixes the gap: shorter ones cost a controller too many interrupts.
SHORTEST_GAP_S = 0.00175
FTDI_LATENCY_S = 0.016  # the commonest adapter's latency timer, unless it has been set low
# An I/O board answers within some milliseconds, a slow one within 100; the standard leaves the limit to the user.
ANSWER_LIMIT_S = 0.25
# A gateway between networks takes its own time, and the bus behind it too.
TCP_ANSWER_LIMIT_S = 1.0
# Pieces of one answer come at most so far apart; a pause longer than this ends an answer that is not whole.
PIECES_APART_S = 0.05
# After an answer that did not come in time the bus must be silent for so long before anything is asked again: an
# answer that is only late comes in this time and is thrown away (BR-011).
TURNAROUND_S = 0.25
# A bus on which somebody talks without an end: given up.
TURNAROUND_LIMIT_S = 5.0


@dataclass(frozen=True, slots=True)
class LineProfile:
    """One cable. `is_tcp`: frames with a header and numbered questions; else RTU, whatever carries the bytes."""

    is_tcp: bool
    baud: int = 9_600
    adapter_latency_s: float = FTDI_LATENCY_S

    @property
    def gap_s(self) -> float:
        """The silence between two frames; on TCP there is none."""
        return 0.0 if self.is_tcp else max(GAP_CHARACTERS * self.character_s, SHORTEST_GAP_S)

    @property
    def character_s(self) -> float:
        """One character on the wire."""
        return BITS_PER_CHARACTER / self.baud

    def answer_limit_s(self, characters: int) -> float:
        """How long an answer may take: so many characters go over the wire for question and answer."""
        if self.is_tcp:
            return TCP_ANSWER_LIMIT_S
        return ANSWER_LIMIT_S + characters * self.character_s + self.adapter_latency_s
