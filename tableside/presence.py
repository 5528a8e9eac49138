"""Presence: an expiring fact for one operation (semantics §2.1). A tap proves a badge, not a person."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers import events
from tableside.house import Role
from tableside.tables import Guard, Refusal, Turn

if TYPE_CHECKING:
    from tableside.state import TableState


class Operation(StrEnum):
    """What somebody's presence is kept for."""

    LOAD = "load"
    UNLOAD = "unload"
    JAM = "jam clearing"
    LID = "lid"
    REPLACE = "card replacement"
    SWAP = "machine swap"
    RELOAD = "incident reload"


# Whose presence an operation needs; two roles: two persons (semantics §2.1.6, §4).
ROLES: dict[Operation, tuple[Role, ...]] = {
    Operation.LOAD: (Role.FLOOR_SUPERVISOR,),
    Operation.UNLOAD: (Role.FLOOR_SUPERVISOR,),
    Operation.JAM: (Role.FLOOR_SUPERVISOR,),
    Operation.LID: (Role.FLOOR_SUPERVISOR,),
    Operation.REPLACE: (Role.FLOOR_SUPERVISOR,),
    Operation.SWAP: (Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT),
    Operation.RELOAD: (Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT),
}


class Kept(msgspec.Struct, frozen=True):
    """One operation's presence. `until_ns` None: held. Lapsed: `is_lapsed`, the operation stands paused."""

    staff: str
    until_ns: int | None
    is_lapsed: bool = False


class Sighting(msgspec.Struct, frozen=True):
    reader: str
    staff: str
    role: Role
    kind: str
    at_ns: int


class Presence(msgspec.Struct, frozen=True):
    """Presence by operation, and recent sightings not yet used (each counts once, up to 15 s)."""

    kept: dict[str, Kept] = {}
    recent: tuple[Sighting, ...] = ()


def seen(turn: Turn, fact: events.BadgeSeen) -> None:
    """A sighting at one of the table's readers."""
    raise NotImplementedError


def reader_lost(turn: Turn, fact: events.ReaderLost) -> None:
    """The reader is away: *held* ends at once, a running tap runs on."""
    raise NotImplementedError


def everyone_absent(turn: Turn) -> None:
    """At start of the daemon (semantics §2.1.7)."""
    turn.state = replace(turn.state, presence=Presence())


def begin(turn: Turn, operation: Operation) -> None:
    """Start keeping presence for an operation from the sighting that its guard found."""
    raise NotImplementedError


def end(turn: Turn, operation: Operation) -> None:
    """The operation is over: its presence too."""
    raise NotImplementedError


def is_present(state: TableState, operation: Operation, now_ns: int) -> bool:
    """Somebody of a named role is present for it now."""
    kept = state.presence.kept.get(operation)
    return kept is not None and not kept.is_lapsed and (kept.until_ns is None or kept.until_ns > now_ns)


def until_ns(state: TableState, operation: Operation) -> int | None:
    """When presence ends as things stand: the `not_after_ns` of permits; None: held, or nobody."""
    kept = state.presence.kept.get(operation)
    return kept.until_ns if kept is not None else None


def needs(operation: Operation, rule: str) -> Guard:
    """Guard: presence for the operation stands, or a fresh tap of a role that it names is there to begin it."""

    def guard(_turn: Turn, _request: object) -> Refusal | None:
        return Refusal(rule, f"nobody present for {operation}", "tap the badge, then ask again")

    return guard


def acts_as(*roles: Role, rule: str) -> Guard:
    """Guard: the person who asks has one of these roles (by staff id, proved at the rim)."""

    def guard(turn: Turn, _request: object) -> Refusal | None:
        person = turn.state.house.person(turn.by)
        if person is not None and any(role in person.roles for role in roles):
            return None
        names = " or ".join(roles)
        return Refusal(rule, f"{turn.by or 'nobody'} may not do this: it takes {names}", f"call {names}")

    return guard
