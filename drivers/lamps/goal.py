"""What a warning lamp shall show: one contract for every lamp of its own.

The hub says the goal (a colour and a pattern), and says it again every third of `STALE_S` while it holds. A lamp that
hears nothing for that long shows `UNTENDED` by itself: a dead daemon must not look like *off*, which means that all is
well. Where the device has a watchdog, it is armed with `STALE_S` and is fed **only** by what the hub says, never by a
task of the driver's own; where it has none, the driver shows `UNTENDED`, which does not outlive the process.
"""

from __future__ import annotations

from drivers.lamp_events import LampColour, LampPattern

Shown = tuple[LampColour, LampPattern]

# As for displays: the hub renews at a third, so two renewals in a row may be lost.
STALE_S = 10.0
# Stopped and nobody is authorised, or the product itself fails: what a lamp shows that nobody tends.
UNTENDED: Shown = (LampColour.RED, LampPattern.BLINKING)
# Half of one blink, for drivers that blink by themselves: one flash a second is seen from across a pit, and stays
# well below the three flashes a second above which light can harm people (WCAG 2.3.1).
HALF_BLINK_S = 0.5


class LampGoal:
    """The goal as last said, and whether it is still said. Times on the loop's clock (s)."""

    def __init__(self) -> None:
        self._said: tuple[Shown, float] | None = None

    def say(self, colour: LampColour, pattern: LampPattern, now_s: float) -> bool:
        """The hub says that this holds; whether that is news, and not only a renewal."""
        is_news = self.wanted(now_s) != (colour, pattern)
        self._said = ((colour, pattern), now_s)
        return is_news

    def wanted(self, now_s: float) -> Shown:
        """What the lamp shall show now."""
        if self._said is None or now_s - self._said[1] >= STALE_S:
            return UNTENDED
        return self._said[0]

    def stale_s(self) -> float | None:
        """When what was said is too old, unless it is said again; None: nothing was said, or it is too old already."""
        return None if self._said is None else self._said[1] + STALE_S

    def forget(self) -> None:
        """A new connection: the hub says anew what holds."""
        self._said = None
