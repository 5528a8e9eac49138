"""A jam: lamp, alert, taken, lid, one question, running count, play (CSM-2; semantics §4).

A jam latches: it is over only when the machine's path is clear *and* a supervisor has answered for the cards.
Jams at several places stand side by side; each has its own state.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from drivers.events import CardJammed, JamGone, Place
from firmware_bridge.clock import NS_PER_S
from tableside import alerts, devices, incidents, locks, presence
from tableside.happenings import (
    CardsHandled,
    CountWanted,
    JamCleared,
    JamFound,
    JamFoundGone,
    JamOpened,
    LevelsFound,
    QuietPointReached,
    SessionClosed,
    SwapAdvised,
    SwapCompleted,
    TechnicianCalled,
    TechnicianWorked,
)
from tableside.house import Role
from tableside.locks import Scope
from tableside.presence import Operation
from tableside.refusals import refusal
from tableside.requests import CallTechnician, TechnicianDone
from tableside.session_happenings import MachineCountedOut
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

TEXTS = {Place.EXIT: "JAM-EXIT", Place.CAROUSEL: "JAM-CAROUSEL", Place.FEED: "JAM-FEED"}
OTHER_TEXT = "JAM-OTHER"
# Incidents, which a machine swap can name: jams that advise it, and one that a supervisor could not clear.
REPEATED = "repeated jams"
HELP_ASKED = "technician called"
AtPlace = CardJammed | JamGone | JamFound | JamFoundGone
NS_PER_MINUTE = 60 * NS_PER_S


class JamState(StrEnum):
    """At one place: nothing; stuck; path clear but cards not answered for; answered for but still stuck."""

    CLEAR = "clear"
    STUCK = "stuck"
    PATH_CLEAR = "path clear"
    ANSWERED = "answered for"


class Jam(msgspec.Struct, frozen=True):
    """One standing jam."""

    state: JamState
    taken_out: int = 0


class JamSlice(msgspec.Struct, frozen=True):
    """Standing jams by place; when each lately began (place, monotonic ns); the technician's call, if one stands."""

    standing: dict[str, Jam] = {}
    lately: tuple[tuple[str, int], ...] = ()
    is_technician_called: bool = False


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, jams=replace(procedures.jams, **changes)))


def _of(turn: Turn) -> JamSlice:
    return turn.state.procedures.jams


def lock_reason(place: str) -> str:
    """The name of a jam's lock."""
    return f"jam {place}"


# --- at one place --------------------------------------------------------------------------------------------


def read_place(state: TableState, what: AtPlace) -> JamState:
    """The state at the place that the fact speaks of."""
    jam = state.procedures.jams.standing.get(what.place)
    return JamState.CLEAR if jam is None else jam.state


def _write_place(turn: Turn, what: AtPlace, target: Enum) -> None:
    assert isinstance(target, JamState)
    _set(turn, what.place, target)


def _set(turn: Turn, place: str, target: JamState, taken_out: int = 0) -> None:
    standing = {name: jam for name, jam in _of(turn).standing.items() if name != place}
    if target is not JamState.CLEAR:
        before = _of(turn).standing.get(place)
        standing[place] = Jam(target, taken_out or (before.taken_out if before is not None else 0))
    put(turn, standing=standing)


def _jammed(turn: Turn, what: AtPlace) -> None:
    house = turn.state.house
    since = turn.now_ns - house.jam_advice_minutes * NS_PER_MINUTE
    kept = ((place, at) for place, at in _of(turn).lately if since < at <= turn.now_ns)  # later: another clock's
    lately = (*kept, (str(what.place), turn.now_ns))
    put(turn, lately=lately)
    times = sum(place == what.place for place, _ in lately)
    for scope in (Scope.DEAL, Scope.FEED):
        locks.add(turn, scope, lock_reason(what.place), "CSM-2")
    alerts.raise_alert(turn, TEXTS.get(what.place, OTHER_TEXT), what.place)
    turn.happened(JamOpened(place=what.place, times_lately=times))
    if times >= house.jam_advice_count:
        turn.happened(SwapAdvised(place=what.place, times=times))
        if not incidents.of_kind(turn, REPEATED):  # a swap is made for a named incident (semantics §4)
            text = f"{times} jams at the {what.place} within {house.jam_advice_minutes} minutes"
            incidents.open_incident(turn, REPEATED, "CSM-2", text)
        minutes = str(house.jam_advice_minutes)
        alerts.raise_alert(turn, "JAM-REPEATED", what.place, n=str(times), place=what.place, minutes=minutes)


def _cleared(turn: Turn, what: AtPlace) -> None:
    _over(turn, what.place)


def _over(turn: Turn, place: Place) -> None:
    jam = _of(turn).standing.get(place)
    _set(turn, place, JamState.CLEAR)
    locks.remove_all(turn, lock_reason(place), turn.by or "path clear")
    for text in (TEXTS.get(place, OTHER_TEXT), "JAM-REPEATED", "TECHNICIAN-ASKED"):
        alerts.clear_alert(turn, text, place, by=turn.by, why="cleared")
    if not _of(turn).standing:
        put(turn, is_technician_called=False)
    turn.happened(JamCleared(place=place, taken_out=jam.taken_out if jam is not None else 0, by=turn.by))
    turn.happened(QuietPointReached(point="jam cleared"))
    if turn.state.house.jurisdiction.full_count_after_jam:
        turn.happened(CountWanted(why="jam"))


P = JamState
AT_PLACE = Procedure(
    name="jam",
    rule="CSM-2",
    states=JamState,
    read=read_place,
    write=_write_place,
    rows=(
        Row(P.CLEAR, JamFound, P.STUCK, _jammed, said="found stuck"),
        Row(P.STUCK, JamFoundGone, P.PATH_CLEAR, said="found clear"),
        Row(P.ANSWERED, JamFoundGone, None, _cleared, said="found clear"),
        Row(P.CLEAR, CardJammed, P.STUCK, _jammed, said="card stuck"),
        Row(P.CLEAR, JamGone, None, said="gone already"),
        Row(P.STUCK, CardJammed, None, said="still stuck"),
        Row(P.STUCK, JamGone, P.PATH_CLEAR, said="path clear"),
        Row(P.PATH_CLEAR, CardJammed, P.STUCK, _jammed, said="stuck again"),
        Row(P.PATH_CLEAR, JamFound, P.STUCK, _jammed, said="found stuck"),
        Row(P.PATH_CLEAR, JamGone, None, said="path clear"),
        Row(P.ANSWERED, CardJammed, P.STUCK, _jammed, said="stuck again"),
        Row(P.ANSWERED, JamGone, None, _cleared, said="cleared"),
    ),
    next_step={
        P.CLEAR: "play goes on",
        P.STUCK: "floor supervisor: tap the badge, open the lid, take the card out",
        P.PATH_CLEAR: "say how many cards were taken out and where they are",
        P.ANSWERED: "the machine still feels a card: look again, or ask for a technician",
    },
)


# --- people at a jam ------------------------------------------------------------------------------------------


class HelpState(StrEnum):
    """Whether any jam stands, and who works on it."""

    NOT_NEEDED = "no jam"
    SUPERVISOR = "supervisor at it"
    TECHNICIAN = "technician asked for"


def read_help(state: TableState, _what: object) -> HelpState:
    """Derived from the standing jams."""
    jams = state.procedures.jams
    if not jams.standing and not jams.is_technician_called:
        return HelpState.NOT_NEEDED
    return HelpState.TECHNICIAN if jams.is_technician_called else HelpState.SUPERVISOR


def _answered(turn: Turn, what: CardsHandled) -> None:
    """The supervisor answered: jams whose path is clear are over; the others wait for their path."""
    for place, jam in tuple(_of(turn).standing.items()):
        _set(turn, place, jam.state, jam.taken_out + what.cards)
        if jam.state is JamState.PATH_CLEAR:
            _over(turn, Place(place))
        else:
            _set(turn, place, JamState.ANSWERED)


def _is_machine(turn: Turn, what: LevelsFound) -> bool:
    return what.device == devices.machine(turn.state)


def _compare_found(turn: Turn, what: LevelsFound) -> None:
    """Jams that began or went while nobody could tell (semantics §1.4)."""
    standing = _of(turn).standing
    for place in what.jams:
        if place not in standing or standing[place].state is JamState.PATH_CLEAR:
            turn.happened(JamFound(device=what.device, place=place))
    for name, jam in standing.items():
        if name not in what.jams and jam.state is not JamState.PATH_CLEAR:
            turn.happened(JamFoundGone(device=what.device, place=Place(name)))


def _call(turn: Turn, _what: CallTechnician) -> None:
    put(turn, is_technician_called=True)
    turn.happened(TechnicianCalled(by=turn.by))
    if not incidents.of_kind(turn, HELP_ASKED):
        places = ", ".join(_of(turn).standing)
        incidents.open_incident(turn, HELP_ASKED, "CSM-2", f"jam at {places}: the supervisor cannot clear it")
    for place in _of(turn).standing:
        alerts.raise_alert(turn, "TECHNICIAN-ASKED", place, place=place)


def _worked(turn: Turn, what: TechnicianDone) -> None:
    put(turn, is_technician_called=False)
    turn.happened(TechnicianWorked(technician=what.technician, work=what.work, by=turn.by))
    _close(turn, HELP_ASKED, f"{what.technician}: {what.work}")
    for place in Place:
        alerts.clear_alert(turn, "TECHNICIAN-ASKED", place, by=what.technician, why=what.work)


def _taken_away(turn: Turn, what: MachineCountedOut) -> None:
    """The jammed machine is out of use: its jams stop nothing here any more, and are not counted against the spare."""
    for place in _of(turn).standing:
        locks.remove_all(turn, lock_reason(place), turn.by)
    for place in Place:
        for text in (TEXTS.get(place, OTHER_TEXT), "JAM-REPEATED", "TECHNICIAN-ASKED"):
            alerts.clear_alert(turn, text, place, by=turn.by, why=f"{what.serial} is exchanged")
    put(turn, standing={}, lately=(), is_technician_called=False)


def _exchanged(turn: Turn, what: SwapCompleted) -> None:
    for kind in (REPEATED, HELP_ASKED):
        _close(turn, kind, f"{what.old} is exchanged for {what.new}")


def _kept(turn: Turn, _what: SessionClosed) -> None:
    for kind in (REPEATED, HELP_ASKED):
        _close(turn, kind, "the machine was kept to the end of the session")


def _close(turn: Turn, kind: str, why: str) -> None:
    for incident in incidents.of_kind(turn, kind):
        incidents.close(turn, incident.number, why, turn.by)


def _is_technician(turn: Turn, what: TechnicianDone) -> Refusal | None:
    person = turn.state.house.person(what.technician)
    if person is not None and Role.TECHNICIAN in person.roles:
        return None
    return refusal("TECHNICIAN-UNKNOWN", technician=what.technician)


SUPERVISOR = presence.acts_as(Role.FLOOR_SUPERVISOR, rule="CSM-2")
# CSM-2: a technician works at an open lid only while a supervisor's presence is proved.
SUPERVISED = presence.needs(Operation.LID, "CSM-2")
H = HelpState
HELP = Procedure(
    name="jam help",
    rule="CSM-2",
    states=HelpState,
    read=read_help,
    write=lambda _turn, _what, _target: None,
    rows=(
        *(Row(state, MachineCountedOut, None, _taken_away, said="machine exchanged") for state in H),
        *(Row(state, SwapCompleted, None, _exchanged, said="swap completed", watches=True) for state in H),
        *(Row(state, SessionClosed, None, _kept, said="table closed", watches=True) for state in H),
        *(Row(state, LevelsFound, None, _compare_found, _is_machine, said="compared") for state in H),
        Row(H.NOT_NEEDED, CardsHandled, None, said="no jam"),
        Row(H.SUPERVISOR, CardsHandled, None, _answered, said="answered for"),
        Row(H.TECHNICIAN, CardsHandled, None, _answered, said="answered for"),
        Row(H.SUPERVISOR, CallTechnician, None, _call, guards=(SUPERVISOR,), said="technician called"),
        Row(H.TECHNICIAN, CallTechnician, None, said="technician is called"),
        Row(H.TECHNICIAN, TechnicianDone, None, _worked, guards=(SUPERVISED, _is_technician), said="work recorded"),
    ),
    next_step={
        H.NOT_NEEDED: "no jam stands",
        H.SUPERVISOR: "clear the jam, or ask for a technician",
        H.TECHNICIAN: "the technician works while the supervisor stands by; then record the work",
    },
)
