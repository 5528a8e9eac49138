"""A coin acceptor at a jackpot slot: coils that tell coins apart, a gate, a credit sensor, a box; an event buffer."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

MS = 1_000_000
# From the lips past the coils to the gate, and from there to the credit sensor (assumed, as of small acceptors).
VALIDATE_NS = 120 * MS
CREDIT_NS = 80 * MS
UNKNOWN_COIN = 0
COINS = 16
EVENTS_KEPT = 5
COUNTER_MAX = 255
# Codes of the generic specification, header 229.
REJECTED, MASTER_INHIBITED, SENSOR_BLOCKED, FIRST_INHIBITED = 1, 2, 14, 128
SORTER_PATH = 1


@dataclass(slots=True)
class _Falling:
    """A coin on its way: to the gate, then, `is_through`, to the credit sensor."""

    coin: int
    at_ns: int
    is_through: bool = False


class CoinAcceptor:
    """`coin` is a position, 1 to 16; anything else it does not know. `box` and `cup` are what lies there."""

    def __init__(self, name: str, serial: int = 1) -> None:
        self.name = name
        self.serial = serial
        self.is_powered = False
        self.is_blocked = False  # something lies before the credit sensor
        self.box = 0
        self.cup = 0
        self.fault = 0  # what a check of itself finds
        self._falling: list[_Falling] = []
        self._now_ns = 0
        self.forget()

    def forget(self) -> None:
        """Reset: counter 0, buffer empty, every coin inhibited."""
        self.counter = 0
        self.events: deque[tuple[int, int]] = deque(maxlen=EVENTS_KEPT)
        self.accepts = True  # master inhibit is not set …
        self.coins: frozenset[int] = frozenset()  # … and every coin is

    def power_on(self) -> None:
        """As after a reset."""
        self.is_powered = True
        self.forget()

    def power_off(self) -> None:
        """The gate gives back what comes."""
        self.is_powered = False
        self.forget()

    def drop(self, coin: int = 1) -> None:
        """A coin goes between the lips."""
        self._falling.append(_Falling(coin, self._now_ns + VALIDATE_NS))

    def event(self, coin: int, code: int) -> None:
        """Something happened: the counter goes on, the buffer keeps the last five."""
        self.counter = self.counter % COUNTER_MAX + 1
        self.events.appendleft((coin, code))

    def update(self, now_ns: int) -> int | None:
        """Let coins fall."""
        self._now_ns = now_ns
        for falling in [falling for falling in self._falling if falling.at_ns <= now_ns]:
            self._falling.remove(falling)
            if falling.is_through:
                self._credit(falling.coin)
            else:
                self._at_gate(falling)
        return min((falling.at_ns for falling in self._falling), default=None)

    def _at_gate(self, falling: _Falling) -> None:
        code = self._objection(falling.coin)
        if code is None:
            self._falling.append(_Falling(falling.coin, falling.at_ns + CREDIT_NS, is_through=True))
            return
        self.cup += 1
        if self.is_powered:
            self.event(0, code)

    def _objection(self, coin: int) -> int | None:
        if not self.is_powered or not self.accepts:
            return MASTER_INHIBITED
        if not 1 <= coin <= COINS:
            return REJECTED
        return None if coin in self.coins else FIRST_INHIBITED + coin - 1

    def _credit(self, coin: int) -> None:
        """It has passed the gate: it lies in the box, whether anybody counts it or not."""
        self.box += 1
        if self.is_powered:
            self.event(*((0, SENSOR_BLOCKED) if self.is_blocked else (coin, SORTER_PATH)))
