"""Where an unload stands, and the permit that it wishes for (CSM-6)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import PermitKind
from tableside import presence
from tableside.permits import DEAL_MS, Wish
from tableside.presence import Operation
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class UnloadState(StrEnum):
    """Where the unload stands."""

    NOT_BEGUN = "not begun"
    PERMITTING = "permit awaited"
    EJECTING = "cards come out"
    PAUSED = "paused: presence"
    PROVING = "empty to be proved"
    STOPPED = "stopped"
    OVER = "over"


class UnloadSlice(msgspec.Struct, frozen=True):
    """`cards` came out so far by the out meter; `tries` commands ended without a card."""

    state: UnloadState = UnloadState.NOT_BEGUN
    kind: str = ""
    operation: Operation = Operation.UNLOAD
    device: str = ""
    cards: int = 0
    tries: int = 0


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, unload=replace(procedures.unload, **changes)))


def of(turn: Turn) -> UnloadSlice:
    """The slice."""
    return turn.state.procedures.unload


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Dealing, for EJECT_ALL, while presence stands."""
    unload = state.procedures.unload
    is_moving = unload.state in (UnloadState.PERMITTING, UnloadState.EJECTING)
    if not is_moving or not presence.is_kept(state, unload.operation):
        return ()
    until_ns = presence.until_ns(state, unload.operation)
    return (Wish(unload.device, PermitKind.DEAL, DEAL_MS, None, until_ns, f"{unload.kind} unload"),)
