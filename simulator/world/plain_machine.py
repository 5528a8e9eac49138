"""Any shuffler as casinos have them: no data link, its own keys to start and stop it, and what wires can be put to.

Contacts: its warning lamp, a magnet at the lid, a light gate before the feed and one behind the exit. The machine
itself is the same as everywhere; here nobody but its own program and its own keys opens or shuts its gates.
"""

from __future__ import annotations

from collections.abc import Callable

from .cards import Pile
from .happenings import CardsIn, CardsOut, JobEnded
from .jobs import Empty
from .lamp import DARK, Pattern
from .machine import ShufflerMachine
from .waking import earliest

MS = 1_000_000
# A card of 63 mm passes a gate of a few millimetres at about 2 m/s (assumed); between two cards there is a gap.
PULSE_NS = 30 * MS
BETWEEN_NS = 15 * MS
# Half a period of the machine's own blinking (assumed: once a second).
HALF_BLINK_NS = 500 * MS


class LightGate:
    """One light gate: interrupted while a card is in it."""

    def __init__(self) -> None:
        self._cards: list[tuple[int, int]] = []
        self.passed = 0

    def card(self, now_ns: int) -> None:
        """A card comes through, behind any that is still in it."""
        begins_ns = max(now_ns, self._cards[-1][1] + BETWEEN_NS) if self._cards else now_ns
        self._cards.append((begins_ns, begins_ns + PULSE_NS))
        self.passed += 1

    def is_interrupted(self, now_ns: int) -> bool:
        return any(begins_ns <= now_ns < ends_ns for begins_ns, ends_ns in self._cards)

    def update(self, now_ns: int) -> int | None:
        """Forget cards that are through; returns the next edge."""
        self._cards = [card for card in self._cards if card[1] > now_ns]
        return min((edge_ns for card in self._cards for edge_ns in card if edge_ns > now_ns), default=None)


class PlainMachine:
    """A shuffler with its own keys. Off until `power_on`."""

    def __init__(self, machine: ShufflerMachine) -> None:
        self.machine = machine
        self.gate_in, self.gate_out = LightGate(), LightGate()
        self.is_stopped = False
        self._blinks_since_ns: int | None = None

    @property
    def is_powered(self) -> bool:
        return self.machine.is_powered

    def power_on(self) -> None:
        """Its own switch: it plays at once, and nobody has locked its lid."""
        self.machine.power_on(None)
        self.machine.is_lid_released = True
        self.is_stopped = False

    def power_off(self) -> None:
        self.machine.power_off()
        self.machine.is_lid_released = True  # a lid without a lock can be opened at any time
        self._blinks_since_ns = None

    # Its own keys

    def press_stop(self) -> bool:
        """Stop dealing and feeding. False: it stands already."""
        was_stopped, self.is_stopped = self.is_stopped, True
        return not was_stopped

    def press_start(self) -> bool:
        """Go on. False: it runs already."""
        was_stopped, self.is_stopped = self.is_stopped, False
        return was_stopped

    def press_empty(self) -> bool:
        """Give out every card. False: something hinders, or it does so already."""
        carousel = self.machine.carousel
        if not self.machine.is_powered or self.machine.is_busy or carousel.is_lid_open or self.machine.standing.jams:
            return False
        self.is_stopped = False
        self.machine.deal_gate.open(None)
        self.machine.begin(Empty())
        return True

    # What wires tell

    def is_lamp_lit(self, now_ns: int) -> bool:
        """At this instant: a lamp that blinks is dark half of the time."""
        light = self.machine.visible_light
        if light == DARK:
            return False
        since_ns = self._blinks_since_ns
        is_bright = since_ns is None or (now_ns - since_ns) // HALF_BLINK_NS % 2 == 0
        return light.pattern is Pattern.STEADY or is_bright

    @property
    def is_lid_open(self) -> bool:
        return self.machine.carousel.is_lid_open

    def wires(self, tray: Pile) -> tuple[Callable[[int], bool], ...]:
        """As an electrician puts them to a board: lamp, lid magnet, gate in, gate out, tray."""
        return (
            self.is_lamp_lit,
            lambda _now_ns: not self.is_lid_open,  # a magnet holds its contact shut while the lid is
            self.gate_in.is_interrupted,
            self.gate_out.is_interrupted,
            lambda _now_ns: bool(len(tray)),
        )

    def update(self, now_ns: int) -> int | None:
        """Cards through the gates, the lamp's next blink, and what the machine's own program lets pass."""
        for happening in self.machine.take_happenings():
            if isinstance(happening, CardsIn | CardsOut):
                gate = self.gate_in if isinstance(happening, CardsIn) else self.gate_out
                for _ in range(happening.cards):
                    gate.card(now_ns)
            elif isinstance(happening, JobEnded) and isinstance(happening.job, Empty):
                self.is_stopped = True  # emptied, it waits for its start key
        wakes = [self.gate_in.update(now_ns), self.gate_out.update(now_ns), self._blink(now_ns)]
        return earliest(*wakes, now_ns if self._let_pass() else None)

    def _let_pass(self) -> bool:
        """Whether a gate was opened or shut: then the machine has something else to do now."""
        machine = self.machine
        is_free = not (self.is_stopped or machine.carousel.is_lid_open or machine.standing.jams)
        wanted = machine.is_powered and is_free
        if not machine.standing.jams and machine.is_powered and machine.shown_light != DARK:
            machine.set_lamp(DARK)
        changed = False
        for gate in (machine.feed_gate, machine.deal_gate):
            if gate.is_open is not wanted:
                changed = True
                if wanted:
                    gate.open(None)
                else:
                    gate.close()
        return changed

    def _blink(self, now_ns: int) -> int | None:
        light = self.machine.visible_light
        if light == DARK or light.pattern is Pattern.STEADY:
            self._blinks_since_ns = None
            return None
        if self._blinks_since_ns is None:
            self._blinks_since_ns = now_ns
        halves = (now_ns - self._blinks_since_ns) // HALF_BLINK_NS + 1
        return self._blinks_since_ns + halves * HALF_BLINK_NS
