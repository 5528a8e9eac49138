"""Lamps in TDL numbers."""

from __future__ import annotations

from firmware_bridge.wire.tdl.cbor import Value
from firmware_bridge.wire.tdl.codes import LampColour, LampPattern
from firmware_bridge.wire.tdl.keys import LampNoticeKey
from simulator.world.lamp import Colour, Light, Pattern


def light_of(colour: int, pattern: int) -> Light | None:
    """The light with these numbers; None where there is none, or an unlit lamp would blink."""
    is_known = colour in set(LampColour) and pattern in set(LampPattern)
    if not is_known or (colour == LampColour.OFF and pattern != LampPattern.STEADY):
        return None
    return Light(Colour(colour), Pattern(pattern))


def lamp_notice(light: Light) -> dict[int, Value]:
    """The keys of *lamp*."""
    return {LampNoticeKey.COLOUR: light.colour, LampNoticeKey.PATTERN: light.pattern}


def lamp_level(light: Light) -> int:
    """As in STATE."""
    return 16 * light.colour + light.pattern
