"""The numbers of faults in words, from the catalogue (docs/protocols/tdl.md 10.4)."""

from __future__ import annotations

from functools import cache

from tableside.catalogue import OTHER, FaultText, catalogue


def fault_words(number: int) -> str:
    """Such as *fault 4 (feed drive)*."""
    words = catalogue().words["fault"]
    return f"fault {number} ({words.get(str(number), words[OTHER])['en']})"


@cache
def fault_text(number: int) -> FaultText | None:
    """Its entry; None for the maker's own and for numbers that the specification does not give."""
    return next((fault for fault in catalogue().fault if fault.number == number), None)
