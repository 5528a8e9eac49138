"""`tableside diag replay RECORDING --against JOURNAL`: what today's driver makes otherwise. Slow to import."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tableside.cli.failing import Failed
from tableside.cli.plain import say, say_json
from tableside.cli.reading import reading
from tableside.diagnosis.replayed import Difference, ReplayTold, differences
from tableside.diagnosis.retelling import retell
from tableside.exit_codes import ExitCode
from tableside.journal.reader import JournalReader
from tableside.journal.record import RecordKind
from tableside.journal.store import JournalRefused, JournalUnavailable
from tableside.rows import what_of


def compare(recording: Path, journal: Path, *, as_json: bool) -> int:
    """Print what differs; 1 where anything does."""
    with reading(recording) as opened:
        told = [fact for _, fact in retell(opened).facts]
        answer = differences(opened.head.device, told, _rows(journal))
    if as_json:
        say_json(msgspec.to_builtins(answer))
    else:
        for line in _lines(answer):
            say(line)
    return ExitCode.FOUND if answer.differences else ExitCode.DONE


def _rows(journal: Path) -> Iterator[object]:
    try:
        with JournalReader(journal) as reader:
            for record in reader.rows.records(0, {RecordKind.INPUT}):
                try:
                    yield what_of(record)
                except msgspec.MsgspecError:
                    continue  # of another version: its notice is told as missing
    except (JournalRefused, JournalUnavailable) as refused:
        code = ExitCode.DATA if journal.exists() else ExitCode.NO_INPUT
        raise Failed(code, str(refused)) from refused


def _lines(answer: ReplayTold) -> Iterator[str]:
    yield f"{answer.device}: {answer.notices} notices, {answer.same} as the journal has them"
    for one in answer.differences:
        yield f"boot {one.boot}, number {one.number}: {one.what}"
        yield from _values(one)


def _values(one: Difference) -> Iterator[str]:
    if one.then:
        yield f"  then: {_words(one.then)}"
    yield f"  now: {_words(one.now)}"


def _words(fact: dict[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in fact.items() if name not in ("device", "boot", "number"))
