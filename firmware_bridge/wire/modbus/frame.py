"""One frame, whichever way it goes: to or from which board, and what it says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """`data` from the function on. `transaction` numbers a question on TCP; a serial bus has no room for it: 0."""

    unit: int
    data: bytes
    transaction: int = 0
