"""What happens to the cards of a shoe that is shuffled by hand. Rows of the journal."""

from __future__ import annotations

from tableside.happenings import Happening
from tableside.shoe_requests import BackCount


class BacksCounted(Happening, frozen=True, kw_only=True):
    """The cards were counted, each back colour apart, against what was brought (SHOE-1)."""

    counts: tuple[BackCount, ...]
    expected: tuple[BackCount, ...]
    by: str

    @property
    def is_whole(self) -> bool:
        """Every back colour has its number."""
        return self.counts == self.expected


class CardsShuffled(Happening, frozen=True, kw_only=True):
    """The dealer has shuffled all cards by hand: they are to be cut."""

    by: str


class ShoeCut(Happening, frozen=True, kw_only=True):
    """The cards were cut. `right`: whose turn it was, `seat`: who did, each 0 for the table inspector (SHOE-4).

    `behind`: so many cards come behind the warning card (SHOE-5).
    """

    shoe: int
    occupied: tuple[int, ...]
    right: int
    seat: int
    inspector: str
    behind: int
    by: str


class ShoeFilled(Happening, frozen=True, kw_only=True):
    """So many cards are in the shoe, the warning card among them."""

    shoe: int
    cards: int
    by: str


class ShoeReady(Happening, frozen=True, kw_only=True):
    """A card was burnt into the discard tray (SHOE-6): rounds may be dealt. `seen_by` a reader, else empty."""

    shoe: int
    by: str
    seen_by: str = ""


class ShoeCardsLeft(Happening, frozen=True, kw_only=True):
    """So many cards left the shoe within a round. `seen_by` a reader, else a person has said it."""

    cards: int
    seen_by: str = ""


class WarningCardSeen(Happening, frozen=True, kw_only=True):
    """The warning card came out after so many cards; `round` is the last of the shoe (SHOE-7).

    `after` None: it came in a round that nobody has counted yet. `place`: after how many it should have come (SHOE-5).
    """

    shoe: int
    round: int
    after: int | None
    place: int
    by: str
    seen_by: str = ""


class ShoeOver(Happening, frozen=True, kw_only=True):
    """The last round of the shoe has ended: no further one before cards are shuffled and cut again (SHOE-7)."""

    shoe: int
    cards: int
    is_counted: bool


class PlayInterrupted(Happening, frozen=True, kw_only=True):
    """Play stops for want of players or bets; the next cut is the lowest occupied seat's (SHOE-4, SHOE-8)."""

    why: str
    is_spread: bool
    by: str


class CardsGathered(Happening, frozen=True, kw_only=True):
    """All cards lie together on the table and are to be shuffled."""

    cards: int
    why: str
    by: str


class ShoeCleared(Happening, frozen=True, kw_only=True):
    """Closing is announced: the cards of the shoe lie on the table, to be sorted."""

    cards: int


class HandShoeBegun(Happening, frozen=True, kw_only=True):
    """The machine is down: it is emptied for a shoe by hand, for this incident; `why` no spare is taken."""

    incident: int
    device: str
    why: str
    by: str


class MachineReturning(Happening, frozen=True, kw_only=True):
    """The shoe by hand is over: its cards are to go into this machine."""

    incident: int
    device: str
    by: str


class HandShoeEnded(Happening, frozen=True, kw_only=True):
    """So many cards are in the machine again: it deals from here on."""

    incident: int
    cards: int
