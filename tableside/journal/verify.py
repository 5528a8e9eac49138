"""Verifying a journal without the daemon: the file, its schema, every row's hash, the anchor, the clocks."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from firmware_bridge.clock import NS_PER_S
from tableside.journal.chain import MOST_FINDINGS, Finding, FindingKind, Walker
from tableside.journal.reader import JournalReader
from tableside.journal.record import EMPTY, Genesis, Record, Tail
from tableside.journal.schema import EXPECTED_SCHEMA, schema_statements
from tableside.journal.store import JournalUnavailable

# Time servers slew below this between two rows; a jump of the wall clock against the monotonic one is a step.
CLOCK_STEP_S = 0.5


@dataclass(frozen=True, slots=True)
class ClockStep:
    """The wall clock was set between the row before and this one: by so many seconds, backwards if negative."""

    seq: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """What a verification saw. `unlisted` findings came beyond the `MOST_FINDINGS` that are listed."""

    path: Path
    genesis: Genesis | None
    rows: int
    reserve_rows: int
    tail: Tail
    findings: tuple[Finding, ...]
    unlisted: int
    clock_steps: tuple[ClockStep, ...]
    clock_step_count: int

    @property
    def is_sound(self) -> bool:
        """True where nothing is wrong."""
        return not self.findings


def verify_journal(path: Path, *, reserve: Path | None = None, table: str | None = None) -> Report:
    """Check everything that can be checked in a file. Raises `JournalRefused` where it is no journal at all."""
    with JournalReader(path, reserve) as reader:
        walker = Walker(table=table, anchor=reader.anchor)
        clocks = ClockWatch()
        _check_file(reader.connection, walker)
        if reader.is_reserve_foreign:
            walker.report(FindingKind.REPLACED, 0, "the rows on the reserve do not continue this journal")
        genesis: Genesis | None = None
        try:
            for record in reader.rows.records():
                if walker.tail == EMPTY:
                    genesis = _genesis_of(record)
                if walker.step(record):
                    clocks.step(record)
        except JournalUnavailable as error:
            walker.report(FindingKind.FILE, walker.tail.seq, f"after row {walker.tail.seq}: {error}")
        findings = tuple(walker.end())
        return Report(
            path=path,
            genesis=genesis,
            rows=walker.rows,
            reserve_rows=len(reader.standing),
            tail=walker.tail,
            findings=findings,
            unlisted=walker.unlisted,
            clock_steps=tuple(clocks.steps),
            clock_step_count=clocks.count,
        )


@dataclass(slots=True)
class ClockWatch:
    """Finds steps of the wall clock in rows that come in order; the first `MOST_FINDINGS` are listed (BR-052)."""

    steps: list[ClockStep] = field(default_factory=list)
    count: int = 0
    _boot: str | None = None
    _offset_ns: int = 0

    def step(self, record: Record) -> None:
        """Take the next row."""
        offset_ns = record.wall_ns - record.at_ns
        seconds = (offset_ns - self._offset_ns) / NS_PER_S
        if record.boot == self._boot and abs(seconds) >= CLOCK_STEP_S:
            self.count += 1
            if len(self.steps) < MOST_FINDINGS:
                self.steps.append(ClockStep(record.seq, seconds))
        self._boot, self._offset_ns = record.boot, offset_ns


def _check_file(connection: sqlite3.Connection, walker: Walker) -> None:
    try:
        answers = [str(answer) for (answer,) in connection.execute("PRAGMA integrity_check")]
        found = schema_statements(connection)
    except sqlite3.Error as error:
        answers, found = [str(error)], EXPECTED_SCHEMA
    for answer in answers:
        if answer != "ok":
            walker.report(FindingKind.FILE, 0, f"SQLite: {answer}")
    for statement in sorted(EXPECTED_SCHEMA ^ found):
        verb = "lacks" if statement in EXPECTED_SCHEMA else "has, beyond what it was made with,"
        walker.report(FindingKind.SCHEMA, 0, f"the file {verb} {' '.join(statement.split()[:5])} …")


def _genesis_of(record: Record) -> Genesis | None:
    try:
        return Genesis.of(record)
    except ValueError:
        return None  # the chain says what is wrong with the first row
