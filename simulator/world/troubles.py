"""Which fault stands where, what it forbids, and how it goes (TDL 10.4)."""

from __future__ import annotations

from enum import StrEnum

from .happenings import Spot, Trouble


class Side(StrEnum):
    """The two things a machine does with cards, and a fault can forbid."""

    FEED = "feed"
    DEAL = "deal"


NOTHING: frozenset[Side] = frozenset()
DEALING = frozenset({Side.DEAL})
FEEDING = frozenset({Side.FEED})
ALL = frozenset(Side)
# What stands still while a fault stands.
STOPS = {
    Trouble.HOMING: ALL,
    Trouble.CAROUSEL_DRIVE: ALL,
    Trouble.ALIGNMENT: ALL,
    Trouble.FEED_DRIVE: FEEDING,
    Trouble.EXIT_DRIVE: DEALING,
    Trouble.SENSOR_STUCK: ALL,
    Trouble.SENSOR_MARGIN: NOTHING,
    Trouble.MEMORY: ALL,
    Trouble.SUPPLY: ALL,
    Trouble.TEMPERATURE: ALL,
    Trouble.RANDOM_SOURCE: ALL,
    Trouble.LAMP: NOTHING,
    Trouble.OVER_CAPACITY: FEEDING,
    Trouble.DOUBLE_FEED: ALL,
}
# Faults that belong to one place.
SPOTS = {
    Trouble.HOMING: Spot.CAROUSEL,
    Trouble.CAROUSEL_DRIVE: Spot.CAROUSEL,
    Trouble.ALIGNMENT: Spot.CAROUSEL,
    Trouble.FEED_DRIVE: Spot.FEED,
    Trouble.EXIT_DRIVE: Spot.EXIT,
    Trouble.MEMORY: Spot.CAROUSEL,
    Trouble.SUPPLY: Spot.CAROUSEL,
    Trouble.TEMPERATURE: Spot.CAROUSEL,
    Trouble.RANDOM_SOURCE: Spot.CAROUSEL,
    Trouble.LAMP: Spot.EXIT,
    Trouble.OVER_CAPACITY: Spot.FEED,
}
# The machine's electronics see these at once; a drive shows its failure only when it runs.
SEEN_AT_ONCE = frozenset({Trouble.MEMORY, Trouble.SUPPLY, Trouble.TEMPERATURE, Trouble.RANDOM_SOURCE})
# Gone as soon as the broken part works again.
MENDS_ITSELF = frozenset({Trouble.SUPPLY, Trouble.TEMPERATURE, Trouble.LAMP})
# No person clears these: they go with their cause.
SELF_CLEARING = MENDS_ITSELF | {Trouble.SENSOR_MARGIN, Trouble.OVER_CAPACITY}
