"""A jackpot display as guests see it: an amount, a word, or *one moment* where what it knows is out of date."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

NS_PER_MS = 1_000_000


class Picture(Enum):
    """What stands on the glass."""

    DARK = "dark"
    AMOUNT = "amount"
    PENDING = "pending"
    WON = "won"
    WAIT = "one moment"


@dataclass(frozen=True, slots=True)
class Order:
    """What a host has told it last."""

    version: int
    picture: Picture
    amount: int = 0
    decimals: int = 0
    currency: str = ""


class JackpotDisplay:
    """Digits and words. `characters` stand on it at once; what does not fit it refuses. `pictures` counts changes."""

    def __init__(self, name: str, characters: int = 13) -> None:
        self.name = name
        self.characters = characters
        self.is_powered = False
        self.pictures = 0
        self.order: Order | None = None
        self._stale_at_ns = 0

    def power_on(self) -> None:
        """It knows nothing, and says *one moment*."""
        self.is_powered = True
        self.order = None

    def power_off(self) -> None:
        self.is_powered = False
        self.order = None

    def show(self, order: Order, stale_ms: int, now_ns: int) -> bool:
        """Show it for so long; False: it does not fit, and nothing has changed."""
        if len(_text(order)) > self.characters:
            return False
        if order != self.order:
            self.pictures += 1
        self.order = order
        self._stale_at_ns = now_ns + stale_ms * NS_PER_MS
        return True

    def picture(self, now_ns: int) -> Picture:
        """What stands there."""
        if not self.is_powered:
            return Picture.DARK
        is_fresh = self.order is not None and now_ns < self._stale_at_ns
        return self.order.picture if self.order is not None and is_fresh else Picture.WAIT

    def visible(self, now_ns: int) -> str:
        """What eyes read."""
        picture = self.picture(now_ns)
        if picture in WORDS:
            return WORDS[picture]
        return _text(self.order) if self.order is not None else ""


# What this maker's display says; guests read neutral words only.
WORDS = {Picture.DARK: "", Picture.PENDING: "PENDING", Picture.WON: "JACKPOT WON", Picture.WAIT: "ONE MOMENT"}


def _text(order: Order) -> str:
    if order.picture is not Picture.AMOUNT:
        return WORDS[order.picture]
    whole, part = divmod(order.amount, 10**order.decimals)
    digits = f"{whole:,}" + (f".{part:0{order.decimals}}" if order.decimals else "")
    return f"{order.currency} {digits}".strip()
