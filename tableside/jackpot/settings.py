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


class SettingsMistake(msgspec.Struct, frozen=True):
    """A key, what is wrong there with its rule, and what is allowed."""

    key: str
    problem: str
    allowed: str


def mistakes(settings: JackpotSettings, currencies: frozenset[str]) -> tuple[SettingsMistake, ...]:
    """Everything that is wrong with them. `currencies`: those whose decimals are known."""
    found: list[SettingsMistake] = []
    if settings.currency not in currencies:
        known = ", ".join(sorted(currencies))
        found.append(SettingsMistake("currency", f"{settings.currency} is not known", known))
    least = START_TIMES_BET * settings.bet
    if settings.start < least:
        text = f"{settings.start} is below 10,000 times the bet (JP-7)"
        found.append(SettingsMistake("start", text, f"at least {least}"))
    if settings.increment + settings.hidden > WHOLE:
        text = "increment and hidden take more than the chip (JP-2)"
        found.append(SettingsMistake("hidden", text, f"together at most {WHOLE}"))
    if settings.limit is not None and settings.limit < settings.start:
        text = f"{settings.limit} is below the start"
        found.append(SettingsMistake("limit", text, f"at least {settings.start}, or none"))
    for place, prize in enumerate(settings.prizes):
        found += [SettingsMistake(f"prizes[{place}]", *each) for each in _prize_mistakes(settings, prize)]
    return tuple(found)


def _prize_mistakes(settings: JackpotSettings, prize: Prize) -> list[tuple[str, str]]:
    is_top = prize is settings.top
    given = [part for part in (prize.share, prize.amount) if part is not None]
    found = [(f"{problem} (JP-6)", "ranks or a rule, and suits") for problem in prize.combination.mistakes()]
    if is_top and given:
        found.append(("the last prize takes what is left (JP-13)", "neither share nor amount"))
    if not is_top and len(given) != 1:
        found.append(("has not one of share and amount (JP-6)", "either; only the last prize takes what is left"))
    if prize.combination.cards > settings.counted_cards:
        text = f"needs {prize.combination.cards} cards (JP-5)"
        found.append((text, f"the first {settings.counted_cards} that count"))
    return found
