"""Amounts of money as guests read them. Integers of the smallest unit and nothing else (design rule 11)."""

from __future__ import annotations

from collections.abc import Mapping

# ISO 4217: how many decimals an amount of the currency has. The exponent goes wherever the amount goes (BR-055).
CURRENCIES: Mapping[str, int] = {"EUR": 2, "HKD": 2, "JPY": 0, "KWD": 3, "MOP": 2, "USD": 2}


class CurrencyUnknown(LookupError):
    """A currency whose decimals nobody has told us: guessing two would be wrong by a factor of a hundred."""


def decimals_of(currency: str) -> int:
    """How many decimals. Raises CurrencyUnknown."""
    if currency not in CURRENCIES:
        raise CurrencyUnknown(f"currency {currency!r} is not known; known: {', '.join(CURRENCIES)}")
    return CURRENCIES[currency]


def amount_text(amount: int, currency: str) -> str:
    """`EUR 1,234.56` for 123456. Raises CurrencyUnknown, and ValueError for a negative amount."""
    decimals = decimals_of(currency)
    if amount < 0:
        raise ValueError(f"{amount} refused: a jackpot is never negative")
    whole, part = divmod(amount, 10**decimals)
    return f"{currency} {whole:,}" + (f".{part:0{decimals}}" if decimals else "")
