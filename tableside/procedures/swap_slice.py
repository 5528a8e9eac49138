"""Where a machine swap stands (semantics §4)."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from tableside.tables import Turn

# The kind of its load, and the purpose of its proof.
SWAP = "swap"


class SwapState(StrEnum):
    """The steps of a swap."""

    NONE = "none"
    COUNTING_OUT = "counting out"
    PROVING = "spare to be proved empty"
    LOADING = "loading the spare"
    RULING = "round to be ruled on"


class SwapSlice(msgspec.Struct, frozen=True):
    """`taken`: cards laid aside at the lid already. `left`: stayed in the old machine. `is_ruled`: the round is."""

    state: SwapState = SwapState.NONE
    old: str = ""
    new: str = ""
    serial: str = ""
    incident: int = 0
    taken: int = 0
    left: int = 0
    is_ruled: bool = False

    @property
    def is_under_way(self) -> bool:
        """The table has no machine to play with."""
        return self.state in (SwapState.COUNTING_OUT, SwapState.PROVING, SwapState.LOADING)


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, swap=replace(procedures.swap, **changes)))


def of(turn: Turn) -> SwapSlice:
    """The slice."""
    return turn.state.procedures.swap
