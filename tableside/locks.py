"""Locks: named reasons with a scope. An act is allowed when no reason of its scope stands (semantics §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import Ability, Holding
from tableside.by_hand import is_by_hand
from tableside.decisions import LockAdded, LockRemoved
from tableside.refusals import refusal
from tableside.scopes import Scope
from tableside.tables import Guard, Refusal, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

__all__ = ["ABILITIES", "WEAKEST_FIRST", "Lock", "Locks", "Scope", "add", "free", "remove", "remove_all", "standing"]


# What a machine must be able to hold for a stop of the scope to be held rather than asked.
ABILITIES: Mapping[Scope, Ability] = {
    Scope.DEAL: Ability.DEAL,
    Scope.FEED: Ability.FEED,
    Scope.LID: Ability.LID,
    Scope.JACKPOT_BETS: Ability.SLOTS,
}


WEAKEST_FIRST = (Holding.CANNOT, Holding.OBSERVES, Holding.ENFORCES)


class Lock(msgspec.Struct, frozen=True):
    """One reason. `is_from_next_round`: it takes hold at the next round's border."""

    scope: Scope
    reason: str
    rule: str
    since_ns: int
    is_from_next_round: bool = False


class Locks(msgspec.Struct, frozen=True):
    """All that stand, keyed `scope:reason`, in the order in which they were added."""

    standing: dict[str, Lock] = {}


def add(turn: Turn, scope: Scope, reason: str, rule: str, *, is_from_next_round: bool = False) -> None:
    """Add a named reason. Adding it again changes nothing, save that *now* replaces *from next round*."""
    key = f"{scope}:{reason}"
    known = turn.state.locks.standing.get(key)
    if known is not None and (is_from_next_round or not known.is_from_next_round):
        return
    lock = Lock(scope, reason, rule, turn.now_ns, is_from_next_round)
    turn.state = replace(turn.state, locks=Locks({**turn.state.locks.standing, key: lock}))
    held = holding(turn.state, scope)
    turn.decide(LockAdded(scope=scope, reason=reason, rule=rule, held=held, is_from_next_round=is_from_next_round))


def holding(state: TableState, scope: Scope) -> Holding:
    """How far the machine in use holds a stop of this scope by itself; one that never was there cannot.

    What takes jackpot chips is not the machine: all slots together hold as far as the weakest.
    """
    if scope is Scope.JACKPOT_BETS and state.house.chip_slots:
        known = [state.devices.known.get(slots.name) for slots in state.house.chip_slots]
        held = [levels.holding(Ability.SLOTS) if levels else Holding.CANNOT for levels in known]
        return min(held, key=WEAKEST_FIRST.index)
    if scope is Scope.DEAL and is_by_hand(state):
        return Holding.CANNOT  # a shoe holds nothing back
    levels = state.devices.known.get(state.devices.in_use or state.house.shuffler)
    return Holding.CANNOT if levels is None else levels.abilities.get(ABILITIES[scope], Holding.CANNOT)


def remove(turn: Turn, scope: Scope, reason: str, by: str) -> None:
    """Take a named reason away where it stands; `by` is a staff id or what settled it."""
    key = f"{scope}:{reason}"
    if key in turn.state.locks.standing:
        rest = {name: lock for name, lock in turn.state.locks.standing.items() if name != key}
        turn.state = replace(turn.state, locks=Locks(rest))
        turn.decide(LockRemoved(scope=scope, reason=reason, by=by))


def remove_all(turn: Turn, reason: str, by: str) -> None:
    """Take a reason away from every scope."""
    for lock in tuple(turn.state.locks.standing.values()):
        if lock.reason == reason:
            remove(turn, lock.scope, reason, by)


def standing(state: TableState, scope: Scope, *, is_round_open: bool = False) -> tuple[Lock, ...]:
    """The reasons that hold for this scope now; with a round open those *from next round* do not yet."""
    return tuple(
        lock
        for lock in state.locks.standing.values()
        if lock.scope is scope and not (is_round_open and lock.is_from_next_round)
    )


def free(scope: Scope, next_step: str) -> Guard:
    """Guard: refuse while a reason of the scope stands, naming it."""

    def guard(turn: Turn, _request: object) -> Refusal | None:
        for lock in standing(turn.state, scope):
            return refusal("LOCKED", rule=lock.rule, scope=scope, reason=lock.reason, next=next_step)
        return None

    return guard
