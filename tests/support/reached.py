"""What six inputs reach: a breadth-first search over all tables of transitions together (semantics §3).

The product of 25 tables, their locks and their commands is beyond any search, so what is kept is said exactly. A
state's *marks* are the state of each table (jams: at two places), each lock by its name, each open command, who is
present, which device is away. A state is gone on from where it shows two marks together that no state before has
shown together; from each such state every sampled input is offered, up to six inputs deep, from every situation. So
the search is exhaustive over pairs of marks along the ways first found, and not over all marks at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from drivers.events import CardJammed, Place
from tableside.decisions import Decision
from tableside.inputs import AnyInput, DeadlinePassed, Input
from tableside.procedures import PROCEDURES
from tableside.state import TableState, reduce
from tests.support.samples import facts_of, requests_of
from tests.support.situations import SITUATIONS
from tests.support.table import WALL_START_NS, Table

DEPTH = 6
STEP_NS = 10**8
# A procedure that stands once for each place is read at these.
PLACES = tuple(CardJammed(device="shuffler", boot=1, number=1, place=place) for place in (Place.CAROUSEL, Place.EXIT))
READ_AT: dict[str, tuple[CardJammed, ...]] = {"jam": PLACES}
# Parts of the state that marks are made of: an input that changes none of them shows nothing new.
MARKED = ("procedures", "locks", "commands", "devices", "presence")
# Without a name nothing is asked that the same person with a name may not ask too; half the offers are saved.
ASKED = tuple(request for request in requests_of() if request.by)

Mark = str
Visit = Callable[[TableState, Input, TableState, tuple[Decision, ...]], None]


@dataclass
class Reached:
    """What a search met."""

    kept: list[tuple[TableState, int]] = field(default_factory=list)
    offered: int = 0
    marks: set[Mark] = field(default_factory=set)
    pairs: set[tuple[Mark, Mark]] = field(default_factory=set)

    def is_new(self, state: TableState) -> bool:
        """Whether it shows two marks that were not seen together; takes note of them."""
        marks = sorted(marks_of(state))
        pairs = set(combinations(marks, 2))
        if pairs <= self.pairs:
            return False
        self.marks.update(marks)
        self.pairs |= pairs
        return True


def state_mark(procedure: str, state: str) -> Mark:
    """How a table's state is named among the marks."""
    return f"{procedure} is {state}"


def marks_of(state: TableState) -> set[Mark]:
    """What is told apart of a state; numbers in names do not count."""
    marks = {
        state_mark(procedure.name, procedure.read(state, where).name) + (f" at {where.place}" if where else "")
        for procedure in PROCEDURES
        for where in READ_AT.get(procedure.name, (None,))
    }
    marks |= {"lock " + re.sub(r"\d+", "n", key) for key in state.locks.standing}
    marks |= {f"{command.verb} {command.stage}" for command in state.commands.open.values()}
    marks |= {f"{name} away" for name, device in state.devices.known.items() if not device.is_connected}
    marks |= {f"present for {operation}" for operation in state.presence.kept}
    if state.procedures.lid.answered is not None:
        marks.add("lid answered for")
    return marks


def search(visit: Visit, situations: tuple[Callable[[], Table], ...] = SITUATIONS) -> Reached:
    """From each situation in turn; `visit` sees every step that changes something."""
    reached = Reached()
    for situation in situations:
        table = situation()
        level = [(table.state, table.now_ns)]
        reached.is_new(table.state)
        reached.kept += level
        for _ in range(DEPTH):
            level = [step for state, now_ns in level for step in _steps(reached, visit, table, state, now_ns)]
            reached.kept += level
    return reached


def _steps(
    reached: Reached, visit: Visit, table: Table, state: TableState, now_ns: int
) -> Iterator[tuple[TableState, int]]:
    for given in _offers(table, state, now_ns):
        after, decided = reduce(state, given)
        reached.offered += 1
        if all(getattr(after, part) is getattr(state, part) for part in MARKED):
            continue
        visit(state, given, after, decided)
        if reached.is_new(after):
            yield after, given.at_ns


def _offers(table: Table, state: TableState, now_ns: int) -> Iterator[Input]:
    table.state = state
    what: AnyInput
    for what in (*facts_of(table), *ASKED):
        at_ns = now_ns + STEP_NS
        if isinstance(what, DeadlinePassed):
            at_ns = max(at_ns, state.timers.due[what.name])
        yield Input(at_ns, WALL_START_NS + at_ns, "simulated", what)
