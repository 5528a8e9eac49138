"""What contacts and gates tell, from one look to the next. Pure: levels and times in, what changed out."""

from __future__ import annotations

from enum import Enum

# A light that stays so long is steady, a darkness that stays so long is none of a blinking lamp: a lamp that blinks
# slower than every two seconds warns nobody (assumed; those seen blink once or twice a second).
STEADY_S = 1.2
# More cards than a table can hold cannot pass a gate between two looks: the counter went back.
STEP_MAX = 1_000


class Debounced:
    """A contact: its level counts once it has been the same for `debounce_s`. The first look counts at once."""

    def __init__(self, debounce_s: float) -> None:
        self.level: bool | None = None
        self._debounce_s = debounce_s
        self._other_since_s: float | None = None

    def look(self, level: bool, now_s: float) -> bool | None:
        """The level, where it has changed now; None: it has not."""
        if self.level is None:
            self.level = level
            return level
        if level == self.level:
            self._other_since_s = None
            return None
        if self._other_since_s is None:
            self._other_since_s = now_s
        if now_s - self._other_since_s < self._debounce_s:
            return None
        self.level, self._other_since_s = level, None
        return level


class LampLight(Enum):
    """What a lamp does."""

    DARK = "dark"
    LIT = "lit, not known yet how"
    STEADY = "steady"
    BLINKING = "blinking"


class LampDecoder:
    """A warning lamp through one contact: dark, steady or blinking. Fed with debounced levels, each at its time."""

    def __init__(self) -> None:
        self.light = LampLight.DARK
        self._level = False
        self._edge_s: float | None = None

    def look(self, level: bool, now_s: float) -> LampLight | None:
        """What it does, where that has changed now; None: it has not."""
        before = self.light
        is_edge = level != self._level
        if is_edge:
            is_again = level and before is not LampLight.DARK
            self._level, self._edge_s = level, now_s
            if is_again:
                self.light = LampLight.BLINKING
            elif level:
                self.light = LampLight.LIT
        elif self._edge_s is not None and now_s - self._edge_s >= STEADY_S:
            self.light = LampLight.STEADY if level else LampLight.DARK
        return self.light if self.light is not before else None


class PulseCount:
    """Cards at a terminal that we watch: each interruption is one. Its meter begins at 0."""

    def __init__(self) -> None:
        self.meter = 0
        self._was_interrupted: bool | None = None

    def look(self, seen: int) -> int:
        """How many cards came since the last look; `seen` 0: nothing is in the gate."""
        is_interrupted = bool(seen)
        step = int(is_interrupted and self._was_interrupted is False)
        self._was_interrupted = is_interrupted
        self.meter += step
        return step


class CounterReset(Exception):
    """The board's counter went back: it has lost its power. What passed since the last look is not known."""


class CounterCount:
    """Cards at a counter of the board. Its meter begins at 0 with the first look; over the counter's wrap (BR-057)."""

    def __init__(self, bits: int) -> None:
        self.meter = 0
        self.raw: int | None = None
        self._modulus = 1 << bits

    @property
    def modulus(self) -> int:
        """Where the counter wraps."""
        return self._modulus

    def look(self, raw: int) -> int:
        """How many cards came since the last look. Raises CounterReset; the next look then begins anew."""
        before, self.raw = self.raw, raw
        if before is None:
            return 0
        step = (raw - before) % self._modulus
        if step > STEP_MAX:
            raise CounterReset(f"the counter went from {before} to {raw}")
        self.meter += step
        return step
