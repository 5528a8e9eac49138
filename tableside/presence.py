"""Presence: what requests and permits ask of it (semantics §2.1). A tap proves a badge, not a person.

How it is kept is in attendance.py, what makes a sighting in sightings.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.clock import NS_PER_S
from tableside import attendance, sightings
from tableside.attendance import ROLES, Kept, Operation, Presence, Sighting, Way
from tableside.happenings import PresenceMissed
from tableside.house import Role
from tableside.refusals import refusal
from tableside.requests import Request
from tableside.tables import Guard, Refusal, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

__all__ = [
    "ROLES",
    "Kept",
    "Operation",
    "Presence",
    "Sighting",
    "Way",
    "acts_as",
    "begin",
    "end",
    "is_kept",
    "is_present",
    "needs",
    "needs_two",
    "until_ns",
]

TAP_BEFORE_S = 15  # semantics §2.1.1: a tap up to this before the request counts
TOGETHER_S = 30  # semantics §2.1.6: two persons are seen within this


def begin(turn: Turn, operation: Operation) -> None:
    """Start keeping presence for an operation from the sighting that its guard found. Of two, the first role stays."""
    if is_present(turn.state, operation, turn.now_ns):
        return
    for sighting in reversed(_found(turn, operation, turn.given.what)):
        attendance.begin(turn, operation, sighting, is_held=sighting.staff in turn.state.presence.held.values())


def end(turn: Turn, operation: Operation) -> None:
    """The operation is over: its presence too."""
    attendance.end(turn, operation)


def is_present(state: TableState, operation: Operation, now_ns: int) -> bool:
    """Somebody of a named role is present for it now."""
    kept = state.presence.kept.get(operation)
    return kept is not None and not kept.is_lapsed and (kept.until_ns is None or kept.until_ns > now_ns)


def is_kept(state: TableState, operation: Operation) -> bool:
    """The operation is under way and not paused: its permits may be wished, up to `until_ns`."""
    kept = state.presence.kept.get(operation)
    return kept is not None and not kept.is_lapsed


def until_ns(state: TableState, operation: Operation) -> int | None:
    """When presence ends as things stand: the `not_after_ns` of permits; None: held, or nobody."""
    kept = state.presence.kept.get(operation)
    return kept.until_ns if kept is not None else None


def needs(operation: Operation, rule: str) -> Guard:
    """Guard: presence for the operation stands, or a fresh sighting of the role that it names is there to begin it."""

    def guard(turn: Turn, request: object) -> Refusal | None:
        kept = turn.state.presence.kept.get(operation)
        role = ROLES[operation][0]
        if is_present(turn.state, operation, turn.now_ns):
            return None
        if kept is not None:
            return refusal(
                "PRESENCE-PAUSED", rule=rule, tells=PresenceMissed(operation=operation), operation=operation, role=role
            )
        if _found(turn, operation, request):
            return None
        return refusal(
            "PRESENCE-NOBODY", rule=rule, tells=PresenceMissed(operation=operation), operation=operation, role=role
        )

    return guard


def needs_two(operation: Operation, rule: str) -> Guard:
    """Guard: two persons with the two roles, seen within 30 s, the second at most 15 s ago (semantics §2.1.6)."""
    names = " and ".join(ROLES[operation])

    def guard(turn: Turn, request: object) -> Refusal | None:
        if _found(turn, operation, request):
            return None
        return refusal(
            "PRESENCE-TWO",
            rule=rule,
            tells=PresenceMissed(operation=operation),
            operation=operation,
            roles=names,
            seconds=TOGETHER_S,
        )

    return guard


def acts_as(*roles: Role, rule: str) -> Guard:
    """Guard: the person who asks has one of these roles here (by staff id, proved at the rim)."""

    def guard(turn: Turn, _request: object) -> Refusal | None:
        why = sightings.objection(turn, turn.by)
        if not why and any(role in sightings.roles_here(turn, turn.by) for role in roles):
            return None
        names = " or ".join(roles)
        who = f"{turn.by} ({why})" if why and turn.by else turn.by or "nobody"
        return refusal("ROLE-NEEDED", rule=rule, who=who, roles=names)

    return guard


def _found(turn: Turn, operation: Operation, request: object) -> tuple[Sighting, ...]:
    """The sightings that may begin an operation now, one a role that it names; empty where they are not there."""
    roles = ROLES[operation]
    if len(roles) == 1:
        # A tap is good for `presence_s`, which may be less: it begins nothing that would be over at once.
        return _candidates(turn, request, roles[0], min(TAP_BEFORE_S, turn.state.house.presence_s - 1))[:1]
    for first in _candidates(turn, request, roles[0], TOGETHER_S + TAP_BEFORE_S):
        for second in _candidates(turn, request, roles[1], TOGETHER_S + TAP_BEFORE_S):
            apart_ns = abs(first.at_ns - second.at_ns)
            age_ns = turn.now_ns - max(first.at_ns, second.at_ns)
            is_together = apart_ns <= TOGETHER_S * NS_PER_S and age_ns <= TAP_BEFORE_S * NS_PER_S
            if first.staff != second.staff and is_together:
                return first, second
    return ()


def _candidates(turn: Turn, request: object, role: Role, window_s: int) -> tuple[Sighting, ...]:
    """Who of `role` was seen within the window, the latest first: held badges, taps, two by PIN."""
    presence = turn.state.presence
    held = [Sighting(staff, reader, turn.now_ns) for reader, staff in presence.held.items()]
    taps = [seen for seen in presence.recent.values() if turn.now_ns - seen.at_ns <= window_s * NS_PER_S]
    taps.sort(key=lambda seen: seen.at_ns, reverse=True)
    seen_here = tuple(seen for seen in (*held, *taps) if role in sightings.roles_here(turn, seen.staff))
    return seen_here + (sightings.by_pin(turn, request, role) if isinstance(request, Request) else ())
