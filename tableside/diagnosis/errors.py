"""The answer of `diag errors`: the last faults of a device, or of all, the newest first. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tableside.diagnosis.faults_told import ToldFault, faults_told
from tableside.journal.export import utc_text
from tableside.reports.story import Told


class FaultLine(msgspec.Struct, frozen=True, kw_only=True):
    """One fault. Times are UTC; `row` is that of its beginning, 0 where it comes from no journal.

    `code`: what `diag explain` takes.
    `times`: how often it came before it was cleared; `gone_at` is the device's word, `cleared_at` the house's.
    """

    table: str
    device: str
    serial: str
    what: str
    code: str
    place: str
    detail: str
    row: int
    began_at: str
    last_at: str
    times: int
    is_latched: bool
    is_cleared: bool
    gone_at: str | None
    cleared_at: str | None
    cleared_by: str
    clear_condition: str


class ErrorsTold(msgspec.Struct, frozen=True, kw_only=True):
    """`source`: daemon, journal, recording or device; `known`: how many there were, of which `faults` are the last."""

    source: str
    device: str
    known: int
    standing: int
    faults: tuple[FaultLine, ...]


def errors(source: str, tables: Iterable[tuple[str, Iterable[Told]]], device: str, last: int) -> ErrorsTold:
    """From the rows of some tables: of one device by its name or serial number, of all where none is named."""
    found = [(table, fault) for table, rows in tables for fault in faults_told(rows) if _is_of(fault, device)]
    found.sort(key=lambda one: one[1].last_ns, reverse=True)
    shown = found[:last]
    return ErrorsTold(
        source=source,
        device=device,
        known=len(found),
        standing=sum(fault.stands for _, fault in found),
        faults=tuple(fault_line(table, fault) for table, fault in shown),
    )


def _is_of(fault: ToldFault, device: str) -> bool:
    return device in ("", fault.device, fault.serial)


def fault_line(table: str, fault: ToldFault) -> FaultLine:
    """A fault as it is printed and published."""
    return FaultLine(
        table=table,
        device=fault.device,
        serial=fault.serial,
        what=fault.what,
        code=fault.code,
        place=fault.place,
        detail=fault.detail,
        row=fault.seq,
        began_at=utc_text(fault.began_ns),
        last_at=utc_text(fault.last_ns),
        times=fault.times,
        is_latched=fault.is_latched,
        is_cleared=not fault.stands,
        gone_at=_time(fault.gone_ns),
        cleared_at=_time(fault.cleared_ns),
        cleared_by=fault.cleared_by,
        clear_condition=fault.clears,
    )


def _time(wall_ns: int | None) -> str | None:
    return None if wall_ns is None else utc_text(wall_ns)
