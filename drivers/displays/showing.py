"""What a display shows, and whether it can: one contract for every display.

*Nothing*, an *amount*, *pending*, *won*, or *one moment*. The last one is what guests read while the amount is out of
date, the display is at fault, or the product has failed: neutral words only. What cannot be shown as it is, is refused
before a byte of it is sent; no amount is ever shortened (BR-059) and no character dropped (BR-060).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from drivers.displays.money import CURRENCIES, amount_text
from drivers.events import Shown

# A display that hears nothing for so long says *one moment* by itself: an old amount must not look like today's.
# The hub renews at a third, so two renewals in a row may be lost.
STALE_MS = 10_000

# What guests read. No word is longer than a small sign of 80 columns shows at once (13 characters of 6 columns).
WORDS: Mapping[Shown, str] = {
    Shown.NOTHING: "",
    Shown.PENDING: "PENDING",
    Shown.WON: "JACKPOT WON",
    Shown.WAIT: "ONE MOMENT",
}
LONGEST_WORD = max(len(word) for word in WORDS.values())


class Showing(msgspec.Struct, frozen=True):
    """A goal of the table for its displays. `version` rises; `amount` in the currency's smallest unit."""

    version: int
    what: Shown
    amount: int = 0
    currency: str = ""

    @property
    def text(self) -> str:
        """What guests read, such as `EUR 1,234.56`. Raises CurrencyUnknown."""
        if self.what is Shown.AMOUNT:
            return amount_text(self.amount, self.currency)
        return WORDS[self.what]


# The first character that a device has no code for, or None.
Missing = Callable[[str], str | None]


def nothing_missing(_text: str) -> str | None:
    """For displays that draw every character that we send."""
    return None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a kind of display can show. `characters` stand on it at once, separators and currency included."""

    characters: int
    max_amount: int
    missing: Missing = nothing_missing

    def objection(self, showing: Showing) -> str | None:
        """Why this cannot be shown as it is; None: it can."""
        if showing.what is not Shown.AMOUNT:
            return None
        if showing.currency not in CURRENCIES:
            return f"currency {showing.currency or 'missing'} is not known; known: {', '.join(CURRENCIES)}"
        if not 0 <= showing.amount <= self.max_amount:
            return f"the amount is above the {self.max_amount} units that the device can be told"
        return self.text_objection(showing.text)

    def text_objection(self, text: str) -> str | None:
        """Why a text cannot stand on the display; None: it can."""
        if len(text) > self.characters:
            return f"{text} takes {len(text)} characters, and {self.characters} fit"
        missing = self.missing(text)
        return None if missing is None else f"{text} has {missing!r}, which is not in the display's code page"
