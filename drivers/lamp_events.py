"""Facts that warning lamps of their own tell. `drivers/every_fact.py` has them all."""

from __future__ import annotations

from enum import StrEnum

from drivers.fact import Fact, Lost, Ready


class LampColour(StrEnum):
    OFF = "off"
    RED = "red"
    AMBER = "amber"
    BLUE = "blue"


class LampPattern(StrEnum):
    STEADY = "steady"
    BLINKING = "blinking"


class LampReady(Ready, frozen=True, kw_only=True):
    """A USB lamp or a relay board answers. It has not shown the present goal yet."""


class LampLost(Lost, frozen=True, kw_only=True):
    """Nobody knows what the lamp shows."""


class LampShowed(Fact, frozen=True, kw_only=True):
    """The lamp took this goal and, where it can be read back, shows it. Told once when that begins."""

    colour: LampColour
    pattern: LampPattern


class LampTroubled(Fact, frozen=True, kw_only=True):
    """The lamp refuses what it is told, or shows something else than it was told. `why` is for the technician."""

    why: str


AnyLampFact = LampReady | LampLost | LampShowed | LampTroubled
