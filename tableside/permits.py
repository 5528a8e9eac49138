"""Permits are derived, so they cannot drift: what the procedures wish and no lock forbids is what stands.

After each input `settle` compares the wishes with the grants. A grant is a row; the hub renews it at a third of
its time while it stands (semantics §1.1, TDL 9). A wish never reaches beyond the end of presence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers import events
from drivers.events import Ability, Holding, PermitEnding, PermitKind
from tableside import locks
from tableside.decisions import PermitGranted, PermitRevoked
from tableside.happenings import PermitSpent
from tableside.locks import Scope
from tableside.tables import Turn

if TYPE_CHECKING:
    from tableside.state import TableState

# Lengths of TDL 9.3: what a dead host leaves running.
LOAD_FEED_MS = 2_000
RETURN_FEED_MS = 10_000
DEAL_MS = 60_000
LID_MS = 30_000

SCOPE_OF: dict[PermitKind, Scope] = {
    PermitKind.DEAL: Scope.DEAL,
    PermitKind.FEED: Scope.FEED,
    PermitKind.LID: Scope.LID,
    PermitKind.SLOTS: Scope.JACKPOT_BETS,
}


ABILITY_OF: dict[PermitKind, Ability] = {
    PermitKind.DEAL: Ability.DEAL,
    PermitKind.FEED: Ability.FEED,
    PermitKind.LID: Ability.LID,
    PermitKind.SLOTS: Ability.SLOTS,
}

# Whether the same wish may be granted again after the device ended it; by time it may at once.
ENDING_KEEPS: dict[PermitEnding, str] = {
    PermitEnding.NUMBER: "spent",
    PermitEnding.FAULT: "held",
    PermitEnding.LID: "held",
    PermitEnding.NOTICES_FULL: "held",
    PermitEnding.UNKNOWN: "held",
}


class Wish(msgspec.Struct, frozen=True):
    """A procedure wants this permit to stand. `count_from` tells one count from the next (packet, round).

    `limit_cards` is for the whole count and `counted` what of it went through already: a grant that begins anew
    (after a stop, a reconnect, a lapse) is for the rest.
    """

    device: str
    what: PermitKind
    duration_ms: int
    limit_cards: int | None = None
    not_after_ns: int | None = None
    count_from: str = ""
    counted: int = 0

    def is_same(self, other: Wish) -> bool:
        """Whether it asks for the same, whatever was counted meanwhile."""
        return replace(self, counted=other.counted) == other

    @property
    def rest(self) -> int | None:
        """How many cards of the count are still to come."""
        return None if self.limit_cards is None else self.limit_cards - self.counted


Wishes = Callable[["TableState"], Sequence[Wish]]


class Permits(msgspec.Struct, frozen=True):
    """Standing grants, keyed `device:what`. `spent`: the number of cards was reached, the same wish is over.

    `held`: the device ended or refused it for a fault, a lid, full notices; given anew when that is gone.
    """

    granted: dict[str, Wish] = {}
    spent: dict[str, Wish] = {}
    held: dict[str, Wish] = {}


def ended(turn: Turn, fact: events.PermitEnded) -> None:
    """The device ended one. A permit that ran out of time while it is wished is given anew by `settle`.

    Only we revoke, and a revoke left the books when it was decided: its notice speaks of a grant that is gone, not of
    the one that was given since. Taken for that one, each new grant (which begins with a revoke) would end the next.
    """
    if fact.why is PermitEnding.REVOKED:
        return
    key = f"{fact.device}:{fact.what}"
    wish = turn.state.permits.granted.get(key)
    if wish is not None:
        _drop(turn, key, wish, ENDING_KEEPS.get(fact.why, ""))


def refused(turn: Turn, fact: events.PermitAnswered) -> None:
    """The device refused one: it is held until the device is free again."""
    key = f"{fact.device}:{fact.what}"
    wish = turn.state.permits.granted.get(key)
    if wish is not None:
        _drop(turn, key, wish, "held")


def device_free(turn: Turn, device: str) -> None:
    """What stopped the device is gone (lid closed, jam or fault gone, count ended): held wishes count again."""
    permits = turn.state.permits
    if permits.held:
        held = {key: wish for key, wish in permits.held.items() if wish.device != device}
        turn.state = replace(turn.state, permits=replace(permits, held=held))


def all_ended(turn: Turn) -> None:
    """The hub has ended every permit without a row (no journal): what is wished and free is given anew."""
    turn.state = replace(turn.state, permits=replace(turn.state.permits, granted={}))


def device_came(turn: Turn, device: str, *, is_new_boot: bool) -> None:
    """A new session: what we had granted is given anew, or does not stand there any more.

    A device outlives its cable and us: a permit of the session before may stand there for a minute still, whatever
    has locked it meanwhile. Its boot has ended it; else it is revoked.
    """
    levels = turn.state.devices.known[device]
    for what, ability in ABILITY_OF.items():
        if not is_new_boot and levels.holding(ability) is not Holding.CANNOT:
            why, holds = "a permit of the session before", levels.holding(ability)
            turn.decide(PermitRevoked(device=device, what=what, why=why, held=holds))
    permits = turn.state.permits
    granted = {key: wish for key, wish in permits.granted.items() if wish.device != device}
    held = {key: wish for key, wish in permits.held.items() if wish.device != device}
    turn.state = replace(turn.state, permits=replace(permits, granted=granted, held=held))


def settle(turn: Turn, sources: Sequence[Wishes], *, is_round_open: bool) -> None:
    """Grant what is wished and free, revoke what is not."""
    wished: dict[str, Wish] = {}
    for source in sources:
        for wish in source(turn.state):
            wished.setdefault(f"{wish.device}:{wish.what}", wish)
    allowed = {key: wish for key, wish in wished.items() if _is_allowed(turn, wish, is_round_open)}
    permits = turn.state.permits
    granted = dict(permits.granted)
    spent = {key: wish for key, wish in permits.spent.items() if key in allowed and wish.is_same(allowed[key])}
    held = {key: wish for key, wish in permits.held.items() if key in allowed}
    for key, wish in permits.granted.items():
        if key not in allowed:
            del granted[key]
            why, holds = _why(turn, wish, is_round_open), _held(turn, wish.device, wish.what)
            turn.decide(PermitRevoked(device=wish.device, what=wish.what, why=why, held=holds))
    for key, wish in allowed.items():
        if key in spent or key in held:
            continue
        before = granted.get(key)
        if before is None and wish.rest is not None and wish.rest <= 0:
            spent[key] = wish
            turn.happened(PermitSpent(device=wish.device, what=wish.what))
            continue
        given = _next(before, wish)
        if given is not None:
            granted[key] = given
            turn.happened(_grant(turn, given, is_fresh=given is wish))
    if (granted, spent, held) != (permits.granted, permits.spent, permits.held):
        turn.state = replace(turn.state, permits=Permits(granted, spent, held))


def _next(before: Wish | None, wish: Wish) -> Wish | None:
    """What is to be granted now: `wish` itself begins a new count, a copy goes on with the one before; None: nothing.

    The device counts from the first grant after a revoke (TDL 9.2), so a changed grant keeps what was counted then.
    """
    if before is not None and before.is_same(wish):
        return None
    if before is None or before.count_from != wish.count_from:
        return wish
    return replace(wish, counted=before.counted)


def _is_allowed(turn: Turn, wish: Wish, is_round_open: bool) -> bool:
    device = turn.state.devices.known.get(wish.device)
    is_in_time = wish.not_after_ns is None or wish.not_after_ns > turn.now_ns
    is_free = not locks.standing(turn.state, SCOPE_OF[wish.what], is_round_open=is_round_open)
    return device is not None and device.is_connected and device.has_told_all and is_in_time and is_free


def _grant(turn: Turn, wish: Wish, *, is_fresh: bool) -> PermitGranted:
    return PermitGranted(
        device=wish.device,
        what=wish.what,
        duration_ms=wish.duration_ms,
        limit_cards=wish.rest,
        not_after_ns=wish.not_after_ns,
        is_fresh=is_fresh,
        held=_held(turn, wish.device, wish.what),
    )


def _held(turn: Turn, device: str, what: PermitKind) -> Holding:
    """By the device itself, or by people who are asked; the row says which (semantics §3)."""
    return turn.state.devices.known[device].holding(locks.ABILITIES[SCOPE_OF[what]])


def _why(turn: Turn, wish: Wish, is_round_open: bool) -> str:
    reasons = locks.standing(turn.state, SCOPE_OF[wish.what], is_round_open=is_round_open)
    device = turn.state.devices.known.get(wish.device)
    is_away = device is None or not device.is_connected
    return ", ".join(lock.reason for lock in reasons) or ("device away" if is_away else "no longer needed")


def _drop(turn: Turn, key: str, wish: Wish, keep: str) -> None:
    permits = turn.state.permits
    granted = {name: standing for name, standing in permits.granted.items() if name != key}
    spent = {**permits.spent, key: wish} if keep == "spent" else permits.spent
    held = {**permits.held, key: wish} if keep == "held" else permits.held
    turn.state = replace(turn.state, permits=Permits(granted, spent, held))
