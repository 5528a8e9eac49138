"""Jackpot chip slots, one a seat: lips, light gate, a flap that gives a chip back, a window where one chip lies, a box.

A chip falls from the lips through the light gate. There the slot decides: it lets it fall into the window, or turns it
out into the player's cup. What lies in the window is the seat's bet until it is collected into the box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .waking import earliest

MS = 1_000_000
# From the lips to the light gate (assumed: some 20 mm of fall and a guide).
FALL_NS = 60 * MS
# A gate that has been dark for so long is no chip (assumed: a chip passes in some 40 ms).
STUCK_NS = 500 * MS
# One seat's window is emptied by its motor in so long (assumed).
COLLECT_NS = 300 * MS


class GivenBack(StrEnum):
    """Why a slot turned a chip out."""

    LATE = "late"
    SECOND = "second"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class ChipTaken:
    """The gate saw a good chip pass; `meter` since boot."""

    seat: int
    meter: int


@dataclass(frozen=True, slots=True)
class ChipGivenBack:
    seat: int
    why: GivenBack


@dataclass(frozen=True, slots=True)
class GateStuck:
    """Some gate is dark for good, or (`is_stuck` False) a person has cleared that."""

    is_stuck: bool


@dataclass(frozen=True, slots=True)
class Collected:
    """The windows that were asked for are empty; `chips` passed the box's own gate. `is_whole` False: stopped early."""

    chips: int
    is_whole: bool


SlotHappening = ChipTaken | ChipGivenBack | GateStuck | Collected


@dataclass(slots=True)
class Slot:
    """One seat's slot as it stands. `cup` and `box` count chips of any value; `window` holds their values."""

    window: list[int]
    meter: int = 0
    box: int = 0
    cup: int = 0
    unseen: int = 0  # chips that passed its blind gate
    is_blind: bool = False  # dust on the gate: chips pass it unseen
    blocked_since_ns: int | None = None  # something sticks in the gate


@dataclass(frozen=True, slots=True)
class _Falling:
    """A chip between lips and gate."""

    seat: int
    value: int
    at_ns: int


class ChipSlots:
    """All slots of one controller. `value` is what one chip must be worth, in the smallest unit of its currency."""

    def __init__(self, name: str, seats: Sequence[int], value: int) -> None:
        self.name = name
        self.value = value
        self.slots = {seat: Slot([]) for seat in seats}
        self.is_powered = False
        self.is_open = False
        self.is_stuck = False
        # Since the world began, told or not.
        self.given_back: Counter[GivenBack] = Counter()
        self._falling: list[_Falling] = []
        self._happenings: list[SlotHappening] = []
        self._to_collect: list[int] = []
        self._collected = 0
        self._collect_due_ns: int | None = None
        self._now_ns = 0

    # Power and orders

    def power_on(self) -> None:
        """Closed, meters at 0; what lies in the windows lies there still."""
        self.is_powered, self.is_open, self.is_stuck = True, False, False
        self._happenings.clear()
        for slot in self.slots.values():
            slot.meter = 0

    def power_off(self) -> None:
        """Flaps turn every chip out; a collection stops where it is."""
        self.is_powered = self.is_open = False
        self._to_collect, self._collect_due_ns = [], None

    def collect(self, seats: Sequence[int]) -> None:
        """Empty these windows into the box, one after the other."""
        self._to_collect, self._collected = list(seats), 0
        self._collect_due_ns = self._now_ns + COLLECT_NS

    @property
    def collecting(self) -> int:
        """Windows that are still to be emptied."""
        return len(self._to_collect)

    @property
    def lying(self) -> dict[int, int]:
        """Chips in each window, as its own sensor sees them."""
        return {seat: len(slot.window) for seat, slot in self.slots.items()}

    def clear_stuck(self) -> bool:
        """A person says that the gates are clear. False: one is dark still."""
        if any(slot.blocked_since_ns is not None for slot in self.slots.values()):
            return False
        if self.is_stuck:
            self.is_stuck = False
            self._happenings.append(GateStuck(is_stuck=False))
        return True

    # Hands

    def drop(self, seat: int, value: int | None = None) -> None:
        """A chip of this value (None: the right one) goes between the lips. Raises KeyError: no slot at that seat."""
        self.slots[seat]
        self._falling.append(_Falling(seat, self.value if value is None else value, self._now_ns + FALL_NS))

    def block(self, seat: int) -> None:
        """Something sticks in the light gate."""
        self.slots[seat].blocked_since_ns = self._now_ns

    def take_out(self, seat: int) -> int:
        """A hand with the key empties the window. Returns how many chips lay there."""
        window = self.slots[seat].window
        chips = len(window)
        window.clear()
        return chips

    def unblock(self, seat: int) -> None:
        """It is taken out."""
        self.slots[seat].blocked_since_ns = None

    # What its face reads

    def take_happenings(self) -> list[SlotHappening]:
        """What happened since the last call, in order."""
        happened, self._happenings = self._happenings, []
        return happened

    def update(self, now_ns: int) -> int | None:
        """Let chips fall, motors turn and gates be watched; returns when one of them wants it next."""
        self._now_ns = now_ns
        for chip in [chip for chip in self._falling if chip.at_ns <= now_ns]:
            self._falling.remove(chip)
            self._at_gate(chip)
        return earliest(
            min((chip.at_ns for chip in self._falling), default=None), self._watch_gates(now_ns), self._turn(now_ns)
        )

    def _at_gate(self, chip: _Falling) -> None:
        slot = self.slots[chip.seat]
        if not self.is_powered or slot.blocked_since_ns is not None:
            slot.cup += 1  # nobody sees it
            return
        why = self._objection(slot, chip.value)
        if why is None:
            slot.window.append(chip.value)
            if slot.is_blind:
                slot.unseen += 1
            else:
                slot.meter += 1
                self._happenings.append(ChipTaken(chip.seat, slot.meter))
            return
        slot.cup += 1
        self.given_back[why] += 1
        if not slot.is_blind:
            self._happenings.append(ChipGivenBack(chip.seat, why))

    def _objection(self, slot: Slot, value: int) -> GivenBack | None:
        if not self.is_open:
            return GivenBack.LATE
        if value != self.value:
            return GivenBack.VALUE
        return GivenBack.SECOND if slot.window else None

    def _watch_gates(self, now_ns: int) -> int | None:
        if not self.is_powered or self.is_stuck:
            return None
        since = [slot.blocked_since_ns for slot in self.slots.values() if slot.blocked_since_ns is not None]
        if not since:
            return None
        if now_ns < min(since) + STUCK_NS:
            return min(since) + STUCK_NS
        self.is_stuck = True
        self._happenings.append(GateStuck(is_stuck=True))
        return None

    def _turn(self, now_ns: int) -> int | None:
        """One window after the other; a gate that sticks stops the motors."""
        while self._collect_due_ns is not None and (self._collect_due_ns <= now_ns or self.is_stuck):
            if self._to_collect and not self.is_stuck:
                slot = self.slots[self._to_collect.pop(0)]
                self._collected += len(slot.window)
                slot.box += len(slot.window)
                slot.window.clear()
            if self._to_collect and not self.is_stuck:
                self._collect_due_ns += COLLECT_NS
                continue
            self._collect_due_ns = None
            self._happenings.append(Collected(self._collected, is_whole=not self.is_stuck))
            self._to_collect = []
        return self._collect_due_ns
