"""Sensible people: from what stands, the next thing that anybody of good sense would do to come back to play.

A list of rules in the order in which people would think of them; each looks and says what it would do, or nothing.
The crew drives stories forward, and in the end it is the judge of liveness: whatever happened, it must get there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from drivers.events import PermitKind
from simulator.world.table import ASIDE, CABINET, SPREAD
from tableside import devices
from tableside.commands import Stage
from tableside.procedures import empty
from tableside.procedures.counts import CountState
from tableside.procedures.damaged import DamagedState
from tableside.procedures.differences import DifferenceState
from tableside.procedures.empty import EmptyState
from tableside.procedures.jams import JamState
from tableside.procedures.lid import LidState
from tableside.procedures.load_slice import LoadState
from tableside.procedures.opening import OpeningState
from tableside.procedures.reload import ReloadState
from tableside.procedures.rounds import RoundState
from tableside.procedures.session import SessionState
from tableside.procedures.sort import SortState
from tableside.procedures.swap_slice import SwapState
from tableside.procedures.unload_slice import UnloadState
from tableside.state import TableState
from tests.search.house import House
from tests.search.story import Act

S1, S2, MANAGER, TECHNICIAN, DEALER = "S-201", "S-202", "R-401", "T-501", "D-101"
BADGES = {
    S1: "26:00020140", S2: "26:00020240", "S-203": "26:00020340", MANAGER: "26:00040140", TECHNICIAN: "26:00050140",
    DEALER: "26:00010140", "D-102": "26:00010240", "P-301": "26:00030140", "I-701": "26:00070140",
}  # fmt: skip
MANAGERS_PIN = {MANAGER: "400001"}
PACKET = 104
# So often the same thing is tried before somebody thinks of another one.
PATIENCE = 4

Rule = Callable[["Crew", TableState], Act | None]


def ask(act: str, staff: str, then_s: float = 0.5, *, pins: dict[str, str] | None = None, **fields: Any) -> Act:
    """Somebody asks."""
    given: dict[str, Any] = {"act": act, "staff": staff, "fields": fields}
    return Act("ask", given | ({"pins": pins} if pins else {}), then_s)


def hands(does: str, then_s: float = 0.5, **fields: Any) -> Act:
    """Somebody's hands do."""
    return Act("hands", {"does": does, **fields}, then_s)


def tap(staff: str, then_s: float = 1.0) -> Act:
    """Somebody taps the badge."""
    return hands("tap", then_s, badge=BADGES[staff])


def wait(seconds: float) -> Act:
    """Patience."""
    return Act("wait", {}, seconds)


class Crew:
    """Looks at a house and says what comes next."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tried: dict[str, int] = {}
        self._due: list[Act] = []
        self._last: Act | None = None
        self._looked = ""

    def next(self) -> Act | None:
        """What to do now; None: the table is open, idle, and plays."""
        state = self.house.state
        if state is None:
            return Act("heal", {}, 2)
        if self._due:
            return self._due.pop(0)
        self._note_progress(state)
        if self._last is not None and self._last.does == "ask" and self._wants_tap():
            self._last = None
            return self._tap_for(state)
        for rule in RULES:
            act = rule(self, state)
            if act is not None:
                self._last = act
                self.tried[str(act)] = self.tried.get(str(act), 0) + 1
                return act
        return None

    def _note_progress(self, state: TableState) -> None:
        """Where something has moved, patience begins anew."""
        looks = repr((state.procedures, state.account, sorted(state.locks.standing)))
        if looks != self._looked:
            self._looked = looks
            self.tried.clear()

    def is_tired_of(self, act: Act) -> bool:
        """The same was tried again and again."""
        return self.tried.get(str(act), 0) >= PATIENCE

    def _wants_tap(self) -> bool:
        said = self.house.last_answer
        return said.get("answer") == "refused" and "tap" in said.get("next_step", "")

    def _tap_for(self, state: TableState) -> Act:
        supervisor = S1 if state.procedures.people.dealer != S1 else S2
        if "both" in self.house.last_answer.get("next_step", ""):
            self._due = [tap(supervisor)]
            return tap(MANAGER)
        return tap(supervisor)

    # What people see

    @property
    def machine(self) -> Any:
        """The shuffler in play."""
        return self.house.room.table.machine

    @property
    def felt(self) -> Any:
        return self.house.room.table.felt

    @property
    def on_felt(self) -> int:
        """Cards that lie about, outside tray, hopper and machine."""
        return int(self.house.room.table.census()["table"])


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
    if state.procedures.empty.state is EmptyState.NOT_EMPTY or state.procedures.swap.state is SwapState.COUNTING_OUT:
        if crew.machine.cards_inside:
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
                return ask("adopt-device", TECHNICIAN, 3, pins=MANAGERS_PIN, device=lock.reason.removeprefix(kind))
    return None


def accept_journal(crew: Crew, state: TableState) -> Act | None:
    """Records in doubt: two persons look."""
    if "deal:journal doubted" in state.locks.standing:
        return ask("accept-journal", TECHNICIAN, pins=MANAGERS_PIN, why="compared with the copy")
    return None


def resume(crew: Crew, state: TableState) -> Act | None:
    """A stop that somebody asked for."""
    if any(f"deal:{reason}" in state.locks.standing for reason in ("stop asked", "journal slow")):
        return ask("resume-play", S1)
    return None


def settle_complaints(crew: Crew, state: TableState) -> Act | None:
    """CSM-12."""
    if state.procedures.complaints.open:
        return ask("settle-complaint", S1, complaint="@complaint", decision="the deal stands")
    return None


def replace_damaged(crew: Crew, state: TableState) -> Act | None:
    """CSM-1."""
    damaged = state.procedures.damaged.state
    if damaged is DamagedState.SUSPECTED:
        return ask("dismiss-suspicion", S1)
    if damaged is DamagedState.DAMAGED:
        return Act("replace", {}, 1)
    return None


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


# --- machine swap ----------------------------------------------------------------------------------------------


def swap(crew: Crew, state: TableState) -> Act | None:
    """Count the old one out, set the spare in; its load is a load."""
    swapping = state.procedures.swap
    if swapping.state is SwapState.COUNTING_OUT:
        if crew.machine.cards_inside:
            return open_lid(state)
        return ask("counted-out", S1, 1, cards="@counted out")
    serial = crew.house.room.devices[devices.machine(state)].plan.serial_number
    if crew.house.room.table.in_play != serial:
        return hands("exchange-machine", 1, device=devices.machine(state))
    if swapping.state is SwapState.RULING:
        return ask("rule-round", S1, ruling="goes on")
    if swapping.state is SwapState.PROVING:
        return prove_empty(crew, state)
    return None


# --- the session -----------------------------------------------------------------------------------------------


def open_table(crew: Crew, state: TableState) -> Act | None:
    """Whole decks on the table, then the dealer opens."""
    if state.procedures.session.state is not SessionState.CLOSED:
        return None
    felt = crew.felt
    decks = crew.house.setting.decks
    if len(felt[SPREAD]) != 2 * decks * 52 and not crew.is_tired_of(Act("renew-decks", {}, 0.5)):
        return Act("renew-decks", {}, 0.5)
    return ask("open-table", DEALER, dealer=DEALER)


NEXT_STEPS = {
    OpeningState.TO_SHOW: "confirm-shown",
    OpeningState.TO_MIX: "confirm-mixed",
    OpeningState.TO_SHUFFLE: "confirm-hand-shuffled",
}


def prepare(crew: Crew, state: TableState) -> Act | None:
    """Show, mix, shuffle; empty proved; the load begins."""
    if state.procedures.session.state is not SessionState.OPENING:
        return None
    step = NEXT_STEPS.get(state.procedures.opening.state)
    if step is not None:
        return ask(step, state.procedures.people.dealer)
    if not empty.is_proved(state, devices.machine(state)):
        return prove_empty(crew, state)
    if crew.is_tired_of(ask("begin-load", DEALER, packets=_packets(state))):
        return prove_empty(crew, state)
    return ask("begin-load", DEALER, packets=_packets(state))


def _packets(state: TableState) -> int:
    return max(2, math.ceil(state.account.at("aside") / PACKET))


def prove_empty(crew: Crew, state: TableState) -> Act:
    """Let the machine say it; where it is not, take the cards out by hand."""
    proof = state.procedures.empty.state
    if proof in (EmptyState.COUNTING, EmptyState.READING):
        return wait(5) if not crew.is_tired_of(wait(5)) else ask("prove-empty", S1)
    if proof is EmptyState.NOT_EMPTY and crew.machine.cards_inside:
        return open_lid(state)
    if crew.machine.carousel.mouth:
        return hands("take-from-mouth", to=SPREAD)
    if crew.machine.carousel.hopper:
        return hands("take-from-hopper", to=SPREAD)
    return ask("prove-empty", S1, 3)


def load(crew: Crew, state: TableState) -> Act | None:
    """Packet after packet, the supervisor standing by."""
    loading = state.procedures.load.state
    if loading in (LoadState.NOT_BEGUN, LoadState.OVER):
        return None
    if loading is LoadState.AWAITING:
        return _packet(crew, state)
    if loading is LoadState.PAUSED:
        return tap(S1)
    if loading is LoadState.FEEDING:
        return _feed(crew, state)
    if loading is LoadState.DIFFERS:
        return ask("correct-packet", S1, 2, cards="@corrected")
    return wait(5)


def _packet(crew: Crew, state: TableState) -> Act:
    aside = state.account.at("aside")
    if aside <= 0:
        return wait(4)
    lying = len(crew.machine.carousel.hopper)
    to_come = max(0, state.procedures.load.packets - state.procedures.load.packet - 1)
    most = min(PACKET, aside - to_come)
    if 0 < lying <= most:
        return ask("load-packet", DEALER, 3, cards="@hopper")
    if lying:
        return hands("take-from-hopper", to=SPREAD)
    source = SPREAD if len(crew.felt[SPREAD]) else ASIDE
    if not len(crew.felt[source]):
        if crew.on_felt or len(crew.felt["tray"]):
            return Act("gather", {}, 0.5)
        return ask("hand-count", S1, place="aside", cards=0)
    packet = max(1, min(most, math.ceil(aside / (to_come + 1)), len(crew.felt[source])))
    return hands("lay-in-hopper", source=source, cards=packet)


def _feed(crew: Crew, state: TableState) -> Act:
    if crew.machine.carousel.hopper or not crew.is_tired_of(wait(6)):
        return wait(6)
    crew.tried.pop(str(wait(6)))
    missing = state.procedures.load.declared - state.procedures.load.counted
    if missing > 0 and len(crew.felt[SPREAD]):
        return hands("lay-in-hopper", source=SPREAD, cards=min(missing, len(crew.felt[SPREAD])))
    return ask("hand-count", S1, place="hopper", cards="@hopper")


def end_round(crew: Crew, state: TableState) -> Act | None:
    """DONE, then the cards go in, or are held over."""
    rounds = state.procedures.rounds
    if rounds.state is RoundState.DEALING:
        return ask("end-round", state.procedures.people.dealer or DEALER)
    if rounds.state not in (RoundState.OVER, RoundState.RETURNING):
        return None
    hold = ask("hold-over", state.procedures.people.dealer or DEALER, why="the machine takes no cards")
    if crew.tried.get("return", 0) > 3 * PATIENCE:
        crew.tried["return"] = 0
        return hold
    crew.tried["return"] = crew.tried.get("return", 0) + 1
    left = rounds.to_return - rounds.returned - len(crew.machine.carousel.hopper)
    if left > 0 and len(crew.felt[SPREAD]):
        return hands("lay-in-hopper", 3, source=SPREAD, cards=left)
    if left > 0 and (crew.on_felt or len(crew.felt["tray"])):
        return Act("gather", {}, 0.2)
    return wait(4)


def close(crew: Crew, state: TableState) -> Act | None:
    """Closing is announced: unload, sort, close."""
    session = state.procedures.session.state
    if session is SessionState.CLOSING:
        return ask("begin-unload", DEALER, 1)
    if session is SessionState.UNLOADING:
        return unload(crew, state)
    if session is SessionState.SORTING:
        return _sort(crew, state)
    if session is SessionState.SORTED:
        return _close_sorted(crew, state)
    return None


def unload(crew: Crew, state: TableState) -> Act:
    """Cards come out while somebody is present."""
    unloading = state.procedures.unload.state
    if crew.machine.carousel.mouth:
        return hands("take-from-mouth", to=SPREAD)
    if unloading is UnloadState.PAUSED:
        return tap(S1)
    if unloading is UnloadState.STOPPED:
        if crew.is_tired_of(ask("begin-unload", DEALER, 1)):
            return prove_empty(crew, state)
        return ask("begin-unload", DEALER, 1)
    if unloading is UnloadState.PROVING:
        return prove_empty(crew, state)
    return wait(4)


def _sort(crew: Crew, state: TableState) -> Act:
    census = crew.house.room.table.census()
    if census["tray"] or census["hopper"] or census["table"] != len(crew.felt[SPREAD]):
        return Act("gather", {}, 1)
    return ask("enter-sort", state.procedures.people.dealer, groups="@sort")


def _close_sorted(crew: Crew, state: TableState) -> Act:
    number = state.procedures.sort.incident
    if state.procedures.sort.state is SortState.IRREGULAR and number:
        return ask("settle-sort", MANAGER, incident=number, decision="decks withdrawn")
    return ask("close-table", MANAGER)


def reload(crew: Crew, state: TableState) -> Act | None:
    """An incident reload empties the machine, then loads it."""
    return unload(crew, state) if state.procedures.reload.state is ReloadState.EMPTYING else None


def come_to_idle(crew: Crew, state: TableState) -> Act | None:
    """Nothing is left to do but to wait for what machines do by themselves."""
    return None if is_idle(state) else wait(11)


def is_idle(state: TableState) -> bool:
    """Open, between rounds, nothing locked, the machine may deal."""
    machine = devices.machine(state)
    return (
        state.procedures.session.state is SessionState.OPEN
        and state.procedures.rounds.state is RoundState.WAITING
        and not state.locks.standing
        and not state.commands.open
        and state.procedures.lid.state is LidState.SHUT
        and f"{machine}:{PermitKind.DEAL}" in state.permits.granted
    )


RULES: Sequence[Rule] = (
    wait_for_devices, trust_memory, accept_journal, at_open_lid, at_spares_lid, answer_for_lid, inspect, clear_faults,
    clear_jam, resume, settle_complaints, replace_damaged, wait_for_count, settle_unknown, count_by_hand, swap, open_table, prepare,
    load, reload, end_round, close, come_to_idle,
)  # fmt: skip

__all__ = ["BADGES", "CABINET", "Crew", "Rule", "is_idle"]
