"""The unload: all cards out of the machine under a supervisor's presence, then empty is proved (CSM-6, CSM-8).

EJECT_ALL moves only under a deal permit, and that never reaches beyond the end of presence: a lapse stops it, and what
is left is a new command after a tap. A machine that obeys nothing is emptied by its own key, as the dealer is asked to.
Every card out is counted; what the count lacks is named by the sort.
"""

from __future__ import annotations

from drivers.events import Ability, Holding, Outcome, PermitKind, Reason, Verb
from tableside import alerts, card_account, commands, devices, incidents, presence
from tableside.card_account import ASIDE, MACHINE, TABLE, UNEXPLAINED, Evidence
from tableside.counted import counted
from tableside.decisions import PermitGranted
from tableside.happenings import (
    CardsLeft,
    ClosingAnnounced,
    CommandClosed,
    CommandLost,
    PresenceLapsed,
    PresenceShown,
    QuietPointReached,
    SessionClosed,
)
from tableside.house import Role
from tableside.locks import Scope, free
from tableside.presence import Operation
from tableside.procedures.empty import UNLOAD
from tableside.procedures.session import KIND, SessionState, state_of
from tableside.procedures.unload_slice import UnloadState, of, put
from tableside.refusals import refusal
from tableside.requests import BeginUnload
from tableside.session_happenings import (
    EmptyDisproved,
    EmptyProved,
    EmptyWanted,
    MachineCountedOut,
    UnloadCompleted,
    UnloadStarted,
    UnloadStopped,
    UnloadWanted,
)
from tableside.tables import Procedure, Refusal, Row, Turn

STEP = "unload.eject"
RULE = "CSM-6"
# What lay in the machine by the account and did not come out, until the sort names it.
INCIDENT = "unload count"
# Ends of a command after which what is left is simply asked for anew. Anything else is for a person to judge.
PASSING = frozenset({Reason.PERMIT, Reason.FAULT, Reason.LID_OPEN, Reason.ANOTHER_RUNS})
# A machine that refuses for one of these so many times, without a card between, will not do it the next time.
TRIES = 3
# A machine that obeys nothing: its own key is a person's (semantics §3).
ASKED = "EJECT-ASKED"


# --- beginning ----------------------------------------------------------------------------------------------


def _is_closing(turn: Turn, _what: BeginUnload) -> Refusal | None:
    """CSM-6: only once closing is announced."""
    state = state_of(turn.state)
    if state is SessionState.CLOSING or of(turn).state is UnloadState.STOPPED:
        return None
    return refusal("CLOSING-NOT-ANNOUNCED", state=state)


def _is_machine_there(turn: Turn, _what: BeginUnload) -> Refusal | None:
    machine = devices.shuffler(turn)
    if machine.is_connected and not machine.is_lid_open:
        return None
    return refusal("MACHINE-NOT-READY", rule=RULE)


def _is_present(turn: Turn, what: BeginUnload) -> Refusal | None:
    return presence.needs(of(turn).operation, RULE)(turn, what)


def _begin(turn: Turn, _what: BeginUnload) -> None:
    presence.begin(turn, Operation.UNLOAD)
    _start(turn, KIND, Operation.UNLOAD, devices.machine(turn.state))


def _begin_wanted(turn: Turn, what: UnloadWanted) -> None:
    _start(turn, what.kind, Operation(what.operation), what.device)


def _start(turn: Turn, kind: str, operation: Operation, device: str) -> None:
    put(turn, kind=kind, operation=operation, device=device, cards=0, tries=0)
    turn.happened(UnloadStarted(kind=kind, by=turn.by))


def _begin_again(turn: Turn, _what: BeginUnload) -> None:
    presence.begin(turn, of(turn).operation)
    put(turn, tries=0)


# --- cards come out -----------------------------------------------------------------------------------------


def _is_mine(turn: Turn, what: CardsLeft | EmptyProved | EmptyDisproved) -> bool:
    is_purpose = isinstance(what, CardsLeft) or what.purpose == UNLOAD
    return is_purpose and what.device == of(turn).device


def _left(turn: Turn, what: CardsLeft) -> None:
    put(turn, cards=of(turn).cards + what.cards, tries=0)


def _has_permit(turn: Turn) -> bool:
    """The permit stands and no command of ours is open: the next one may go."""
    unload = of(turn)
    is_permitted = f"{unload.device}:{PermitKind.DEAL}" in turn.state.permits.granted
    return is_permitted and not commands.is_open(turn, unload.device, Verb.EJECT_ALL)


def _is_permitted(turn: Turn, what: PermitGranted) -> bool:
    is_deal = what.what is PermitKind.DEAL and what.device == of(turn).device
    return is_deal and not commands.is_open(turn, what.device, Verb.EJECT_ALL)


def _obeys(turn: Turn) -> bool:
    """The machine in use gives cards out when it is told to."""
    return devices.of(turn, of(turn).device).holding(Ability.DEAL) is Holding.ENFORCES


def _is_emptied_by_hand(turn: Turn, what: EmptyProved) -> bool:
    return _is_mine(turn, what) and not _obeys(turn)


def _asked_no_more(turn: Turn, _what: object) -> None:
    alerts.clear_alert(turn, ASKED, by=turn.by, why="no longer asked")


def _eject(turn: Turn, _what: object) -> None:
    if not _obeys(turn):
        alerts.raise_alert(turn, ASKED)
        return
    put(turn, tries=of(turn).tries + 1)
    commands.intend(turn, of(turn).device, Verb.EJECT_ALL, step=STEP, is_resumable=True)


def _is_step(_turn: Turn, what: CommandClosed | CommandLost) -> bool:
    return what.step == STEP


def _is_done(turn: Turn, what: CommandClosed) -> bool:
    return _is_step(turn, what) and (what.outcome is Outcome.DONE or what.reason is Reason.NO_CARDS)


def _is_passing(turn: Turn, what: CommandClosed) -> bool:
    """It stopped for something that passes, or never ran: what is left is a new command."""
    is_short = what.reason in PASSING or what.outcome is Outcome.NEVER
    return _is_step(turn, what) and is_short and of(turn).tries < TRIES


def _is_passing_and_permitted(turn: Turn, what: CommandClosed) -> bool:
    return _is_passing(turn, what) and _has_permit(turn)


def _prove(turn: Turn, _what: CommandClosed) -> None:
    turn.happened(EmptyWanted(device=of(turn).device, purpose=UNLOAD))


def _stop(turn: Turn, what: CommandClosed) -> None:
    turn.happened(UnloadStopped(device=what.device, why=f"{what.outcome}: {what.reason}"))


def _lost(turn: Turn, what: CommandLost) -> None:
    turn.happened(UnloadStopped(device=what.device, why="outcome unknown"))


def _not_empty(turn: Turn, what: EmptyDisproved) -> None:
    path = "" if what.is_path_clear else ", its path is not clear"
    turn.happened(UnloadStopped(device=what.device, why=f"{what.content} cards are in the machine{path}"))


# --- presence, end ------------------------------------------------------------------------------------------


def _is_lapsed(turn: Turn, what: PresenceLapsed) -> bool:
    return what.operation == of(turn).operation


def _is_resumed(turn: Turn, what: PresenceShown) -> bool:
    return what.operation == of(turn).operation and what.change == "resumed"


def _resumed(turn: Turn, _what: PresenceShown) -> None:
    put(turn, tries=0)


def _completed(turn: Turn, _what: EmptyProved) -> None:
    unload = of(turn)
    _asked_no_more(turn, _what)
    _post_what_is_lacking(turn)
    card_account.move(turn, TABLE, ASIDE, unload.cards, Evidence.METER, "unloaded")
    if unload.operation is Operation.UNLOAD:
        presence.end(turn, Operation.UNLOAD)  # a reload ends its own presence
    turn.happened(UnloadCompleted(kind=unload.kind, cards=unload.cards))
    turn.happened(QuietPointReached(point="unload ended"))


def _post_what_is_lacking(turn: Turn) -> None:
    """The machine is proved empty: what the account still has in it, or has too few, is *unexplained* until sorted."""
    lacking = turn.state.account.at(MACHINE)
    if not lacking:
        return
    card_account.move(turn, MACHINE, UNEXPLAINED, lacking, Evidence.METER, "proved empty")
    total = turn.state.house.cards_at_table
    came = f"{counted(of(turn).cards, 'card')} came out, the account had {lacking:+d} more"
    incidents.open_incident(turn, INCIDENT, RULE, came)
    text = "COUNT-SHORT" if lacking > 0 else "COUNT-LONG"
    alerts.raise_alert(turn, text, INCIDENT, k=str(abs(lacking)), n=str(total - lacking), total=str(total))


def _give_up(turn: Turn, _what: ClosingAnnounced) -> None:
    """A reload's unload, in which closing is announced: the session's own follows."""
    _asked_no_more(turn, _what)
    card_account.move(turn, TABLE, ASIDE, of(turn).cards, Evidence.METER, "unloaded")


def _by_hand(turn: Turn, _what: MachineCountedOut) -> None:
    """The machine was emptied by hand, and its cards are counted: nothing is asked of it any more."""
    _asked_no_more(turn, _what)
    put(turn, cards=0)


S = UnloadState
AT_REST = (S.NOT_BEGUN, S.OVER)
MOVING = (S.PERMITTING, S.EJECTING, S.PAUSED)
UNDER_WAY = (*MOVING, S.PROVING, S.STOPPED)
STAFF = presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, rule=RULE)
DEAL_FREE = free(Scope.DEAL, "settle what locks dealing, then unload")
PROCEDURE = Procedure(
    name="unload",
    rule=RULE,
    states=UnloadState,
    read=lambda state, _what: state.procedures.unload.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *(
            Row(
                state,
                BeginUnload,
                S.PERMITTING,
                _begin,
                guards=(STAFF, _is_closing, _is_machine_there, DEAL_FREE, presence.needs(Operation.UNLOAD, RULE)),
                said="unload begins",
            )
            for state in AT_REST
        ),
        Row(
            S.STOPPED,
            BeginUnload,
            S.PERMITTING,
            _begin_again,
            guards=(STAFF, _is_closing, _is_machine_there, DEAL_FREE, _is_present),
            said="unload goes on",
        ),
        *(Row(state, UnloadWanted, S.PERMITTING, _begin_wanted, said="unload wanted") for state in AT_REST),
        *(Row(state, CardsLeft, None, _left, _is_mine, said="cards out") for state in UNDER_WAY),
        Row(S.PERMITTING, PermitGranted, S.EJECTING, _eject, _is_permitted, said="permit stands"),
        *(Row(state, CommandClosed, S.PROVING, _prove, _is_done, said="all out") for state in MOVING),
        *(
            Row(state, CommandClosed, S.EJECTING, _eject, _is_passing_and_permitted, said="the rest, anew")
            for state in (S.PERMITTING, S.EJECTING)
        ),
        *(
            row
            for state in (S.PERMITTING, S.EJECTING)
            for row in (
                Row(state, CommandClosed, S.PERMITTING, when=_is_passing, said="stopped for now"),
                Row(state, CommandClosed, S.STOPPED, _stop, _is_step, said="the machine will not"),
            )
        ),
        *(
            Row(state, CommandClosed, None, when=_is_step, said="ended")
            for state in (S.PAUSED, S.PROVING, S.STOPPED, S.NOT_BEGUN, S.OVER)
        ),
        *(Row(state, CommandLost, S.STOPPED, _lost, _is_step, said="outcome unknown") for state in MOVING),
        *(
            Row(state, PresenceLapsed, S.PAUSED, _asked_no_more, _is_lapsed, said="time ran out")
            for state in (S.PERMITTING, S.EJECTING)
        ),
        Row(S.PAUSED, PresenceShown, S.PERMITTING, _resumed, _is_resumed, said="tap: resumed"),
        *(
            Row(state, EmptyProved, S.OVER, _completed, _is_mine, said="proved empty")
            for state in (S.PROVING, S.STOPPED)
        ),
        Row(S.EJECTING, EmptyProved, S.OVER, _completed, _is_emptied_by_hand, said="looked into: empty"),
        Row(S.PROVING, EmptyDisproved, S.STOPPED, _not_empty, _is_mine, said="not empty"),
        *(Row(state, ClosingAnnounced, S.NOT_BEGUN, _give_up, said="given up for closing") for state in UNDER_WAY),
        *(Row(state, MachineCountedOut, S.NOT_BEGUN, _by_hand, said="emptied by hand") for state in UNDER_WAY),
        *(Row(state, SessionClosed, S.NOT_BEGUN, said="table closed") for state in S if state is not S.NOT_BEGUN),
    ),
    next_step={
        S.NOT_BEGUN: "announce closing, then unload with a floor supervisor present",
        S.PERMITTING: "wait: the machine gives out the cards as soon as nothing locks it",
        S.EJECTING: "wait until all cards are out",
        S.PAUSED: "floor supervisor: tap the badge again; leave the cards",
        S.PROVING: "wait until the machine has told that it is empty",
        S.STOPPED: "look into the machine with the supervisor; then unload again, or prove it empty",
        S.OVER: "sort the decks and enter the result",
    },
)
