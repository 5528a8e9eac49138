"""The mechanics of a shuffler with compartments: where each card is, and what moves it.

Structure after the public model of such a machine: 38 compartments of 10 cards, a whole group ejected at a
time, a buffer before the exit. Here is the truth; what the machine believes is in `machine.py`.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from .cards import Card, Pile
from .figures import Figures
from .happenings import Spot, Trouble
from .hazards import Hazards, Mishap
from .motions import CARD_MOVES, DRIVES, EXIT_MOVES, Axis, Motion, Move, Reading
from .optics import CountingSensor
from .waking import earliest


class Carousel:
    """Hopper, feed path, throat, compartments, buffer, exit path, nose, mouth; motors, lid, light barriers."""

    def __init__(self, name: str, seed: int, figures: Figures, hazards: Hazards) -> None:
        self.name = name
        self.figures = figures
        self.hazards = hazards
        self.hopper = Pile(f"{name} hopper")
        self.feed_path = Pile(f"{name} feed path")
        self.throat = Pile(f"{name} throat")
        self.compartments = [Pile(f"{name} compartment {n}") for n in range(figures.compartments)]
        self.transfer = Pile(f"{name} transfer")
        self.buffer = Pile(f"{name} buffer")
        self.exit_path = Pile(f"{name} exit path")
        self.nose = Pile(f"{name} nose")
        self.mouth = Pile(f"{name} mouth")
        self.position = random.Random(f"drum {seed}").randrange(figures.compartments)
        self.is_homed = False
        self.is_lid_open = False
        self.broken: set[Trouble] = set()
        self.deep_jams: set[Spot] = set()
        self.jammed: set[Spot] = set()
        # What truly happened, for whoever must prove that a fault fired.
        self.tally: Counter[str] = Counter()
        # A bent guide catches each card before its compartment and holds it until tools free it.
        self.has_bent_guide = False
        # Damp cards slip under the feed rollers: each takes so many times as long.
        self.feed_slip = 1.0
        self.in_sensor = CountingSensor(random.Random(f"in {seed}"), hazards.rates.misreads)
        self.out_sensor = CountingSensor(random.Random(f"out {seed}"), hazards.rates.misreads)
        self.look_sensor = CountingSensor(random.Random(f"look {seed}"), hazards.rates.misreads)
        self._motions: dict[Axis, Motion] = {}
        self._gaps = random.Random(f"gaps {seed}")
        self._mixed = 0  # cards at the top of a batch machine's stack that have been pushed in anew

    @property
    def has_unmixed(self) -> bool:
        """A light barrier under the stack of a batch machine: a card is still to be mixed."""
        return self._mixed < len(self.compartments[0])

    @property
    def piles(self) -> list[Pile]:
        """Every place of this machine where a card can be."""
        ways = [self.hopper, self.feed_path, self.throat, self.transfer, self.buffer, self.exit_path]
        return [*ways, self.nose, self.mouth, *self.compartments]

    @property
    def next_end_ns(self) -> int | None:
        """When the next motion ends; None while nothing runs."""
        return earliest(*[motion.ends_ns for motion in self._motions.values()])

    @property
    def is_still(self) -> bool:
        """No motion is under way."""
        return not self._motions

    def is_free(self, axis: Axis) -> bool:
        return axis not in self._motions

    def runs(self, *moves: Move) -> bool:
        """Whether one of these motions is under way."""
        return any(motion.move in moves for motion in self._motions.values())

    def stuck(self, spot: Spot) -> Pile:
        """Where a card lies that is stuck at `spot`."""
        return {Spot.FEED: self.feed_path, Spot.CAROUSEL: self.throat, Spot.EXIT: self.exit_path}[spot]

    def counter(self, spot: Spot) -> CountingSensor:
        """The card counter at the feed, or the one at the exit."""
        return self.in_sensor if spot is Spot.FEED else self.out_sensor

    def is_path_clear(self, spot: Spot) -> bool:
        """The light barrier across that path."""
        return not self.stuck(spot)

    # Motors

    def begin(self, move: Move, now_ns: int, *, compartment: int = 0, spot: Spot = Spot.CAROUSEL) -> None:
        """Start a motion on its axis, which is free."""
        axis = Axis.EXIT if move in EXIT_MOVES or spot is Spot.EXIT else Axis.DRUM
        assert axis not in self._motions
        if DRIVES.get(move) in self.broken:
            motion = Motion(move, now_ns + self.figures.stall_ns, compartment, spot)
        else:
            duration = self._duration(move, compartment)
            mishap = self._set_out(move, compartment)
            if mishap is Mishap.JAM:
                duration += self.figures.stall_ns
            motion = Motion(move, now_ns + duration, compartment, spot, mishap)
        self._motions[axis] = motion

    def finish(self) -> Reading:
        """End the motion that is due first, and say what the sensors saw."""
        axis = min(self._motions, key=lambda axis: self._motions[axis].ends_ns)
        motion = self._motions.pop(axis)
        if DRIVES.get(motion.move) not in self.broken:
            return self._arrive(motion)
        self._leave_standing(motion)
        jam = motion.spot if motion.spot in self.jammed else None
        return Reading(move=motion.move, failed=DRIVES[motion.move], jam=jam, spot=motion.spot)

    def coast(self) -> list[Reading]:
        """The lid switch cuts the motors: a card on its way glides to its end, all else is broken off."""
        readings = []
        while self._motions:
            axis = min(self._motions, key=lambda axis: self._motions[axis].ends_ns)
            if self._motions[axis].move in CARD_MOVES:
                readings.append(self.finish())
            else:
                del self._motions[axis]
        self.is_homed = False
        return readings

    def lose_power(self) -> None:
        """Motions end for good: a card in a path stays there, a group half ejected slides back."""
        for motion in self._motions.values():
            self._leave_standing(motion)
        self._motions.clear()
        self.is_homed = False

    def _leave_standing(self, motion: Motion) -> None:
        """No force any more: the ejected group slides back, a card in a path is stuck there."""
        if motion.move is Move.EJECT:
            for card in reversed(tuple(self.transfer)):
                card.move_to(self.compartments[motion.compartment])
        self.jammed |= {spot for spot in Spot if self.stuck(spot)}

    def pull(self, to: Pile) -> int:
        """A hand draws what stands in the nose. Returns what the out-counter saw."""
        if not self.nose:
            return 0
        counted = int(self.out_sensor.sees_card())
        for card in self.nose:
            self.hazards.handle(card)
            card.move_to(to)
        return counted

    def _duration(self, move: Move, compartment: int) -> int:
        figures = self.figures
        if move is Move.FEED:
            return self._turn_to(compartment) + round(figures.feed_ns * self.feed_slip)
        if move is Move.EJECT:
            push = figures.eject_ns if self.compartments[compartment] else figures.empty_eject_ns
            return self._turn_to(compartment) + push
        if move is Move.LOOK:
            cards = len(self.compartments[compartment])
            return self._turn_to(compartment) + figures.look_ns + cards * figures.look_card_ns
        return {
            Move.HOME: figures.home_fast_ns + figures.home_slow_ns,
            Move.LOOK_AT_EXIT: figures.look_ns + len(self.buffer) * figures.look_card_ns,
            Move.LOWER: figures.lower_ns,
            Move.INSERT: figures.insert_ns,
            Move.ADVANCE: figures.advance_ns,
            Move.PUSH: figures.push_ns,
            Move.REVERSE: figures.reverse_ns,
            Move.TEST: figures.test_ns,
        }[move]

    def _turn_to(self, compartment: int) -> int:
        """Turn the shorter way round; returns how long that takes."""
        steps = abs(compartment - self.position)
        steps = min(steps, self.figures.compartments - steps)
        self.position = compartment
        return steps * self.figures.turn_ns // self.figures.compartments

    # What the motions do with the cards

    def _set_out(self, move: Move, compartment: int) -> Mishap:
        """Cards enter the path; fate is drawn."""
        if move is Move.FEED and self.hopper:
            mishap = self.hazards.feed(self.hopper.bottom, has_next=len(self.hopper) > 1)
            self._draw_in(self.hopper, self.feed_path, mishap)
            return mishap
        if move is Move.ADVANCE and self.buffer:
            mishap = self.hazards.exit(self.buffer.bottom, has_next=len(self.buffer) > 1)
            self._draw_in(self.buffer, self.exit_path, mishap)
            return mishap
        if move is Move.INSERT and self.compartments[0]:
            stack = self.compartments[0]
            mishap = self.hazards.feed(stack.bottom, has_next=len(stack) - self._mixed > 1)
            self._draw_in(stack, self.throat, mishap)
            return mishap
        if move is Move.EJECT:
            for card in reversed(tuple(self.compartments[compartment])):  # last in, first out
                card.move_to(self.transfer)
        return Mishap.NONE

    def _draw_in(self, source: Pile, path: Pile, mishap: Mishap) -> None:
        if mishap is Mishap.DOUBLE:
            self.tally[f"double feed from {source.name.removeprefix(self.name).strip()}"] += 1
            source.bottom.move_to(path)
        source.bottom.move_to(path)

    def _arrive(self, motion: Motion) -> Reading:
        plain = Reading(move=motion.move, compartment=motion.compartment, spot=motion.spot)
        match motion.move:
            case Move.FEED:
                return self._arrive_fed(motion)
            case Move.ADVANCE:
                return self._arrive_at_nose(motion)
            case Move.EJECT:
                self.transfer.move_all(self.buffer)
            case Move.LOWER:
                self._lower()
            case Move.INSERT:
                return self._arrive_inserted(motion)
            case Move.PUSH:
                return replace(plain, counted=self._push_out())
            case Move.LOOK:
                cards = len(self.compartments[motion.compartment])
                return replace(plain, counted=self.look_sensor.count(cards))
            case Move.LOOK_AT_EXIT:
                return replace(plain, counted=self.look_sensor.count(len(self.buffer) + len(self.nose)))
            case Move.HOME:
                self.position, self.is_homed = 0, True
            case Move.REVERSE:
                return replace(plain, is_freed=self._reverse(motion.spot))
            case Move.TEST:
                pass
        return plain

    def _arrive_fed(self, motion: Motion) -> Reading:
        if motion.mishap is Mishap.JAM and self.feed_path:
            return self._jam(motion, Spot.FEED, counted=0)
        is_thick = len(self.feed_path) > 1 and self.hazards.is_noticed_thick()
        counted = self._pass_in_counter()
        if self.throat and self._is_caught(self.throat.bottom, motion.compartment):
            return self._jam(motion, Spot.CAROUSEL, counted=counted)
        self.throat.move_all(self.compartments[motion.compartment])
        return Reading(
            move=motion.move, compartment=motion.compartment, counted=counted, is_thick=is_thick, spot=Spot.FEED
        )

    def _lower(self) -> None:
        """What stood before the exit lies under the stack again; nothing of it counts as mixed."""
        for pile in (self.buffer, self.nose):
            for card in reversed(tuple(pile)):
                card.move_to(self.compartments[0], under=True)
        self._mixed = 0

    def _arrive_inserted(self, motion: Motion) -> Reading:
        """From under the stack past the counter, into any gap among those already mixed."""
        is_thick = len(self.throat) > 1 and self.hazards.is_noticed_thick()
        counted = int(self.in_sensor.sees_card()) if self.throat else 0
        if self.throat and (motion.mishap is Mishap.JAM or self._is_caught(self.throat.bottom, 0)):
            return self._jam(motion, Spot.CAROUSEL, counted=counted)
        stack = self.compartments[0]
        gap = len(stack) - self._mixed + self._gaps.randint(0, self._mixed)
        for card in self.throat:
            card.slip_into(stack, gap)
            self._mixed += 1
        return Reading(move=motion.move, counted=counted, is_thick=is_thick, spot=motion.spot)

    def _pass_in_counter(self) -> int:
        """A card, or two that stick together, go by as one."""
        if not self.feed_path:
            return 0
        self.feed_path.move_all(self.throat)
        return int(self.in_sensor.sees_card())

    def _is_caught(self, card: Card, compartment: int) -> bool:
        if self.has_bent_guide or Trouble.ALIGNMENT in self.broken:
            return True
        if len(self.compartments[compartment]) >= self.figures.compartment_limit:
            return True
        return self.hazards.insert(card) is Mishap.JAM

    def _arrive_at_nose(self, motion: Motion) -> Reading:
        if motion.mishap is Mishap.JAM and self.exit_path:
            return self._jam(motion, Spot.EXIT, counted=0)
        is_thick = len(self.exit_path) > 1 and self.hazards.is_noticed_thick()
        is_bent = any(self.hazards.is_noticed_bent(card) for card in self.exit_path)
        self.tally["bent card seen"] += is_bent
        self.exit_path.move_all(self.nose)
        return Reading(move=motion.move, spot=Spot.EXIT, is_thick=is_thick, is_bent=is_bent)

    def _push_out(self) -> int:
        if not self.nose:
            return 0
        self.nose.move_all(self.mouth)
        return int(self.out_sensor.sees_card())

    def _jam(self, motion: Motion, spot: Spot, *, counted: int) -> Reading:
        self.jammed.add(spot)
        self.tally[f"jam at {spot}"] += 1
        if spot is Spot.CAROUSEL and (self.has_bent_guide or self.hazards.is_deep()):
            self.deep_jams.add(spot)
            self.tally["deep jam"] += 1
        return Reading(move=motion.move, compartment=motion.compartment, counted=counted, jam=spot, spot=motion.spot)

    def _reverse(self, spot: Spot) -> bool:
        """Run the rollers backwards: frees every second jam that a hand could free too (assumed)."""
        if spot not in self.jammed:
            return True
        if spot in self.deep_jams or self.hazards.rng.random() < 0.5:
            return False
        ways = {Spot.FEED: self.hopper, Spot.CAROUSEL: self.compartments[self.position], Spot.EXIT: self.buffer}
        for card in reversed(tuple(self.stuck(spot))):
            card.move_to(ways[spot], under=True)
        self.jammed.discard(spot)
        return True
