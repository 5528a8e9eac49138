"""Badges by enrolment: a new one is tapped twice, a lost one counts no more from the moment that somebody says so.

The reader proves that badge and table meet; whoever enrols answers for whose badge it is, under a badge that was seen
at the table. Nobody enrols a badge for himself, nor for a role above his own (ADR 43).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from drivers.events import SightingKind
from firmware_bridge.clock import NS_PER_S
from tableside import alerts, devices, presence, sightings, timers
from tableside.badge_happenings import BadgeEnrolled, BadgeWithdrawn, EnrolmentBegun, EnrolmentEnded
from tableside.badges import Badge
from tableside.house import Role
from tableside.inputs import BadgeSighted, DeadlinePassed
from tableside.people_requests import EnrolBadge, WithdrawBadge
from tableside.procedures.enrolment_slice import EnrolmentState, of, put
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "CSM-5"
TIMER = "enrolment"
# From the request to the second tap: a person takes a card out of an envelope and holds it there twice.
TAPS_WITHIN_S = 60
_AT_THE_TABLE = (Role.DEALER, Role.TABLE_INSPECTOR)
_OF_THE_PIT = (*_AT_THE_TABLE, Role.FLOOR_SUPERVISOR, Role.TECHNICIAN)
# For whom a role may enrol a badge: for those below it.
ENROLS: Mapping[Role, tuple[Role, ...]] = {
    Role.FLOOR_SUPERVISOR: _AT_THE_TABLE,
    Role.PIT_MANAGER: _OF_THE_PIT,
    Role.ROOM_MANAGEMENT: tuple(Role),
}
WITHDRAWS = (*ENROLS, Role.SURVEILLANCE)


def _read(state: TableState, _what: object) -> EnrolmentState:
    return of(state).state


def _write(turn: Turn, _what: object, target: Enum) -> None:
    put(turn, state=target)


# --- what is asked ------------------------------------------------------------------------------------------


def _is_known(turn: Turn, what: EnrolBadge | WithdrawBadge) -> Refusal | None:
    if turn.state.house.person(what.staff) is not None:
        return None
    return refusal("BADGE-FOR-NOBODY", staff=what.staff)


def _may_enrol(turn: Turn, what: EnrolBadge) -> Refusal | None:
    """Below the own role, and not the own badge."""
    person = turn.state.house.person(what.staff)
    here = sightings.roles_here(turn, turn.by)
    allowed = {below for role, those in ENROLS.items() if role in here for below in those}
    if person is not None and set(person.roles) <= allowed and what.staff != turn.by:
        return None
    return refusal("BADGE-ABOVE-OWN", staff=what.staff, by=turn.by)


def _was_seen(turn: Turn, _what: EnrolBadge) -> Refusal | None:
    """Whoever enrols is at the table: seen within the time of presence, or there now."""
    kept = turn.state.presence
    seen = kept.recent.get(turn.by)
    is_fresh = seen is not None and turn.now_ns - seen.at_ns <= turn.state.house.presence_s * NS_PER_S
    is_present = any(one.staff == turn.by and not one.is_lapsed for one in kept.kept.values())
    if is_fresh or is_present or turn.by in kept.held.values():
        return None
    return refusal("ENROLLER-NOT-SEEN", staff=turn.by)


def _is_reader(turn: Turn, what: EnrolBadge) -> Refusal | None:
    readers = turn.state.house.readers
    if what.reader in readers and devices.of(turn, what.reader).is_connected:
        return None
    return refusal("ENROL-NO-READER", reader=what.reader, readers=", ".join(readers) or "none")


def _begin(turn: Turn, what: EnrolBadge) -> None:
    put(turn, staff=what.staff, reader=what.reader, by=turn.by, first="", first_ns=0)
    timers.start(turn, TIMER, TAPS_WITHIN_S)
    turn.happened(EnrolmentBegun(staff=what.staff, reader=what.reader, by=turn.by))


def _withdraw(turn: Turn, what: WithdrawBadge) -> None:
    """Those of the file and those that were enrolled; what rests on them ends at once."""
    person = turn.state.house.person(what.staff)
    known = of(turn.state).badges
    in_file = (person.badge,) if person is not None and person.badge else ()
    enrolled = (digest for digest, badge in known.items() if badge.staff == what.staff)
    badges = tuple(dict.fromkeys((*in_file, *enrolled)))
    since_ns = turn.given.wall_ns
    put(turn, badges={**known, **{digest: Badge(what.staff, since_ns, is_withdrawn=True) for digest in badges}})
    sightings.withdraw(turn, what.staff)
    turn.happened(BadgeWithdrawn(staff=what.staff, badges=badges, since_ns=since_ns, by=turn.by))


# --- taps ---------------------------------------------------------------------------------------------------


def _is_tap_here(turn: Turn, what: BadgeSighted) -> bool:
    """The badge is put before the named reader. One that lies there, and a tap told twice, are no second tap."""
    enrolment = of(turn.state)
    if what.reader != enrolment.reader or what.kind is SightingKind.HELD_TO or what.staff == enrolment.by:
        return False
    is_again = what.digest and what.digest == enrolment.first
    return not is_again or turn.now_ns - enrolment.first_ns >= round(sightings.SAME_SIGHTING_S * NS_PER_S)


def _is_new(turn: Turn, what: BadgeSighted) -> bool:
    return _is_tap_here(turn, what) and not what.staff


def _is_the_same(turn: Turn, what: BadgeSighted) -> bool:
    return _is_new(turn, what) and what.digest == of(turn.state).first


def _is_another(turn: Turn, what: BadgeSighted) -> bool:
    return _is_new(turn, what) and what.digest != of(turn.state).first


def _is_somebodys(turn: Turn, what: BadgeSighted) -> bool:
    return _is_tap_here(turn, what) and bool(what.staff)


def _first_tap(turn: Turn, what: BadgeSighted) -> None:
    put(turn, first=what.digest, first_ns=turn.now_ns)


def _enrolled(turn: Turn, what: BadgeSighted) -> None:
    enrolment = of(turn.state)
    since_ns = turn.given.wall_ns
    put(turn, badges={**enrolment.badges, what.digest: Badge(enrolment.staff, since_ns)})
    _over(turn)
    turn.happened(
        BadgeEnrolled(
            staff=enrolment.staff, badge=what.digest, since_ns=since_ns, reader=enrolment.reader, by=enrolment.by
        )
    )


def _two_badges(turn: Turn, _what: BadgeSighted) -> None:
    _gave_up(turn, "two different badges were tapped")


def _somebodys(turn: Turn, what: BadgeSighted) -> None:
    _gave_up(turn, f"it is the badge of {what.staff} already")


def _is_due(_turn: Turn, what: DeadlinePassed) -> bool:
    return what.name == TIMER


def _too_late(turn: Turn, _what: DeadlinePassed) -> None:
    _gave_up(turn, f"no badge was tapped twice within {TAPS_WITHIN_S} s")


def _gave_up(turn: Turn, why: str) -> None:
    staff = of(turn.state).staff
    _over(turn)
    turn.happened(EnrolmentEnded(staff=staff, why=why))


def _over(turn: Turn) -> None:
    timers.cancel(turn, TIMER)
    put(turn, staff="", reader="", by="", first="", first_ns=0)


def _lost_seen(turn: Turn, what: BadgeSighted) -> bool:
    return what.kind is not SightingKind.HELD_TO and bool(of(turn.state).lost_by(what.digest))


def _call_for_lost(turn: Turn, what: BadgeSighted) -> None:
    """Somebody has a badge that was given up: whoever that is, is at the reader now."""
    staff = of(turn.state).lost_by(what.digest)
    alerts.raise_alert(turn, "BADGE-LOST-SEEN", what.reader, name=staff)


S = EnrolmentState
STAFF = presence.acts_as(*ENROLS, rule=RULE)
GUARDS = (STAFF, _is_known, _may_enrol, _was_seen, _is_reader)
PROCEDURE = Procedure(
    name="enrolment",
    rule=RULE,
    states=EnrolmentState,
    read=_read,
    write=_write,
    rows=(
        Row(S.NONE, EnrolBadge, S.FIRST, _begin, guards=GUARDS, said="a new badge is waited for"),
        Row(S.FIRST, BadgeSighted, S.SECOND, _first_tap, _is_new, said="first tap"),
        Row(S.FIRST, BadgeSighted, S.NONE, _somebodys, _is_somebodys, said="somebody's badge already"),
        Row(S.SECOND, BadgeSighted, S.NONE, _enrolled, _is_the_same, said="enrolled"),
        Row(S.SECOND, BadgeSighted, S.NONE, _two_badges, _is_another, said="two different badges"),
        Row(S.SECOND, BadgeSighted, S.NONE, _somebodys, _is_somebodys, said="somebody's badge already"),
        *(
            Row(state, DeadlinePassed, S.NONE, _too_late, _is_due, said="not tapped twice in time")
            for state in (S.FIRST, S.SECOND)
        ),
        Row(S.NONE, BadgeSighted, None, _call_for_lost, _lost_seen, said="a withdrawn badge was shown"),
        *(
            Row(
                state,
                WithdrawBadge,
                None,
                _withdraw,
                guards=(presence.acts_as(*WITHDRAWS, rule=RULE), _is_known),
                said="none of these badges counts any more",
                then="enrol a new badge, or take the person off the list of staff",
            )
            for state in S
        ),
    ),
    next_step={
        S.NONE: "tap the own badge, then ask for the new one",
        S.FIRST: "hold the new badge before the reader, twice, within a minute",
        S.SECOND: "hold the same badge before the reader once more",
    },
)
