"""State from the journal: inputs are fed to `reduce` again; decisions stay as they were taken (semantics §1.4).

Nothing is sent, published or escalated here. Where today's `reduce` decides otherwise than the journal says, that
is listed, never acted on: state follows the inputs, commands follow the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tableside.house import House
from tableside.inputs import DaemonStarted, Input
from tableside.journal.record import Record, RecordKind
from tableside.journal.store import Journal
from tableside.rows import draft_decision, input_of
from tableside.state import TableState, decode_state, reduce


@dataclass(frozen=True, slots=True)
class Deviation:
    """A turn that today's code decides otherwise: its input's row, what the journal holds, what we decide now."""

    seq: int
    journalled: tuple[bytes, ...]
    decided: tuple[bytes, ...]


def state_of(journal: Journal, house: House) -> TableState:
    """The state after the journal's last row, from its last checkpoint on. `house` serves an empty journal."""
    checkpoint = journal.last_checkpoint()
    state = TableState(house=house) if checkpoint is None else decode_state(checkpoint.body)
    after = 0 if checkpoint is None else checkpoint.seq
    for record in journal.records(after, {RecordKind.INPUT}):
        state, _ = reduce(state, input_of(record))
    return state


def deviations(records: Iterable[Record], start: TableState | None = None) -> Iterator[Deviation]:
    """Replay from the first row (or from `start`) and list every turn that decides otherwise today."""
    state = start
    for seq, given, journalled in turns(records):
        if state is None:
            state = TableState(house=_first_house(given))
        state, decisions = reduce(state, given)
        decided = tuple(draft_decision(given, decision).body for decision in decisions)
        if decided != journalled:
            yield Deviation(seq, journalled, decided)


def turns(records: Iterable[Record]) -> Iterator[tuple[int, Input, tuple[bytes, ...]]]:
    """The journal turn by turn: the input's row number, the input, the bodies of what it decided."""
    seq = 0
    given: Input | None = None
    bodies: list[bytes] = []
    for record in records:
        if record.kind is RecordKind.INPUT:
            if given is not None:
                yield seq, given, tuple(bodies)
            seq, given, bodies = record.seq, input_of(record), []
        elif record.kind is RecordKind.DECISION:
            bodies.append(record.body)
    if given is not None:
        yield seq, given, tuple(bodies)


def _first_house(given: Input) -> House:
    if not isinstance(given.what, DaemonStarted):
        raise ValueError("the first input of a journal is the daemon's start; this one begins elsewhere")
    return given.what.house
