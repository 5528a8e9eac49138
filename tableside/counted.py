"""Numbers of things as people read them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 card`, `2 cards`; of a noun that takes an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
