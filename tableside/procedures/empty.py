"""Empty is proved before a load and after an unload: content 0 in all areas and the path clear (semantics §4).

The machine's own levels are the proof. After a restart its content is unverified: then it counts first. A machine that
can neither count nor tell is looked into by a supervisor, whose hand count is the proof. A proof stands until something
could have come in: a card, an open lid, another boot.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import Ability, Holding, LevelsRead, LidOpened
from tableside import alerts, card_account, devices, incidents, presence
from tableside.card_account import UNEXPLAINED, Evidence
from tableside.decisions import LevelsAsked
from tableside.happenings import (
    CardsEntered,
    CountEnded,
    CountWanted,
    DeviceCame,
    MachineHandCounted,
    SessionClosed,
)
from tableside.house import Role
from tableside.procedures.session import SessionState, state_of
from tableside.refusals import refusal
from tableside.requests import ProveEmpty
from tableside.session_happenings import EmptyDisproved, EmptyProved, EmptyWanted
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

LOAD, UNLOAD = "load", "unload"
# The machine is not proved empty: it holds cards, or none that it knows, and something lies in hopper or path.
TEXTS = ("NOT-EMPTY", "PATH-NOT-CLEAR")
INCIDENT = "not empty"
# Somebody is asked to look where the machine cannot tell (semantics §3).
LOOK = "EMPTY-LOOK"


class EmptyState(StrEnum):
    """How far the proof is."""

    UNPROVED = "unproved"
    COUNTING = "counting first"
    READING = "reading levels"
    LOOKING = "to be looked into"
    PROVED = "proved empty"
    NOT_EMPTY = "not empty"


class EmptySlice(msgspec.Struct, frozen=True):
    """`device` is the machine that is looked at, `purpose` who needs it: load, unload, swap, reload.

    `had_hands_in`: its lid was opened since it was last looked at.
    """

    state: EmptyState = EmptyState.UNPROVED
    device: str = ""
    purpose: str = ""
    had_hands_in: bool = False


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, empty=replace(procedures.empty, **changes)))


def is_proved(state: TableState, device: str) -> bool:
    """This machine is proved empty."""
    empty = state.procedures.empty
    return empty.state is EmptyState.PROVED and empty.device == device


# --- asking -------------------------------------------------------------------------------------------------


def _is_due(turn: Turn, _what: ProveEmpty) -> Refusal | None:
    state = state_of(turn.state)
    waits = turn.state.procedures.empty.purpose != ""  # some procedure wants the proof and has not got it
    if state in (SessionState.OPENING, SessionState.UNLOADING) or (state is not SessionState.CLOSED and waits):
        return None
    return refusal("EMPTY-NOT-DUE", state=state)


def _is_machine_there(turn: Turn, _what: ProveEmpty) -> Refusal | None:
    name = turn.state.procedures.empty.device or devices.machine(turn.state)
    if devices.of(turn, name).is_connected:
        return None
    return refusal("MACHINE-SILENT", device=name)


def _of_request(turn: Turn, _what: ProveEmpty) -> None:
    empty = turn.state.procedures.empty
    usual = UNLOAD if state_of(turn.state) is SessionState.UNLOADING else LOAD
    put(turn, device=empty.device or devices.machine(turn.state), purpose=empty.purpose or usual)
    _begin(turn)


def _of_procedure(turn: Turn, what: EmptyWanted) -> None:
    put(turn, device=what.device, purpose=what.purpose)
    _begin(turn)


def _begin(turn: Turn) -> None:
    """Count first where the content is unverified or hands were in the machine, else read the levels.

    What hands take out or put in at the lid passes no sensor: the machine's figure knows nothing of it (TDL 10.2).
    """
    empty = turn.state.procedures.empty
    if not _can_tell(turn, empty.device):
        PROCEDURE.move(turn, None, EmptyState.LOOKING, "CSM-5")
        alerts.raise_alert(turn, LOOK, empty.device)
    elif devices.of(turn, empty.device).is_content_unverified or empty.had_hands_in:
        PROCEDURE.move(turn, None, EmptyState.COUNTING, "CSM-5")
        turn.happened(CountWanted(why="unverified"))
    else:
        PROCEDURE.move(turn, None, EmptyState.READING, "CSM-5")
        turn.decide(LevelsAsked(device=empty.device, why="empty"))


def _can_tell(turn: Turn, device: str) -> bool:
    """It counts, or says what it holds."""
    levels = devices.of(turn, device)
    return levels.content is not None or levels.holding(Ability.COUNT_ALL) is not Holding.CANNOT


def _hands_in(turn: Turn, _what: LidOpened) -> None:
    put(turn, had_hands_in=True)


def _counted(turn: Turn, what: CountEnded) -> None:
    put(turn, had_hands_in=False)
    _read(turn, what)


# --- the answer ---------------------------------------------------------------------------------------------


Told = LevelsRead | CountEnded | DeviceCame | CardsEntered | LidOpened | MachineHandCounted


def _is_mine(turn: Turn, what: Told) -> bool:
    return what.device == turn.state.procedures.empty.device


def _is_empty(turn: Turn, what: LevelsRead) -> bool:
    areas = what.areas or ()
    return _is_mine(turn, what) and what.content == 0 and not any(areas) and what.is_path_clear is True


def _read(turn: Turn, what: CountEnded | DeviceCame) -> None:
    turn.decide(LevelsAsked(device=what.device, why="empty"))


def _back(turn: Turn, what: DeviceCame) -> None:
    """It was away, or restarted, in the middle of the proof: the proof begins again."""
    _begin(turn)


def _is_seen_empty(turn: Turn, what: MachineHandCounted) -> bool:
    return _is_mine(turn, what) and what.counted == 0


def _seen_empty(turn: Turn, what: MachineHandCounted) -> None:
    """A supervisor has looked: where no wire can tell, his word is the proof, under his name."""
    devices.verified(turn, what.device)
    alerts.clear_alert(turn, LOOK, what.device, by=what.by, why="looked into")
    put(turn, had_hands_in=False)
    _prove(turn, what.device, what.by, Holding.CANNOT)


def _seen_full(turn: Turn, what: MachineHandCounted) -> None:
    alerts.clear_alert(turn, LOOK, what.device, by=what.by, why="looked into")
    _disprove(turn, what.device, what.counted, is_path_clear=True)


def _proved(turn: Turn, what: LevelsRead) -> None:
    # One that tells what it holds without a count of its own is watched at least.
    counts = devices.of(turn, what.device).holding(Ability.COUNT_ALL)
    _prove(turn, what.device, "", Holding.OBSERVES if counts is Holding.CANNOT else counts)


def _prove(turn: Turn, device: str, by: str, held: Holding) -> None:
    purpose = turn.state.procedures.empty.purpose
    for text, place in (*((text, device) for text in TEXTS), ("CARD-LEFT", "")):
        alerts.clear_alert(turn, text, place, by=by, why="proved empty")
    for incident in incidents.of_kind(turn, INCIDENT):
        incidents.close(turn, incident.number, f"{device} is proved empty", by or device)
    put(turn, purpose="")
    turn.happened(EmptyProved(device=device, purpose=purpose, by=by, held=held))


def _disproved(turn: Turn, what: LevelsRead) -> None:
    """Cards that the account does not know were in the machine before anybody loaded: an incident (CSM-8)."""
    is_path_only = what.content == 0 and not any(what.areas or ()) and what.is_path_clear is False
    _disprove(turn, what.device, what.content, is_path_clear=what.is_path_clear is True, is_path_only=is_path_only)


def _disprove(turn: Turn, device: str, content: int | None, *, is_path_clear: bool, is_path_only: bool = False) -> None:
    found = "?" if content is None else str(content)
    text, other = reversed(TEXTS) if is_path_only else TEXTS
    alerts.clear_alert(turn, other, device, by="", why="looked again")
    alerts.raise_alert(turn, text, device, n=found)
    if turn.state.account.at(card_account.MACHINE) == 0 and not incidents.of_kind(turn, INCIDENT):
        text = f"{device} holds {found} cards that nobody loaded; path clear: {is_path_clear}"
        incidents.open_incident(turn, INCIDENT, "CSM-8", text)
        if turn.state.procedures.differences.state.value == "agreed":
            card_account.move(
                turn, UNEXPLAINED, card_account.MACHINE, content or 0, Evidence.METER, "found in the machine"
            )
    purpose = turn.state.procedures.empty.purpose
    turn.happened(EmptyDisproved(device=device, purpose=purpose, content=content, is_path_clear=is_path_clear))


def _is_new_boot(turn: Turn, what: DeviceCame) -> bool:
    return _is_mine(turn, what) and what.is_new_boot


def _forget(turn: Turn, _what: SessionClosed) -> None:
    put(turn, device="", purpose="", had_hands_in=False)


S = EmptyState
# A proof may be asked for again in each of these.
AT_REST = (S.UNPROVED, S.PROVED, S.NOT_EMPTY)
# How a proof begins: with a count where the content is unverified, else with the levels.
BEGUN = (S.COUNTING, S.READING, S.LOOKING)
PROCEDURE = Procedure(
    name="empty",
    rule="CSM-5",
    states=EmptyState,
    read=lambda state, _what: state.procedures.empty.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *(
            Row(
                state,
                ProveEmpty,
                None,
                _of_request,
                guards=(
                    presence.acts_as(Role.DEALER, Role.FLOOR_SUPERVISOR, Role.TECHNICIAN, rule="CSM-5"),
                    _is_due,
                    _is_machine_there,
                ),
                said="the machine is asked what it holds",
                onward=BEGUN,
            )
            for state in AT_REST
        ),
        *(Row(state, EmptyWanted, None, _of_procedure, said="proof wanted", onward=BEGUN) for state in S),
        Row(S.COUNTING, CountEnded, S.READING, _counted, _is_mine, said="counted"),
        Row(S.READING, LevelsRead, S.PROVED, _proved, _is_empty, said="content 0, path clear"),
        Row(S.READING, LevelsRead, S.NOT_EMPTY, _disproved, _is_mine, said="not empty"),
        Row(S.LOOKING, MachineHandCounted, S.PROVED, _seen_empty, _is_seen_empty, said="looked into: empty"),
        Row(S.LOOKING, MachineHandCounted, S.NOT_EMPTY, _seen_full, _is_mine, said="looked into: not empty"),
        *(Row(state, DeviceCame, None, _back, _is_mine, said="device back", onward=BEGUN) for state in BEGUN),
        Row(S.PROVED, DeviceCame, S.UNPROVED, when=_is_new_boot, said="restarted", watches=True),
        Row(S.PROVED, CardsEntered, S.UNPROVED, when=_is_mine, said="a card in", watches=True),
        Row(S.PROVED, LidOpened, S.UNPROVED, _hands_in, _is_mine, said="lid open", watches=True),
        Row(S.NOT_EMPTY, LidOpened, None, _hands_in, _is_mine, said="lid open", watches=True),
        *(Row(state, SessionClosed, S.UNPROVED, _forget, said="table closed") for state in S),
    ),
    next_step={
        S.UNPROVED: "let the machine prove that it is empty",
        S.COUNTING: "wait until the machine has counted",
        S.READING: "wait until the machine has told its levels",
        S.LOOKING: "floor supervisor: look into the machine, then enter a hand count of it",
        S.PROVED: "load",
        S.NOT_EMPTY: "take what lies in hopper, path and machine out with the supervisor, then prove it again",
    },
)
