"""Who answers for the table: the section's supervisor, who has taken an alert, who deals (semantics §5, §6)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tableside import alerts, presence, sightings
from tableside.alerts import Progress
from tableside.catalogue import alert_text
from tableside.decisions import AlertAcknowledged
from tableside.happenings import BadgeTapped, DealerRelieved, SectionHandedOver, SessionClosed, SessionOpened
from tableside.house import Role
from tableside.inputs import DeadlinePassed, ScreenSignedIn, ScreenSignedOut
from tableside.people_requests import HandOverSection
from tableside.refusals import refusal
from tableside.requests import AcknowledgeAlert, ClearAlert, DeclineAlert, SetDealer, TakeAlert, TakeSection
from tableside.tables import GO_ON, Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

SECTION_ROLES = (Role.FLOOR_SUPERVISOR, Role.PIT_MANAGER, Role.ROOM_MANAGEMENT)
# Alerts that stand for no incident: whoever clears one under his name says that he has looked.
LOOKED_AT = frozenset(
    {
        "BADGES-REFUSED",
        "BADGE-LOST-SEEN",
        "CALL-PRESSED",
        "CARD-READER-TROUBLED",
        "CLOCK-STEPPED",
        "COMMAND-RETAINED",
        "READER-TROUBLED",
        "SHOE-CUT-CARD",
        "USB-STRANGE",
    }
)
_LOOKER = presence.acts_as(*SECTION_ROLES, Role.TECHNICIAN, rule="CSM-2")


class PeopleSlice(msgspec.Struct, frozen=True):
    """`dealer` is on duty from one tap or entry until relieved; empty while the table is closed."""

    dealer: str = ""


class PeopleState(StrEnum):
    """Derived: whether somebody deals."""

    NO_DEALER = "no dealer on duty"
    DEALER = "dealer on duty"


def read(state: TableState, _what: object) -> PeopleState:
    """Derived from the slice."""
    return PeopleState.DEALER if state.procedures.people.dealer else PeopleState.NO_DEALER


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    turn.state = replace(turn.state, procedures=replace(procedures, people=replace(procedures.people, **changes)))


AboutAlert = TakeAlert | AcknowledgeAlert | DeclineAlert | ClearAlert

# --- alerts -------------------------------------------------------------------------------------------------


def _stands(turn: Turn, what: AboutAlert) -> Refusal | None:
    if alerts.find(turn.state, what.alert) is not None:
        return None
    numbers = ", ".join(str(alert.number) for alert in turn.state.alerts.standing.values()) or "none"
    return refusal("ALERT-NOT-STANDING", alert=what.alert, numbers=numbers)


def _is_staff(turn: Turn, what: AboutAlert) -> Refusal | None:
    if turn.state.house.person(what.by) is not None:
        return None
    return refusal("STAFF-UNKNOWN", staff=what.by or "nobody")


def _is_untaken(turn: Turn, what: TakeAlert) -> Refusal | None:
    alert = alerts.find(turn.state, what.alert)
    if alert is None or alert.progress is Progress.NEW or alert.taken_by == what.by:
        return None
    return refusal("ALERT-TAKEN", staff=alert.taken_by)


def _take(turn: Turn, what: TakeAlert) -> None:
    alert = alerts.find(turn.state, what.alert)
    if alert is not None and alert.progress is Progress.NEW:
        alerts.take(turn, alert, turn.by)


def _seen(turn: Turn, what: AcknowledgeAlert) -> None:
    turn.decide(AlertAcknowledged(alert=what.alert, by=turn.by, via=what.via))


def _decline(turn: Turn, what: DeclineAlert) -> None:
    alert = alerts.find(turn.state, what.alert)
    if alert is not None and alert.level:
        alerts.escalate(turn, alert, f"{turn.by} cannot come")


def _clears_by_itself(turn: Turn, what: ClearAlert) -> Refusal | None:
    """Acknowledging is not clearing: a latched alert goes with the act that it asks for (design rule 7)."""
    alert = alerts.find(turn.state, what.alert)
    if alert is not None and alert.text in LOOKED_AT:
        return _LOOKER(turn, what)
    if alert is None or not alert_text(alert.text).latched:
        return None
    entry = alert_text(alert.text)
    return refusal("ALERT-BY-ACT", rule=entry.rule, clears=entry.clears)


def _clear(turn: Turn, what: ClearAlert) -> None:
    alert = alerts.find(turn.state, what.alert)
    if alert is not None:
        alerts.clear_alert(turn, alert.text, alert.place, by=turn.by, why="cleared by hand")


def _is_due(turn: Turn, what: DeadlinePassed) -> bool:
    return what.name.startswith(alerts.TIMER)


def _nobody_came(turn: Turn, what: DeadlinePassed) -> None:
    alert = alerts.find(turn.state, int(what.name.removeprefix(alerts.TIMER)))
    if alert is not None and alert.progress is not Progress.ARRIVED:
        why = f"{alert.taken_by} has not come" if alert.taken_by else "nobody has taken it"
        alerts.escalate(turn, alert, why)


def _tapped(turn: Turn, what: BadgeTapped) -> None:
    """A tap at the table takes what was asked of this person's role and marks arrival."""
    for alert in tuple(turn.state.alerts.standing.values()):
        is_for_him = what.staff in (*alert.asked, alert.taken_by)
        if alert.level and is_for_him and alert.progress is not Progress.ARRIVED:
            alerts.arrive(turn, alert, what.staff)


# --- section and dealer -------------------------------------------------------------------------------------


def _take_section(turn: Turn, _what: TakeSection) -> None:
    _goes_to(turn, turn.by)


def _hand_over(turn: Turn, what: HandOverSection) -> None:
    _goes_to(turn, what.staff)


def _goes_to(turn: Turn, staff: str) -> None:
    house = turn.state.house
    turn.state = replace(turn.state, house=replace(house, section=replace(house.section, supervisor=staff)))
    items = alerts.hand_over(turn, staff)
    turn.happened(SectionHandedOver(section=house.section.name, staff=staff, open_items=items))


def _answers_for_it(turn: Turn, _what: HandOverSection) -> Refusal | None:
    """The supervisor who has the section, or whoever stands above him."""
    section = turn.state.house.section
    here = sightings.roles_here(turn, turn.by)
    is_above = Role.PIT_MANAGER in here or Role.ROOM_MANAGEMENT in here
    if not sightings.objection(turn, turn.by) and (is_above or turn.by == section.supervisor):
        return None
    supervisor = section.supervisor or section.room_management
    return refusal("SECTION-NOT-YOURS", by=turn.by or "nobody", section=section.name, supervisor=supervisor)


def _is_supervisor(turn: Turn, what: HandOverSection) -> Refusal | None:
    """A floor supervisor who may act now, and does not deal at this table."""
    why = sightings.objection(turn, what.staff)
    if not why and Role.FLOOR_SUPERVISOR in sightings.roles_here(turn, what.staff):
        return None
    return refusal("SUPERVISOR-UNKNOWN", staff=what.staff, why=why and f" ({why})")


def _is_dealer(turn: Turn, what: SetDealer) -> Refusal | None:
    person = turn.state.house.person(what.dealer)
    why = sightings.objection(turn, what.dealer)
    if person is not None and Role.DEALER in person.roles and not why:
        return None
    return refusal("DEALER-NOT-HERE", staff=what.dealer, why=why and f" ({why})")


def _is_not_supervising(turn: Turn, what: SetDealer) -> Refusal | None:
    """The dealer on duty is never the supervisor of the same table (semantics §2.1.5)."""
    for operation, kept in turn.state.presence.kept.items():
        if kept.staff == what.dealer:
            return refusal("DEALER-SUPERVISES", staff=what.dealer, operation=operation)
    return None


def _relieved(turn: Turn, what: SetDealer) -> None:
    _on_duty(turn, what.dealer)


def _on_duty(turn: Turn, dealer: str) -> None:
    if dealer != turn.state.procedures.people.dealer:
        put(turn, dealer=dealer)
        turn.happened(DealerRelieved(dealer=dealer))


def _is_dealers_tap(turn: Turn, what: BadgeTapped) -> bool:
    """Of somebody who is a dealer and nothing that an operation names: he takes the table over with it."""
    return sightings.roles_here(turn, what.staff) & {Role.DEALER, *SECTION_ROLES} == {Role.DEALER}


def _tapped_in_play(turn: Turn, what: BadgeTapped) -> None:
    """The dealer is on duty from one tap until relieved (semantics §5)."""
    _tapped(turn, what)
    if _is_dealers_tap(turn, what):
        _on_duty(turn, what.staff)


def _opened(turn: Turn, what: SessionOpened) -> None:
    put(turn, dealer=what.dealer)


def _closed(turn: Turn, _what: SessionClosed) -> None:
    put(turn, dealer="")


S = PeopleState
STAFF = presence.acts_as(Role.DEALER, *SECTION_ROLES, rule="CSM-4")
ON_TAP = {S.NO_DEALER: _tapped, S.DEALER: _tapped_in_play}
PROCEDURE = Procedure(
    name="people",
    rule="CSM-2",
    states=PeopleState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=tuple(
        row
        for state in S
        for row in (
            Row(
                state,
                TakeAlert,
                None,
                _take,
                guards=(_is_staff, _stands, _is_untaken),
                said="taken",
                then="go to the table and tap the badge",
            ),
            Row(
                state,
                AcknowledgeAlert,
                None,
                _seen,
                guards=(_is_staff, _stands),
                said="seen",
                then="take it, or decline",
            ),
            Row(
                state,
                DeclineAlert,
                None,
                _decline,
                guards=(_is_staff, _stands),
                said="the next in line is asked",
                then=GO_ON,
            ),
            Row(
                state,
                ClearAlert,
                None,
                _clear,
                guards=(_is_staff, _stands, _clears_by_itself),
                said="cleared",
                then=GO_ON,
            ),
            Row(state, DeadlinePassed, None, _nobody_came, _is_due, said="nobody came"),
            Row(state, BadgeTapped, None, ON_TAP[state], said="tapped at the table"),
            Row(
                state,
                TakeSection,
                None,
                _take_section,
                guards=(presence.acts_as(*SECTION_ROLES, rule="CSM-2"),),
                said="the section is yours",
            ),
            Row(
                state,
                HandOverSection,
                None,
                _hand_over,
                guards=(_answers_for_it, _is_supervisor),
                said="the section is handed over",
            ),
            Row(state, SetDealer, None, _relieved, guards=(STAFF, _is_dealer, _is_not_supervising), said="on duty"),
            Row(state, ScreenSignedIn, None, said="signed in at a screen"),
            Row(state, ScreenSignedOut, None, said="signed out at a screen"),
            Row(state, SessionOpened, None, _opened, said="session opened"),
            Row(state, SessionClosed, None, _closed, said="session closed"),
        )
    ),
    next_step={
        S.NO_DEALER: "open the table with its dealer",
        S.DEALER: "see the standing alerts",
    },
)
