"""`docs/procedures.md`: every table of transitions as a diagram and as rows, so that people read what the code runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType

from tableside import procedures
from tableside.decisions import Decision
from tableside.requests import Request
from tableside.tables import Procedure, Row

INTRODUCTION = """\
# The procedures

Made by `make docs` from the tables in `tableside/procedures/`: change those, not this page.

A procedure is a table: in this state, this input leads there, under this rule. All stand side by side and tell each
other what has happened; none calls another. How to read the rows:

- *input*: **asked** is a request of a person; it is accepted or refused, once. **told** is a fact of a device, a timer
  or the daemon; it is never refused. **heard** is what another table, or the account, told within the same turn.
- *when*: picks among the rows of one state and input: the first whose condition holds; a row without one is the last.
- *refused unless*: what a request needs beside that, in this order; the first that lacks is the refusal, with its rule
  and what to do next.
- *leads to*: the next state; – where it stays; *then* where it may go on to by itself in the same turn. The diagrams
  leave out the rows that stay.
- *said*: the text of the answer, and the label in the diagram.

A request in a state that has no row for it is refused, and *what next* of that state is its answer. A fact that no
table expects is an incident, unless it is a level that is only noted (`tableside/unexpected.py`).
"""

# How conditions begin that are made for a role, an operation or a scope.
MADE_FOR = {"acts_as": "asked by", "needs": "present for", "needs_two": "two present for", "free": "nothing locks"}


def page() -> str:
    """The whole page."""
    contents = "\n".join(f"- [{one.name}](#{one.name.replace(' ', '-')})" for one in procedures.PROCEDURES)
    return "\n".join((INTRODUCTION, f"{contents}\n", *(_chapter(one) for one in procedures.PROCEDURES)))


def _chapter(procedure: Procedure) -> str:
    module = _module_of(procedure)
    source = module.__name__.replace(".", "/") + ".py"
    purpose = f"{_first_line(module)} {_first_line(procedure.states)}"
    head = f"## {procedure.name}\n\n{purpose} Written in [{source}](../{source})."
    return "\n\n".join((head, _diagram(procedure), _states(procedure), _rows(procedure))) + "\n"


def _module_of(procedure: Procedure) -> ModuleType:
    return next(
        module
        for module in vars(procedures).values()
        if inspect.ismodule(module) and any(value is procedure for value in vars(module).values())
    )


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


# --- diagram ------------------------------------------------------------------------------------------------


def _diagram(procedure: Procedure) -> str:
    """Mermaid; several rows between the same two states share an arrow."""
    arrows: dict[tuple[Enum, Enum], list[str]] = {}
    for row in procedure.rows:
        for way in _ways(row):
            labels = arrows.setdefault(way, [])
            if row.said not in labels:
                labels.append(row.said)
    if not arrows:
        return "Its state is read off what stands elsewhere (locks, jams, alerts, devices): it has no arrows."
    names = [f'    state "{state.value}" as {_id(state)}' for state in procedure.states]
    lines = [f"    {_id(a)} --> {_id(b)}: {_label(labels)}" for (a, b), labels in arrows.items()]
    return "\n".join(("```mermaid", "stateDiagram-v2", *names, *lines, "```"))


def _ways(row: Row) -> list[tuple[Enum, Enum]]:
    here = row.to or row.state
    ways = [(row.state, here), *((here, target) for target in row.onward)]
    return [(source, target) for source, target in ways if source is not target]


def _id(state: Enum) -> str:
    return re.sub(r"\W+", "_", str(state.value))


def _label(texts: list[str]) -> str:
    """Colons and semicolons are Mermaid's own."""
    return " / ".join(texts).replace(":", ",").replace(";", ",")


# --- tables -------------------------------------------------------------------------------------------------


def _states(procedure: Procedure) -> str:
    lines = [f"| {state.value} | {procedure.next_step[state]} |" for state in procedure.states]
    return "\n".join(("| state | what next |", "|---|---|", *lines))


def _rows(procedure: Procedure) -> str:
    ordered = [row for state in procedure.states for row in procedure.rows if row.state is state]
    head = (
        "| in state | input | when | refused unless | leads to | rule | said |",
        "|---|---|---|---|---|---|---|",
    )
    return "\n".join((*head, *(_row(procedure, row) for row in ordered)))


def _row(procedure: Procedure, row: Row) -> str:
    target = "–" if row.to is None or row.to is row.state else str(row.to.value)
    if row.onward:
        target += f", then {' or '.join(str(state.value) for state in row.onward)}"
    when = _words(row.when) if row.when is not None else ""
    guards = "; ".join(_words(guard) for guard in row.guards)
    cells = (str(row.state.value), _input(row.on), when, guards, target, row.rule or procedure.rule, row.said)
    return f"| {' | '.join(cells)} |"


def _input(kind: type) -> str:
    if issubclass(kind, Request):
        return f"asked `{kind.__name__}`"
    return f"{'heard' if issubclass(kind, Decision) else 'told'} `{kind.__name__}`"


def _words(condition: Callable[..., object]) -> str:
    """A condition's name as words; of one that was made for a role, an operation or a scope, with that."""
    name, _, is_made = condition.__qualname__.partition(".<locals>")
    words = MADE_FOR.get(name, name.removeprefix("_").replace("_", " "))
    return f"{words} {' or '.join(_made_for(condition))}".rstrip() if is_made else words


def _made_for(condition: Callable[..., object]) -> Iterator[str]:
    for value in inspect.getclosurevars(condition).nonlocals.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Enum):
                yield str(part.value)
