"""A machine swap, also in mid-round: the old machine is counted out, the spare proved empty and loaded (semantics §4).

Floor supervisor and room management begin it together and name the incident; the jurisdiction may forbid it. The
round's cards stay on the table; at the end the round goes on or is void by a recorded ruling.
"""

from __future__ import annotations

from tableside import alerts, card_account, devices, incidents, locks, presence
from tableside.card_account import ASIDE, MACHINE, TABLE, UNEXPLAINED, Evidence, left_in
from tableside.counted import counted
from tableside.happenings import (
    CardsHandled,
    ClosingAnnounced,
    QuietPointReached,
    RoundEnded,
    RoundRuled,
    SwapCompleted,
    SwapStarted,
)
from tableside.locks import Scope
from tableside.presence import Operation
from tableside.procedures import left_behind, swap_guards
from tableside.procedures.swap_slice import SWAP, SwapState, of, put
from tableside.requests import BeginSwap, CountedOut
from tableside.session_happenings import (
    EmptyProved,
    EmptyWanted,
    LoadCompleted,
    LoadWanted,
    MachineCountedOut,
)
from tableside.tables import Procedure, Row, Turn

RULE = "CSM-8"
REASON = "machine swap"
NOT_RULED = "round not ruled on after the swap"


def _begin(turn: Turn, what: BeginSwap) -> None:
    presence.begin(turn, Operation.SWAP)
    old = devices.machine(turn.state)
    serial = devices.shuffler(turn).serial
    put(turn, old=old, new=what.spare, serial=serial, incident=what.incident, taken=0, left=0, is_ruled=False)
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, REASON, RULE)
    incidents.note(turn, what.incident, f"machine swap: {old} ({serial}) out, {what.spare} in")
    alerts.raise_alert(turn, "SWAP", old=old, new=what.spare)
    turn.happened(SwapStarted(old=old, new=what.spare, incident=what.incident))


# --- counting out the old machine ----------------------------------------------------------------------------


def _handled(turn: Turn, what: CardsHandled) -> None:
    """Cards taken out at the lid and laid on the table are part of the counting out."""
    if what.now == "table":
        card_account.move(turn, TABLE, ASIDE, what.cards, Evidence.PERSON, REASON)
        put(turn, taken=of(turn).taken + what.cards)


def _count_out(turn: Turn, what: CountedOut) -> None:
    """All that came out lies aside; what the account still has in the machine is left there, by its serial number."""
    swap = of(turn)
    rest = what.cards - swap.taken
    inside = turn.state.account.at(MACHINE)
    known = max(0, min(rest, inside))
    card_account.move(turn, MACHINE, ASIDE, known, Evidence.PERSON, "counted out")
    card_account.move(turn, UNEXPLAINED, ASIDE, rest - known, Evidence.PERSON, "counted out, more than the account had")
    left = turn.state.account.at(MACHINE)
    card_account.move(turn, MACHINE, left_in(swap.serial), left, Evidence.PERSON, "not counted out")
    put(turn, left=left)
    _tell(turn, what.cards, left, rest - known)
    devices.use(turn, swap.new)
    locks.remove(turn, Scope.FEED, REASON, turn.by)
    turn.happened(MachineCountedOut(device=swap.old, serial=swap.serial, cards=what.cards, left_behind=left))
    turn.happened(EmptyWanted(device=swap.new, purpose=SWAP))


def _tell(turn: Turn, cards: int, left: int, more: int) -> None:
    swap = of(turn)
    text = f"{counted(cards, 'card')} counted out of {swap.serial}, {left} left in it, {more} too many"
    incidents.note(turn, swap.incident, text)
    left_behind.tell(turn, swap.serial, left, more)


# --- the spare ----------------------------------------------------------------------------------------------


def _is_spare(turn: Turn, what: EmptyProved) -> bool:
    return what.purpose == SWAP and what.device == of(turn).new


def _is_spare_and_nothing_aside(turn: Turn, what: EmptyProved) -> bool:
    return _is_spare(turn, what) and turn.state.account.at(ASIDE) == 0


def _load(turn: Turn, _what: EmptyProved) -> None:
    packets = min(turn.state.house.min_packets, turn.state.account.at(ASIDE))
    turn.happened(LoadWanted(kind=SWAP, operation=Operation.SWAP, device=of(turn).new, packets=packets))


def _is_swaps(_turn: Turn, what: LoadCompleted) -> bool:
    return what.kind == SWAP


def _is_swaps_and_round_waits(turn: Turn, what: LoadCompleted) -> bool:
    is_dealing = turn.state.procedures.rounds.state.value == "dealing"
    return _is_swaps(turn, what) and is_dealing and not of(turn).is_ruled


def _done(turn: Turn, _what: object) -> None:
    _unlock(turn, REASON)
    _complete(turn)


def _await_ruling(turn: Turn, _what: LoadCompleted) -> None:
    locks.add(turn, Scope.DEAL, NOT_RULED, RULE)
    _done(turn, _what)


def _complete(turn: Turn) -> None:
    swap = of(turn)
    presence.end(turn, Operation.SWAP)
    incidents.note(turn, swap.incident, f"machine swap completed: {swap.new} is in use")
    turn.happened(SwapCompleted(old=swap.old, new=swap.new, left_behind=swap.left))
    turn.happened(QuietPointReached(point="swap ended"))


def _unlock(turn: Turn, reason: str) -> None:
    locks.remove_all(turn, reason, turn.by or REASON)


# --- ruling, giving up --------------------------------------------------------------------------------------


def _ruled(turn: Turn, _what: RoundRuled) -> None:
    put(turn, is_ruled=True)


def _ruling(turn: Turn, _what: RoundRuled | RoundEnded) -> None:
    _unlock(turn, NOT_RULED)


def _give_up(turn: Turn, _what: ClosingAnnounced) -> None:
    incidents.note(turn, of(turn).incident, "machine swap given up: closing is announced")
    presence.end(turn, Operation.SWAP)
    _unlock(turn, REASON)
    _unlock(turn, NOT_RULED)


S = SwapState
PROCEDURE = Procedure(
    name="machine swap",
    rule=RULE,
    states=SwapState,
    read=lambda state, _what: state.procedures.swap.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        Row(S.NONE, BeginSwap, S.COUNTING_OUT, _begin, guards=swap_guards.BEGIN, said="count out the old machine"),
        Row(S.COUNTING_OUT, CardsHandled, None, _handled, said="taken out", watches=True),
        Row(
            S.COUNTING_OUT,
            CountedOut,
            S.PROVING,
            _count_out,
            guards=swap_guards.COUNTED_OUT,
            said="prove the spare empty",
        ),
        Row(S.PROVING, EmptyProved, S.NONE, _done, _is_spare_and_nothing_aside, said="nothing to load"),
        Row(S.PROVING, EmptyProved, S.LOADING, _load, _is_spare, said="spare is empty"),
        Row(S.LOADING, LoadCompleted, S.RULING, _await_ruling, _is_swaps_and_round_waits, said="loaded: rule"),
        Row(S.LOADING, LoadCompleted, S.NONE, _done, _is_swaps, said="loaded"),
        *(
            Row(state, RoundRuled, None, _ruled, said="ruled meanwhile")
            for state in (S.COUNTING_OUT, S.PROVING, S.LOADING)
        ),
        *(Row(S.RULING, kind, S.NONE, _ruling, said="ruled") for kind in (RoundRuled, RoundEnded)),
        *(
            Row(state, ClosingAnnounced, S.NONE, _give_up, said="closing")
            for state in (S.COUNTING_OUT, S.PROVING, S.LOADING)
        ),
    ),
    next_step={
        S.NONE: "floor supervisor and room management tap, then name spare and incident",
        S.COUNTING_OUT: "empty the old machine, count its cards, enter the number",
        S.PROVING: "wait until the spare is proved empty; where it is not, empty it and prove it again",
        S.LOADING: "load the spare in packets",
        S.RULING: "floor supervisor: rule on the round: goes on, or void",
    },
)
