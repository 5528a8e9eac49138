"""What a batch shuffler's motion program can be busy with: a stack on a lift, a gripper that opens gaps in it.

A batch is taken in under the feed gate, card by card, and lies on the lift. It is mixed by being fed from under the
stack into random gaps, past a counter, so that mixing counts; nothing enters or leaves meanwhile. It is brought out by
command only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .happenings import Hindrance
from .jobs import Order, take_in
from .motions import Move, Reading
from .troubles import ALL, NOTHING

if TYPE_CHECKING:
    from .machine import ShufflerMachine


class Rest:
    """Take a batch in as the feed gate allows, the lift being down; nothing is dealt unasked."""

    needs = NOTHING
    lets_draw = False
    progress = (0, 0)

    def __init__(self) -> None:
        self.moved = 0

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        carousel = machine.carousel
        if machine.may_feed and carousel.hopper and (carousel.buffer or carousel.nose):
            return Order(Move.LOWER)
        return take_in(machine)

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return None

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        pass

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        return False


class Shuffle:
    """SHUFFLE: lower the lift, mix all that lies on it, and hold the count against the number that was expected."""

    needs = ALL
    lets_draw = False

    def __init__(self, expected: int) -> None:
        self.moved = 0
        self._expected = expected
        self._is_lowered = False

    @property
    def progress(self) -> tuple[int, int]:
        return self.moved, self._expected

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        if not self._is_lowered:
            return Order(Move.LOWER)
        return Order(Move.INSERT) if machine.carousel.has_unmixed else None

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return None

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        if reading.move is Move.LOWER:
            self._is_lowered = True
        elif reading.move is Move.INSERT and reading.jam is None:
            self.moved += reading.counted

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        if not self._is_lowered or machine.carousel.has_unmixed:
            return False
        machine.book.count_finished([self.moved], 0)
        if self.moved == self._expected:
            return True
        return Hindrance.NO_CARDS if self.moved < self._expected else Hindrance.NO_ROOM
