"""The lines that the control socket sends. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from tableside.answering import answered_lines
from tableside.control.message import Mistaken
from tableside.decisions import RequestAnswered


class Word(StrEnum):
    """What became of a message."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    MISTAKEN = "mistaken"  # not understood: nothing was done
    UNKNOWN = "unknown"  # no answer in time: asking again with the same id tells, and does nothing twice
    TOLD = "told"  # a read


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The one answer to a message. `what` is what a read tells; `tables` the answers of a section's tables.

    `text` and `next_step` are English; `lines` says both by language, `code` names a refusal for `diag explain`.
    """

    id: str
    answer: Word
    table: str = ""
    rule: str = ""
    text: str = ""
    next_step: str = ""
    code: str = ""
    lines: Mapping[str, tuple[str, str]] = {}
    mistakes: tuple[str, ...] = ()
    what: object = None
    tables: tuple[Answer, ...] = ()


class StreamLine(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a subscription; `id` is that of the subscribing message."""

    id: str
    entry: object


class EndLine(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a history are told up to this one; no more lines come for `id`."""

    id: str
    end: int


class TraceLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a cable, or how many were missed because their listener was too slow."""

    id: str
    trace: object = None
    missed: int = 0


class ProofLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a machine is with the digests of its firmware; at the end the proof, as the journal has it."""

    id: str
    progress: str = ""
    proof: object = None


def line_of(said: Answer | StreamLine | EndLine | TraceLine | ProofLine) -> bytes:
    """One line with its end."""
    return msgspec.json.encode(said) + b"\n"


def of_request(table: str, answered: RequestAnswered) -> Answer:
    """What the table said."""
    return Answer(
        id=answered.request,
        answer=Word.ACCEPTED if answered.is_accepted else Word.REFUSED,
        table=table,
        rule=answered.rule,
        text=answered.text,
        next_step=answered.next_step,
        code=answered.code,
        lines=answered_lines(answered),
    )


def refused(name: str, table: str, text: str, next_step: str, rule: str = "") -> Answer:
    """A refusal that the desk itself gives."""
    return Answer(id=name, answer=Word.REFUSED, table=table, rule=rule, text=text, next_step=next_step)


def mistaken(mistake: Mistaken) -> Answer:
    """Everything that was wrong with a line."""
    return Answer(
        id=mistake.id,
        answer=Word.MISTAKEN,
        text="the message was not understood, nothing was done",
        next_step="mend it and send it again; the same id may be used",
        mistakes=mistake.mistakes,
    )


def told(name: str, what: object, table: str = "") -> Answer:
    """The answer to a read."""
    return Answer(id=name, answer=Word.TOLD, table=table, what=what)
