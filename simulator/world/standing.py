"""Jams and faults that stand in one machine: how they are found, what they stop, how they go (TDL 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from .carousel import Carousel
from .happenings import Happening, JamGone, Jammed, Spot, Trouble, TroubleBegan, TroubleGone
from .troubles import MENDS_ITSELF, SEEN_AT_ONCE, SELF_CLEARING, SPOTS, STOPS, Side

# A counter that misses so many cards in a row is stuck, not unlucky (assumed).
MISSES_TO_STUCK = 3
FULL = {(Trouble.OVER_CAPACITY, SPOTS[Trouble.OVER_CAPACITY])}


class Standing:
    """What stands now. `tell` takes what came and went."""

    def __init__(self, carousel: Carousel, tell: Callable[[Happening], None]) -> None:
        self.jams: set[Spot] = set()
        self.troubles: set[tuple[Trouble, Spot]] = set()
        # How often each fault was found since the world began, for whoever must prove that one fired.
        self.found: Counter[Trouble] = Counter()
        self._carousel = carousel
        self._tell = tell
        self._misses: Counter[Spot] = Counter()

    def forget(self) -> None:
        """A boot: all is found anew."""
        self.jams.clear()
        self.troubles.clear()
        self._misses.clear()

    def stops(self, side: Side) -> bool:
        """Whether a jam or a fault forbids this side to move."""
        if self.jams or not self.troubles:  # a machine in order is asked some fifty times a card
            return bool(self.jams)
        return any(side in STOPS[trouble] for trouble, _ in self.troubles)

    def stops_job(self, needs: frozenset[Side]) -> bool:
        """Whether a job that needs these sides cannot be done. A full machine hinders none: no job takes cards in."""
        if self.jams and needs:
            return True
        return bool(self.troubles) and any(needs & STOPS[trouble] for trouble, _ in self.troubles - FULL)

    def begin(self, trouble: Trouble, spot: Spot) -> None:
        """A fault is found; one that stands already stands once."""
        if (trouble, spot) not in self.troubles:
            self.troubles.add((trouble, spot))
            self.found[trouble] += 1
            self._tell(TroubleBegan(trouble, spot))

    def end(self, trouble: Trouble, spot: Spot) -> None:
        """Its cause is gone."""
        if (trouble, spot) in self.troubles:
            self.troubles.remove((trouble, spot))
            self._tell(TroubleGone(trouble, spot))

    def clear(self, trouble: Trouble, spot: Spot) -> bool:
        """A person says it is mended: gone, if the cause is and it does not go by itself."""
        if (trouble, spot) not in self.troubles:
            return True
        if trouble in SELF_CLEARING or trouble in self._carousel.broken:
            return False
        if trouble is Trouble.SENSOR_STUCK and self._carousel.counter(spot).is_stuck:
            return False
        self._misses[spot] = 0
        self.end(trouble, spot)
        return True

    def begin_jam(self, spot: Spot) -> None:
        self.jams.add(spot)
        self._tell(Jammed(spot))

    def end_jam(self, spot: Spot) -> None:
        if spot in self.jams:
            self.jams.remove(spot)
            self._tell(JamGone(spot))

    def watch_parts(self) -> None:
        """What electronics notice without any motion, come or gone."""
        for trouble in SEEN_AT_ONCE & self._carousel.broken:
            self.begin(trouble, SPOTS[trouble])
        for trouble, spot in tuple(self.troubles):
            if trouble in MENDS_ITSELF and trouble not in self._carousel.broken:
                self.end(trouble, spot)
            if trouble is Trouble.SENSOR_MARGIN and not self._carousel.counter(spot).is_weak:
                self.end(trouble, spot)

    def watch_counter(self, spot: Spot, cards: int) -> None:
        """A card went by: did the counter see it, and how much light has it left?"""
        self._misses[spot] = 0 if cards else self._misses[spot] + 1
        if self._misses[spot] >= MISSES_TO_STUCK:
            self.begin(Trouble.SENSOR_STUCK, spot)
        if self._carousel.counter(spot).is_weak:
            self.begin(Trouble.SENSOR_MARGIN, spot)

    def is_hurt(self, part: Trouble | None) -> bool:
        """Anything stands, or of one part that."""
        return any(part in (None, trouble) for trouble, _ in self.troubles)

    def inspect(self, part: Trouble | None = None) -> None:
        """A self-test sees every broken part and every weak sensor; of one part alone no other."""
        for trouble in self._carousel.broken:
            if part in (None, trouble):
                self.begin(trouble, SPOTS[trouble])
        if part is not None:
            return
        for spot in (Spot.FEED, Spot.EXIT):
            if self._carousel.counter(spot).is_weak:
                self.begin(Trouble.SENSOR_MARGIN, spot)
