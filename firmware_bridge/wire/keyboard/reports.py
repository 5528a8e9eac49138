"""Key strokes from a boot keyboard's reports (HID 1.11 appendices B.1 and C; HID Usage Tables, page 07).

A report is eight bytes: modifiers, a reserved byte, and the positions of up to six keys that are down. It says
positions, never characters: which character stands on a key is the business of a map that belongs to the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag

REPORT_BYTES = 8
NO_KEY = 0
ENTER = 0x28
# 01 in every place: more keys are down than can be told; 02 and 03 are faults of the keyboard.
ROLL_OVER, LAST_ERROR = 0x01, 0x03


class Modifier(IntFlag):
    """The first byte of a report, as far as a reader has a use for it."""

    CONTROL = 0x11
    SHIFT = 0x22
    ALT = 0x04
    ALT_GR = 0x40
    COMMAND = 0x88


class BadReport(ValueError):
    """Not a boot keyboard's report, or one that tells of a fault: strokes were lost."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key went down, and what was held with it."""

    key: int
    is_shifted: bool = False
    is_alt_gr: bool = False
    is_command: bool = False  # control, alt or the like: no character at all


class StrokeReader:
    """Turns reports into strokes; a key that stays down is one stroke, however often it is reported."""

    def __init__(self) -> None:
        self._down: frozenset[int] = frozenset()

    def feed(self, report: bytes) -> Iterator[Stroke]:
        """The strokes of one report, in its order. Raises `BadReport`."""
        if len(report) != REPORT_BYTES:
            raise BadReport(f"a report of {len(report)} bytes, {REPORT_BYTES} are a keyboard's")
        keys = [key for key in report[2:] if key != NO_KEY]
        if any(ROLL_OVER <= key <= LAST_ERROR for key in keys):
            raise BadReport("the reader tells of more keys than it can, or of a fault of its own")
        before, self._down = self._down, frozenset(keys)
        for key in keys:
            if key not in before:
                yield _stroke(key, Modifier(report[0]))


def reports_of(strokes: Sequence[Stroke]) -> Iterator[bytes]:
    """What a keyboard sends for these: each key down, then up."""
    for stroke in strokes:
        held = (Modifier.SHIFT & 0x02 if stroke.is_shifted else 0) | (Modifier.ALT_GR if stroke.is_alt_gr else 0)
        yield bytes([held, 0, stroke.key, 0, 0, 0, 0, 0])
        yield bytes(REPORT_BYTES)


def _stroke(key: int, held: Modifier) -> Stroke:
    is_command = bool(held & (Modifier.CONTROL | Modifier.ALT | Modifier.COMMAND))
    return Stroke(key, bool(held & Modifier.SHIFT), bool(held & Modifier.ALT_GR), is_command)
