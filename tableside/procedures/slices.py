"""The states of all procedures, side by side, as one part of the table's state."""

from __future__ import annotations

import msgspec

from tableside.procedures.counts import CountSlice
from tableside.procedures.differences import DifferenceSlice
from tableside.procedures.rounds import RoundSlice


class Procedures(msgspec.Struct, frozen=True):
    """One field a procedure, named as its file."""

    rounds: RoundSlice = RoundSlice()
    counts: CountSlice = CountSlice()
    differences: DifferenceSlice = DifferenceSlice()
