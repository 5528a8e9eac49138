"""Sightings: who was seen at the table, and whether that counts (semantics §2.1.1 to 5, 9).

A tap extends or resumes what is kept for the person's role, and may begin one operation within 15 s; a newer tap
takes the place of an older one, so taps cannot be saved up. What does not count is recorded and changes nothing.
"""

from __future__ import annotations

from drivers import events
from drivers.events import SightingKind
from firmware_bridge.clock import NS_PER_S
from tableside import alerts, attendance, devices
from tableside.attendance import ROLES, Operation, Sighting, Way, put
from tableside.happenings import BadgeRefused, BadgeTapped
from tableside.house import Person, Role
from tableside.inputs import BadgeSighted, NeighbourSighting
from tableside.requests import Request
from tableside.tables import Turn

SAME_SIGHTING_S = 1.5  # semantics §2.1: the same badge within this is one sighting
# Two persons are seen within 30 s, and the act begins within 15 s of the second: nothing older is of use.
RECENT_S = 45
# A person who taps twice or thrice in a row looks like one who holds the badge there and takes it away at once.
SHORT_HOLD_S = 5
REFUSALS = 3  # semantics §2.1.5: three …
REFUSALS_WITHIN_S = 60  # … within a minute alert
REFUSED_ALERT = "BADGES-REFUSED"


def seen(turn: Turn, fact: BadgeSighted) -> None:
    """A badge at one of the table's readers."""
    if fact.reader not in turn.state.house.readers:
        refuse(turn, fact.staff or fact.digest, "another table's reader")
    elif fact.kind is SightingKind.HELD_TO:
        _let_go(turn, fact.reader, fact.staff, is_lapse=not _was_tapping(turn, fact.reader))
    elif not _is_same(turn, fact) and not _is_being_enrolled(turn, fact):
        _judge(turn, fact.staff or fact.digest, Sighting(fact.staff, fact.reader, turn.now_ns), fact.kind)


def _is_being_enrolled(turn: Turn, fact: BadgeSighted) -> bool:
    """A badge that nobody knows, where one is waited for: no reason to call anybody."""
    return not fact.staff and turn.state.procedures.enrolment.awaits(fact.reader)


def withdraw(turn: Turn, staff: str) -> None:
    """A person's badges count no more: what rests on them lapses at once, and none of their taps is left to be used."""
    for reader, held in tuple(turn.state.presence.held.items()):
        if held == staff:
            _let_go(turn, reader, staff, is_lapse=True)
    for operation, kept in tuple(turn.state.presence.kept.items()):
        if kept.staff == staff and not kept.is_lapsed:
            attendance.lapse(turn, operation)
    put(turn, recent={name: seen for name, seen in turn.state.presence.recent.items() if name != staff})


def neighbour_seen(turn: Turn, fact: NeighbourSighting) -> None:
    """A tap at the neighbouring table's reader counts while ours is away (semantics §2.1.9)."""
    if is_reader_away(turn):
        _judge(turn, fact.staff, Sighting(fact.staff, fact.reader, turn.now_ns, Way.NEIGHBOUR), SightingKind.TAP)
    else:
        refuse(turn, fact.staff, "the table's own reader answers")


def reader_lost(turn: Turn, fact: events.ReaderLost) -> None:
    """The reader is away: *held* ends at once and extends nothing, a running tap runs on (semantics §2.1.3)."""
    staff = turn.state.presence.held.get(fact.device)
    if staff is not None:
        _let_go(turn, fact.device, staff, is_lapse=True)


def is_reader_away(turn: Turn) -> bool:
    """None of the table's badge readers answers."""
    return not any(devices.of(turn, reader).is_connected for reader in turn.state.house.readers)


def objection(turn: Turn, staff: str) -> str:
    """Why this person's badge or PIN does not count at all; empty where it does."""
    person = turn.state.house.person(staff)
    if person is None:
        return "unknown"
    if person.is_revoked:
        return "revoked"
    if not person.is_valid_at(turn.given.wall_ns):
        return "out of date"
    return ""


def by_pin(turn: Turn, request: Request, role: Role) -> tuple[Sighting, ...]:
    """The taps that two persons by PIN stand for, those of them in `role`, while the reader is away."""
    staff = [one for one in dict.fromkeys(request.second_way) if not objection(turn, one)]
    if len(staff) < 2 or not is_reader_away(turn):
        return ()
    return tuple(Sighting(one, "", turn.now_ns, Way.PIN) for one in staff if role in roles_here(turn, one))


def roles_here(turn: Turn, staff: str) -> frozenset[Role]:
    """A person's roles at this table now: the dealer on duty is never its supervisor (semantics §2.1.5)."""
    person = turn.state.house.person(staff)
    if person is None:
        return frozenset()
    if staff == turn.state.procedures.people.dealer:
        return frozenset({Role.DEALER})
    return frozenset(person.roles)


def take(turn: Turn, sighting: Sighting, *, is_held: bool) -> None:
    """A sighting that counts: it extends, hands over or resumes, and may begin one operation."""
    turn.happened(BadgeTapped(staff=sighting.staff, reader=sighting.reader, way=sighting.way))
    roles = roles_here(turn, sighting.staff)
    if any(named[0] in roles for named in ROLES.values()):
        attendance.answered(turn, sighting.staff)
    kept = [operation for operation in turn.state.presence.kept if ROLES[operation][0] in roles]
    if sighting.way is not Way.READER:
        kept = _most_urgent(turn, kept)  # the second way counts for one operation
    for operation in kept:
        _renew(turn, operation, sighting, is_held=is_held)
    if not kept or sighting.way is Way.READER:
        young = {
            staff: other
            for staff, other in turn.state.presence.recent.items()
            if turn.now_ns - other.at_ns <= RECENT_S * NS_PER_S
        }
        put(turn, recent={**young, sighting.staff: sighting})


def refuse(turn: Turn, badge: str, why: str) -> None:
    """Record a badge that does not count; three within a minute call somebody."""
    turn.happened(BadgeRefused(badge=badge, why=why))
    since_ns = turn.now_ns - REFUSALS_WITHIN_S * NS_PER_S
    refused = (*(at for at in turn.state.presence.refused_ns if at > since_ns), turn.now_ns)
    if len(refused) >= REFUSALS:
        alerts.raise_alert(turn, REFUSED_ALERT, n=str(len(refused)))
        refused = ()
    put(turn, refused_ns=refused)


def _is_same(turn: Turn, fact: BadgeSighted) -> bool:
    """Whether this only repeats the last sighting of the badge: a held badge, or a tap within 1.5 s (BR-033)."""
    who = fact.staff or fact.digest
    young_ns = turn.now_ns - round(SAME_SIGHTING_S * NS_PER_S)
    lately = {badge: at for badge, at in turn.state.presence.last_seen_ns.items() if at > young_ns}
    put(turn, last_seen_ns={**lately, who: turn.now_ns})
    is_held = turn.state.presence.held.get(fact.reader) == fact.staff != ""
    return is_held or (fact.kind is SightingKind.TAP and who in lately)


def _judge(turn: Turn, badge: str, sighting: Sighting, kind: SightingKind) -> None:
    why = objection(turn, sighting.staff) or _out_of_place(turn, sighting.staff)
    if why:
        refuse(turn, badge, why)
        return
    if kind is SightingKind.HELD_FROM:
        presence = turn.state.presence
        put(
            turn,
            held={**presence.held, sighting.reader: sighting.staff},
            held_from_ns={**presence.held_from_ns, sighting.reader: sighting.at_ns},
        )
    take(turn, sighting, is_held=kind is SightingKind.HELD_FROM)


def _out_of_place(turn: Turn, staff: str) -> str:
    """Why a valid badge has no business at this reader now; empty where it has."""
    person = turn.state.house.person(staff)
    assert person is not None
    roles = roles_here(turn, staff)
    if any(role in roles for named in ROLES.values() for role in named) or _comes_for_another_reason(turn, person):
        return ""
    is_dealer_here = staff == turn.state.procedures.people.dealer and len(person.roles) > 1
    return "dealer on duty" if is_dealer_here else "wrong role"


def _comes_for_another_reason(turn: Turn, person: Person) -> bool:
    """A dealer who relieves another, who answers for the pit, or somebody whom an alert has called (semantics §5)."""
    relieves = Role.DEALER in person.roles and turn.state.procedures.people.dealer != person.staff
    is_called = any(
        person.staff in alert.asked or person.staff == alert.taken_by for alert in turn.state.alerts.standing.values()
    )
    return relieves or is_called or Role.PIT_MANAGER in person.roles


def _was_tapping(turn: Turn, reader: str) -> bool:
    """The hold that ends now was so short that it was taps in a row."""
    since_ns = turn.state.presence.held_from_ns.get(reader)
    return since_ns is not None and turn.now_ns - since_ns < SHORT_HOLD_S * NS_PER_S


def _let_go(turn: Turn, reader: str, staff: str, *, is_lapse: bool) -> None:
    """A held badge is held no more: what rested on it lapses, or runs on as after a tap."""
    presence = turn.state.presence
    put(
        turn,
        held={name: who for name, who in presence.held.items() if name != reader},
        held_from_ns={name: at for name, at in presence.held_from_ns.items() if name != reader},
    )
    for operation, kept in turn.state.presence.kept.items():
        if kept.until_ns is not None or (kept.staff, kept.reader) != (staff, reader):
            continue
        if is_lapse:
            attendance.lapse(turn, operation)
        else:
            attendance.show(turn, operation, Sighting(staff, reader, turn.now_ns), "extended", is_held=False)


def _renew(turn: Turn, operation: Operation, sighting: Sighting, *, is_held: bool) -> None:
    kept = turn.state.presence.kept[operation]
    is_same = kept.staff == sighting.staff
    if kept.until_ns is None and is_same and not is_held:
        return  # held already: a tap beside it takes nothing away
    change = "resumed" if kept.is_lapsed else "extended" if is_same else "handed over"
    attendance.show(turn, operation, sighting, change, is_held=is_held)


def _most_urgent(turn: Turn, kept: list[Operation]) -> list[Operation]:
    """Of several operations the one that waits longest, or ends first."""

    def until_ns(operation: Operation) -> int:
        until = turn.state.presence.kept[operation].until_ns
        return turn.now_ns + (1 << 62) if until is None else until

    return sorted(kept, key=until_ns)[:1]
