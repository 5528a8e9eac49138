"""Lamps, as eyes see them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Colour(IntEnum):
    """Numbers as in TDL 14.2."""

    OFF = 0
    RED = 1
    AMBER = 2
    BLUE = 3


class Pattern(IntEnum):
    """Numbers as in TDL 14.2."""

    STEADY = 0
    BLINKING = 1


@dataclass(frozen=True, slots=True)
class Light:
    """What a lamp shows."""

    colour: Colour = Colour.OFF
    pattern: Pattern = Pattern.STEADY


DARK = Light()
# A jam's own signal (assumed): red, blinking.
JAM_LIGHT = Light(Colour.RED, Pattern.BLINKING)
