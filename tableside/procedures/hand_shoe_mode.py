"""A shoe by hand at a table whose machine is down: an authorised change of mode, and the way back (SHOE-1, CSM-8).

The floor supervisor begins it at a badge and names the incident. All cards come out of the machine under that presence:
by its own motion, or by hand where it does nothing any more; they are counted, all of them, and by back. From then on
the machine stands by: what happens in it touches no card. Back they go as a reload with two persons, the machine proved
empty first.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from tableside import card_account, devices, incidents, presence
from tableside.card_account import ASIDE, HAND, HOPPER, MACHINE, SHOE, TABLE, TRAY, UNEXPLAINED, Evidence, left_in
from tableside.counted import counted
from tableside.happenings import ClosingAnnounced
from tableside.house import Role
from tableside.presence import Operation
from tableside.procedures import left_behind
from tableside.procedures.hand_shoe_slice import HandShoeState, lying_aside, of, put
from tableside.procedures.session import SessionState, is_between_rounds, state_of
from tableside.procedures.swap_guards import is_incident_open, is_lid_shut
from tableside.refusals import Refusal, refusal
from tableside.session_happenings import (
    EmptyProved,
    EmptyWanted,
    LoadCompleted,
    LoadWanted,
    MachineCountedOut,
    UnloadCompleted,
    UnloadWanted,
)
from tableside.shoe_happenings import CardsGathered, HandShoeBegun, HandShoeEnded, MachineReturning
from tableside.shoe_requests import BeginHandShoe, EmptyByHand, EndHandShoe
from tableside.tables import Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "CSM-8"
KIND = "hand shoe"  # of its unload and load, and the purpose of its proof
DOWN = "machine down"
OUTSIDE = (SHOE, TABLE, TRAY, HAND, HOPPER)


# --- what is refused ----------------------------------------------------------------------------------------


def _is_play(turn: Turn, _what: BeginHandShoe) -> Refusal | None:
    procedures = turn.state.procedures
    if procedures.swap.is_under_way or procedures.reload.is_under_way:
        return refusal("HAND-SHOE-SWAP-FIRST")
    if state_of(turn.state) is not SessionState.OPEN:
        return refusal("HAND-SHOE-NOT-NOW", state=state_of(turn.state))
    return None


def _is_for_something(turn: Turn, what: BeginHandShoe) -> Refusal | None:
    """It names an incident that is open, or says why: then it is an incident of its own."""
    if what.incident:
        return is_incident_open(turn, what)
    return None if what.why.strip() else refusal("HAND-SHOE-UNREASONED")


def _has_no_spare(turn: Turn, what: BeginHandShoe) -> Refusal | None:
    """A machine that is ready goes first; who cannot take it says why."""
    for spare in turn.state.house.spare_shufflers:
        levels = devices.of(turn, spare)
        is_well = levels.is_connected and not (levels.jams or levels.faults or levels.is_lid_open)
        if is_well and turn.state.house.jurisdiction.swap_allowed and not what.why.strip():
            return refusal("HAND-SHOE-SPARE-READY", spare=spare)
    return None


def _is_number(turn: Turn, what: EmptyByHand) -> Refusal | None:
    """All cards of the table lie there: no fewer than lay outside the machine, no more than it has."""
    outside, most = _outside(turn.state), turn.state.house.cards_at_table
    if outside <= what.cards <= most:
        return None
    return refusal("HAND-SHOE-COUNT", cards=what.cards, least=outside, most=most)


def _outside(state: TableState) -> int:
    return lying_aside(state) + sum(state.account.at(place) for place in OUTSIDE)


def _is_counted(turn: Turn, _what: EndHandShoe) -> Refusal | None:
    """Every back has its number: what goes into the machine is known."""
    return None if of(turn).is_whole else refusal("BACKS-UNCOUNTED")


def _is_machine_well(turn: Turn, what: EndHandShoe) -> Refusal | None:
    device = what.device or devices.machine(turn.state)
    if not devices.is_standing_by(turn.state, device):
        return refusal("MACHINE-NOT-HERE", device=device)
    levels = devices.of(turn, device)
    if not levels.is_connected or levels.jams or levels.faults or levels.is_lid_open:
        return refusal("MACHINE-NOT-WELL", device=device)
    return None


def _in_packets(turn: Turn, what: EndHandShoe) -> Refusal | None:
    least = turn.state.house.min_packets
    return None if what.packets >= least else refusal("RELOAD-FEW-PACKETS", packets=what.packets, least=least)


# --- cards out of the machine -------------------------------------------------------------------------------


def _begin(turn: Turn, what: BeginHandShoe) -> None:
    presence.begin(turn, Operation.HAND_SHOE)
    machine = devices.machine(turn.state)
    number = what.incident or incidents.open_incident(turn, DOWN, RULE, f"{machine}: {what.why}")
    put(turn, incident=number)
    incidents.note(turn, number, f"{machine} is emptied; cards are dealt by hand from then on")
    turn.happened(HandShoeBegun(incident=number, device=machine, why=what.why, by=turn.by))
    turn.happened(UnloadWanted(kind=KIND, operation=Operation.HAND_SHOE, device=machine))


def _is_mine(_turn: Turn, what: UnloadCompleted | LoadCompleted) -> bool:
    return what.kind == KIND


def _emptied(turn: Turn, what: UnloadCompleted) -> None:
    """It gave out all, and is proved empty; what that lacked stands on *unexplained* already."""
    _take_over(turn, what.cards, 0)


def _emptied_by_hand(turn: Turn, what: EmptyByHand) -> None:
    """All cards lie before the dealer; what the account still has in the machine is left there, by its number."""
    serial = devices.shuffler(turn).serial
    rest = what.cards - _outside(turn.state)
    known = min(rest, turn.state.account.at(MACHINE))
    card_account.move(turn, MACHINE, ASIDE, known, Evidence.PERSON, "taken out by hand")
    card_account.move(turn, UNEXPLAINED, ASIDE, rest - known, Evidence.PERSON, "more than the account had")
    left = turn.state.account.at(MACHINE)
    card_account.move(turn, MACHINE, left_in(serial), left, Evidence.PERSON, "not taken out")
    _take_over(turn, what.cards, left)
    left_behind.tell(turn, serial, left, rest - known)


def _take_over(turn: Turn, cards: int, left: int) -> None:
    """From here on cards are dealt by hand: what stands against the machine stops this table no more."""
    machine, serial, number = devices.machine(turn.state), devices.shuffler(turn).serial, of(turn).incident
    for place in OUTSIDE:
        card_account.move(turn, place, ASIDE, turn.state.account.at(place), Evidence.PERSON, "gathered")
    presence.end(turn, Operation.HAND_SHOE)
    presence.end(turn, Operation.RELOAD)
    incidents.note(turn, number, f"{counted(cards, 'card')} out of {serial}, {left} left in it")
    put(turn, is_in_place_of_machine=True, is_whole=False)
    turn.happened(MachineCountedOut(device=machine, serial=serial, cards=cards, left_behind=left))
    turn.happened(CardsGathered(cards=lying_aside(turn.state), why=f"{machine} is down", by=turn.by))


# --- back into it -------------------------------------------------------------------------------------------


def _return(turn: Turn, what: EndHandShoe) -> None:
    device = what.device or devices.machine(turn.state)
    presence.begin(turn, Operation.RELOAD)
    devices.use(turn, device)
    put(turn, is_in_place_of_machine=False, packets=what.packets)
    incidents.note(turn, of(turn).incident, f"cards go back into {device}")
    turn.happened(MachineReturning(incident=of(turn).incident, device=device, by=turn.by))
    turn.happened(EmptyWanted(device=device, purpose=KIND))


def _is_proved(_turn: Turn, what: EmptyProved) -> bool:
    return what.purpose == KIND


def _load(turn: Turn, what: EmptyProved) -> None:
    packets = of(turn).packets
    turn.happened(LoadWanted(kind=KIND, operation=Operation.RELOAD, device=what.device, packets=packets))


def _returned(turn: Turn, what: LoadCompleted) -> None:
    number = of(turn).incident
    presence.end(turn, Operation.RELOAD)
    incidents.note(turn, number, f"{counted(what.cards, 'card')} are in the machine again")
    end(turn, "the machine deals again")
    turn.happened(HandShoeEnded(incident=number, cards=what.cards))


def _give_up(turn: Turn, _what: ClosingAnnounced) -> None:
    for operation in (Operation.HAND_SHOE, Operation.RELOAD):
        presence.end(turn, operation)
    incidents.note(turn, of(turn).incident, "change of mode given up: closing is announced")
    end(turn, "closing announced")


def end(turn: Turn, why: str) -> None:
    """An incident of its own ends with it; one that it was made for stays whoever's it is."""
    for incident in incidents.of_kind(turn, DOWN):
        incidents.close(turn, incident.number, why, turn.by)
    put(turn, incident=0)


S = HandShoeState
EMPTY_BY_HAND = (
    presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE),
    is_lid_shut,
    _is_number,
)
ROWS = (
    Row(
        S.NONE,
        BeginHandShoe,
        S.EMPTYING,
        _begin,
        guards=(
            presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE),
            _is_play,
            is_between_rounds,
            _is_for_something,
            _has_no_spare,
            presence.needs(Operation.HAND_SHOE, RULE),
        ),
        rule=RULE,
        said="the machine is emptied, then cards are dealt by hand",
    ),
    Row(S.EMPTYING, UnloadCompleted, S.TO_COUNT, _emptied, _is_mine, rule=RULE, said="the machine is empty"),
    Row(
        S.EMPTYING,
        EmptyByHand,
        S.TO_COUNT,
        _emptied_by_hand,
        guards=(*EMPTY_BY_HAND, presence.needs(Operation.HAND_SHOE, RULE)),
        rule=RULE,
        said="emptied by hand",
    ),
    Row(
        S.TO_SHUFFLE,
        EndHandShoe,
        S.RETURNING,
        _return,
        lambda turn, _what: of(turn).is_in_place_of_machine,
        guards=(
            presence.acts_as(Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT, rule=RULE),
            _is_counted,
            _is_machine_well,
            _in_packets,
            presence.needs_two(Operation.RELOAD, "CSM-5"),
        ),
        rule="CSM-5",
        said="the machine is proved empty, then loaded",
    ),
    Row(S.RETURNING, EmptyProved, None, _load, _is_proved, rule="CSM-5", said="proved empty"),
    Row(S.RETURNING, LoadCompleted, S.NONE, _returned, _is_mine, rule="CSM-5", said="all cards in"),
    Row(
        S.RETURNING,
        EmptyByHand,
        S.TO_COUNT,
        _emptied_by_hand,
        guards=(*EMPTY_BY_HAND, presence.needs(Operation.RELOAD, RULE)),
        rule=RULE,
        said="it failed again: emptied by hand",
    ),
    *(
        Row(state, ClosingAnnounced, S.NONE, _give_up, rule="CSM-6", said="closing")
        for state in (S.EMPTYING, S.RETURNING)
    ),
)
NEXT_STEP: Mapping[Enum, str] = {
    S.EMPTYING: "wait until the machine has given out all; where it does not, empty it by hand and count all cards",
    S.RETURNING: "wait until the machine is proved empty, then load the packets",
}
