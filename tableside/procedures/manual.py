"""Manual operation, when the product or its devices cannot run a table and play must go on (semantics §4 *Outage*).

Room management orders it, on a numbered form that lies ready. What is written there is entered afterwards, each line by
whom it concerns, as a *late entry*; a full count then says where the cards are. What was written moves no card in the
account: only the count does.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from tableside import alerts, incidents, locks, presence
from tableside.happenings import CountWanted
from tableside.house import Role
from tableside.locks import Scope
from tableside.manual_happenings import FormIssued, LateEntered, ManualEnded, ManualOrdered
from tableside.manual_requests import EndManual, EnterLate, IssueForm, OrderManual
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

RULE = "CSM-8"
TEXT = "MANUAL"
MANUAL = "manual operation"
HELD = (Scope.DEAL, Scope.FEED)
# A form has so many lines, of which none stays empty between two others.
LINES = 30
HOUR = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


class ManualState(StrEnum):
    """Whether the table is run by hand."""

    OFF = "off"
    ON = "on"


class ManualSlice(msgspec.Struct, frozen=True):
    """`issued`: the last form's number; `used`: forms that were begun; `entered`: lines of the form in use."""

    state: ManualState = ManualState.OFF
    issued: int = 0
    used: tuple[int, ...] = ()
    form: int = 0
    since: str = ""
    entered: tuple[int, ...] = ()


def of(turn: Turn) -> ManualSlice:
    """The slice now."""
    return turn.state.procedures.manual


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, manual=replace(procedures.manual, **changes)))


def _issued(turn: Turn, _what: IssueForm) -> None:
    number = of(turn).issued + 1
    put(turn, issued=number)
    turn.happened(FormIssued(form=number, by=turn.by))


def _is_form(turn: Turn, what: OrderManual) -> Refusal | None:
    if 1 <= what.form <= of(turn).issued and what.form not in of(turn).used:
        return None
    free = [number for number in range(1, of(turn).issued + 1) if number not in of(turn).used]
    return refusal("FORM-UNKNOWN", form=what.form, listed=", ".join(map(str, free)) or "none")


def _has_reason(_turn: Turn, what: OrderManual) -> Refusal | None:
    return None if what.why.strip() else refusal("MANUAL-NO-REASON")


def _is_hour(_turn: Turn, what: OrderManual | EnterLate) -> Refusal | None:
    said = what.since if isinstance(what, OrderManual) else what.at
    if HOUR.fullmatch(said) or (isinstance(what, OrderManual) and not said):
        return None
    return refusal("HOUR-WRONG", said=said or "nothing")


def _ordered(turn: Turn, what: OrderManual) -> None:
    since = what.since or _hour_now(turn)
    put(turn, form=what.form, used=(*of(turn).used, what.form), since=since, entered=())
    turn.happened(ManualOrdered(form=what.form, since=since, why=what.why, by=turn.by))
    incidents.open_incident(turn, MANUAL, RULE, f"form {what.form}, since {since}: {what.why}")
    for scope in HELD:
        locks.add(turn, scope, MANUAL, RULE)
    person = turn.state.house.person(turn.by)
    name = person.name if person is not None else turn.by
    alerts.raise_alert(turn, TEXT, since=since, name=name, form=str(what.form))


def _hour_now(turn: Turn) -> str:
    now = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=turn.given.wall_ns // 1_000)
    return now.astimezone(ZoneInfo(turn.state.house.time_zone)).strftime("%H:%M")


def _is_line(turn: Turn, what: EnterLate) -> Refusal | None:
    if not 1 <= what.line <= LINES:
        return refusal("LINE-WRONG", line=what.line, last=LINES)
    if what.line in of(turn).entered:
        return refusal("LINE-ENTERED", line=what.line, form=of(turn).form)
    return None if what.text.strip() else refusal("LINE-EMPTY", line=what.line)


def _entered(turn: Turn, what: EnterLate) -> None:
    slice_ = of(turn)
    put(turn, entered=tuple(sorted((*slice_.entered, what.line))))
    turn.happened(LateEntered(form=slice_.form, line=what.line, at=what.at, kind=what.kind, text=what.text, by=turn.by))


def _are_all_entered(turn: Turn, what: EndManual) -> Refusal | None:
    wanted, entered = set(range(1, what.lines + 1)), set(of(turn).entered)
    if what.lines >= 0 and wanted == entered:
        return None
    missing = ", ".join(map(str, sorted(wanted - entered))) or "none"
    beyond = ", ".join(map(str, sorted(entered - wanted))) or "none"
    return refusal("LINES-MISSING", form=of(turn).form, missing=missing, beyond=beyond)


def _ended(turn: Turn, what: EndManual) -> None:
    """The cards' places are what a full count says; until it is done its own lock stands."""
    form = of(turn).form
    put(turn, form=0, since="", entered=())
    turn.happened(ManualEnded(form=form, lines=what.lines, by=turn.by))
    turn.happened(CountWanted(why=MANUAL))
    locks.remove_all(turn, MANUAL, turn.by)
    alerts.clear_alert(turn, TEXT, by=turn.by, why=f"form {form} is entered")
    for incident in incidents.of_kind(turn, MANUAL):
        incidents.close(turn, incident.number, f"form {form}, {what.lines} lines entered", turn.by)


MANAGEMENT = presence.acts_as(Role.ROOM_MANAGEMENT, rule=RULE)
MAY_ISSUE = presence.acts_as(Role.FLOOR_SUPERVISOR, Role.PIT_MANAGER, Role.ROOM_MANAGEMENT, rule=RULE)
WRITER = presence.acts_as(
    *(Role.DEALER, Role.FLOOR_SUPERVISOR, Role.TABLE_INSPECTOR, Role.PIT_MANAGER, Role.ROOM_MANAGEMENT),
    Role.TECHNICIAN,
    rule=RULE,
)
S = ManualState
PROCEDURE = Procedure(
    name="manual operation",
    rule=RULE,
    states=ManualState,
    read=lambda state, _what: state.procedures.manual.state,
    write=lambda turn, _what, target: put(turn, state=target),
    rows=(
        *(Row(state, IssueForm, None, _issued, guards=(MAY_ISSUE,), said="form issued") for state in S),
        Row(
            S.OFF,
            OrderManual,
            S.ON,
            _ordered,
            guards=(MANAGEMENT, _is_form, _has_reason, _is_hour),
            said="by hand from now on",
        ),
        Row(S.ON, EnterLate, None, _entered, guards=(WRITER, _is_line, _is_hour), said="late entry"),
        Row(S.ON, EndManual, S.OFF, _ended, guards=(MANAGEMENT, _are_all_entered), said="the system runs it again"),
    ),
    next_step={
        S.OFF: "room management orders manual operation, on a form that was issued",
        S.ON: "write on the form; enter each line of it, then room management ends it",
    },
)
