"""What a shuffler's motors can be told, and what its sensors say when a motion is over."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .happenings import Spot, Trouble
from .hazards import Mishap


class Move(StrEnum):
    """What the motors can be told."""

    HOME = "home"
    FEED = "feed"
    EJECT = "eject"
    LOOK = "look"
    LOOK_AT_EXIT = "look at exit"
    ADVANCE = "advance"
    PUSH = "push"
    LOWER = "lower"  # a batch machine's lift: down, with all that stands on it
    INSERT = "insert"  # one card from under its stack into a gap that the gripper opens
    REVERSE = "reverse"
    TEST = "test"


class Axis(StrEnum):
    """Two groups of motors that run at the same time."""

    DRUM = "drum"
    EXIT = "exit"


EXIT_MOVES = frozenset({Move.ADVANCE, Move.PUSH})
CARD_MOVES = frozenset({Move.FEED, Move.EJECT, Move.INSERT, Move.ADVANCE, Move.PUSH})


@dataclass(frozen=True, slots=True)
class Motion:
    """Motors that run until `ends_ns`. `mishap` is already fate."""

    move: Move
    ends_ns: int
    compartment: int = 0
    spot: Spot = Spot.CAROUSEL
    mishap: Mishap = Mishap.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What sensors and drives say when a motion is over. No truth beyond that."""

    move: Move
    compartment: int = 0
    spot: Spot = Spot.CAROUSEL
    counted: int = 0
    jam: Spot | None = None
    failed: Trouble | None = None
    is_thick: bool = False
    is_bent: bool = False
    is_freed: bool = False


# The drive whose failure a motion shows.
DRIVES = {
    Move.HOME: Trouble.HOMING,
    Move.FEED: Trouble.FEED_DRIVE,
    Move.EJECT: Trouble.CAROUSEL_DRIVE,
    Move.LOOK: Trouble.CAROUSEL_DRIVE,
    Move.LOWER: Trouble.CAROUSEL_DRIVE,
    Move.INSERT: Trouble.CAROUSEL_DRIVE,
    Move.ADVANCE: Trouble.EXIT_DRIVE,
    Move.PUSH: Trouble.EXIT_DRIVE,
}
