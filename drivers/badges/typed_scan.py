"""What a reader types, up to the Enter that ends it: whole and known, or rejected. Never shown, never cut down. Pure.

A rejected scan is thrown away to its end: to its Enter, or to a pause in which no reader would still be typing.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.badges.badge_id import BITS_MAX
from firmware_bridge.wire.keyboard.maps import KeyMap
from firmware_bridge.wire.keyboard.reports import ENTER, Stroke

# A reader types a key every 5 to 30 ms; a person cannot type a badge at this pace, and no reader waits longer.
SCAN_GAP_S = 0.5
CHARACTERS_MAX = BITS_MAX // 8
# ISO 7813: what the tracks of a payment card begin with, and how long its number is.
_TRACKS = ("%B", ";")
_CARD_DIGITS = range(12, 20)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A scan that was none, and why; not what was typed."""

    why: str


class TypedScan:
    """Gathers strokes. `characters`: how many a badge of the house has; another number is none (BR-032)."""

    def __init__(self, key_map: KeyMap, characters: int) -> None:
        self._map = key_map
        self._wanted = characters
        self._text = ""
        self._spoiled = ""
        self._last_s: float | None = None  # of a scan that is under way

    @property
    def gives_up_at_s(self) -> float | None:
        """When what is under way is no scan any more; None: nothing is."""
        return None if self._last_s is None else self._last_s + SCAN_GAP_S

    def typed(self, stroke: Stroke, now_s: float) -> str | Rejected | None:
        """One stroke: a whole scan's text, a rejected one, or nothing yet. Call `paused` before."""
        if stroke.key == ENTER:
            return self._ended() if self._last_s is not None else None
        self._last_s = now_s
        character = None if stroke.is_command else self._map.character(stroke)
        if character is None:
            self.spoil(f"key {stroke.key:02X} types nothing in the map {self._map.name!r}", now_s)
        else:
            self._text = (self._text + character)[: CHARACTERS_MAX * 2]
        return None

    def spoil(self, why: str, now_s: float) -> None:
        """Something was lost: whatever is being typed is no scan."""
        self._last_s = now_s
        self._spoiled = self._spoiled or why

    def paused(self, now_s: float) -> Rejected | None:
        """What was under way, where the pause since then says that it was left."""
        if self.gives_up_at_s is None or now_s < self.gives_up_at_s:
            return None
        return self.left()

    def left(self) -> Rejected | None:
        """The reader is gone, or silent: half a scan is none."""
        if self._last_s is None:
            return None
        why = self._spoiled or f"incomplete: {len(self._text)} characters and no Enter"
        self._begin_anew()
        return Rejected(why)

    def _ended(self) -> str | Rejected:
        text, spoiled = self._text, self._spoiled
        self._begin_anew()
        if spoiled:
            return Rejected(spoiled)
        if _is_payment_card(text):
            return Rejected("a payment card's track: it is neither kept nor shown")
        if len(text) != self._wanted:
            return Rejected(f"{len(text)} characters; a badge of this house has {self._wanted}")
        return text

    def _begin_anew(self) -> None:
        self._text, self._spoiled, self._last_s = "", "", None


def _is_payment_card(text: str) -> bool:
    start = next((start for start in _TRACKS if text.startswith(start)), None)
    digits = text[len(start) :] if start is not None else text
    number = digits[: next((at for at, each in enumerate(digits) if not each.isdigit()), len(digits))]
    return start is not None and len(number) in _CARD_DIGITS and _passes_luhn(number)


def _passes_luhn(number: str) -> bool:
    """ISO 7812's check digit."""
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(number))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0
