"""Jackpot bets: slots open while bets are taken, shut and emptied before the first card (JP-3, JP-10, JP-11).

No deal permit is wished while slots may still take a chip: dealing waits for the word of each device that its slots are
shut and that all its chips are told. What cannot be told so is never guessed: a supervisor looks and says who has bet.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import LevelsRead, NoticesLost, Outcome, PermitKind, Reason, SlotTroubled, Verb
from tableside import alerts, chip_account, commands, devices, incidents, locks, presence, timers
from tableside.decisions import LevelsAsked, PermitGranted
from tableside.happenings import ClosingAnnounced, CommandClosed, LevelsFound, RoundEnded, RoundStarted, SessionReady
from tableside.house import Role
from tableside.inputs import DeadlinePassed
from tableside.jackpot_happenings import BetsClosed, ChipBet, ChipsCollected, ChipsSettled, JackpotLocked
from tableside.locks import Scope
from tableside.permits import Wish
from tableside.procedures.jackpot_no_bets import that_count
from tableside.refusals import refusal
from tableside.requests import SettleChips
from tableside.session_happenings import ReloadCompleted, ReloadStarted
from tableside.shoe_happenings import HandShoeBegun, HandShoeEnded, MachineReturning, ShoeReady
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "JP-11"
STEP = "collect"
ALL_SEATS = 0  # TDL 14.3: COLLECT of seat 0 is of all
# A device whose host is gone shuts its slots within this; a chip after that is returned.
SLOTS_MS = 10_000
# Longer than any lease: whoever has not said by then that its slots are shut, has them shut and tells it later.
CLOSING_S = SLOTS_MS // 1_000 + 1
CLOSING_TIMER = "jackpot bets:closing"
# Notices that are on their way: the levels are read once more.
AGAIN_S = 0.2
AGAIN_TIMER = "jackpot bets:again"
UNSURE = "chips unsure"
UNSURE_TEXT = "CHIPS-UNSURE"
EARLY_TEXT = "DEALT-BEFORE-LOCK"


class BetState(StrEnum):
    """How far the next round's jackpot bets are."""

    NONE = "no bets"
    TAKING = "taking bets"
    CLOSING = "closing the slots"
    COLLECTING = "collecting"
    LOCKED = "locked"


class BetSlice(msgspec.Struct, frozen=True):
    """`seats` that have bet; `opened`: devices whose slots stood open since; `waits_for`: who has still to say."""

    state: BetState = BetState.NONE
    seats: tuple[int, ...] = ()
    opened: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    is_round_over: bool = False


def of(turn: Turn) -> BetSlice:
    """The slice now."""
    return turn.state.procedures.jackpot_bets


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    bets = replace(procedures.jackpot_bets, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, jackpot_bets=bets))


def holds_deal(state: TableState) -> bool:
    """JP-11: no card leaves before the bets are locked."""
    return state.procedures.jackpot_bets.state in (BetState.TAKING, BetState.CLOSING, BetState.COLLECTING)


def wishes(state: TableState) -> tuple[Wish, ...]:
    """Slots stand open while bets are taken."""
    if state.procedures.jackpot_bets.state is not BetState.TAKING:
        return ()
    return tuple(Wish(slots.name, PermitKind.SLOTS, SLOTS_MS) for slots in state.house.chip_slots)


# --- taking bets --------------------------------------------------------------------------------------------


def _has_slots(turn: Turn, _what: object) -> bool:
    return bool(turn.state.house.chip_slots)


def _open(turn: Turn, _what: object) -> None:
    put(turn, seats=(), opened=(), waits_for=(), is_round_over=False)
    for slots in turn.state.house.chip_slots:
        left = chip_account.of(turn, slots.name).in_windows
        if left and not _is_in_doubt(turn.state):
            _unsure(turn, slots.name, f"{left} chip(s) of before lie in the slots")


def _opened(turn: Turn, what: PermitGranted) -> None:
    put(turn, opened=tuple(sorted({*of(turn).opened, what.device})))


def _end(turn: Turn, _what: object) -> None:
    timers.cancel(turn, CLOSING_TIMER)
    timers.cancel(turn, AGAIN_TIMER)
    put(turn, waits_for=())


def _bet(turn: Turn, what: ChipBet) -> None:
    seats = of(turn).seats
    if what.chips > 1 or what.seat in seats:
        _unsure(turn, what.device, f"seat {what.seat}: more than one chip was taken in")
    put(turn, seats=tuple(sorted({*seats, what.seat})))


def _bet_late(turn: Turn, what: ChipBet) -> None:
    _unsure(turn, what.device, f"seat {what.seat}: {what.chips} chip(s) told after the bets were locked")


# --- closing ------------------------------------------------------------------------------------------------


def _close(turn: Turn, _what: object) -> None:
    """Whoever may have an open slot, or has had one since the last round, must say that it is shut."""
    names = [slots.name for slots in turn.state.house.chip_slots]
    opened = of(turn).opened
    waits_for = tuple(name for name in names if name in opened or devices.of(turn, name).is_connected)
    put(turn, waits_for=waits_for)
    if not waits_for:
        _closed(turn)
        return
    timers.start(turn, CLOSING_TIMER, CLOSING_S)
    _ask(turn, waits_for)


def _ask(turn: Turn, names: tuple[str, ...]) -> None:
    for name in names:
        if devices.of(turn, name).is_connected:
            turn.decide(LevelsAsked(device=name, why="jackpot bets"))


def _is_waited_for(turn: Turn, what: LevelsRead) -> bool:
    return what.device in of(turn).waits_for


def _read(turn: Turn, what: LevelsRead) -> None:
    """Shut, and every chip told: that device's bets stand. Otherwise it is asked again."""
    if PermitKind.SLOTS in what.permits or chip_account.is_untold(turn, what):
        timers.start(turn, AGAIN_TIMER, AGAIN_S)
        return
    _said(turn, what.device)


def _said(turn: Turn, device: str) -> None:
    rest = tuple(name for name in of(turn).waits_for if name != device)
    put(turn, waits_for=rest)
    if not rest:
        _closed(turn)


def _is_again(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == AGAIN_TIMER


def _ask_again(turn: Turn, _what: DeadlinePassed) -> None:
    _ask(turn, of(turn).waits_for)


def _is_overdue(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == CLOSING_TIMER


def _overdue(turn: Turn, _what: DeadlinePassed) -> None:
    for device in of(turn).waits_for:
        whys = chip_account.take_found(turn, device)
        for why in whys or ("has not said that its slots are shut and all its chips told",):
            _unsure(turn, device, why)
    put(turn, waits_for=())
    _closed(turn)


def _closed(turn: Turn) -> None:
    """JP-11: any chips are collected, then the cards are dealt."""
    timers.cancel(turn, CLOSING_TIMER)
    timers.cancel(turn, AGAIN_TIMER)
    house = turn.state.house
    full = [
        slots.name
        for slots in house.chip_slots
        if slots.collects and chip_account.of(turn, slots.name).in_windows and devices.of(turn, slots.name).is_connected
    ]
    put(turn, waits_for=tuple(full))
    if not full:
        _lock(turn)
        return
    for name in full:
        commands.intend(turn, name, Verb.COLLECT, step=STEP, argument=ALL_SEATS)
    PROCEDURE.move(turn, None, BetState.COLLECTING, RULE)


def _is_collection(turn: Turn, what: CommandClosed) -> bool:
    return what.step == STEP


def _collected(turn: Turn, what: CommandClosed) -> None:
    told = chip_account.of(turn, what.device).in_windows
    moved = what.moved or 0
    if what.outcome is Outcome.DONE:
        turn.happened(ChipsCollected(device=what.device, chips=moved, told=told))
        chip_account.collected(turn, what.device)
        if moved != told:
            _unsure(turn, what.device, f"{moved} chip(s) collected, {told} told")
    else:
        why = "" if what.reason is Reason.NONE else f", {what.reason}"
        _unsure(turn, what.device, f"collecting ended {what.outcome}{why} after {moved} of {told} chip(s)")
    rest = tuple(name for name in of(turn).waits_for if name != what.device)
    put(turn, waits_for=rest)
    if not rest and of(turn).state is BetState.COLLECTING:
        _lock(turn)


def _lock(turn: Turn) -> None:
    """The bets stand. Where the round they were for is over already, the next one's are taken."""
    house, bets, settings = turn.state.house, of(turn), turn.state.procedures.jackpot.settings
    for slots in house.chip_slots:
        if not slots.collects:
            chip_account.collected(turn, slots.name)  # a chip falls into the box by itself
    PROCEDURE.move(turn, None, BetState.LOCKED, RULE)
    value = house.chip_value if settings is None else settings.bet  # what the pot grows by: no other chip is taken
    currency = house.chip_currency if settings is None else settings.currency
    turn.happened(JackpotLocked(seats=that_count(turn, bets.seats), value=value, currency=currency))
    if bets.is_round_over:
        PROCEDURE.move(turn, None, BetState.TAKING, RULE)
        _open(turn, None)


# --- what should not be -------------------------------------------------------------------------------------


def _dealt_early(turn: Turn, what: RoundStarted) -> None:
    """A card came out while bets were taken: from here on no chip counts."""
    text = f"round {what.round}: a card came out before the jackpot bets were locked"
    incidents.open_incident(turn, "dealt before the lock", RULE, text)
    alerts.raise_alert(turn, EARLY_TEXT)


def _dealt_while_taking(turn: Turn, what: RoundStarted) -> None:
    _dealt_early(turn, what)
    turn.happened(BetsClosed())


def _over(turn: Turn, _what: RoundEnded) -> None:
    put(turn, is_round_over=True)


def _unsure(turn: Turn, device: str, why: str) -> None:
    """Who has bet is not known for certain: the next round waits until somebody has looked."""
    text = f"{device}: {why}"
    if all(incident.text != text for incident in incidents.of_kind(turn, UNSURE)):
        incidents.open_incident(turn, UNSURE, RULE, text)
    locks.add(turn, Scope.JACKPOT_BETS, UNSURE, RULE)
    locks.add(turn, Scope.DEAL, UNSURE, RULE, is_from_next_round=True)
    alerts.raise_alert(turn, UNSURE_TEXT, device=device)


def _is_in_doubt(state: TableState) -> bool:
    return f"{Scope.JACKPOT_BETS}:{UNSURE}" in state.locks.standing


def _is_slots(turn: Turn, what: LevelsFound | NoticesLost | PermitGranted | SlotTroubled) -> bool:
    return chip_account.slots_of(turn.state, what.device) is not None


def _compare_found(turn: Turn, what: LevelsFound) -> None:
    differences = chip_account.take_found(turn, what.device)
    for why in differences if of(turn).state is not BetState.NONE else ():  # nobody bets at a closed table
        _unsure(turn, what.device, why)
    if of(turn).state is BetState.CLOSING and what.device in of(turn).waits_for:
        _ask(turn, (what.device,))


def _lost(turn: Turn, what: NoticesLost) -> None:
    _unsure(turn, what.device, f"{what.how_many or 'some'} notices lost")


def _troubled(turn: Turn, what: SlotTroubled) -> None:
    _unsure(turn, what.device, what.why)


def _are_seats(turn: Turn, what: SettleChips) -> Refusal | None:
    seats = {seat for slots in turn.state.house.chip_slots for seat in slots.seats}
    if set(what.seats) <= seats and len(set(what.seats)) == len(what.seats) and what.finding.strip():
        return None
    known = ", ".join(map(str, sorted(seats))) or "none"
    named = ", ".join(map(str, what.seats)) or "none"
    return refusal("CHIPS-SEATS", seats=named, finding=what.finding, known=known)


def _is_unsure(turn: Turn, _what: SettleChips) -> Refusal | None:
    if _is_in_doubt(turn.state):
        return None
    return refusal("CHIPS-NOT-IN-DOUBT")


def _settled(turn: Turn, what: SettleChips) -> None:
    seats = tuple(sorted(what.seats))
    is_collected = of(turn).state is BetState.LOCKED
    put(turn, seats=seats)
    chip_account.lie(turn, () if is_collected else seats)
    locks.remove_all(turn, UNSURE, turn.by)
    alerts.clear_alert(turn, UNSURE_TEXT, by=turn.by, why=what.finding)
    for incident in incidents.of_kind(turn, UNSURE):
        incidents.close(turn, incident.number, what.finding, turn.by)
    turn.happened(ChipsSettled(seats=seats, finding=what.finding, by=turn.by))


S = BetState
SETTLER = presence.acts_as(Role.FLOOR_SUPERVISOR, rule=RULE)
WHILE_CLOSING = (BetState.COLLECTING, BetState.LOCKED, BetState.TAKING)
PROCEDURE = Procedure(
    name="jackpot bets",
    rule=RULE,
    states=BetState,
    read=lambda state, _what: state.procedures.jackpot_bets.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *(
            Row(S.NONE, begun, S.TAKING, _open, _has_slots, rule="JP-3", said="jackpot bets are taken")
            for begun in (SessionReady, ReloadCompleted, ShoeReady, HandShoeEnded)
        ),
        Row(S.TAKING, PermitGranted, None, _opened, _is_slots, said="slots open"),
        Row(S.TAKING, ChipBet, None, _bet, rule="JP-10", said="a chip"),
        Row(S.CLOSING, ChipBet, None, _bet, rule="JP-10", said="a chip from before the lock"),
        *(Row(state, ChipBet, None, _bet_late, said="a chip too late") for state in (S.NONE, S.COLLECTING, S.LOCKED)),
        Row(S.TAKING, BetsClosed, S.CLOSING, _close, said="no more bets", onward=WHILE_CLOSING),
        Row(S.CLOSING, LevelsRead, None, _read, _is_waited_for, said="shut", onward=WHILE_CLOSING),
        Row(S.CLOSING, DeadlinePassed, None, _ask_again, _is_again, said="asked again"),
        Row(S.CLOSING, DeadlinePassed, None, _overdue, _is_overdue, said="not told in time", onward=WHILE_CLOSING),
        *(
            Row(state, CommandClosed, None, _collected, _is_collection, said="collected", onward=WHILE_CLOSING)
            for state in S
        ),
        Row(S.TAKING, RoundStarted, None, _dealt_while_taking, said="a card before the lock"),
        Row(S.CLOSING, RoundStarted, None, _dealt_early, said="a card before the lock"),
        Row(S.COLLECTING, RoundStarted, None, _dealt_early, said="a card before the lock"),
        Row(S.CLOSING, RoundEnded, None, _over, said="round over"),
        Row(S.COLLECTING, RoundEnded, None, _over, said="round over"),
        Row(S.LOCKED, RoundEnded, S.TAKING, _open, rule="JP-3", said="next round's bets"),
        *(
            Row(state, ended, S.NONE, _end, said="no more rounds")
            for state in S
            if state is not S.NONE
            for ended in (ClosingAnnounced, ReloadStarted, HandShoeBegun, MachineReturning)
        ),
        *(Row(state, LevelsFound, None, _compare_found, _is_slots, said="chips compared") for state in S),
        *(Row(state, SlotTroubled, None, _troubled, _is_slots, said="its chips are not certain") for state in S),
        *(Row(state, NoticesLost, None, _lost, _is_slots, said="notices lost") for state in S),
        *(
            Row(
                state,
                SettleChips,
                None,
                _settled,
                guards=(SETTLER, _is_unsure, _are_seats),
                said="the bets stand as found",
                then="take a chip that is no bet out of its slot; then go on",
            )
            for state in S
        ),
    ),
    next_step={
        S.NONE: "open the table",
        S.TAKING: "say no more bets (NO MORE BETS), then deal",
        S.CLOSING: "wait until every slot is shut",
        S.COLLECTING: "wait until the chips are collected",
        S.LOCKED: "deal",
    },
)
