"""The load: packets into the machine under a supervisor's presence, each counted and compared (CSM-5).

Feed is permitted for 2 s at a time, for the packet's number of cards, never beyond the end of presence: a lapse stops
the machine whether or not we live. Declared and counted meet at the packet's end; what differs a supervisor corrects.
A session has one load; swap and incident reload are made through this table too, under their own presence.
"""

from __future__ import annotations

from drivers.events import LevelsRead, PacketEnded
from tableside import card_account, devices, incidents, presence
from tableside.card_account import ASIDE, HOPPER, MACHINE, UNEXPLAINED, Evidence
from tableside.happenings import (
    CardsEntered,
    CardsHandled,
    ClosingAnnounced,
    CountEnded,
    CountWanted,
    DeviceCame,
    DifferenceSettled,
    MachineHandCounted,
    PermitSpent,
    PresenceLapsed,
    PresenceShown,
    QuietPointReached,
    SessionClosed,
)
from tableside.presence import Operation
from tableside.procedures import load_guards, packets
from tableside.procedures.load_slice import LoadSlice, LoadState, of, put
from tableside.procedures.session import KIND
from tableside.requests import BeginLoad, CorrectPacket, LoadPacket
from tableside.session_happenings import (
    LoadCompleted,
    LoadPaused,
    LoadResumed,
    LoadStarted,
    LoadWanted,
    MachineCountedOut,
)
from tableside.tables import Procedure, Row, Turn

# --- beginning ----------------------------------------------------------------------------------------------


def _begin(turn: Turn, what: BeginLoad) -> None:
    presence.begin(turn, Operation.LOAD)
    _start(turn, KIND, Operation.LOAD, devices.machine(turn.state), what.packets)


def _begin_wanted(turn: Turn, what: LoadWanted) -> None:
    _start(turn, what.kind, Operation(what.operation), what.device, what.packets)


def _start(turn: Turn, kind: str, operation: Operation, device: str, packets: int) -> None:
    fresh = LoadSlice(of(turn).state, kind=kind, operation=operation, device=device, packets=packets)
    put(turn, **{name: getattr(fresh, name) for name in fresh.__struct_fields__})
    turn.happened(LoadStarted(kind=kind, packets=packets, by=turn.by))


# --- presence, restart, end ---------------------------------------------------------------------------------


def _is_its_presence(turn: Turn, what: PresenceLapsed | PresenceShown) -> bool:
    return what.operation == of(turn).operation


def _is_resumed(turn: Turn, what: PresenceShown) -> bool:
    return _is_its_presence(turn, what) and what.change == "resumed"


def _pause(turn: Turn, _what: PresenceLapsed) -> None:
    turn.happened(LoadPaused(why="presence", cards=turn.state.account.at(MACHINE), of=_total(turn)))


def _resume(turn: Turn, what: PresenceShown) -> None:
    turn.happened(LoadResumed(cards=turn.state.account.at(MACHINE), by=what.staff))


def _total(turn: Turn) -> int:
    account = turn.state.account
    return account.at(MACHINE) + account.at(HOPPER) + account.at(ASIDE)


# By the machine, or by hand where it cannot.
Counted = CountEnded | MachineHandCounted


def _is_restarted(turn: Turn, what: DeviceCame) -> bool:
    """It came back with its content unverified: the count that then runs tells what is in."""
    return packets.is_mine(turn, what) and devices.of(turn, what.device).is_content_unverified


def _restarted(turn: Turn, _what: DeviceCame) -> None:
    turn.happened(LoadPaused(why="machine restarted", cards=turn.state.account.at(MACHINE), of=_total(turn)))


def _counted_open_present(turn: Turn, what: Counted) -> bool:
    return _counted_open(turn, what) and presence.is_kept(turn.state, of(turn).operation)


def _counted_open(turn: Turn, what: Counted) -> bool:
    return packets.is_mine(turn, what) and of(turn).is_packet_open


def _counted_packet(turn: Turn, what: Counted) -> bool:
    """The restart swallowed the packet's end: all of it had gone in."""
    return _counted_open(turn, what) and of(turn).counted == of(turn).declared


def _counted_last_packet(turn: Turn, what: Counted) -> bool:
    return _counted_packet(turn, what) and packets.is_all_in(turn)


def _counted_all_in(turn: Turn, what: Counted) -> bool:
    return packets.is_mine(turn, what) and packets.is_all_in(turn)


def _is_path_clear(turn: Turn, what: LevelsRead) -> bool:
    return packets.is_mine(turn, what) and what.is_path_clear is not False


def _hopper_not_empty(turn: Turn, _what: LevelsRead) -> None:
    """All that was declared is in, and still the machine feels cards at the hopper."""
    put(turn, is_packet_open=True)
    incidents.open_incident(turn, packets.INCIDENT, "CSM-5", f"packet {of(turn).packet}: cards are left in the hopper")
    packets.tell_difference(turn)


def _completed(turn: Turn, _what: LevelsRead) -> None:
    load = of(turn)
    if load.operation is Operation.LOAD:
        presence.end(turn, Operation.LOAD)  # a swap and a reload end their own presence
    turn.happened(LoadCompleted(kind=load.kind, cards=load.loaded, packets=load.packet))
    turn.happened(QuietPointReached(point="load ended"))
    if turn.state.account.at(UNEXPLAINED):
        turn.happened(CountWanted(why=UNEXPLAINED))  # a packet's card may have passed the sensor uncounted


def _give_up(turn: Turn, _what: ClosingAnnounced | MachineCountedOut) -> None:
    """Closing, or a machine that fails, in mid-load: what lies in the hopper is taken back, the rest comes out."""
    hopper = turn.state.account.at(HOPPER)
    card_account.move(turn, HOPPER, ASIDE, hopper, Evidence.INFERRED, "load given up")
    packets.settle_incident(turn, "load given up")
    presence.end(turn, of(turn).operation)


S = LoadState
WITH_CARDS = (S.FEEDING, S.PAUSED, S.DIFFERS)
UNDER_WAY = (S.AWAITING, *WITH_CARDS, S.RECOUNTING, S.CHECKING)
PROCEDURE = Procedure(
    name="load",
    rule="CSM-5",
    states=LoadState,
    read=lambda state, _what: state.procedures.load.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.NOT_BEGUN, BeginLoad, S.AWAITING, _begin, guards=load_guards.BEGIN, said="load begins"),
        Row(S.OVER, BeginLoad, None, guards=(load_guards.once_a_session,), said="refused: once a session"),
        *(Row(state, LoadWanted, S.AWAITING, _begin_wanted, said="load wanted") for state in (S.NOT_BEGUN, S.OVER)),
        Row(
            S.AWAITING,
            LoadPacket,
            S.FEEDING,
            packets.begin,
            guards=load_guards.PACKET,
            said="packet in the hopper",
        ),
        *(
            Row(state, CardsEntered, None, packets.entered, packets.is_mine, said="cards in")
            for state in (*WITH_CARDS, S.RECOUNTING)
        ),
        *(
            row
            for state in WITH_CARDS
            for row in (
                Row(
                    state,
                    PacketEnded,
                    S.CHECKING,
                    packets.last_packet_in,
                    packets.agrees_and_all_in,
                    said="last packet agrees",
                ),
                Row(state, PacketEnded, S.AWAITING, packets.packet_in, packets.agrees, said="packet agrees"),
                Row(state, PacketEnded, S.DIFFERS, packets.differs, packets.is_mine, said="packet differs"),
                Row(
                    state,
                    DifferenceSettled,
                    S.CHECKING,
                    packets.last_packet_in,
                    packets.is_hopper_settled_and_all_in,
                    said="hopper counted, all in",
                ),
                Row(
                    state,
                    DifferenceSettled,
                    S.AWAITING,
                    packets.packet_in,
                    packets.is_hopper_settled,
                    said="hopper counted",
                ),
            )
        ),
        Row(
            S.DIFFERS,
            CorrectPacket,
            S.CHECKING,
            packets.correct_and_look,
            packets.is_right_and_all_in,
            guards=load_guards.CORRECT,
            said="corrected, all in",
        ),
        Row(
            S.DIFFERS,
            CorrectPacket,
            S.AWAITING,
            packets.correct_and_settle,
            packets.is_counted_right,
            guards=load_guards.CORRECT,
            said="corrected",
        ),
        Row(
            S.DIFFERS,
            CorrectPacket,
            S.FEEDING,
            packets.correct_and_feed,
            guards=load_guards.CORRECT,
            said="more cards are to go in",
        ),
        Row(S.FEEDING, PermitSpent, S.CHECKING, packets.last_packet_in, packets.is_spent_and_all_in, said="all in"),
        Row(S.FEEDING, PermitSpent, S.AWAITING, packets.packet_in, packets.is_spent, said="packet in"),
        *(
            Row(state, PacketEnded, None, when=packets.is_mine, said="hopper empty")
            for state in (S.AWAITING, S.CHECKING, S.RECOUNTING)
        ),
        Row(S.AWAITING, DifferenceSettled, S.CHECKING, packets.look, packets.named, said="what remained is named"),
        Row(S.FEEDING, PresenceLapsed, S.PAUSED, _pause, _is_its_presence, said="time ran out"),
        *(
            Row(state, PresenceLapsed, None, _pause, _is_its_presence, said="time ran out")
            for state in (S.AWAITING, S.DIFFERS, S.RECOUNTING, S.CHECKING)
        ),
        Row(S.PAUSED, PresenceShown, S.FEEDING, _resume, _is_resumed, said="tap: resumed"),
        *(
            Row(state, PresenceShown, None, _resume, _is_resumed, said="tap: resumed")
            for state in (S.AWAITING, S.DIFFERS, S.RECOUNTING, S.CHECKING)
        ),
        *(
            Row(state, CardsHandled, None, packets.handled, said="taken out at the lid", watches=True)
            for state in UNDER_WAY
        ),
        *(
            Row(state, DeviceCame, S.RECOUNTING, _restarted, _is_restarted, said="machine restarted")
            for state in UNDER_WAY
            if state is not S.RECOUNTING
        ),
        Row(S.CHECKING, DeviceCame, None, packets.look, packets.is_mine, said="device back"),
        *(
            row
            for kind in (CountEnded, MachineHandCounted)
            for row in (
                Row(
                    S.RECOUNTING,
                    kind,
                    S.CHECKING,
                    packets.last_packet_in,
                    _counted_last_packet,
                    said="counted: last one in",
                ),
                Row(S.RECOUNTING, kind, S.AWAITING, packets.packet_in, _counted_packet, said="counted: packet in"),
                Row(S.RECOUNTING, kind, S.FEEDING, when=_counted_open_present, said="counted"),
                Row(S.RECOUNTING, kind, S.PAUSED, when=_counted_open, said="counted, nobody present"),
                Row(S.RECOUNTING, kind, S.CHECKING, packets.look, _counted_all_in, said="counted, all in"),
                Row(S.RECOUNTING, kind, S.AWAITING, when=packets.is_mine, said="counted"),
            )
        ),
        Row(S.CHECKING, LevelsRead, S.OVER, _completed, _is_path_clear, said="all cards in, path clear"),
        Row(S.CHECKING, LevelsRead, S.DIFFERS, _hopper_not_empty, packets.is_mine, said="cards left in the hopper"),
        *(Row(state, ClosingAnnounced, S.OVER, _give_up, rule="CSM-6", said="given up") for state in UNDER_WAY),
        *(Row(state, MachineCountedOut, S.OVER, _give_up, said="machine emptied by hand") for state in UNDER_WAY),
        *(Row(state, SessionClosed, S.NOT_BEGUN, rule="CSM-6", said="table closed") for state in S),
    ),
    next_step={
        S.NOT_BEGUN: "begin the load with a floor supervisor present",
        S.AWAITING: "put the next packet, or what is left, into the hopper and say how many cards it has",
        S.FEEDING: "wait until the packet is in",
        S.PAUSED: "floor supervisor: tap the badge again; leave the cards",
        S.DIFFERS: "put the rest in; or floor supervisor: say how many the packet had, or hand-count the hopper",
        S.RECOUNTING: "wait until the machine has counted",
        S.CHECKING: "wait until the machine has told its levels",
        S.OVER: "cards come in again by card change, machine swap or incident reload",
    },
)
