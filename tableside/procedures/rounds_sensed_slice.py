"""What a table without a DONE key knows of its round by sensors; the rows are in `rounds_sensed`."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from tableside.games.rounds_sensed import Sensed
from tableside.tables import Turn


class Finding(StrEnum):
    """Whether sensors can tell how the round stands."""

    CERTAIN = "certain"
    DOUBTED = "doubted"


class SensedSlice(msgspec.Struct, frozen=True):
    """`known` by sensors. `unpaid`: why the round is over, which waits for a jackpot claim; `over_ns` when it was."""

    state: Finding = Finding.CERTAIN
    known: Sensed = Sensed()
    unpaid: str = ""
    over_ns: int = 0


def of(turn: Turn) -> SensedSlice:
    return turn.state.procedures.rounds_sensed


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    changed = replace(procedures.rounds_sensed, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, rounds_sensed=changed))
