"""Sizes and times of a carousel shuffler, each with its source."""

from __future__ import annotations

from dataclasses import dataclass

MS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Sizes and times of one machine. Sources: *one2six* = public simulation of that carousel;
    *LeShuffler* = public firmware of a carousel shuffler; the rest is assumed."""

    compartments: int = 38  # one2six
    cards_per_compartment: int = 10  # one2six
    # Plastic gives: so many can be forced in before a card sticks out and jams.
    compartment_limit: int = 14
    buffer_target: int = 18  # one2six
    refill_at: int = 8  # one2six
    group_min: int = 7  # one2six
    hopper_cards: int = 120
    turn_ns: int = 667 * MS  # LeShuffler: at most 90 rpm
    home_fast_ns: int = 1_800 * MS  # LeShuffler: 33.3 rpm, one turn
    home_slow_ns: int = 720 * MS  # LeShuffler: 2.2 rpm, the last compartment
    feed_ns: int = 120 * MS
    eject_ns: int = 600 * MS
    empty_eject_ns: int = 60 * MS
    advance_ns: int = 120 * MS
    push_ns: int = 80 * MS
    # Counting takes about two minutes with six decks in.
    look_ns: int = 450 * MS
    look_card_ns: int = 300 * MS
    # A batch machine mixes 52 cards in some 22 s.
    insert_ns: int = 400 * MS
    lower_ns: int = 1_500 * MS
    reverse_ns: int = 2_500 * MS
    test_ns: int = 8_000 * MS
    # No movement for so long is a jam.
    stall_ns: int = 350 * MS

    @property
    def capacity(self) -> int:
        """Cards that the carousel takes."""
        return self.compartments * self.cards_per_compartment

    @property
    def buffer_limit(self) -> int:
        """The most that a refill can leave in the buffer."""
        return self.buffer_target + self.cards_per_compartment


# A batch machine has one stack on a lift, and room for eight decks. Nothing is brought before its exit unasked.
BATCH = Figures(
    compartments=1,
    cards_per_compartment=416,
    compartment_limit=420,
    buffer_target=416,
    refill_at=0,
    group_min=1,
    hopper_cards=416,
)
