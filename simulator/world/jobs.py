"""What a shuffler's motion program can be busy with; `Play` is what it does otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from .happenings import Hindrance, Spot, Trouble
from .motions import Move, Reading
from .troubles import ALL, DEALING, NOTHING, Side

if TYPE_CHECKING:
    from .machine import ShufflerMachine


class Order(NamedTuple):
    """One motion to begin."""

    move: Move
    compartment: int = 0
    spot: Spot = Spot.CAROUSEL


class Job(Protocol):
    """One goal of the motion program. `moved`: cards counted out under it."""

    moved: int

    @property
    def needs(self) -> frozenset[Side]:
        """What must be allowed to move for it; `DEALING` also ends, failed, when the deal gate shuts."""

    @property
    def lets_draw(self) -> bool:
        """Whether the dealer may draw while it runs."""

    @property
    def progress(self) -> tuple[int, int]:
        """Steps done, and of how many (0: not known)."""

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        """What the drum does next, being free."""

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        """What the exit rollers do next, being free."""

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        """A motion is over."""

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        """True: done; a hindrance: failed; False: goes on. Asked while both axes are free."""


class Play:
    """Deal and take in as the gates allow: the buffer refills before the hopper is drawn from."""

    needs = NOTHING
    lets_draw = True
    progress = (0, 0)

    def __init__(self) -> None:
        self.moved = 0

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        return refill(machine) or take_in(machine)

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        has_room = not machine.carousel.nose and bool(machine.carousel.buffer)
        return Order(Move.ADVANCE) if has_room and machine.may_deal else None

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        pass

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        return False


class Count:
    """COUNT_ALL: look into every compartment and at the exit."""

    needs = ALL
    lets_draw = False

    def __init__(self) -> None:
        self.moved = 0
        self._exit_cards: int | None = None
        self._looked: list[int] = []
        self._steps = 0

    @property
    def progress(self) -> tuple[int, int]:
        return len(self._looked) + (self._exit_cards is not None), self._steps

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        self._steps = machine.figures.compartments + 1
        if len(self._looked) < machine.figures.compartments:
            return Order(Move.LOOK, len(self._looked))
        return Order(Move.LOOK_AT_EXIT) if self._exit_cards is None else None

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return None

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        if reading.move is Move.LOOK:
            self._looked.append(reading.counted)
        elif reading.move is Move.LOOK_AT_EXIT:
            self._exit_cards = reading.counted

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        if self._exit_cards is None:
            return False
        machine.book.count_finished(self._looked, self._exit_cards)
        self.moved = machine.book.content.total
        return True


class Empty:
    """EJECT_ALL: every compartment goes through the exit and out of the mouth."""

    needs = DEALING
    lets_draw = True

    def __init__(self) -> None:
        self.moved = 0
        self._visited = 0
        self._steps = 0

    @property
    def progress(self) -> tuple[int, int]:
        return self._visited, self._steps

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        self._steps = machine.figures.compartments
        if not machine.may_deal or self._visited == self._steps:
            return None
        has_room = len(machine.carousel.buffer) <= machine.figures.buffer_target
        return Order(Move.EJECT, self._visited) if has_room else None

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return push_or_advance(machine)

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        # A refill begun before this job may still come to its end: it is no visit of ours.
        if reading.move is Move.EJECT and reading.compartment == self._visited:
            self._visited += 1

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        carousel = machine.carousel
        if self._visited < machine.figures.compartments or carousel.buffer or carousel.nose:
            return False
        machine.book.exit = 0  # every light barrier is dark, whatever the counters saw
        return True


class Deal:
    """DEAL: so many cards, counted, out of the mouth."""

    needs = DEALING
    lets_draw = True

    def __init__(self, cards: int) -> None:
        self.moved = 0
        self._cards = cards

    @property
    def progress(self) -> tuple[int, int]:
        return self.moved, self._cards

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        return refill(machine)

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return push_or_advance(machine) if self.moved < self._cards else None

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        pass

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        if self.moved >= self._cards:
            return True
        is_dry = not machine.carousel.buffer and not machine.carousel.nose
        return Hindrance.NO_CARDS if is_dry else False


class Recover:
    """RECOVER: run the rollers backwards at each jam, one place after the other."""

    needs = NOTHING
    lets_draw = False

    def __init__(self, spots: tuple[Spot, ...]) -> None:
        self.moved = 0
        self._spots = spots
        self._waiting = list(spots)

    @property
    def progress(self) -> tuple[int, int]:
        return len(self._spots) - len(self._waiting), len(self._spots)

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        return self._next(is_exit=False)

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return self._next(is_exit=True)

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        if reading.move is Move.REVERSE:
            self._waiting.remove(reading.spot)
            if reading.is_freed:
                machine.freed(reading.spot)

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        if self._waiting:
            return False
        for spot in self._spots:
            machine.clear_jam(spot)
        return Hindrance.FAULT if machine.standing.jams & set(self._spots) else True

    def _next(self, *, is_exit: bool) -> Order | None:
        for spot in self._waiting:
            if (spot is Spot.EXIT) is is_exit:
                return Order(Move.REVERSE, spot=spot)
        return None


class SelfTest:
    """SELF_TEST: run every motor, look at every sensor; or one part alone."""

    needs = NOTHING
    lets_draw = False

    def __init__(self, part: Trouble | None = None) -> None:
        self.moved = 0
        self._part = part
        self._is_run = False

    @property
    def progress(self) -> tuple[int, int]:
        return int(self._is_run), 1

    def next_drum(self, machine: ShufflerMachine) -> Order | None:
        return None if self._is_run else Order(Move.TEST)

    def next_exit(self, machine: ShufflerMachine) -> Order | None:
        return None

    def take(self, machine: ShufflerMachine, reading: Reading) -> None:
        if reading.move is Move.TEST:
            self._is_run = True
            machine.standing.inspect(self._part)

    def is_over(self, machine: ShufflerMachine) -> Hindrance | bool:
        if not self._is_run:
            return False
        return Hindrance.FAULT if machine.standing.is_hurt(self._part) else True


# Shared steps


def refill(machine: ShufflerMachine) -> Order | None:
    """At 8 or fewer before the exit, eject whole groups until 18 are there or the carousel is empty."""
    if not machine.may_deal:
        return None
    machine.look_at_exit()
    slot = machine.slot_to_eject()
    return None if slot is None else Order(Move.EJECT, slot)


def take_in(machine: ShufflerMachine) -> Order | None:
    """One card from the hopper into a compartment drawn at random."""
    if not machine.may_feed or not machine.carousel.hopper:
        return None
    slot = machine.slot_to_fill()
    return None if slot is None else Order(Move.FEED, slot, Spot.FEED)


def push_or_advance(machine: ShufflerMachine) -> Order | None:
    """The next card goes to the nose, and from there out of the mouth."""
    if not machine.may_deal:
        return None
    if machine.carousel.nose:
        return Order(Move.PUSH)
    return Order(Move.ADVANCE) if machine.carousel.buffer else None
