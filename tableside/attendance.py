"""Attendance: presence as it is kept for one operation: shown, extended, handed over, lapsed, resumed (semantics §2.1).

A tap is good for `presence_s`, a held badge while it is held. When the time has run out the operation stands
paused; its count and its number stay, and a tap resumes it. What permits rest on it end with it, by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from firmware_bridge.clock import NS_PER_S
from tableside import alerts, devices, timers
from tableside.card_account import MACHINE
from tableside.decisions import ReaderPrompted
from tableside.happenings import PresenceLapsed, PresenceMissed, PresenceShown
from tableside.house import Role
from tableside.tables import Turn

# semantics §2.1.2: in the last 20 s the reader turns amber and beeps once, so that nobody is surprised.
COUNTDOWN_S = 20
S_PER_MINUTE = 60


class Operation(StrEnum):
    """What somebody's presence is kept for."""

    LOAD = "load"
    UNLOAD = "unload"
    LID = "lid"
    REPLACE = "card replacement"
    SWAP = "machine swap"
    RELOAD = "incident reload"
    HAND_SHOE = "hand shoe"
    RULING = "ruling"  # a decision on an advice: one word, nothing is kept for it


# Whose presence an operation needs. Two roles: two persons begin it, and the first role stays (semantics §2.1.6, §4).
ROLES: Mapping[Operation, tuple[Role, ...]] = {
    Operation.LOAD: (Role.FLOOR_SUPERVISOR,),
    Operation.UNLOAD: (Role.FLOOR_SUPERVISOR,),
    Operation.LID: (Role.FLOOR_SUPERVISOR,),
    Operation.REPLACE: (Role.FLOOR_SUPERVISOR,),
    Operation.SWAP: (Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT),
    Operation.RELOAD: (Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT),
    Operation.HAND_SHOE: (Role.FLOOR_SUPERVISOR,),
    Operation.RULING: (Role.FLOOR_SUPERVISOR,),
}
# Operations with cards under way, and what is said at the table while a lapse pauses them. At an open lid nothing
# is to be stopped, so nobody is called here (the lid has its own alert).
PAUSED: Mapping[Operation, str] = {
    Operation.LOAD: "PRESENCE-LAPSED",
    Operation.UNLOAD: "UNLOAD-LAPSED",
    Operation.HAND_SHOE: "UNLOAD-LAPSED",
    Operation.SWAP: "PRESENCE-LAPSED",
    Operation.RELOAD: "PRESENCE-LAPSED",
}
# What is said at the table where nobody is present for what was asked.
MISSED: Mapping[Operation, str] = {
    Operation.LOAD: "LOAD-NO-SUPERVISOR",
    Operation.RELOAD: "LOAD-NO-SUPERVISOR",
    Operation.SWAP: "LOAD-NO-SUPERVISOR",
    Operation.UNLOAD: "UNLOAD-NO-SUPERVISOR",
    Operation.HAND_SHOE: "UNLOAD-NO-SUPERVISOR",
}
WAITS = "PRESENCE-WAITS"
LONG = "PRESENCE-LONG"
# Operations whose rows show the in meter; the others show the out meter.
FEEDING = frozenset({Operation.LOAD, Operation.SWAP, Operation.RELOAD})


class Way(StrEnum):
    """How a person was seen. All but the table's own reader are the *second way* (semantics §2.1.9)."""

    READER = "reader"
    NEIGHBOUR = "second way: neighbour's reader"
    PIN = "second way: two persons by PIN"


class Sighting(msgspec.Struct, frozen=True):
    """Somebody was seen. `reader` is empty where a PIN was keyed at page or CLI."""

    staff: str
    reader: str
    at_ns: int
    way: Way = Way.READER


class Kept(msgspec.Struct, frozen=True):
    """One operation's presence. `until_ns` None: the badge is held at `reader`. Lapsed: the operation is paused."""

    staff: str
    reader: str
    until_ns: int | None
    way: Way = Way.READER
    is_counting_down: bool = False
    is_lapsed: bool = False


class Presence(msgspec.Struct, frozen=True):
    """Presence by operation, and what was seen lately.

    `recent`: by staff id, the last sighting, good to begin one operation. `held`: by reader, whose badge lies there,
    `held_from_ns`: since when.
    `last_seen_ns`: by badge holder, to tell one sighting from the next. `refused_ns`: refusals within the minute.
    `is_tap_asked`: something was refused for want of presence; `is_amber` is what the readers were told to show.
    """

    kept: dict[Operation, Kept] = {}
    recent: dict[str, Sighting] = {}
    held: dict[str, str] = {}
    held_from_ns: dict[str, int] = {}
    last_seen_ns: dict[str, int] = {}
    refused_ns: tuple[int, ...] = ()
    is_tap_asked: bool = False
    is_amber: bool = False


def put(turn: Turn, **changes: object) -> None:
    """Change the presence part of the state."""
    turn.state = replace(turn.state, presence=replace(turn.state.presence, **changes))


def begin(turn: Turn, operation: Operation, sighting: Sighting, *, is_held: bool) -> None:
    """Keep presence for an operation from a sighting on; it is spent with that."""
    recent = {staff: seen for staff, seen in turn.state.presence.recent.items() if staff != sighting.staff}
    put(turn, recent=recent)
    show(turn, operation, sighting, "shown", is_held=is_held)


def show(turn: Turn, operation: Operation, sighting: Sighting, change: str, *, is_held: bool) -> None:
    """Presence runs from this sighting; `change` is the row's word for what that is."""
    until_ns = None if is_held else sighting.at_ns + turn.state.house.presence_s * NS_PER_S
    _keep(turn, operation, Kept(sighting.staff, sighting.reader, until_ns, sighting.way))
    _stop_waiting(turn, operation, sighting.staff, change)
    if until_ns is not None:
        timers.at(turn, _timer(operation, "countdown"), max(turn.now_ns, until_ns - COUNTDOWN_S * NS_PER_S))
        timers.at(turn, _timer(operation, "end"), until_ns)
    turn.happened(
        PresenceShown(
            operation=operation,
            staff=sighting.staff,
            change=change,
            until_ns=until_ns,
            meter=_meter(turn, operation),
            way=sighting.way,
        )
    )
    _prompt(turn)


def lapse(turn: Turn, operation: Operation) -> None:
    """Nobody is proved present any more: the operation pauses, and somebody is called if it stays so."""
    kept = turn.state.presence.kept.get(operation)
    if kept is None or kept.is_lapsed:
        return
    _keep(turn, operation, replace(kept, until_ns=turn.now_ns, is_counting_down=False, is_lapsed=True))
    for name in ("countdown", "end"):
        timers.cancel(turn, _timer(operation, name))
    if operation in PAUSED:
        house = turn.state.house
        alerts.raise_alert(turn, PAUSED[operation], operation, **_progress(turn))
        timers.start(turn, _timer(operation, "waits"), house.presence_lapsed_class_2_s)
        timers.start(turn, _timer(operation, "long"), house.presence_lapsed_class_1_s)
    turn.happened(PresenceLapsed(operation=operation, staff=kept.staff, meter=_meter(turn, operation)))
    _prompt(turn)


def missed(turn: Turn, what: PresenceMissed) -> None:
    """Something was refused because nobody is present: say so at the table, and ask for a tap at the reader."""
    text = MISSED.get(Operation(what.operation))
    if text is not None:
        alerts.raise_alert(turn, text)
    put(turn, is_tap_asked=True)
    _prompt(turn)


def answered(turn: Turn, by: str) -> None:
    """Somebody whose tap was asked for has come."""
    put(turn, is_tap_asked=False)
    for text in sorted(set(MISSED.values())):
        alerts.clear_alert(turn, text, by=by, why="badge seen")
    _prompt(turn)


def end(turn: Turn, operation: Operation) -> None:
    """The operation is over: its presence too."""
    kept = turn.state.presence.kept
    if operation in kept:
        put(turn, kept={name: other for name, other in kept.items() if name is not operation})
        _stop_waiting(turn, operation, turn.by, f"{operation} over")
        _prompt(turn)


def deadline(turn: Turn, name: str) -> None:
    """One of presence's timers has run out."""
    _, operation, what = name.split(":")
    DEADLINES[what](turn, Operation(operation))


def reader_came(turn: Turn, reader: str, *, is_another: bool) -> None:
    """A reader is back: it shows nothing of ours until told. At another reader everyone is absent."""
    if reader not in turn.state.house.readers:
        return
    if is_another:
        everyone_absent(turn)
    if turn.state.presence.is_amber:
        turn.decide(ReaderPrompted(device=reader, is_amber=True, beeps=0))


def everyone_absent(turn: Turn) -> None:
    """At start of the daemon, at a change of reader, at another clock (semantics §2.1.7): what was under way pauses."""
    put(turn, recent={}, held={}, held_from_ns={}, last_seen_ns={}, refused_ns=())
    for operation in turn.state.presence.kept:
        lapse(turn, operation)


def _countdown(turn: Turn, operation: Operation) -> None:
    kept = turn.state.presence.kept.get(operation)
    if kept is not None:
        _keep(turn, operation, replace(kept, is_counting_down=True))
        _prompt(turn, beeps=1)


def _waits(turn: Turn, operation: Operation) -> None:
    alerts.raise_alert(turn, WAITS, operation, **_progress(turn))


def _long(turn: Turn, operation: Operation) -> None:
    alerts.clear_alert(turn, WAITS, operation, by="", why="it has taken too long")
    minutes = turn.state.house.presence_lapsed_class_1_s // S_PER_MINUTE
    alerts.raise_alert(turn, LONG, operation, minutes=str(minutes))


DEADLINES: Mapping[str, Callable[[Turn, Operation], None]] = {
    "countdown": _countdown,
    "end": lapse,
    "waits": _waits,
    "long": _long,
}


def _keep(turn: Turn, operation: Operation, kept: Kept) -> None:
    put(turn, kept={**turn.state.presence.kept, operation: kept})


def _stop_waiting(turn: Turn, operation: Operation, by: str, why: str) -> None:
    for name in DEADLINES:
        timers.cancel(turn, _timer(operation, name))
    for text in sorted({*PAUSED.values(), WAITS, LONG}):
        alerts.clear_alert(turn, text, operation, by=by, why=why)


def _progress(turn: Turn) -> dict[str, str]:
    """How many cards the machine holds of how many that are at the table, for the texts."""
    return {"n": str(turn.state.account.at(MACHINE)), "total": str(turn.state.house.cards_at_table)}


def _timer(operation: Operation, what: str) -> str:
    return f"presence:{operation}:{what}"


def _meter(turn: Turn, operation: Operation) -> int:
    machine = devices.shuffler(turn)
    return machine.meter_in if operation in FEEDING else machine.meter_out


def _prompt(turn: Turn, beeps: int = 0) -> None:
    """The readers are amber while time runs out or a tap is waited for."""
    presence = turn.state.presence
    is_amber = presence.is_tap_asked or any(kept.is_counting_down or kept.is_lapsed for kept in presence.kept.values())
    if is_amber != presence.is_amber or beeps:
        put(turn, is_amber=is_amber)
        for reader in turn.state.house.readers:
            if devices.of(turn, reader).is_connected:
                turn.decide(ReaderPrompted(device=reader, is_amber=is_amber, beeps=beeps))
