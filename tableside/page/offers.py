"""What can be done at a table now, as the page offers it: made of the procedures' tables and their guards. Pure.

An offer says which act, about what (`fixed`), who is missing where it needs somebody's presence, and `seen`: how its
matter stood when it was offered. An act that comes with another `seen` was meant for something that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast, get_args

import msgspec

from firmware_bridge.clock import NS_PER_S, Instant
from tableside.alerts import Progress
from tableside.attendance import ROLES, Operation
from tableside.batch_requests import AnyDeckRequest
from tableside.cards import Card
from tableside.catalogue import alert_text
from tableside.commands import Stage
from tableside.control.acts import act_name, fields_of
from tableside.happenings import PresenceMissed
from tableside.house import Person, Role, TableKind
from tableside.inputs import Input
from tableside.page.offered import OFFERED, Offered
from tableside.procedures.jackpot_slice import due
from tableside.procedures.people import LOOKED_AT
from tableside.request_shapes import Request
from tableside.requests import (
    AcknowledgeReport,
    AnyRequest,
    BeginIncidentReload,
    BeginSwap,
    ClaimJackpot,
    ClearAlert,
    ClearFault,
    CorrectPacket,
    CountedOut,
    CountHeldOver,
    DecideAdvice,
    DeclineAlert,
    DenyJackpot,
    EnterSort,
    InspectDevice,
    LoadPacket,
    PayJackpot,
    ReplaceCard,
    SetDealer,
    SettleComplaint,
    SettleIncident,
    SettleSort,
    SettleUnknown,
    TakeAlert,
    TakeSection,
)
from tableside.sightings import RECENT_S
from tableside.state import LISTENERS, TableState
from tableside.tables import Refusal, Turn

Fixed = Mapping[str, object]
Subjects = Callable[[TableState], Iterator[Fixed]]
# Acts of which only the numbers and cards that a person fills in decide: no trial can tell.
FILLED_IN = frozenset({LoadPacket, CorrectPacket, ReplaceCard, EnterSort, ClaimJackpot, CountedOut, CountHeldOver})
# Acts of a table that has two decks in turn.
OF_BATCH = frozenset(get_args(AnyDeckRequest))
# Less grave than any alert: what no alert calls for.
UNCALLED = 9
# What stands in a field of a trial that a person has yet to fill in.
_BLANKS: Mapping[object, object] = {str: "-", int: 1, bool: False, Card: Card("A", "♠", "-")}


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One act that can be done now. `missing`: roles whose badge is to be tapped first. `is_usual`: at any time.

    `level` is the class of the gravest alert that calls for it.
    """

    act: str
    fixed: Fixed
    seen: str
    roles: tuple[Role, ...]
    reach: str
    missing: tuple[Role, ...] = ()
    is_usual: bool = False
    level: int = UNCALLED


def offers(state: TableState, now: Instant) -> list[Offer]:
    """Everything that the page offers at this table, whoever reads it."""
    made: list[Offer] = []
    for kind, offered in OFFERED.items():
        if kind in OF_BATCH and state.house.kind is not TableKind.BATCH:
            continue
        procedure = LISTENERS[kind][0]
        if (procedure.read(state, None), kind) not in procedure.index:
            continue  # nothing to try: its table has no such row where it stands
        for fixed in SUBJECTS.get(kind, _once)(state):
            offer = _offer(state, now, kind, offered, fixed)
            if offer is not None:
                made.append(offer)
    return sorted(made, key=lambda offer: offer.level)


def seen(state: TableState, kind: type[Request], fields: Fixed) -> str:
    """How the matter of an act stands: its procedure's state, and what it is about."""
    procedure = LISTENERS[kind][0]
    at = procedure.read(state, None)
    matter = MATTERS.get(kind)
    return f"{procedure.name}: {at.value}" if matter is None else matter(state, fields)


# --- whether it can be done -------------------------------------------------------------------------------------


def _offer(state: TableState, now: Instant, kind: type[Request], offered: Offered, fixed: Fixed) -> Offer | None:
    """The act for those of its roles that could do it, asked of the guards as one person of each."""
    roles: list[Role] = []
    missing: tuple[Role, ...] = ()
    for role in offered.roles:
        person = _one_of(state, role, now.wall_ns)
        waits = None if person is None else _waits_for(state, now, kind, person.staff, fixed)
        if waits is not None:
            roles.append(role)
            missing = missing or waits
    if not roles:
        return None
    level = _level(state, offered)
    return Offer(
        act=act_name(kind),
        fixed=fixed,
        seen=seen(state, kind, fixed),
        roles=tuple(roles),
        reach=offered.reach.value,
        missing=missing,
        is_usual=offered.called_by is not None and level == UNCALLED,
        level=level,
    )


def _waits_for(
    state: TableState, now: Instant, kind: type[Request], staff: str, fixed: Fixed
) -> tuple[Role, ...] | None:
    """Whose badge the act waits for if this person asks; None where nothing that is filled in makes it be taken."""
    request = _trial(state, kind, staff, fixed)
    turn = Turn(state, Input(now.at_ns, now.wall_ns, now.quality, request))
    row = LISTENERS[kind][0].row(turn, request)
    if row is None:
        return None
    refusal = next((found for guard in row.guards if (found := guard(turn, request)) is not None), None)
    if refusal is None:
        return ()
    missing = _missing(state, now.at_ns, refusal)
    return missing if missing or kind in FILLED_IN else None


def _level(state: TableState, offered: Offered) -> int:
    """The class of the gravest standing alert that calls for an act."""
    called_by = offered.called_by or ()
    levels = (alert.level or UNCALLED for alert in state.alerts.standing.values() if alert.text.startswith(called_by))
    return min(levels, default=UNCALLED)


def _trial(state: TableState, kind: type[Request], staff: str, fixed: Fixed) -> AnyRequest:
    """The act as it would be asked, with something that could be right where a person has yet to fill it in."""
    likely = _likely(state)
    values: dict[str, Any] = {
        field.name: likely.get(field.name, _BLANKS.get(field.type, ())) for field in _fields(kind) if field.required
    }
    values |= {name: tuple(value) if isinstance(value, list) else value for name, value in fixed.items()}
    return cast(AnyRequest, kind(id="trial", by=staff, via="page", **values))


@cache
def _fields(kind: type[Request]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Asked some fifty times a picture; looking at annotations costs more than all the rest."""
    return fields_of(kind)


def _likely(state: TableState) -> dict[str, object]:
    house, on_duty = state.house, state.procedures.people.dealer
    dealers = [one.staff for one in house.persons if Role.DEALER in one.roles and one.staff != on_duty]
    technicians = [one.staff for one in house.persons if Role.TECHNICIAN in one.roles]
    return {
        "packets": house.min_packets,
        "seats": (1,),
        "back": house.decks[0].back if house.decks else "-",
        "dealer": next(iter(dealers), "-"),
        "technician": next(iter(technicians), "-"),
        "ruling": "goes on",
        "place": "table",
    }


def _one_of(state: TableState, role: Role, wall_ns: int) -> Person | None:
    """Somebody of a role; of the dealers the one on duty, who is nothing else then (semantics §2.1.5)."""
    dealer = state.procedures.people.dealer
    if role is Role.DEALER and dealer:
        return state.house.person(dealer)
    return next(
        (
            person
            for person in state.house.persons
            if role in person.roles and person.staff != dealer and not person.is_revoked and person.is_valid_at(wall_ns)
        ),
        None,
    )


def _missing(state: TableState, now_ns: int, refusal: Refusal) -> tuple[Role, ...]:
    """Whose badge an act waits for; empty where it is refused for something else."""
    if not isinstance(refusal.tells, PresenceMissed):
        return ()
    young_ns = now_ns - RECENT_S * NS_PER_S
    presence = state.presence
    here = {*presence.held.values(), *(one.staff for one in presence.recent.values() if one.at_ns > young_ns)}
    seen_roles = {role for staff in here if (person := state.house.person(staff)) for role in person.roles}
    named = ROLES[Operation(refusal.tells.operation)]
    return tuple(role for role in named if role not in seen_roles) or named


# --- what an act is about ---------------------------------------------------------------------------------------


def _once(_state: TableState) -> Iterator[Fixed]:
    yield {}


def _untaken(state: TableState) -> Iterator[Fixed]:
    for alert in state.alerts.standing.values():
        if alert.level and alert.progress is Progress.NEW:
            yield {"alert": alert.number}


def _unattended(state: TableState) -> Iterator[Fixed]:
    for alert in state.alerts.standing.values():
        if alert.level and alert.progress is not Progress.ARRIVED:
            yield {"alert": alert.number}


def _clearable(state: TableState) -> Iterator[Fixed]:
    for alert in state.alerts.standing.values():
        if alert.text in LOOKED_AT or not alert_text(alert.text).latched:
            yield {"alert": alert.number}


def _complaints(state: TableState) -> Iterator[Fixed]:
    for complaint in state.procedures.complaints.open.values():
        yield {"complaint": complaint.number}


def _advice(state: TableState) -> Iterator[Fixed]:
    for advice in state.procedures.advised.open.values():
        yield {"number": advice.number}


def _incidents(state: TableState) -> Iterator[Fixed]:
    for incident in state.incidents.open.values():
        yield {"incident": incident.number}


def _swaps(state: TableState) -> Iterator[Fixed]:
    for incident in state.incidents.open.values():
        for spare in state.house.spare_shufflers:
            yield {"incident": incident.number, "spare": spare}


def _prizes(state: TableState) -> Iterator[Fixed]:
    owed = due(state)
    if owed:
        yield {"seats": [one.win.seat for one in owed], "amounts": [one.amount for one in owed]}


def _bettors(state: TableState) -> Iterator[Fixed]:
    for seat in state.procedures.jackpot.bettors:
        yield {"seat": seat}


def _wins(state: TableState) -> Iterator[Fixed]:
    for win in state.procedures.jackpot.wins:
        yield {"seat": win.seat}


def _faults(state: TableState) -> Iterator[Fixed]:
    for name, levels in state.devices.known.items():
        for fault, _place in levels.faults:
            yield {"device": name, "fault": fault}


def _devices(state: TableState) -> Iterator[Fixed]:
    for name in state.devices.known:
        yield {"device": name}


def _unknown(state: TableState) -> Iterator[Fixed]:
    for command in state.commands.open.values():
        if command.stage is Stage.UNKNOWN:
            yield {"device": command.device, "command": command.number}


SUBJECTS: Mapping[type[Request], Subjects] = {
    TakeAlert: _untaken,
    DeclineAlert: _unattended,
    ClearAlert: _clearable,
    SettleComplaint: _complaints,
    DecideAdvice: _advice,
    SettleIncident: _incidents,
    AcknowledgeReport: _incidents,
    SettleSort: _incidents,
    BeginSwap: _swaps,
    BeginIncidentReload: _incidents,
    PayJackpot: _prizes,
    DenyJackpot: _wins,
    ClaimJackpot: _bettors,
    ClearFault: _faults,
    InspectDevice: _devices,
    SettleUnknown: _unknown,
}


def _alert_matter(state: TableState, fields: Fixed) -> str:
    number = fields.get("alert")
    found = next((one for one in state.alerts.standing.values() if one.number == number), None)
    return f"alert {number}: " + ("over" if found is None else f"{found.progress.value} {found.taken_by}".strip())


def _incident_matter(state: TableState, fields: Fixed) -> str:
    number = fields.get("incident")
    return f"incident {number}: {'open' if str(number) in state.incidents.open else 'over'}"


def _complaint_matter(state: TableState, fields: Fixed) -> str:
    number = fields.get("complaint")
    return f"complaint {number}: {'open' if str(number) in state.procedures.complaints.open else 'over'}"


def _advice_matter(state: TableState, fields: Fixed) -> str:
    number = fields.get("number")
    return f"advice {number}: {'open' if str(number) in state.procedures.advised.open else 'over'}"


def _section_matter(state: TableState, _fields: Fixed) -> str:
    return f"section: {state.house.section.supervisor}"


def _dealer_matter(state: TableState, _fields: Fixed) -> str:
    return f"dealer: {state.procedures.people.dealer}"


MATTERS: Mapping[type[Request], Callable[[TableState, Fixed], str]] = {
    TakeAlert: _alert_matter,
    DeclineAlert: _alert_matter,
    ClearAlert: _alert_matter,
    SettleComplaint: _complaint_matter,
    DecideAdvice: _advice_matter,
    SettleIncident: _incident_matter,
    AcknowledgeReport: _incident_matter,
    SettleSort: _incident_matter,
    TakeSection: _section_matter,
    SetDealer: _dealer_matter,
}
