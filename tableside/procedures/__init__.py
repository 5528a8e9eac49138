"""One table of transitions a procedure: (state, input) to (state, decisions).

A new procedure is one file and one line in each of the tables here that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tableside.permits import Wishes
from tableside.procedures import (
    complaints,
    conditions,
    counts,
    damaged,
    differences,
    jams,
    lid,
    outcomes,
    people,
    rounds,
    stops,
)
from tableside.tables import Procedure

if TYPE_CHECKING:
    from tableside.state import TableState

PROCEDURES: tuple[Procedure, ...] = (
    outcomes.PROCEDURE,
    rounds.PROCEDURE,
    counts.PROCEDURE,
    differences.PROCEDURE,
    conditions.PROCEDURE,
    stops.PROCEDURE,
    lid.PROCEDURE,
    jams.AT_PLACE,
    jams.HELP,
    damaged.PROCEDURE,
    complaints.PROCEDURE,
    people.PROCEDURE,
)

# Who may wish for permits; the first wish for a (device, permit) counts.
WISHES: tuple[Wishes, ...] = (rounds.wishes, lid.wishes)


def is_round_open(state: TableState) -> bool:
    """A round is being dealt: locks *from the next round* do not hold yet."""
    return rounds.is_open(state)
