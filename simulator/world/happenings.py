"""What a machine's own sensors and motion program tell its communication side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from .lamp import Light

if TYPE_CHECKING:
    from .jobs import Job


class Spot(StrEnum):
    """Places in a shuffler where cards and faults are."""

    FEED = "feed"
    EXIT = "exit"
    CAROUSEL = "carousel"


class BoxSpot(StrEnum):
    """Places at a switch box."""

    TRAY = "tray"
    NOWHERE = "no particular place"


class DealerKey(StrEnum):
    """The dealer's keys."""

    HOLD = "hold"
    CALL = "call"
    NO_MORE_BETS = "no more bets"
    DONE = "done"
    DAMAGED_CARD = "damaged card"


class Trouble(StrEnum):
    """Faults in the words of public machines (LeShuffler firmware, Dealer4 manual)."""

    HOMING = "homing"
    CAROUSEL_DRIVE = "carousel drive"
    ALIGNMENT = "alignment"
    FEED_DRIVE = "feed drive"
    EXIT_DRIVE = "exit drive"
    SENSOR_STUCK = "sensor stuck"
    SENSOR_MARGIN = "sensor margin"
    MEMORY = "memory"
    SUPPLY = "supply"
    TEMPERATURE = "temperature"
    RANDOM_SOURCE = "random source"
    LAMP = "lamp"
    OVER_CAPACITY = "over capacity"
    DOUBLE_FEED = "double feed"


class Hindrance(StrEnum):
    """Why a job ended without success."""

    FAULT = "fault or jam"
    LID = "lid open"
    PERMIT = "permit"
    NO_CARDS = "no cards"
    NO_ROOM = "no room"


class Suspicion(StrEnum):
    """What the machine dislikes about a card."""

    THICK = "thick"
    BENT = "bent"


class Breach(StrEnum):
    """What somebody opened that nobody should."""

    COVER = "cover"
    PORT = "port"


@dataclass(frozen=True, slots=True)
class CardsIn:
    """The in-counter saw cards; `meter` since boot."""

    meter: int
    cards: int


@dataclass(frozen=True, slots=True)
class CardsOut:
    """The out-counter saw cards; `meter` since boot."""

    meter: int
    cards: int


@dataclass(frozen=True, slots=True)
class Jammed:
    spot: Spot


@dataclass(frozen=True, slots=True)
class JamGone:
    spot: Spot


@dataclass(frozen=True, slots=True)
class LidMoved:
    is_open: bool


@dataclass(frozen=True, slots=True)
class TroubleBegan:
    trouble: Trouble
    spot: Spot | BoxSpot


@dataclass(frozen=True, slots=True)
class TroubleGone:
    trouble: Trouble
    spot: Spot | BoxSpot


@dataclass(frozen=True, slots=True)
class LampChanged:
    light: Light


@dataclass(frozen=True, slots=True)
class BufferLevel:
    """Low: the machine runs out of cards to deal; `cards` in exit and buffer as it counts them."""

    is_low: bool
    cards: int


@dataclass(frozen=True, slots=True)
class HopperEmptied:
    """The last card of a packet was drawn in."""


@dataclass(frozen=True, slots=True)
class CardSuspected:
    why: Suspicion
    spot: Spot


@dataclass(frozen=True, slots=True)
class JobEnded:
    """`hindrance` None: done. `moved`: cards that went out under it, as counted; counting, those found."""

    job: Job
    hindrance: Hindrance | None
    moved: int


@dataclass(frozen=True, slots=True)
class Tampered:
    what: Breach


@dataclass(frozen=True, slots=True)
class TrayRead:
    """What lies in the discard tray, as its sensor sees it, steady."""

    cards: int
    fill_percent: int


@dataclass(frozen=True, slots=True)
class KeyPressed:
    key: DealerKey


BoxHappening = LidMoved | TrayRead | KeyPressed | LampChanged | TroubleBegan | TroubleGone | Tampered
Happening = (
    CardsIn
    | CardsOut
    | Jammed
    | JamGone
    | LidMoved
    | TroubleBegan
    | TroubleGone
    | LampChanged
    | BufferLevel
    | HopperEmptied
    | CardSuspected
    | JobEnded
    | Tampered
)
