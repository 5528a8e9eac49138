"""A badge reader's housing: antenna, badges before it, keys, lamp, beeper, cover. No bytes, no clock.

What a person does here (tap, hold, take away, key in) becomes reads; what the reader is told to show can be seen
and heard (`visible_colour`, `beeps`).
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from enum import IntEnum

NS_PER_MS = 1_000_000
NS_PER_S = 1_000 * NS_PER_MS
_NS_PER_TENTH = 100 * NS_PER_MS
# A tap lasts about as long as a hand needs to go to a reader and back (assumed).
TAP_NS = 300 * NS_PER_MS
# What a reader keeps while nobody asks; older reads are gone (assumed).
READS_KEPT = 16


class Colour(IntEnum):
    """What an eye sees at the reader; numbers as in OSDP."""

    DARK = 0
    RED = 1
    GREEN = 2
    AMBER = 3
    BLUE = 4
    MAGENTA = 5
    CYAN = 6
    WHITE = 7


@dataclass(frozen=True, slots=True)
class Badge:
    """The number that a badge sends: so many bits, the first one leftmost in `data`, zeros behind the last."""

    bits: int
    data: bytes

    @classmethod
    def printed(cls, text: str) -> Badge:
        """From `<bits>:<upper hex>`, the number of those bits. Raises ValueError."""
        bits_text, _, number_text = text.partition(":")
        bits, number = int(bits_text), int(number_text, 16)
        size = (bits + 7) // 8
        if number >> bits or len(number_text) != 2 * size:
            raise ValueError(
                f"badge {text!r}: {bits} bits are a number of {2 * size} hex digits, below 2 to the {bits}"
            )
        return cls(bits, (number << (8 * size - bits)).to_bytes(size, "big"))


@dataclass(frozen=True, slots=True)
class Glow:
    """On for so long in one colour, off for so long in the other; in tenths of a second. Both 0: off colour."""

    on_tenths: int = 0
    off_tenths: int = 0
    on_colour: Colour = Colour.DARK
    off_colour: Colour = Colour.DARK

    def colour(self, since_ns: int) -> Colour:
        """What it shows so long after it began."""
        period_ns = (self.on_tenths + self.off_tenths) * _NS_PER_TENTH
        if self.on_tenths and since_ns % period_ns < self.on_tenths * _NS_PER_TENTH:
            return self.on_colour
        return self.off_colour


class Display:
    """A line of text: the reader's own, or for some seconds another over it."""

    def __init__(self) -> None:
        self._permanent = ""
        self._temporary = ""
        self._temporary_until_ns = 0

    def show_permanent(self, text: str) -> None:
        """From now on, where no temporary text stands."""
        self._permanent = text

    def show_temporary(self, text: str, seconds: int, now_ns: int) -> None:
        """From now on, for so long."""
        self._temporary, self._temporary_until_ns = text, now_ns + seconds * NS_PER_S

    def end_temporary(self) -> None:
        """Back to the permanent text."""
        self._temporary_until_ns = 0

    def visible_text(self, now_ns: int) -> str:
        """What eyes see at this moment; blanks are nothing."""
        return (self._temporary if now_ns < self._temporary_until_ns else self._permanent).strip()


@dataclass(slots=True)
class _Lying:
    """A badge on the antenna: until when (None: until it is taken away), and when it is read next (None: never)."""

    until_ns: int | None
    read_at_ns: int | None


class BadgeHead:
    """One reader. `repeat_ms` None: a badge is read once for each time it is presented; else again and again.

    `miss_one_in` is how often a read of a resting badge fails, as at the edge of the antenna's field (0: never).
    """

    def __init__(self, seed: int, *, repeat_ms: int | None = None, miss_one_in: int = 0) -> None:
        self.is_cover_open = False
        self.is_supply_failing = False
        self.display = Display()
        self.beeps = 0  # heard since the beginning
        self._repeat_ns = None if repeat_ms is None else repeat_ms * NS_PER_MS
        self._miss_one_in = miss_one_in
        self._chance = random.Random(f"badge head {seed}")
        self._lying: dict[Badge, _Lying] = {}
        self._reads: deque[Badge | str] = deque(maxlen=READS_KEPT)
        self._now_ns = 0
        self._permanent = Glow()
        self._permanent_since_ns = 0
        self._temporary: Glow | None = None
        self._temporary_since_ns = 0
        self._temporary_until_ns = 0

    # What people do

    def tap(self, badge: Badge, now_ns: int) -> None:
        """Hold a badge before the reader for a moment."""
        self.hold(badge, now_ns)
        self._lying[badge].until_ns = now_ns + TAP_NS

    def hold(self, badge: Badge, now_ns: int) -> None:
        """Put a badge before the reader and leave it there."""
        self._lying[badge] = _Lying(until_ns=None, read_at_ns=now_ns)
        self.update(now_ns)

    def remove(self, badge: Badge, now_ns: int) -> None:
        """Take a badge away; one that does not lie there is no matter."""
        self.update(now_ns)
        self._lying.pop(badge, None)

    def press(self, keys: str, now_ns: int) -> None:
        """Key in: digits, `*` and `#`."""
        self.update(now_ns)
        self._reads.append(keys)

    # What the reader is told

    def show_permanent(self, glow: Glow, now_ns: int) -> None:
        """From now on, where no temporary state stands."""
        self._permanent, self._permanent_since_ns = glow, now_ns

    def show_temporary(self, glow: Glow, tenths: int, now_ns: int) -> None:
        """From now on, for so long."""
        self._temporary, self._temporary_since_ns = glow, now_ns
        self._temporary_until_ns = now_ns + tenths * _NS_PER_TENTH

    def end_temporary(self) -> None:
        """Back to the permanent state."""
        self._temporary = None

    def beep(self, times: int) -> None:
        """Sound so many times."""
        self.beeps += times

    # What eyes see

    def visible_colour(self, now_ns: int) -> Colour:
        """The lamp, at this moment."""
        if self._temporary is not None and now_ns < self._temporary_until_ns:
            return self._temporary.colour(now_ns - self._temporary_since_ns)
        return self._permanent.colour(now_ns - self._permanent_since_ns)

    # What the reader's electronics see

    def take_read(self) -> Badge | str | None:
        """The oldest read badge or keys that nobody has fetched."""
        return self._reads.popleft() if self._reads else None

    def forget_reads(self) -> None:
        """The power is gone, and with it what was read."""
        self._reads.clear()

    def update(self, now_ns: int) -> int | None:
        """Read what lies there up to now; when to be called again."""
        self._now_ns = max(self._now_ns, now_ns)
        for badge, lying in list(self._lying.items()):
            self._read(badge, lying)
        due = [lying.read_at_ns for lying in self._lying.values() if lying.read_at_ns is not None]
        return min(due, default=None)

    def _read(self, badge: Badge, lying: _Lying) -> None:
        end_ns = self._now_ns if lying.until_ns is None else min(self._now_ns, lying.until_ns)
        while lying.read_at_ns is not None and lying.read_at_ns <= end_ns:
            if not (self._miss_one_in and self._chance.randrange(self._miss_one_in) == 0):
                self._reads.append(badge)
            lying.read_at_ns = None if self._repeat_ns is None else lying.read_at_ns + self._repeat_ns
        if lying.until_ns is not None and self._now_ns >= lying.until_ns:
            del self._lying[badge]
