"""What stands of cards that were found irregular; the table of transitions is in `defects`."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.by_hand import is_by_hand
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

# So many findings can still be claimed; the journal has them all.
FINDINGS_KEPT = 50


class DefectState(StrEnum):
    """Derived: whether money of an earlier deal lies there."""

    NONE = "no money kept"
    MONEY = "money of an earlier deal is kept"


class Finding(msgspec.Struct, frozen=True):
    """One finding, and when (UTC ns) it was found and a card of it was claimed to be exposed."""

    number: int
    seat: int
    round: int
    found_ns: int
    claimed_ns: int = 0

    def claimed(self, at_ns: int) -> Finding:
        """The same, claimed."""
        return replace(self, claimed_ns=at_ns)


class DefectSlice(msgspec.Struct, frozen=True):
    """`kept`: by round, who was dealt in where money lies for the next deal (DECK-12).

    `seen`: of each face and reader how often it was read among cards that lie out at once: of a shoe all since it was
    filled, else those of `seen_round`. `lifted`: cards of it that may have been read twice.
    """

    last: int = 0
    findings: dict[str, Finding] = {}
    kept: dict[str, tuple[int, ...]] = {}
    seen: dict[str, int] = {}
    seen_round: int = 0
    lifted: int = 0


def of(turn: Turn) -> DefectSlice:
    return turn.state.procedures.defects


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, defects=replace(procedures.defects, **changes)))


def keep(turn: Turn, finding: Finding) -> None:
    """Keep a finding, or what has become of it; the oldest goes."""
    findings = {**of(turn).findings, str(finding.number): finding}
    latest = dict(list(findings.items())[-FINDINGS_KEPT:])
    put(turn, findings=latest, last=max(of(turn).last, finding.number))


def dealt_in(state: TableState) -> tuple[int, ...]:
    """The seats of the round as far as anybody knows them: as its hands are followed, or as they sat at the cut."""
    kept = state.procedures.blackjack.kept
    if kept is not None:
        return kept.seats
    return state.procedures.hand_shoe.occupied if is_by_hand(state) else ()
