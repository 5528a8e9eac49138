"""What a shuffler believes it holds: counted, never seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    """Cards by area in the order of TDL 6.2: feed (counted in, not yet in a compartment), exit, carousel."""

    feed: int
    exit: int
    carousel: int

    @property
    def total(self) -> int:
        return self.feed + self.exit + self.carousel


@dataclass(frozen=True, slots=True)
class SlotMap:
    """The book as it is kept over a loss of power."""

    feed: int
    exit: int
    slots: tuple[int, ...]


@dataclass(slots=True)
class Book:
    """Running count per area and compartment, moved by sensors and replaced by a full count."""

    slots: list[int]
    feed: int = 0
    exit: int = 0
    is_verified: bool = False

    @property
    def content(self) -> Content:
        return Content(self.feed, self.exit, sum(self.slots))

    def slot_map(self) -> SlotMap:
        return SlotMap(self.feed, self.exit, tuple(self.slots))

    def restore(self, kept: SlotMap | None) -> None:
        """At boot: what was kept, unverified; nothing kept reads as empty, unverified too."""
        self.is_verified = False
        if kept is None or len(kept.slots) != len(self.slots):
            kept = SlotMap(0, 0, (0,) * len(self.slots))
        self.feed, self.exit, self.slots = kept.feed, kept.exit, list(kept.slots)

    def enter(self, slot: int, cards: int) -> None:
        self.slots[slot] += cards

    def eject(self, slot: int) -> None:
        self.exit += self.slots[slot]
        self.slots[slot] = 0

    def lower(self) -> None:
        """The lift goes down: what stood before the exit is in the stack again."""
        self.slots[0] += self.exit
        self.exit = 0

    def catch(self) -> None:
        """A card of the stack hangs in the gripper."""
        if self.slots[0]:
            self.slots[0] -= 1
            self.feed += 1

    def leave(self, cards: int) -> None:
        self.exit = max(0, self.exit - cards)

    def count_finished(self, slots: list[int], exit_cards: int) -> None:
        """The full count ended well: it is the book from now on."""
        self.slots = list(slots)
        self.feed, self.exit = 0, exit_cards
        self.is_verified = True
