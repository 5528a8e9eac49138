"""Amounts of money and days as people read them in their language, by Babel. Never in a decision or a row.

The record keeps integers with their currency: what CLDR writes changes with its versions, and a replay must not.
Babel is imported when an amount is shown, so that nothing else waits for it.
"""

from __future__ import annotations

import datetime
from decimal import Decimal

from drivers.displays.money import decimals_of

NO_BREAK = "\N{NO-BREAK SPACE}"


def amount_in(amount: int, currency: str, language: str) -> str:
    """`€1,234.56`, `1 234,56 €`, `€1,234.56` for 123456 of EUR, in the languages of the house.

    `amount` is in the smallest unit; how many decimals that has is our own table's (ISO 4217), Babel writes them.
    Raises `CurrencyUnknown`.
    """
    from babel import Locale
    from babel.numbers import format_currency, get_currency_symbol

    value = Decimal(amount).scaleb(-decimals_of(currency))
    pattern = str(Locale.parse(language).currency_formats["standard"].pattern)
    if get_currency_symbol(currency, language)[-1].isalpha():
        pattern = pattern.replace("¤#", f"¤{NO_BREAK}#")  # CLDR: letters do not stand against a number (MOP 5.00)
    return format_currency(value, currency, pattern, locale=language)


def day_in(day: datetime.date, language: str) -> str:
    """`15 Jan 2026` as the language writes a day."""
    from babel.dates import format_date

    # English as the houses of Europe and Macau write it: the day before the month.
    return format_date(day, "medium", locale="en_GB" if language == "en" else language)
