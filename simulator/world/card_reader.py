"""A card reader at a shuffler's mouth: it sees each card as it comes out, and holds nothing back.

A card that lay at the nose and is in no machine any more has gone by. Two that come stuck together are one to it, a
card whose print is faded it cannot read, and dust makes it see one twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .cards import Card, Pile, Printing

NS_PER_S = 1_000_000_000
# How long it looks at its own test card (assumed).
SELF_TEST_NS = 2 * NS_PER_S


@dataclass(frozen=True, slots=True)
class Passed:
    """A card went by; `card` None: it could not be read. `meter` and `count` since it was switched on."""

    count: int
    meter: int
    card: Card | None


class CardReader:
    """One reader. `nose` is where the next card waits, of whatever machine is in play; `is_inside`: in any machine."""

    def __init__(self, name: str, nose: Callable[[], Pile], is_inside: Callable[[Card], bool]) -> None:
        self.name = name
        self.is_powered = False
        self.is_cover_open = False
        self.doubles_next = False  # dust on the gate: the next card is seen twice
        self.has_dead_eye = False  # it finds that itself, and tells its maker's own fault
        self.meter = 0
        self.missed: list[Card] = []  # cards that truly went by and were not counted
        self.seen: list[Card] = []
        self._nose = nose
        self._is_inside = is_inside
        self._waiting: tuple[Card, ...] = ()
        self._passed: list[Passed] = []
        self._test_until_ns: int | None = None
        self._now_ns = 0

    def power_on(self) -> None:
        """Its meters begin anew."""
        self.is_powered, self.meter, self._test_until_ns = True, 0, None
        self._passed.clear()

    def power_off(self) -> None:
        self.is_powered = False

    def update(self, now_ns: int) -> int | None:
        """Look; returns when its test of itself ends."""
        self._now_ns = now_ns
        fresh = [card for card in self._waiting if not self._is_inside(card)]
        self._waiting = tuple(self._nose())
        if fresh and not self.is_powered:
            self.missed += fresh
        elif fresh:
            self._see(fresh)
        return self._test_until_ns if self.is_powered else None

    def begin_test(self) -> None:
        """Look at its own test card."""
        self._test_until_ns = self._now_ns + SELF_TEST_NS

    def take_test_end(self) -> bool:
        """True once, when the test is over."""
        if self._test_until_ns is None or self._now_ns < self._test_until_ns:
            return False
        self._test_until_ns = None
        return True

    def take_passed(self) -> list[Passed]:
        """What has gone by since the last call."""
        passed, self._passed = self._passed, []
        return passed

    def _see(self, fresh: list[Card]) -> None:
        """What comes at one moment is one card to it."""
        *hidden, top = fresh
        self.missed += hidden
        self.seen.append(top)
        self._pass(top)
        if self.doubles_next:
            self.doubles_next = False
            self._pass(top)

    def _pass(self, card: Card) -> None:
        self.meter += 1
        is_readable = card.printing is Printing.SOUND and not self.has_dead_eye
        self._passed.append(Passed(self.meter, self.meter, card if is_readable else None))
