"""Which badges were enrolled or withdrawn at this table, and which is waited for."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside.badges import Badge
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class EnrolmentState(StrEnum):
    """Which of the two taps is waited for."""

    NONE = "none"
    FIRST = "first tap awaited"
    SECOND = "second tap awaited"


class EnrolmentSlice(msgspec.Struct, frozen=True):
    """`badges` by digest; of the one that is waited for: whose it is to be, where, by whom, and its first tap."""

    state: EnrolmentState = EnrolmentState.NONE
    badges: dict[str, Badge] = {}
    staff: str = ""
    reader: str = ""
    by: str = ""
    first: str = ""
    first_ns: int = 0

    def awaits(self, reader: str) -> bool:
        """A badge that nobody knows is expected at this reader."""
        return self.state is not EnrolmentState.NONE and reader == self.reader

    def lost_by(self, digest: str) -> str:
        """Whose withdrawn badge it is; empty where it is none."""
        known = self.badges.get(digest)
        return known.staff if known is not None and known.is_withdrawn else ""


def of(state: TableState) -> EnrolmentSlice:
    """The slice."""
    return state.procedures.enrolment


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    changed = replace(procedures.enrolment, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, enrolment=changed))
