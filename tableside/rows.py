"""Between the table's structs and the journal's rows: drafts of a turn, and structs back from stored bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce as fold
from operator import or_

import msgspec

from tableside.decisions import Decision, Order, Stopping
from tableside.happenings import Happening
from tableside.inputs import AnyInput, Input, decode_body, encode_body
from tableside.journal.record import Draft, Record, RecordKind
from tableside.requests import Request
from tableside.state import TableState, encode_state

CHECKPOINT_TYPE = "TableState"
# Bases that are never a row themselves.
_BASES = (Decision, Order, Stopping, Happening)


def _leaves(kind: type[Decision]) -> Iterator[type[Decision]]:
    for child in kind.__subclasses__():
        if child not in _BASES:
            yield child
        yield from _leaves(child)


DECISIONS: tuple[type[Decision], ...] = tuple(_leaves(Decision))
_decoder: msgspec.json.Decoder[Decision] = msgspec.json.Decoder(fold(or_, DECISIONS))


def draft_input(given: Input) -> Draft:
    """The row of an input."""
    request = given.what.id if isinstance(given.what, Request) else None
    return _draft(RecordKind.INPUT, given, given.what, request)


def draft_decision(given: Input, decision: Decision) -> Draft:
    """The row of a decision, at the instant of the input that caused it."""
    return _draft(RecordKind.DECISION, given, decision, None)


def draft_checkpoint(given: Input, state: TableState, version: str) -> Draft:
    """The whole state as canonical bytes, with the version of the code (semantics §1.4)."""
    body = encode_state(state)
    return Draft(
        RecordKind.CHECKPOINT, f"{CHECKPOINT_TYPE} {version}", body, given.at_ns, given.wall_ns, given.quality, None
    )


def input_of(record: Record) -> Input:
    """The input that a row holds. Raises `msgspec.ValidationError`."""
    return Input(record.at_ns, record.wall_ns, record.quality, decode_body(record.body))


def decode_decision(body: bytes) -> Decision:
    """The decision back from its stored bytes. Raises `msgspec.ValidationError`."""
    return _decoder.decode(body)


def decision_of(record: Record) -> Decision:
    """The decision that a row holds. Raises `msgspec.ValidationError`."""
    return decode_decision(record.body)


def what_of(record: Record) -> AnyInput | Decision:
    """Input or decision of a row."""
    return decode_body(record.body) if record.kind is RecordKind.INPUT else decision_of(record)


def drafts_of_turn(given: Input, decisions: Sequence[Decision]) -> list[Draft]:
    """The rows of one input and what it decided, in order."""
    return [draft_input(given), *(draft_decision(given, decision) for decision in decisions)]


def _draft(kind: RecordKind, given: Input, what: msgspec.Struct, request: str | None) -> Draft:
    return Draft(kind, type(what).__name__, encode_body(what), given.at_ns, given.wall_ns, given.quality, request)
