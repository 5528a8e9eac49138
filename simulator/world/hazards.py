"""What goes wrong by itself, at pinned rates, and why: bent, creased and sticky cards.

The pinned rates hold for a table at play rate whose dealer lays a card aside that the machine calls suspect:
one jam per 5,000 cards dealt, one double feed per 20,000, one bent card per 8 h of a deck's life. A quarter
of the jams and double feeds comes from bent cards, the rest from damp, static and worn edges.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from .cards import BENT_UM, Card
from .optics import MISREADS_PER_CARD

# Play rate: 60 rounds an hour, 23 cards a round, six decks: a deck is dealt from 1,840 times in 8 h.
DEALINGS_PER_BEND = 8 * 60 * 23 / 6
# Share of jams and of double feeds that a bent card causes (assumed).
BENT_SHARE = 0.25
# The exit's eye calls a bent card suspect this often (assumed): so it makes 1 / 0.6 rounds before it is found.
SUSPECT_CHANCE = 0.6
# A card that is warped so far is seen by any eye (assumed: three times a noticeable bend).
WARPED_UM = 3 * BENT_UM
# Where a jam happens (assumed): feed, carousel, exit.
FEED_SHARE, CAROUSEL_SHARE, EXIT_SHARE = 0.4, 0.2, 0.4
# A jam in the carousel that needs tools (assumed).
DEEP_CHANCE = 0.25
# The thickness sensor notices a double card this often (assumed).
THICK_CHANCE = 0.5


class Mishap(StrEnum):
    """What can happen to a card on its way."""

    NONE = "none"
    JAM = "jam"
    DOUBLE = "double"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How often: per card dealt; `lapses` per load, by the supervisor whose time runs out (`simulator/staff.py`)."""

    jams: float = 1 / 5_000
    doubles: float = 1 / 20_000
    bends: float = 1 / DEALINGS_PER_BEND
    misreads: float = MISREADS_PER_CARD
    lapses: float = 1 / 4


PINNED = Rates()
NEVER = Rates(jams=0.0, doubles=0.0, bends=0.0, misreads=0.0, lapses=0.0)


@dataclass(frozen=True, slots=True)
class _Chance:
    """Chances over one whole cycle (fed, inserted, dealt) of a sound and of a bent card."""

    sound: float
    bent: float

    @classmethod
    def of(cls, rate: float, bends: float) -> _Chance:
        if not bends:
            return cls(sound=rate, bent=rate)
        # A bent card makes 1 / SUSPECT_CHANCE cycles before it is found, and bends arise at `bends` per card.
        return cls(sound=rate * (1 - BENT_SHARE), bent=min(1.0, rate * BENT_SHARE * SUSPECT_CHANCE / bends))

    def __call__(self, card: Card) -> float:
        return self.bent if card.is_bent else self.sound


class Hazards:
    """Seeded chance, and the tally of what it did: `fired[name]`."""

    def __init__(self, seed: int, rates: Rates = PINNED) -> None:
        self.rng = random.Random(f"hazards {seed}")
        self.rates = rates
        self.fired: Counter[str] = Counter()
        # Set by who provokes a jam in the carousel; None leaves it to chance.
        self.is_next_deep: bool | None = None
        self._jam = _Chance.of(rates.jams, rates.bends)
        self._double = _Chance.of(rates.doubles, rates.bends)

    def feed(self, card: Card, *, has_next: bool) -> Mishap:
        """A card is drawn from the hopper."""
        return self._pass(card, FEED_SHARE, 0.5, has_next=has_next)

    def insert(self, card: Card) -> Mishap:
        """A card is pushed into a compartment."""
        return self._pass(card, CAROUSEL_SHARE, 0.0, has_next=False)

    def exit(self, card: Card, *, has_next: bool) -> Mishap:
        """A card is drawn from the buffer."""
        return self._pass(card, EXIT_SHARE, 0.5, has_next=has_next)

    def is_deep(self) -> bool:
        """Whether this carousel jam needs a technician's tools."""
        is_deep, self.is_next_deep = self.is_next_deep, None
        return self.rng.random() < DEEP_CHANCE if is_deep is None else is_deep

    def is_noticed_thick(self) -> bool:
        return self.rng.random() < THICK_CHANCE

    def is_noticed_bent(self, card: Card) -> bool:
        return card.bend_um >= WARPED_UM or (card.is_bent and self.rng.random() < SUSPECT_CHANCE)

    def handle(self, card: Card) -> None:
        """A person takes a card in hand: one in so many comes out of it bent."""
        if self.rng.random() < self.rates.bends:
            card.bend_um = max(card.bend_um, BENT_UM + self.rng.randrange(BENT_UM))
            self.fired["bend"] += 1

    def _pass(self, card: Card, jam_share: float, double_share: float, *, has_next: bool) -> Mishap:
        card.passes += 1
        if card.is_creased or card.is_askew or self.rng.random() < self._jam(card) * jam_share:
            card.is_askew = False
            self.fired["jam"] += 1
            return Mishap.JAM
        if has_next and (card.is_sticky or self.rng.random() < self._double(card) * double_share):
            card.is_sticky = False  # pulled apart by whoever deals them
            self.fired["double feed"] += 1
            return Mishap.DOUBLE
        return Mishap.NONE
