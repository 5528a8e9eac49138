"""What stands of a difference, and how it is changed; the table of transitions is in `differences`."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from tableside.tables import Turn


class DifferenceState(StrEnum):
    """How far a difference has come."""

    AGREED = "agreed"
    SUSPECTED = "suspected"
    CONFIRMED = "confirmed"
    HAND_COUNT = "hand count"


class DifferenceSlice(msgspec.Struct, frozen=True):
    """The open difference: its place, and observed less expected in cards. `asked` is the quiet point being read.

    `outside`: the same of what lies outside the machine, kept while the machine's counts are compared;
    `is_counted`: a person has counted it.
    """

    state: DifferenceState = DifferenceState.AGREED
    incident: int = 0
    place: str = ""
    net: int = 0
    outside: int = 0
    is_counted: bool = False
    asked: str = ""
    tries: int = 0


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    slice_ = replace(procedures.differences, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, differences=slice_))


def of(turn: Turn) -> DifferenceSlice:
    """The slice."""
    return turn.state.procedures.differences
