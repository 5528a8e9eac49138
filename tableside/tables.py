"""Tables of transitions: what a procedure is, and how an input finds its row (after h11's one table a machine).

A procedure is data: its states, its rows, what to do next in each state. A row says in which state which input
leads where, under which rule. The documents' diagrams and the exhaustive tests are made from these tables; code
stands only in the small functions that rows name.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from tableside.decisions import Decision, ProcedureMoved, RequestAnswered
from tableside.inputs import Input
from tableside.refusals import Refusal, refusal
from tableside.requests import Request

if TYPE_CHECKING:
    from tableside.state import TableState

__all__ = [
    "GO_ON",
    "Act",
    "Condition",
    "Guard",
    "Procedure",
    "Refusal",
    "Row",
    "Turn",
    "answer_refused",
    "nothing",
]


class Turn:
    """One input on its way through the tables: the state as it becomes, and what was decided so far.

    Mutable only within `reduce`; the states themselves are frozen and replaced.
    """

    __slots__ = ("decisions", "given", "happenings", "state")

    def __init__(self, state: TableState, given: Input) -> None:
        self.state = state
        self.given = given
        self.decisions: list[Decision] = []
        self.happenings: deque[Decision] = deque()

    @property
    def now_ns(self) -> int:
        """The input's monotonic time in ns."""
        return self.given.at_ns

    @property
    def by(self) -> str:
        """Staff id of who asked, empty where the input is a fact."""
        what = self.given.what
        return what.by if isinstance(what, Request) else ""

    def decide(self, decision: Decision) -> None:
        """Add a row."""
        self.decisions.append(decision)

    def happened(self, happening: Decision) -> None:
        """Add a row that the other tables are told of, in order, within this turn: a happening, or a permit given."""
        self.decisions.append(happening)
        self.happenings.append(happening)


Act = Callable[[Turn, Any], None]
Guard = Callable[[Turn, Any], Refusal | None]
Condition = Callable[[Turn, Any], bool]
# What comes next where a request settles its own matter and others may still stand.
GO_ON = "go on where no lock and no alert stands"


def nothing(_turn: Turn, _what: object) -> None:
    """The act of a row that only moves."""


@dataclass(frozen=True, slots=True)
class Row:
    """In `state`, `on` leads to `to` (None: stays), doing `act`.

    `when` picks among several rows of one (state, on): the first that holds. `guards` are for requests: the first
    refusal is the answer. `said` is the accepted answer's text, and the arrow's label in the diagram. A row that only
    `watches` does not make a fact expected: where no other row takes it, it is an incident all the same. `onward` is
    where the act may go on to from there by itself, in the same turn (tested: no procedure moves along another way).
    `then` is what to do after the accepted request, where the state that it leaves cannot know what was just done.
    """

    state: Enum
    on: type
    to: Enum | None = None
    act: Act = nothing
    when: Condition | None = None
    guards: tuple[Guard, ...] = ()
    rule: str = ""
    said: str = ""
    watches: bool = False
    onward: tuple[Enum, ...] = ()
    then: str = ""


@dataclass(frozen=True, slots=True)
class Procedure:
    """A table of transitions with the place of its state in the table's state.

    `read` and `write` get the input too, since some procedures stand once for each place or device. `next_step`
    says for each state what a person can do next; it is shown with a refusal. `rule` is cited where no row is.
    """

    name: str
    rule: str
    states: type[Enum]
    read: Callable[[TableState, Any], Enum]
    write: Callable[[Turn, Any, Enum], None]
    rows: tuple[Row, ...]
    next_step: Mapping[Enum, str]
    index: dict[tuple[Enum, type], tuple[Row, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        index: dict[tuple[Enum, type], tuple[Row, ...]] = {}
        for row in self.rows:
            index[row.state, row.on] = (*index.get((row.state, row.on), ()), row)
        object.__setattr__(self, "index", index)

    @property
    def listens_to(self) -> frozenset[type]:
        """Every input type that some row takes."""
        return frozenset(row.on for row in self.rows)

    def row(self, turn: Turn, what: object) -> Row | None:
        """The row for this input now, or None."""
        for row in self.index.get((self.read(turn.state, what), type(what)), ()):
            if row.when is None or row.when(turn, what):
                return row
        return None

    def move(self, turn: Turn, what: object, target: Enum, rule: str) -> None:
        """Go to `target`; a row of the journal says so unless it is where we are."""
        source = self.read(turn.state, what)
        if target is not source:
            self.write(turn, what, target)
            turn.decide(
                ProcedureMoved(
                    procedure=self.name, source=str(source.value), target=str(target.value), rule=rule, by=turn.by
                )
            )

    def take(self, turn: Turn, what: object) -> bool:
        """Offer a fact or happening. Returns whether a row expected it."""
        row = self.row(turn, what)
        if row is None:
            return False
        if row.to is not None:
            self.move(turn, what, row.to, row.rule or self.rule)
        row.act(turn, what)
        return not row.watches

    def ask(self, turn: Turn, request: Request) -> None:
        """Accept or refuse a request, once."""
        row = self.row(turn, request)
        if row is None:
            state = self.read(turn.state, request)
            said = {"procedure": self.name, "state": state.value, "next": self.next_step[state]}
            answer_refused(turn, request, refusal("NOT-NOW", rule=self.rule, **said))
            return
        for guard in row.guards:
            objection = guard(turn, request)
            if objection is not None:
                answer_refused(turn, request, objection)
                return
        place = len(turn.decisions)
        if row.to is not None:
            self.move(turn, request, row.to, row.rule or self.rule)
        row.act(turn, request)
        # The answer stands before what follows from it, and says what to do next as things stand then.
        answer = RequestAnswered(
            request=request.id,
            is_accepted=True,
            rule=row.rule or self.rule,
            text=row.said,
            next_step=row.then or self.next_step[self.read(turn.state, request)],
        )
        turn.decisions.insert(place, answer)


def answer_refused(turn: Turn, request: Request, said: Refusal) -> None:
    """The one answer: no, why, what next."""
    if said.tells is not None:
        turn.happened(said.tells)
    turn.decide(
        RequestAnswered(
            request=request.id,
            is_accepted=False,
            rule=said.rule,
            text=said.text,
            next_step=said.next_step,
            code=said.code,
            fields=dict(said.fields),
        )
    )
