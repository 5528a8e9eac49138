"""Amounts and days in the languages of the house: each currency with its own decimals (ISO 4217)."""

from __future__ import annotations

import datetime

import pytest
from babel.numbers import get_currency_precision

from drivers.displays.money import CURRENCIES, CurrencyUnknown
from tableside.catalogue import LANGUAGES
from tableside.outputs.amounts import amount_in, day_in

# Of 1234567 of the smallest unit; blanks are no-break spaces.
WRITTEN = {
    "EUR": ("€12,345.67", "12 345,67 €", "€12,345.67"),
    "MOP": ("MOP 12,345.67", "12 345,67 MOP", "MOP$12,345.67"),
    "HKD": ("HK$12,345.67", "12 345,67 HK$", "HK$12,345.67"),
    "JPY": ("¥1,234,567", "1 234 567 JP¥", "¥1,234,567"),
    "KWD": ("KWD 1,234.567", "1 234,567 KWD", "KWD 1,234.567"),
}


@pytest.mark.parametrize("currency", WRITTEN)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amount_is_written_as_its_readers_write_it(currency: str, language: str) -> None:
    """BR-055: the exponent goes wherever the amount goes."""
    text = WRITTEN[currency][LANGUAGES.index(language)]
    assert amount_in(1_234_567, currency, language).replace("\N{NO-BREAK SPACE}", " ") == text


def test_our_decimals_are_those_of_cldr() -> None:
    assert {currency: get_currency_precision(currency) for currency in CURRENCIES} == CURRENCIES


def test_the_smallest_unit_is_not_lost_however_great_the_amount() -> None:
    assert amount_in(5, "EUR", "en") == "€0.05"
    assert amount_in(10**18 + 1, "KWD", "en").endswith("000.001")


def test_a_currency_without_decimals_of_ours_is_refused() -> None:
    with pytest.raises(CurrencyUnknown, match="XTS"):
        amount_in(5, "XTS", "en")


def test_a_day_is_written_as_its_readers_write_it() -> None:
    day = datetime.date(2026, 1, 15)
    assert [day_in(day, language) for language in LANGUAGES] == ["15 Jan 2026", "15/01/2026", "2026年1月15日"]
