"""Faults that a device names itself, and what somebody has opened at it (TDL 10.4, tamper; semantics §3).

A fault forbids what the device itself no longer does: a feed drive stops the taking in of cards and no dealing. One
that stopped something latches: a person names it, the device looks whether its cause is gone, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import DeviceFaulted, DeviceFaultGone, Tampered
from tableside import alerts, chip_account, devices, displays, incidents, locks, presence
from tableside.decisions import FaultCleared
from tableside.happenings import CountWanted, FaultFound, LevelsFound
from tableside.house import Role
from tableside.locks import Scope
from tableside.refusals import refusal
from tableside.requests import ClearFault, InspectDevice
from tableside.session_happenings import MachineCountedOut
from tableside.tables import GO_ON, Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    pass

# TDL 10.4. Faults that leave play unharmed: a sensor's margin, the lamp, a temperature that only warns.
WARNINGS = frozenset({7, 10, 12})
DOUBLE_FEED = 14
# What stands still at the device while it stands; any other fault forbids both.
FORBIDS: Mapping[int, tuple[Scope, ...]] = {4: (Scope.FEED,), 5: (Scope.DEAL,), 13: (Scope.FEED,)}
BOTH = (Scope.DEAL, Scope.FEED)
# Over capacity is a level: nothing was touched, and it goes when there is room again.
SELF_CLEARING = frozenset({13})
# What such a fault raises; at most one of these stands for a fault.
TEXTS = ("DEVICE-FAULT", "FEED-FAULT", "DOUBLE-FEED", "SLOTS-FAULT")
WARNING = "DEVICE-WARNING"
TAMPERED = "tamper"


class FaultState(StrEnum):
    """Faults have no states of their own: each stands or not, as levels, locks and alerts say."""

    ANY = "any"


class FaultSlice(msgspec.Struct, frozen=True):
    """Faults that a person has named and the device has not yet let go: who, by `device:fault`."""

    named: dict[str, str] = {}


def put(turn: Turn, named: dict[str, str]) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, device_faults=FaultSlice(named)))


def lock_reason(device: str, fault: int) -> str:
    """The name of a fault's lock."""
    return f"fault {fault} {device}"


def _place(device: str, fault: int) -> str:
    return f"{device}:{fault}"


def _stands(turn: Turn, device: str, fault: int) -> bool:
    """At whatever place of the device."""
    return any(number == fault for number, _ in devices.of(turn, device).faults)


def _is_locked(turn: Turn, device: str, fault: int) -> bool:
    reason = lock_reason(device, fault)
    return any(lock.reason == reason for lock in turn.state.locks.standing.values())


# --- faults -------------------------------------------------------------------------------------------------


def _began(turn: Turn, what: DeviceFaulted | FaultFound) -> None:
    place, said = _place(what.device, what.fault), {"device": what.device, "fault": str(what.fault)}
    is_beside_play = displays.is_display(turn.state, what.device) or what.device in turn.state.house.card_readers
    if what.fault in WARNINGS or is_beside_play:
        alerts.raise_alert(turn, WARNING, place, **said)
        return
    if chip_account.slots_of(turn.state, what.device) is not None:
        locks.add(turn, Scope.JACKPOT_BETS, lock_reason(what.device, what.fault), "JP-11")
        alerts.raise_alert(turn, "SLOTS-FAULT", place, **said)
        return
    scopes = FORBIDS.get(what.fault, BOTH)
    for scope in scopes:
        locks.add(turn, scope, lock_reason(what.device, what.fault), "CSM-2")
    if what.fault == DOUBLE_FEED:
        alerts.raise_alert(turn, "DOUBLE-FEED", place)
        turn.happened(CountWanted(why="double feed"))
    else:
        alerts.raise_alert(turn, "DEVICE-FAULT" if Scope.DEAL in scopes else "FEED-FAULT", place, **said)


def _went(turn: Turn, what: DeviceFaultGone) -> None:
    """A warning or a level goes by itself; a fault that stopped play only where somebody has named it."""
    if not _stands(turn, what.device, what.fault):  # nor at another place
        _gone(turn, what.device, what.fault)


def _gone(turn: Turn, device: str, fault: int) -> None:
    key = _place(device, fault)
    by = turn.state.procedures.device_faults.named.get(key, "")
    alerts.clear_alert(turn, WARNING, key, by=device, why="gone")
    if by or fault in SELF_CLEARING:
        _let_go(turn, device, fault, by or device)


def _compare_found(turn: Turn, what: LevelsFound) -> None:
    """Faults that began or went while nobody could tell (semantics §1.4)."""
    if devices.is_standing_by(turn.state, what.device):
        return
    found = {fault for fault, _ in what.faults}
    known = _known(turn, what.device)
    for fault, place in what.faults:
        if fault not in known:
            turn.happened(FaultFound(device=what.device, fault=fault, place=place))
    for fault in sorted(known - found):
        _gone(turn, what.device, fault)


def _known(turn: Turn, device: str) -> set[int]:
    """The faults of a device that something stands for here."""
    places = [alert.place for alert in turn.state.alerts.standing.values() if alert.text in (*TEXTS, WARNING)]
    return {int(place.rpartition(":")[2]) for place in places if place.rpartition(":")[0] == device}


def _let_go(turn: Turn, device: str, fault: int, by: str) -> None:
    key = _place(device, fault)
    named = turn.state.procedures.device_faults.named
    put(turn, {name: who for name, who in named.items() if name != key})
    locks.remove_all(turn, lock_reason(device, fault), by)
    for text in TEXTS:
        alerts.clear_alert(turn, text, key, by=by, why="cleared by name")


def _is_there(turn: Turn, what: ClearFault) -> Refusal | None:
    if _stands(turn, what.device, what.fault) or _is_locked(turn, what.device, what.fault):
        return None
    numbers = ", ".join(str(fault) for fault, _ in devices.of(turn, what.device).faults) or "none"
    return refusal("FAULT-NOT-STANDING", fault=what.fault, device=what.device, numbers=numbers)


def _named(turn: Turn, what: ClearFault) -> None:
    """What is gone already is let go at once; else the device looks, and the lock goes with its word."""
    turn.decide(FaultCleared(device=what.device, fault=what.fault, by=turn.by))
    if _stands(turn, what.device, what.fault):
        named = turn.state.procedures.device_faults.named
        put(turn, {**named, _place(what.device, what.fault): turn.by})
    else:
        _let_go(turn, what.device, what.fault, turn.by)


def _exchanged(turn: Turn, what: MachineCountedOut) -> None:
    """The machine is out of use: its faults stop this table no more; they are the technician's now."""
    for fault in sorted({fault for fault, _ in devices.of(turn, what.device).faults}):
        _let_go(turn, what.device, fault, turn.by)


# --- tamper -------------------------------------------------------------------------------------------------


def _tamper_reason(device: str) -> str:
    return f"{TAMPERED} {device}"


def _tampered(turn: Turn, what: Tampered) -> None:
    incidents.open_incident(turn, TAMPERED, "CSM-8", f"{what.device}: {what.what} opened")
    is_slots = chip_account.slots_of(turn.state, what.device) is not None
    for scope in (Scope.JACKPOT_BETS,) if is_slots else (*BOTH, Scope.LID):
        locks.add(turn, scope, _tamper_reason(what.device), "CSM-8")
    alerts.raise_alert(turn, "TAMPER", what.device, device=what.device)


def _is_tampered_with(turn: Turn, what: InspectDevice) -> Refusal | None:
    reason = _tamper_reason(what.device)
    if any(lock.reason == reason for lock in turn.state.locks.standing.values()) and what.finding.strip():
        return None
    return refusal("NOTHING-OPENED", device=what.device)


def _inspected(turn: Turn, what: InspectDevice) -> None:
    """Somebody looked: play may go on, after a count where it is the machine."""
    locks.remove_all(turn, _tamper_reason(what.device), turn.by)
    alerts.clear_alert(turn, "TAMPER", what.device, by=turn.by, why=what.finding)
    for incident in incidents.of_kind(turn, TAMPERED):
        if incident.text.startswith(f"{what.device}:"):
            incidents.close(turn, incident.number, what.finding, turn.by)
    if what.device == devices.machine(turn.state):
        turn.happened(CountWanted(why="tamper"))


A = FaultState.ANY
MENDER = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.TECHNICIAN, rule="CSM-2")
PROCEDURE = Procedure(
    name="device faults",
    rule="CSM-2",
    states=FaultState,
    read=lambda _state, _what: FaultState.ANY,
    write=lambda _turn, _what, _target: None,
    rows=(
        Row(A, DeviceFaulted, None, _began, said="fault"),
        Row(A, FaultFound, None, _began, said="fault found"),
        Row(A, LevelsFound, None, _compare_found, said="compared"),
        Row(A, DeviceFaultGone, None, _went, said="fault gone"),
        Row(A, ClearFault, None, _named, guards=(MENDER, _is_there), said="cleared by name", then=GO_ON),
        Row(A, MachineCountedOut, None, _exchanged, said="machine exchanged"),
        Row(A, Tampered, None, _tampered, rule="CSM-8", said="tampered with"),
        Row(
            A,
            InspectDevice,
            None,
            _inspected,
            guards=(MENDER, _is_tampered_with),
            rule="CSM-8",
            said="inspected",
            then=GO_ON,
        ),
    ),
    next_step={A: "see what stands: locks, alerts, devices"},
)
