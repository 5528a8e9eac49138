"""What a jackpot is set to: proposed by the operator, approved by the inspection service (JP-2, JP-5 to JP-7)."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec.structs import replace

from tableside.jackpot.combinations import MAX_COUNTED, MIN_COUNTED, Combination

WHOLE = 10_000  # shares and increments are parts of ten thousand
START_TIMES_BET = 10_000  # JP-7

Parts = Annotated[int, msgspec.Meta(ge=0, le=WHOLE, description="a whole number of parts of 10,000 (JP-2)")]
Amount = Annotated[int, msgspec.Meta(ge=1, description="a whole number of the currency's smallest unit (JP-2)")]
LevelName = Annotated[str, msgspec.Meta(pattern=r"\A[a-z][a-z0-9-]{0,15}\Z", description="1 to 16 small letters")]
MAIN = ""  # the level that displays show, and that the top prize takes what is left of


class OddUnits(StrEnum):
    """Who has the units that do not divide among equal top winners (JP-13 leaves it open)."""

    FIRST_SEATS = "first seats"  # one more unit each, in seat order
    STAYS = "stays"  # they stay on the display


class Prize(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the pay table. `share` of the value at the hit, or a fixed `amount`, or a whole `level`.

    The top prize has none of them: it takes what is left.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    combination: Combination
    share: Annotated[int, msgspec.Meta(ge=1, le=WHOLE, description="parts of 10,000")] | None = None
    amount: Amount | None = None
    level: LevelName | None = None


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pot beside the main one, fed by the same chips; the prizes that name it take all of it, and it starts anew."""

    name: LevelName
    increment: Parts
    start: Amount
    hidden: Parts = 0
    limit: Amount | None = None


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
    approved_by: Annotated[str, msgspec.Meta(min_length=1, description="who approved these settings (JP-2)")]
    approved_on: Annotated[datetime.date, msgspec.Meta(description="the date of their approval, 2026-01-31 (JP-2)")]
    odd_units: OddUnits = OddUnits.FIRST_SEATS
    hidden: Parts = 0
    limit: Amount | None = None
    levels: tuple[Level, ...] = ()

    @property
    def top(self) -> Prize:
        """The prize that takes what is left."""
        return self.prizes[-1]

    @property
    def pots(self) -> tuple[str, ...]:
        """All levels by name, the main one first."""
        return (MAIN, *(level.name for level in self.levels))

    def of(self, pot: str) -> JackpotSettings:
        """How one level grows and starts. Raises KeyError."""
        if pot == MAIN:
            return self
        level = {level.name: level for level in self.levels}[pot]
        return replace(
            self, increment=level.increment, start=level.start, hidden=level.hidden, limit=level.limit, levels=()
        )

    def takes_all(self, prize: int) -> str | None:
        """The level that a prize takes the whole of; None for a share or an amount of the main one."""
        if prize == len(self.prizes) - 1:
            return MAIN
        return self.prizes[prize].level


class SettingsMistake(msgspec.Struct, frozen=True):
    """A key, what is wrong there with its rule, and what is allowed."""

    key: str
    problem: str
    allowed: str


def mistakes(settings: JackpotSettings, currencies: frozenset[str]) -> tuple[SettingsMistake, ...]:
    """Everything that is wrong with them. `currencies`: those whose decimals are known."""
    found: list[SettingsMistake] = []
    if settings.currency not in currencies:
        found.append(unknown_currency(settings.currency, currencies))
    if not settings.approved_by.strip():
        found.append(SettingsMistake("approved_by", "names nobody (JP-2)", "who approved these settings"))
    found += _growth_mistakes(settings)
    for place, prize in enumerate(settings.prizes):
        found += [SettingsMistake(f"prizes[{place}]", *each) for each in _prize_mistakes(settings, prize)]
    return tuple(found)


def unknown_currency(currency: str, currencies: frozenset[str]) -> SettingsMistake:
    """Its decimals are not known, so nothing of it can be shown (JP-2)."""
    return SettingsMistake("currency", f"{currency} is not known (JP-2)", ", ".join(sorted(currencies)))


def below_start(start: int, bet: int, key: str = "start") -> SettingsMistake:
    """JP-7."""
    text = f"{start} is below 10,000 times the bet (JP-7)"
    return SettingsMistake(key, text, f"at least {START_TIMES_BET * bet}")


def _growth_mistakes(settings: JackpotSettings) -> list[SettingsMistake]:
    found: list[SettingsMistake] = []
    least = START_TIMES_BET * settings.bet  # JP-7
    kept: list[JackpotSettings | Level] = [settings, *settings.levels]
    for one, place in zip(kept, ("", *(f"levels[{at}]" for at in range(len(settings.levels)))), strict=True):
        if one.start < least:
            found.append(below_start(one.start, settings.bet, place or "start"))
        if one.limit is not None and one.limit < one.start:
            text = f"{one.limit} is below the start"
            found.append(SettingsMistake(place or "limit", text, f"at least {one.start}, or none"))
    if sum(one.increment + one.hidden for one in kept) > WHOLE:
        text = "all increments and hidden pools take more than the chip (JP-2)"
        found.append(SettingsMistake("hidden", text, f"together at most {WHOLE}"))
    for at, level in enumerate(settings.levels):
        if level.name in [other.name for other in settings.levels[:at]]:
            found.append(SettingsMistake(f"levels[{at}]", f"{level.name} stands there twice", "each name once"))
        if all(prize.level != level.name for prize in settings.prizes):
            text = f"no prize takes {level.name}: what it holds could never be won (JP-6)"
            found.append(SettingsMistake(f"levels[{at}]", text, f'a prize with level = "{level.name}"'))
    return found


def _prize_mistakes(settings: JackpotSettings, prize: Prize) -> list[tuple[str, str]]:
    is_top = prize is settings.top
    given = [part for part in (prize.share, prize.amount, prize.level) if part is not None]
    found = [(f"{problem} (JP-6)", "ranks or a rule, and suits") for problem in prize.combination.mistakes()]
    if is_top and given:
        found.append(("the last prize takes what is left (JP-13)", "neither share nor amount nor level"))
    if not is_top and len(given) != 1:
        found.append(("has not one of share, amount and level (JP-6)", "one; only the last prize takes what is left"))
    if prize.level is not None and prize.level not in settings.pots:
        found.append((f"{prize.level} is no level (JP-6)", ", ".join(settings.pots[1:]) or "no level is set"))
    if prize.combination.cards > settings.counted_cards:
        text = f"needs {prize.combination.cards} cards (JP-5)"
        found.append((text, f"the first {settings.counted_cards} that count"))
    return found
