"""Advice that waits for a decision, how it is given, and how it ends; the table of transitions is in `advised`."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from tableside import alerts
from tableside.advice_happenings import AdviceLapsed, Advised, Decided
from tableside.games.advice import Advice
from tableside.house import Role
from tableside.tables import Turn

ASKED = "RULING-ASKED"
# More open advice than anybody reads is a sensor without end: the oldest lapses, and the journal says so.
MOST_OPEN = 50
# So many decisions are kept to answer who decides once more; the journal has them all.
DECIDED_KEPT = 20


class OpenAdvice(msgspec.Struct, frozen=True):
    """One that is not decided. `round` is the one in which it was given, `since_wall_ns` in UTC."""

    number: int
    rule: str
    happened: str
    ruling: str
    next_step: str
    decides: Role
    place: str
    round: int
    since_wall_ns: int


class TakenDecision(msgspec.Struct, frozen=True):
    """What became of an advice, in words, and by whom; by nobody where it lapsed."""

    number: int
    decision: str
    by: str


class AdviceState(StrEnum):
    """Derived: whose decision is waited for; the supervisor's before the dealer's."""

    NONE = "none open"
    DEALER = "the dealer decides"
    RULING = "a ruling is asked"


class AdviceSlice(msgspec.Struct, frozen=True):
    """Open advice by number, how many there were, and what was decided lately."""

    last: int = 0
    open: dict[str, OpenAdvice] = {}
    decided: tuple[TakenDecision, ...] = ()

    @property
    def state(self) -> AdviceState:
        """Whose decision is waited for."""
        if any(advice.decides is not Role.DEALER for advice in self.open.values()):
            return AdviceState.RULING
        return AdviceState.DEALER if self.open else AdviceState.NONE


def of(turn: Turn) -> AdviceSlice:
    return turn.state.procedures.advised


def put(turn: Turn, **changes: object) -> None:
    """Change the slice."""
    procedures = turn.state.procedures
    changed = replace(procedures.advised, **changes)
    turn.state = replace(turn.state, procedures=replace(procedures, advised=changed))


def advise(turn: Turn, advice: Advice, place: str = "") -> int:
    """Record an open advice and call who decides; returns its number.

    The same advice for the same thing, that nobody has decided yet, is not given twice: its number comes back.
    `place` tells two equal things apart, such as two cards of one kind. Where the house lets no dealer decide, what
    is the dealer's is the floor supervisor's.
    """
    slice_ = of(turn)
    for known in slice_.open.values():
        if (known.rule, known.happened, known.place) == (advice.rule, advice.happened, place):
            return known.number
    if len(slice_.open) >= MOST_OPEN:
        lapse(turn, next(iter(slice_.open.values())), f"{MOST_OPEN} are open")
    number = slice_.last + 1
    is_dealers = advice.decides is Role.DEALER and turn.state.house.dealer_decides
    decides = advice.decides if is_dealers or advice.decides is not Role.DEALER else Role.FLOOR_SUPERVISOR
    given = OpenAdvice(
        number,
        advice.rule,
        advice.happened,
        advice.ruling,
        advice.next_step,
        decides,
        place,
        turn.state.procedures.rounds.number,
        turn.given.wall_ns,
    )
    put(turn, last=number, open={**of(turn).open, str(number): given})
    turn.happened(
        Advised(
            number=number,
            rule=given.rule,
            happened=given.happened,
            ruling=given.ruling,
            next_step=given.next_step,
            decides=decides.value,
            place=place,
            round=given.round,
        )
    )
    if decides is not Role.DEALER:
        alerts.raise_alert(turn, ASKED, str(number), n=str(number))
    return number


def decided(turn: Turn, advice: OpenAdvice, decision: str, *, is_against: bool) -> None:
    """A person has decided."""
    _close(turn, advice, f"{decision}{', against the advice' if is_against else ''}", turn.by)
    turn.happened(Decided(number=advice.number, rule=advice.rule, decision=decision, is_against=is_against, by=turn.by))


def lapse(turn: Turn, advice: OpenAdvice, why: str) -> None:
    """Nobody decides on it any more."""
    _close(turn, advice, why, "")
    turn.happened(AdviceLapsed(number=advice.number, rule=advice.rule, why=why))


def _close(turn: Turn, advice: OpenAdvice, why: str, by: str) -> None:
    taken = TakenDecision(advice.number, why, by)
    left = {key: other for key, other in of(turn).open.items() if other.number != advice.number}
    put(turn, open=left, decided=(*of(turn).decided, taken)[-DECIDED_KEPT:])
    alerts.clear_alert(turn, ASKED, str(advice.number), by=by, why=why)
