"""The shuffler's own motion program: what runs next, what it counts, when it stops by itself.

It knows sensors only. Who may open the gates (permits) and who is told (notices) is the face's affair.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from .batch import Shuffle
from .book import Book, SlotMap
from .cards import Pile
from .carousel import Carousel
from .figures import Figures
from .gates import Gate, Meters
from .happenings import (
    Breach,
    BufferLevel,
    CardsIn,
    CardsOut,
    CardSuspected,
    Happening,
    Hindrance,
    HopperEmptied,
    JobEnded,
    LampChanged,
    LidMoved,
    Spot,
    Suspicion,
    Tampered,
    Trouble,
)
from .hazards import Hazards
from .jobs import Count, Job, Order, Play
from .lamp import DARK, JAM_LIGHT, Light
from .motions import Axis, Move, Reading
from .standing import Standing
from .troubles import DEALING, SPOTS, Side

# With an empty carousel and no more than this before the exit the dealer is warned (assumed).
LOW_BUFFER = 4
METER_MODULUS = 1 << 32
# A count that ends so has counted nothing; one that finds another number than it was told has counted.
UNCOUNTED = frozenset({Hindrance.FAULT, Hindrance.LID, Hindrance.PERMIT})
_AXES = tuple(Axis)  # an enumeration is walked slowly, and this is asked at each byte


class ShufflerMachine:
    """A shuffler: mechanics plus motion program. Off until `power_on`. `rest`: what it does with no command."""

    def __init__(
        self,
        name: str,
        seed: int,
        *,
        figures: Figures | None = None,
        hazards: Hazards | None = None,
        rest: Callable[[], Job] = Play,
    ) -> None:
        self.name = name
        self._rest = rest
        self.carousel = Carousel(name, seed, figures or Figures(), hazards or Hazards(seed))
        self.figures = self.carousel.figures
        self.book = Book([0] * self.figures.compartments)
        self.feed_gate = Gate()
        self.deal_gate = Gate()
        self.meters = Meters()
        self.standing = Standing(self.carousel, self._tell)
        self.is_powered = False
        self.is_lid_released = False
        self.job: Job = rest()
        self._is_busy = False
        # What the program believes the lamp shows; a burnt one is dark all the same.
        self.shown_light = DARK
        self._rng = random.Random(f"compartment {seed}")
        self._happenings: list[Happening] = []
        self._is_refilling = False
        self._is_low = False

    # Power

    def power_on(self, kept: SlotMap | None) -> None:
        """Boot: meters at zero, gates shut, the book as kept, unverified."""
        self.is_powered = True
        self.book.restore(kept)
        self.meters = Meters()
        self.feed_gate, self.deal_gate = Gate(), Gate()
        self.standing.forget()
        self.job, self._is_busy = self._rest(), False
        self.shown_light = DARK
        self._is_refilling = self._is_low = False
        self._happenings.clear()
        for spot in sorted(self.carousel.jammed):
            self._begin_jam(spot)

    def power_off(self) -> None:
        """Everything stands; what the program knew is gone, except what the face kept."""
        self.is_powered = False
        self.is_lid_released = False
        self.carousel.lose_power()

    # What the face may do

    def take_happenings(self) -> list[Happening]:
        """What happened since the last call, in order."""
        happened, self._happenings = self._happenings, []
        return happened

    @property
    def is_busy(self) -> bool:
        return self._is_busy

    def begin(self, job: Job) -> None:
        """Start a job; the face has made sure that none runs and that it may."""
        self.job, self._is_busy = job, True

    def set_lamp(self, light: Light) -> None:
        """Light the lamp otherwise."""
        if light.colour and Trouble.LAMP in self.carousel.broken:
            self.standing.begin(Trouble.LAMP, SPOTS[Trouble.LAMP])
        if light != self.shown_light:
            self.shown_light = light
            self._tell(LampChanged(light))

    @property
    def piles(self) -> list[Pile]:
        """Every place of this machine where a card can be."""
        return self.carousel.piles

    @property
    def cards_inside(self) -> int:
        """How many cards are truly in it, hopper and mouth apart: only the world knows."""
        outside = (self.carousel.hopper, self.carousel.mouth)
        return sum(len(pile) for pile in self.piles if pile not in outside)

    @property
    def visible_light(self) -> Light:
        """What eyes at the table see."""
        is_dark = not self.is_powered or Trouble.LAMP in self.carousel.broken
        return DARK if is_dark else self.shown_light

    @property
    def is_path_clear(self) -> bool:
        """Hopper empty, nothing between the areas, nothing moving."""
        carousel = self.carousel
        return carousel.is_still and not carousel.hopper and all(carousel.is_path_clear(spot) for spot in Spot)

    def clear_jam(self, spot: Spot) -> bool:
        """The same for a jam: gone, if the lid is closed and its path is clear."""
        is_seen_clear = not self.carousel.is_lid_open and self.carousel.is_path_clear(spot)
        if spot in self.standing.jams and is_seen_clear:
            # Its card is out in somebody's hand: no longer counted here.
            if spot is Spot.CAROUSEL:
                self.book.feed = 0
            elif spot is Spot.EXIT:
                self.book.leave(1)
            self.standing.end_jam(spot)
        return spot not in self.standing.jams

    # What the world does to it

    def lid_moved(self, *, is_open: bool) -> None:
        """The lid switch: open stops everything; closed, the machine looks whether jams are gone."""
        self.carousel.is_lid_open = is_open
        for reading in self.carousel.coast() if is_open else ():
            self._take(reading)
        if not self.is_powered:
            return
        self._tell(LidMoved(is_open))
        if is_open:
            self._close_gates()
            self._end_job(Hindrance.LID)
            return
        for spot in tuple(self.standing.jams):
            self.clear_jam(spot)

    def draw(self, to: Pile, *, by_force: bool = False) -> int:
        """The dealer pulls at the nose. The brake holds unless dealing is open. Returns cards that came."""
        is_free = self.is_powered and self.may_deal and self.job.lets_draw
        if self.carousel.is_lid_open or not (is_free or by_force):
            return 0
        cards = len(self.carousel.nose)
        counted = self.carousel.pull(to)
        if cards and self.is_powered:
            self._count_out(counted)
        return cards

    def tampered(self, what: Breach) -> None:
        """Somebody opened the cover or the port."""
        if self.is_powered:
            self._tell(Tampered(what))

    # The program

    def update(self, now_ns: int) -> int | None:
        """Play all that is due; returns when the next motion ends."""
        if not self.is_powered:
            return None
        self.standing.watch_parts()
        self._decide(now_ns)
        while (end_ns := self.carousel.next_end_ns) is not None and end_ns <= now_ns:
            self._take(self.carousel.finish())
            self._decide(end_ns)
        return self.carousel.next_end_ns

    def slot_to_fill(self) -> int | None:
        """A compartment drawn uniformly from those with room; none: over capacity."""
        limit = self.figures.cards_per_compartment
        roomy = [slot for slot, cards in enumerate(self.book.slots) if cards < limit]
        if not roomy:
            self.standing.begin(Trouble.OVER_CAPACITY, Spot.FEED)
            return None
        self.standing.end(Trouble.OVER_CAPACITY, Spot.FEED)
        return self._rng.choice(roomy)

    def look_at_exit(self) -> None:
        """Nothing before the exit, whatever was counted: so much for the book."""
        carousel = self.carousel
        if not carousel.buffer and not carousel.nose and carousel.is_path_clear(Spot.EXIT):
            self.book.exit = 0

    def slot_to_eject(self) -> int | None:
        """Below the level: a compartment drawn uniformly from those with a whole group, else a fullest one."""
        level = self.book.exit
        self._is_refilling = level <= self.figures.refill_at or (
            self._is_refilling and level < self.figures.buffer_target
        )
        slots = self.book.slots
        most = max(slots)
        self._watch_buffer(level, is_dry=most == 0)
        if not self._is_refilling or most == 0:
            return None
        enough = min(self.figures.group_min, most)
        return self._rng.choice([slot for slot, cards in enumerate(slots) if cards >= enough])

    def freed(self, spot: Spot) -> None:
        """Rollers running backwards freed a jam: the card is in the machine still."""
        if spot is Spot.CAROUSEL:
            self.book.enter(self.carousel.position, self.book.feed)
            self.book.feed = 0
        self.standing.end_jam(spot)

    @property
    def may_feed(self) -> bool:
        return self.feed_gate.lets_pass and not self.standing.stops(Side.FEED)

    @property
    def may_deal(self) -> bool:
        return self.deal_gate.lets_pass and not self.standing.stops(Side.DEAL)

    # What runs next

    def _decide(self, now_ns: int) -> None:
        if self.carousel.is_lid_open:
            return
        for axis in _AXES:
            order = self._next(axis) if self.carousel.is_free(axis) else None
            if order is not None:
                self.carousel.begin(order.move, now_ns, compartment=order.compartment, spot=order.spot)
        if not self.carousel.is_still:
            return
        outcome = self.job.is_over(self) or self._what_hinders()
        if outcome:
            self._end_job(outcome if isinstance(outcome, Hindrance) else None)

    def _next(self, axis: Axis) -> Order | None:
        if axis is Axis.DRUM:
            is_able = any(not self.standing.stops(side) for side in Side)
            if not self.carousel.is_homed and is_able:
                return Order(Move.HOME)
            return None if self._what_hinders() else self.job.next_drum(self)
        return None if self._what_hinders() else self.job.next_exit(self)

    def _what_hinders(self) -> Hindrance | None:
        if self.standing.stops_job(self.job.needs):
            return Hindrance.FAULT
        return Hindrance.PERMIT if self.job.needs == DEALING and not self.deal_gate.lets_pass else None

    # What a motion brought

    def _take(self, reading: Reading) -> None:
        if reading.failed is not None:
            self.standing.begin(reading.failed, SPOTS[reading.failed])
            if reading.jam is not None:
                self._begin_jam(reading.jam)
            return
        match reading.move:
            case Move.FEED:
                self._take_fed(reading)
            case Move.LOWER:
                self.book.lower()
            case Move.INSERT:
                self._take_inserted(reading)
            case Move.EJECT:
                self.book.eject(reading.compartment)
                self.standing.end(Trouble.OVER_CAPACITY, Spot.FEED)
            case Move.ADVANCE:
                self._take_advanced(reading)
            case Move.PUSH:
                self._count_out(reading.counted)
        if reading.jam is not None:
            self._begin_jam(reading.jam)
        self.job.take(self, reading)

    def _take_fed(self, reading: Reading) -> None:
        if reading.jam is Spot.FEED:
            return
        self._count_in(reading.counted)
        if reading.jam is None:
            self.book.enter(reading.compartment, reading.counted)
        else:
            self.book.feed += reading.counted
        if reading.is_thick:
            self._suspect(Suspicion.THICK, Spot.FEED)
        if not self.carousel.hopper:
            self._tell(HopperEmptied())

    def _take_inserted(self, reading: Reading) -> None:
        if reading.jam is not None:
            self.book.catch()
        if reading.is_thick:
            self._suspect(Suspicion.THICK, Spot.CAROUSEL)

    def _take_advanced(self, reading: Reading) -> None:
        if reading.is_thick:
            self._suspect(Suspicion.THICK, Spot.EXIT)
        if reading.is_bent:
            self._suspect(Suspicion.BENT, Spot.EXIT)

    def _count_in(self, cards: int) -> None:
        self.standing.watch_counter(Spot.FEED, cards)
        if cards:
            self.meters.cards_in = (self.meters.cards_in + cards) % METER_MODULUS
            self.feed_gate.passed(cards)
            self._tell(CardsIn(self.meters.cards_in, cards))

    def _count_out(self, cards: int) -> None:
        self.standing.watch_counter(Spot.EXIT, cards)
        if cards:
            self.meters.cards_out = (self.meters.cards_out + cards) % METER_MODULUS
            self.deal_gate.passed(cards)
            self.book.leave(cards)
            self.job.moved += cards
            self._tell(CardsOut(self.meters.cards_out, cards))

    # Faults

    def _watch_buffer(self, level: int, *, is_dry: bool) -> None:
        is_low = (is_dry and level <= LOW_BUFFER) or (self._is_low and level <= self.figures.refill_at)
        if is_low is not self._is_low:
            self._is_low = is_low
            self._tell(BufferLevel(is_low, level))

    def _suspect(self, why: Suspicion, spot: Spot) -> None:
        self._tell(CardSuspected(why, spot))
        if why is Suspicion.THICK:
            self.standing.begin(Trouble.DOUBLE_FEED, spot)

    def _begin_jam(self, spot: Spot) -> None:
        self.meters.jams = (self.meters.jams + 1) % METER_MODULUS
        self._close_gates()
        self.standing.begin_jam(spot)
        self.set_lamp(JAM_LIGHT)

    def _close_gates(self) -> None:
        self.feed_gate.close()
        self.deal_gate.close()

    def _end_job(self, hindrance: Hindrance | None) -> None:
        if self.is_busy:
            ended, self.job, self._is_busy = self.job, self._rest(), False
            if isinstance(ended, Count | Shuffle) and hindrance in UNCOUNTED:
                self.book.is_verified = False
            self._tell(JobEnded(ended, hindrance, ended.moved))

    def _tell(self, happening: Happening) -> None:
        self._happenings.append(happening)
