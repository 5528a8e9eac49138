"""What a table's jackpot must keep: what its settings say of themselves, and what they share with chip slots (JP-2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from drivers.displays.money import CURRENCIES
from drivers.displays.showing import Showing
from drivers.errors import DriverUnknown
from drivers.events import Shown
from drivers.registry import display_limits
from tableside.configuration.draft import Draft
from tableside.configuration.ledger import settings_of
from tableside.configuration.locate import KeyPath
from tableside.configuration.mistake import Finding
from tableside.configuration.shape import DeviceRole, Jackpot
from tableside.jackpot.settings import START_TIMES_BET, JackpotSettings, below_start, mistakes, unknown_currency

_PLACE = re.compile(r"(\w+)\[(\d+)\]")


def jackpot_findings(file: Draft) -> Iterator[Finding]:
    """Everything across keys that is wrong with `[jackpot]`; what one key says wrongly its shape has told."""
    draft = file.part("jackpot")
    if not draft.values:
        return
    try:
        settings = settings_of(msgspec.convert(_plain(draft.values), Jackpot))
    except msgspec.ValidationError:
        yield from _of_what_is_sound(draft)
        return
    for mistake in mistakes(settings, frozenset(CURRENCIES)):
        yield Finding(_path(draft, mistake.key), mistake.problem, mistake.allowed)
    yield from _as_the_chips_say(file, draft, settings)
    yield from _can_be_shown(file, draft, settings)


def _of_what_is_sound(draft: Draft) -> Iterator[Finding]:
    """Beside what its shape has told: what can be said of the other keys in the same run."""
    currency, bet, start = draft.text("currency"), draft.number("bet"), draft.number("start")
    if currency is not None and currency not in CURRENCIES:
        mistake = unknown_currency(currency, frozenset(CURRENCIES))
        yield Finding(draft.at("currency"), mistake.problem, mistake.allowed)
    if bet is not None and start is not None and start < START_TIMES_BET * bet:
        mistake = below_start(start, bet)
        yield Finding(draft.at("start"), mistake.problem, mistake.allowed)


def _can_be_shown(file: Draft, draft: Draft, settings: JackpotSettings) -> Iterator[Finding]:
    """The highest amount that is sure to come must fit on each display: the limit, else the start (BR-059)."""
    key, amount = ("start", settings.start) if settings.limit is None else ("limit", settings.limit)
    for device in file.parts("devices"):
        driver, characters = device.text("driver"), device.number("display_characters")
        if device.text("role") != DeviceRole.DISPLAY or driver is None or characters is None:
            continue
        try:
            objection = display_limits(driver, characters).objection(
                Showing(0, Shown.AMOUNT, amount, settings.currency)
            )
        except DriverUnknown:
            continue  # told at its own key
        if objection is not None:
            problem = f"is {amount}, which {device.text('name') or 'a display'} cannot show: {objection} (JP-3)"
            yield Finding(draft.at(key), problem, "what every display of the table can show")


def _as_the_chips_say(file: Draft, draft: Draft, settings: JackpotSettings) -> Iterator[Finding]:
    """One chip is one bet of the set value (JP-10): slots and jackpot speak of the same chip."""
    chips = file.part("settings")
    value, currency = chips.number("jackpot_chip_value"), chips.text("jackpot_chip_currency")
    if value is not None and value != settings.bet:
        yield Finding(draft.at("bet"), f"is {settings.bet} where a chip is worth {value} (JP-10)", f"{value}")
    if currency is not None and currency != settings.currency:
        yield Finding(draft.at("currency"), f'is "{settings.currency}" where chips are in {currency} (JP-10)', currency)


def _path(draft: Draft, key: str) -> KeyPath:
    place = _PLACE.fullmatch(key)
    return draft.at(key) if place is None else draft.at(place[1], int(place[2]))


def _plain(value: object) -> object:
    """A draft's values as TOML gave them: its lists stand there as tables of numbers."""
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(key, int) for key in value):
        return [_plain(item) for item in value.values()]
    return {key: _plain(item) for key, item in value.items()}
