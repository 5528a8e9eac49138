"""What sensible people do in the course of a day: open, load, end rounds, swap, close."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.world.table import ASIDE, SPREAD
from tableside import devices
from tableside.procedures import empty
from tableside.procedures.empty import EmptyState
from tableside.procedures.load_slice import LoadState
from tableside.procedures.opening import OpeningState
from tableside.procedures.reload import ReloadState
from tableside.procedures.rounds import RoundState
from tableside.procedures.session import SessionState
from tableside.procedures.sort import SortState
from tableside.procedures.swap_slice import SWAP, SwapState
from tableside.procedures.unload_slice import UnloadState
from tableside.state import TableState
from tests.search.at_machine import open_lid
from tests.search.story import Act
from tests.search.words import DEALER, MANAGER, PATIENCE, S1, ask, hands, tap, wait

if TYPE_CHECKING:
    from tests.search.crew import Crew


PACKET = 104


# --- the session -----------------------------------------------------------------------------------------------


def open_table(crew: Crew, state: TableState) -> Act | None:
    """The dealer opens, whole decks are brought."""
    if state.procedures.session.state is not SessionState.CLOSED:
        return None
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
        load = state.procedures.load
        is_rest = (
            load.kind != SWAP and load.packet >= load.packets
        )  # of all that were announced: in a supervisor's name
        return ask("load-packet", S1 if is_rest else DEALER, 3, cards="@hopper")
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
    missing = state.procedures.load.declared - state.procedures.load.counted
    if crew.machine.carousel.hopper or missing <= 0:
        return wait(4)
    if len(crew.felt[SPREAD]):
        return hands("lay-in-hopper", 3, source=SPREAD, cards=min(missing, len(crew.felt[SPREAD])))
    if crew.on_felt or len(crew.felt["tray"]):
        return Act("gather", {}, 0.5)
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
