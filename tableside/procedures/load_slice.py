"""Where a load stands, and the feed that it wishes for (CSM-5)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import PermitKind
from tableside import presence
from tableside.permits import LOAD_FEED_MS, Wish
from tableside.presence import Operation
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class LoadState(StrEnum):
    """Where the load stands."""

    NOT_BEGUN = "not begun"
    AWAITING = "packet awaited"
    FEEDING = "feeding"
    PAUSED = "paused: presence"
    DIFFERS = "declared and counted differ"
    RECOUNTING = "counting after a restart"
    CHECKING = "last look"
    OVER = "over"


class LoadSlice(msgspec.Struct, frozen=True):
    """`packets` were announced, `packet` is the present one: `declared` cards, `counted` so far by the in meter.

    `loaded` is the sum over the load. `is_packet_open`: its end is not settled.
    """

    state: LoadState = LoadState.NOT_BEGUN
    kind: str = ""
    operation: Operation = Operation.LOAD
    device: str = ""
    packets: int = 0
    packet: int = 0
    declared: int = 0
    counted: int = 0
    loaded: int = 0
    is_packet_open: bool = False


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, load=replace(procedures.load, **changes)))


def of(turn: Turn) -> LoadSlice:
    """The slice."""
    return turn.state.procedures.load


def is_under_way(state: TableState) -> bool:
    """A load has begun and is not over: the feed is its own."""
    return state.procedures.load.state not in (LoadState.NOT_BEGUN, LoadState.OVER)


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Feed for the packet that lies in the hopper, while presence stands (TDL 9.2: a revoke begins each packet)."""
    load = state.procedures.load
    if load.state not in (LoadState.FEEDING, LoadState.DIFFERS) or not presence.is_kept(state, load.operation):
        return ()
    until_ns = presence.until_ns(state, load.operation)
    count_from = f"{load.kind} packet {load.packet}"
    return (Wish(load.device, PermitKind.FEED, LOAD_FEED_MS, load.declared, until_ns, count_from, load.counted),)
