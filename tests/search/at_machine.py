"""What sensible people do at the machine, and about what stands there: lid, jams, faults, stops, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.world.table import ASIDE, SPREAD
from tableside import devices
from tableside.commands import Stage
from tableside.procedures.counts import CountState
from tableside.procedures.damaged import DamagedState
from tableside.procedures.difference_slice import DifferenceState
from tableside.procedures.empty import EmptyState
from tableside.procedures.jams import JamState
from tableside.procedures.lid import LidState
from tableside.procedures.people import LOOKED_AT
from tableside.procedures.rounds import RoundState
from tableside.procedures.settling import BY_PERSON
from tableside.procedures.swap_slice import SwapState
from tableside.state import TableState
from tests.search.story import Act
from tests.search.words import MANAGER, S1, TECHNICIAN, TWO_PINS, ask, hands, wait

if TYPE_CHECKING:
    from tests.search.crew import Crew


# --- at the lid ----------------------------------------------------------------------------------------------


def at_open_lid(crew: Crew, state: TableState) -> Act | None:
    """Take out what is stuck, say how many, shut it."""
    if not crew.machine.carousel.is_lid_open:
        return None
    lid = state.procedures.lid
    if lid.state is LidState.UNSIGNED:
        return ask("open-lid", S1)
    if lid.state is not LidState.OPEN:
        return wait(2) if not crew.is_tired_of(wait(2)) else hands("shut-lid", 2)
    not_empty, counting = EmptyState.NOT_EMPTY, SwapState.COUNTING_OUT
    is_to_empty = state.procedures.empty.state is not_empty or state.procedures.swap.state is counting
    if is_to_empty and crew.machine.cards_inside:
        return hands("empty-by-hand", to=ASIDE)
    for spot in sorted(crew.machine.carousel.jammed):
        return hands("take-stuck", spot=str(spot), to=SPREAD, with_tools=True)
    if lid.answered is None or crew.house.taken:
        return ask("cards-taken-out", S1, cards="@taken", now="table")
    return hands("shut-lid", 2)


def at_spares_lid(crew: Crew, state: TableState) -> Act | None:
    """A machine that is not in use: shut it."""
    table = crew.house.room.table
    for name, device in crew.house.room.devices.items():
        machine = table.machines.get(device.plan.serial_number)
        if machine is not None and machine is not crew.machine and machine.carousel.is_lid_open:
            return hands("shut-lid", 1, device=name)
    return None


def answer_for_lid(crew: Crew, state: TableState) -> Act | None:
    """It is shut, and the question stands."""
    if state.procedures.lid.state is LidState.ASKING:
        return ask("cards-taken-out", S1, cards="@taken", now="table")
    return None


def clear_jam(crew: Crew, state: TableState) -> Act | None:
    """CSM-2."""
    jams = state.procedures.jams
    if jams.is_technician_called and not jams.standing:
        return ask("technician-done", S1, technician=TECHNICIAN, work="guide straightened")
    if not jams.standing and not crew.machine.carousel.jammed:
        return None
    if any(jam.state is JamState.PATH_CLEAR for jam in jams.standing.values()):
        return ask("cards-taken-out", S1, cards="@taken", now="table")
    return open_lid(state)


def open_lid(state: TableState) -> Act:
    """Ask for it, and lift it once it is free."""
    return hands("lift-lid", 1) if state.procedures.lid.state is LidState.FREE else ask("open-lid", S1, 1)


# --- what stands -----------------------------------------------------------------------------------------------


def inspect(crew: Crew, state: TableState) -> Act | None:
    """A cover was opened."""
    for lock in state.locks.standing.values():
        if lock.reason.startswith("tamper "):
            return ask("inspect-device", S1, device=lock.reason.split(" ", 1)[1], finding="seal renewed, nothing else")
    return None


def clear_faults(crew: Crew, state: TableState) -> Act | None:
    """Each fault by its name."""
    for lock in state.locks.standing.values():
        if lock.reason.startswith("fault "):
            _, fault, device = lock.reason.split(" ", 2)
            return ask("clear-fault", S1, 5, device=device, fault=int(fault))
    return None


def trust_memory(crew: Crew, state: TableState) -> Act | None:
    """A device obeys somebody else: two persons let it obey us."""
    for lock in state.locks.standing.values():
        for kind in ("other epoch ", "journal older than the device "):
            if lock.reason.startswith(kind):
                return ask("adopt-device", TECHNICIAN, 3, pins=TWO_PINS, device=lock.reason.removeprefix(kind))
    return None


def accept_journal(crew: Crew, state: TableState) -> Act | None:
    """Records in doubt: two persons look."""
    if "deal:journal doubted" in state.locks.standing:
        return ask("accept-journal", TECHNICIAN, pins=TWO_PINS, why="compared with the copy")
    return None


def resume(crew: Crew, state: TableState) -> Act | None:
    """A stop that somebody asked for."""
    if any(f"deal:{reason}" in state.locks.standing for reason in ("stop asked", "journal slow")):
        return ask("resume-play", S1)
    return None


def settle_incidents(crew: Crew, state: TableState) -> Act | None:
    """What no procedure ends: somebody says what it was."""
    for number, incident in state.incidents.open.items():
        if incident.kind in BY_PERSON:
            return ask("settle-incident", S1, incident=int(number), finding="looked into, nothing more to it")
    return None


def clear_alerts(crew: Crew, state: TableState) -> Act | None:
    """Reports are made, and what only has to be looked at is looked at."""
    for alert in state.alerts.standing.values():
        if alert.text == "DAMAGED-UNREPORTED":
            return ask("acknowledge-report", MANAGER, incident=int(alert.place), reference="report 1")
        if alert.text in LOOKED_AT:
            return ask("clear-alert", S1, alert=alert.number)
    return None


def settle_complaints(crew: Crew, state: TableState) -> Act | None:
    """CSM-12."""
    if state.procedures.complaints.open:
        return ask("settle-complaint", S1, complaint="@complaint", decision="the deal stands")
    return None


def replace_damaged(crew: Crew, state: TableState) -> Act | None:
    """CSM-1."""
    damaged = state.procedures.damaged.state
    if damaged is DamagedState.SOUND:
        return None
    by_exchange = Act("replace", {}, 1)
    if damaged is DamagedState.DAMAGED and not crew.is_tired_of(by_exchange):
        return by_exchange
    return ask("dismiss-suspicion", S1)


def settle_unknown(crew: Crew, state: TableState) -> Act | None:
    """Nobody knows what a command did: count first, then say."""
    if state.procedures.counts.state is not CountState.IDLE and not crew.is_tired_of(wait(11)):
        return None
    for command in state.commands.open.values():
        if command.stage is Stage.UNKNOWN:
            return ask("settle-unknown", S1, device=command.device, command=command.number, moved=0)
    return None


def count_by_hand(crew: Crew, state: TableState) -> Act | None:
    """What the machine's counts could not explain."""
    difference = state.procedures.differences
    if difference.state is DifferenceState.HAND_COUNT:
        return ask("hand-count", S1, place=difference.place, cards=f"@{difference.place}")
    return None


def wait_for_count(crew: Crew, state: TableState) -> Act | None:
    """It runs, or is due and no round hinders it."""
    counts = state.procedures.counts.state
    is_hindered = state.procedures.rounds.state is RoundState.DEALING
    if counts in (CountState.RUNNING, CountState.READING) or (counts is CountState.DUE and not is_hindered):
        return wait(10)
    return None


def wait_for_devices(crew: Crew, state: TableState) -> Act | None:
    """Cables are in and devices on: they will answer."""
    names = (devices.machine(state), state.house.switch_box, *state.house.readers)
    if all(name in state.devices.known and state.devices.known[name].is_connected for name in names):
        return None
    return wait(3)
