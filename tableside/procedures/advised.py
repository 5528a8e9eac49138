"""Advice and decisions: what happened, the rule, its ruling, the next step, who decides; and what was decided.

The product never decides for a person. A decision stands under the badge of who took it, at the table: the floor
supervisor's after a tap there, the dealer's while on duty. It may go against the advice, and is marked so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.clock import NS_PER_S
from tableside import sightings
from tableside.advice_requests import DecideAdvice
from tableside.happenings import PresenceMissed, RoundEnded
from tableside.house import Role
from tableside.presence import Operation
from tableside.procedures.advice_slice import AdviceState, OpenAdvice, decided, lapse, of
from tableside.refusals import refusal
from tableside.tables import Procedure, Refusal, Row, Turn

if TYPE_CHECKING:
    from tableside.state import TableState

RULE = "DECK-8"
# Who may take a decision that is somebody's: the role itself, and who stands above it.
DECIDERS = {
    Role.DEALER: (Role.DEALER, Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT),
    Role.FLOOR_SUPERVISOR: (Role.FLOOR_SUPERVISOR, Role.ROOM_MANAGEMENT),
}
ABOVE = (Role.ROOM_MANAGEMENT,)


def _number(what: DecideAdvice) -> str:
    return str(what.number)


def _is_open(turn: Turn, what: DecideAdvice) -> Refusal | None:
    """Known, and not decided yet."""
    advised = of(turn)
    if _number(what) in advised.open:
        return None
    listed = ", ".join(f"{one.number} ({one.rule}, {one.decides})" for one in advised.open.values()) or "none"
    for taken in advised.decided:
        if taken.number == what.number:
            who = f", by {taken.by}" if taken.by else ""
            return refusal("ADVICE-OVER", advice=what.number, decision=f"{taken.decision}{who}", listed=listed)
    return refusal("ADVICE-NOT-OPEN", advice=what.number, listed=listed)


def _says_something(turn: Turn, what: DecideAdvice) -> Refusal | None:
    if what.decision.strip():
        return None
    return refusal("ADVICE-NO-DECISION", rule=_meant(turn, what).rule)


def _may_decide(turn: Turn, what: DecideAdvice) -> Refusal | None:
    """The role that the advice names, or one above it; of the dealer it is who is on duty."""
    advice = _meant(turn, what)
    roles = DECIDERS.get(advice.decides, (advice.decides, *ABOVE))
    why = sightings.objection(turn, turn.by)
    here = sightings.roles_here(turn, turn.by)
    is_off_duty = here == {Role.DEALER} and turn.by != turn.state.procedures.people.dealer
    if not why and not is_off_duty and any(role in here for role in roles):
        return None
    who = f"{turn.by} ({why})" if why and turn.by else turn.by or "nobody"
    return refusal("ADVICE-NOT-YOURS", rule=advice.rule, who=who, role=advice.decides)


def _is_at_the_table(turn: Turn, what: DecideAdvice) -> Refusal | None:
    """A badge at the table; the dealer's was shown when the duty began."""
    advice = _meant(turn, what)
    seen = turn.state.presence.recent.get(turn.by)
    is_fresh = seen is not None and turn.now_ns - seen.at_ns <= turn.state.house.presence_s * NS_PER_S
    is_on_duty = turn.by == turn.state.procedures.people.dealer
    by_pin = any(sighting.staff == turn.by for role in Role for sighting in sightings.by_pin(turn, what, role))
    if is_on_duty or is_fresh or by_pin or turn.by in turn.state.presence.held.values():
        return None
    return refusal("ADVICE-NOT-SEEN", rule=advice.rule, tells=PresenceMissed(operation=Operation.RULING), staff=turn.by)


def _meant(turn: Turn, what: DecideAdvice) -> OpenAdvice:
    return of(turn).open[_number(what)]


def _decide(turn: Turn, what: DecideAdvice) -> None:
    decided(turn, _meant(turn, what), what.decision.strip(), is_against=what.is_against)


def _round_over(turn: Turn, _what: RoundEnded) -> None:
    """What was the dealer's to do in that round is over with it; a ruling that was asked stays asked."""
    for advice in tuple(of(turn).open.values()):
        if advice.decides is Role.DEALER:
            lapse(turn, advice, "its round is over")


def read(state: TableState, _what: object) -> AdviceState:
    """Derived from the open advice."""
    return state.procedures.advised.state


S = AdviceState
PROCEDURE = Procedure(
    name="advice",
    rule=RULE,
    states=AdviceState,
    read=read,
    write=lambda _turn, _what, _target: None,
    rows=(
        *(
            Row(
                state,
                DecideAdvice,
                None,
                _decide,
                guards=(_is_open, _says_something, _may_decide, _is_at_the_table),
                said="recorded",
            )
            for state in S
        ),
        *(
            Row(state, RoundEnded, None, _round_over, said="what was the dealer's lapses", watches=True)
            for state in (S.DEALER, S.RULING)
        ),
    ),
    next_step={
        S.NONE: "no decision is waited for",
        S.DEALER: "dealer: follow the advice, or enter another decision",
        S.RULING: "floor supervisor: come, tap the badge, decide",
    },
)
