"""Which stretches of a table's time surveillance should look at (semantics: alerts and people). Pure.

Each alert, lid opening, load, unload, swap, complaint and jackpot is a bookmark: told when it begins, and again with
its end. Of a jackpot there are two: *pending* from the hit to the end of its check, *won* until the next amount.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from drivers.events import LidClosed, LidOpened
from tableside.decisions import AlertCleared, AlertRaised
from tableside.happenings import (
    ComplaintRaised,
    ComplaintSettled,
    RoundEnded,
    RoundStarted,
    SwapCompleted,
    SwapStarted,
)
from tableside.jackpot_happenings import JackpotCalled, JackpotOver
from tableside.outputs.northbound.messages import BookmarkKind
from tableside.session_happenings import LoadCompleted, LoadStarted, UnloadCompleted, UnloadStarted


class Mark(msgspec.Struct, frozen=True):
    """One bookmark: the row that began it, and what it is."""

    row: int
    what: BookmarkKind
    detail: str
    round: int
    start: str
    end: str | None = None


class Marking(msgspec.Struct, frozen=True):
    """What is known at one row: the round in progress (0: none), and what has begun and not ended, by a key."""

    round: int = 0
    open: dict[str, Mark] = {}


class _Way(NamedTuple):
    """How a kind of row begins or ends a bookmark: its kind, its key among the open ones, its detail."""

    what: BookmarkKind
    key: Callable[[Any], str]
    detail: Callable[[Any], str] = lambda _what: ""


BEGINS: Mapping[type, _Way] = {
    AlertRaised: _Way(BookmarkKind.ALERT, lambda row: str(row.alert), lambda row: row.text),
    LidOpened: _Way(BookmarkKind.LID, lambda row: str(row.device), lambda row: row.device),
    LoadStarted: _Way(BookmarkKind.LOAD, lambda row: str(row.kind), lambda row: row.kind),
    UnloadStarted: _Way(BookmarkKind.UNLOAD, lambda row: str(row.kind), lambda row: row.kind),
    SwapStarted: _Way(BookmarkKind.SWAP, lambda row: str(row.old), lambda row: f"{row.old} by {row.new}"),
    ComplaintRaised: _Way(
        BookmarkKind.COMPLAINT,
        lambda row: str(row.complaint),
        lambda row: "late" if row.is_late else f"round {row.round}",
    ),
    JackpotCalled: _Way(BookmarkKind.JACKPOT, lambda row: str(row.what), lambda row: str(row.what)),
}
ENDS: Mapping[type, _Way] = {
    AlertCleared: _Way(BookmarkKind.ALERT, lambda row: str(row.alert)),
    LidClosed: _Way(BookmarkKind.LID, lambda row: str(row.device)),
    LoadCompleted: _Way(BookmarkKind.LOAD, lambda row: str(row.kind)),
    UnloadCompleted: _Way(BookmarkKind.UNLOAD, lambda row: str(row.kind)),
    SwapCompleted: _Way(BookmarkKind.SWAP, lambda row: str(row.old)),
    ComplaintSettled: _Way(BookmarkKind.COMPLAINT, lambda row: str(row.complaint)),
    JackpotOver: _Way(BookmarkKind.JACKPOT, lambda row: str(row.what)),
}


def follow(known: Marking, row: int, at: str, what: object) -> tuple[Marking, Mark | None]:
    """What is known after this row, and the bookmark that it begins or ends."""
    if isinstance(what, RoundStarted):
        return replace(known, round=what.round), None
    if isinstance(what, RoundEnded):
        return replace(known, round=0), None
    if (way := BEGINS.get(type(what))) is not None:
        return _begin(known, row, at, what, way)
    if (way := ENDS.get(type(what))) is not None:
        return _end(known, at, f"{way.what}:{way.key(what)}")
    return known, None


def _begin(known: Marking, row: int, at: str, what: object, way: _Way) -> tuple[Marking, Mark | None]:
    key = f"{way.what}:{way.key(what)}"
    if key in known.open:  # told once more, such as by a device that was restarted: it goes on
        return known, None
    mark = Mark(row, way.what, way.detail(what), known.round, at)
    return replace(known, open={**known.open, key: mark}), mark


def _end(known: Marking, at: str, key: str) -> tuple[Marking, Mark | None]:
    mark = known.open.get(key)
    if mark is None:
        return known, None
    rest = {name: one for name, one in known.open.items() if name != key}
    return replace(known, open=rest), replace(mark, end=at)
