"""An I/O board on a rail: inputs that wires go to, a counter behind each input, coils that switch lamps or relays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

COUNTER_MODULUS = 1 << 16
Contact = Callable[[int], bool]


class IoBoard:
    """`inputs`: what each terminal sees at an instant (ns). Off until `power_on`; a power cut zeroes the counters."""

    def __init__(self, inputs: Sequence[Contact], coils: int = 8) -> None:
        self.terminals = tuple(inputs)
        self.is_powered = False
        self.inputs = [False] * len(self.terminals)
        self.counters = [0] * len(self.terminals)
        self.coils = [False] * coils
        self.boots = 0

    def power_on(self, now_ns: int) -> None:
        """Counters at zero, coils off, inputs as they are."""
        self.is_powered = True
        self.boots += 1
        self.counters = [0] * len(self.terminals)
        self.coils = [False] * len(self.coils)
        self.inputs = [contact(now_ns) for contact in self.terminals]

    def power_off(self) -> None:
        self.is_powered = False
        self.coils = [False] * len(self.coils)

    def update(self, now_ns: int) -> int | None:
        """Look at every terminal; a contact that closes is counted."""
        if not self.is_powered:
            return None
        for place, contact in enumerate(self.terminals):
            is_closed = contact(now_ns)
            if is_closed and not self.inputs[place]:
                self.counters[place] = (self.counters[place] + 1) % COUNTER_MODULUS
            self.inputs[place] = is_closed
        return None
