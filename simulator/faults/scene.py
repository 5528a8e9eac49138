"""What a fault is, and what it can reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.faces.tdl_device import TdlDevice
from simulator.line import FaultyLine
from simulator.world.table import TableWorld

Proof = Callable[[], bool]


class CannotProvoke(RuntimeError):
    """The world is not such that this fault could happen now: says what is missing."""


@dataclass(slots=True)
class Scene:
    """What a fault can reach: the table, the face of the shuffler in play, the cables that are bad lines, by device."""

    table: TableWorld
    shuffler: TdlDevice
    now_ns: Callable[[], int]
    lines: dict[str, FaultyLine] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One entry. `provoke` returns the proof; `mend` undoes the cause where it would stay."""

    name: str
    cause: str
    effect: str
    provoke: Callable[[Scene], Proof]
    mend: Callable[[Scene], None] | None = None


def fault(
    name: str,
    cause: str,
    effect: str,
    provoke: Callable[[Scene], Proof],
    mend: Callable[[Scene], None] | None = None,
) -> Fault:
    """An entry in one line."""
    return Fault(name=name, cause=cause, effect=effect, provoke=provoke, mend=mend)
