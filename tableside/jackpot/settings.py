"""What a jackpot is set to: proposed by the operator, approved by the inspection service (JP-2, JP-5 to JP-7)."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from tableside.jackpot.combinations import MAX_COUNTED, MIN_COUNTED, Combination

WHOLE = 10_000  # shares and increments are parts of ten thousand
START_TIMES_BET = 10_000  # JP-7

Parts = Annotated[int, msgspec.Meta(ge=0, le=WHOLE, description="parts of 10,000")]
Amount = Annotated[int, msgspec.Meta(ge=1, description="in the currency's smallest unit")]


class OddUnits(StrEnum):
    """Who has the units that do not divide among equal top winners (JP-13 leaves it open)."""

    FIRST_SEATS = "first seats"  # one more unit each, in seat order
    STAYS = "stays"  # they stay on the display


class Prize(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the pay table. `share` of the value at the hit, or a fixed `amount`; the top prize has neither."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    combination: Combination
    share: Annotated[int, msgspec.Meta(ge=1, le=WHOLE, description="parts of 10,000")] | None = None
    amount: Amount | None = None


class JackpotSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One jackpot of one table or link. `prizes` from the lowest to the top, which takes what is left (JP-13).

    Of each chip `increment` raises the display and `hidden` goes to the pool that the next start is filled from.
    `limit`: the display does not rise above it; what would is kept as overflow for the next start.
    """

    currency: Annotated[str, msgspec.Meta(pattern=r"\A[A-Z]{3}\Z", description="ISO 4217")]
    bet: Amount
    increment: Parts
    start: Amount
    counted_cards: Annotated[int, msgspec.Meta(ge=MIN_COUNTED, le=MAX_COUNTED)]
    prizes: Annotated[tuple[Prize, ...], msgspec.Meta(min_length=1)]
    approved_by: Annotated[str, msgspec.Meta(min_length=1)]
    approved_on: datetime.date
    odd_units: OddUnits = OddUnits.FIRST_SEATS
    hidden: Parts = 0
    limit: Amount | None = None

    @property
    def top(self) -> Prize:
        """The prize that takes what is left."""
        return self.prizes[-1]


def mistakes(settings: JackpotSettings, currencies: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Everything that is wrong: the key, and what is wrong with its rule and remedy. `currencies`: those known."""
    found: list[tuple[str, str]] = []
    if settings.currency not in currencies:
        found.append(("currency", f"{settings.currency} is not known: {', '.join(sorted(currencies))}"))
    if settings.start < START_TIMES_BET * settings.bet:
        least = START_TIMES_BET * settings.bet
        found.append(("start", f"{settings.start} is below {least}, 10,000 times the bet (JP-7): at least {least}"))
    if settings.increment + settings.hidden > WHOLE:
        found.append(("hidden", "increment and hidden take more than the chip (JP-2): together at most 10000"))
    if settings.limit is not None and settings.limit < settings.start:
        found.append(("limit", f"{settings.limit} is below the start {settings.start}: at least that, or none"))
    for place, prize in enumerate(settings.prizes):
        found += [(f"prizes[{place}]", problem) for problem in _prize_mistakes(settings, prize)]
    return tuple(found)


def _prize_mistakes(settings: JackpotSettings, prize: Prize) -> list[str]:
    is_top = prize is settings.top
    given = [part for part in (prize.share, prize.amount) if part is not None]
    found = [f"{problem} (JP-6)" for problem in prize.combination.mistakes()]
    if is_top and given:
        found.append("the last prize takes what is left (JP-13): give it neither share nor amount")
    if not is_top and len(given) != 1:
        found.append("give either share or amount (JP-6); only the last prize takes what is left")
    if prize.combination.cards > settings.counted_cards:
        found.append(f"needs {prize.combination.cards} cards where {settings.counted_cards} count (JP-5)")
    return found
