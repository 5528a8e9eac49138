"""`tableside diag handover`: one page for the next shift."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tableside.cli.errors import fault_lines
from tableside.cli.options import reaching_daemon, recordings
from tableside.cli.plain import say, say_json
from tableside.cli.pm import upkeep_lines

if TYPE_CHECKING:
    from tableside.diagnosis.handover import HandoverTold, Noted, TableHandover

SHIFT_HOURS = 12.0


@click.command("handover")
@recordings
@click.option("--hours", type=click.FloatRange(min=0.1), default=SHIFT_HOURS, show_default=True, help="A shift.")
@click.option("--table", default="", help="Only this table; all of the host's where none is named.")
@reaching_daemon
def handover(files: tuple[Path, ...], hours: float, table: str, socket: str | None, config: str, as_json: bool) -> None:
    """What the next shift must know: what stands, what is open, what was done and exchanged, what is due. One page."""
    import msgspec

    from tableside.cli.sources import Asked, source_of
    from tableside.diagnosis.handover import handover_told

    source = source_of(Asked(files, table, socket, config))
    told = handover_told(source.kind, source.stories, source.until_ns, hours)
    if as_json:
        say_json(msgspec.to_builtins(told))
    else:
        for line in _lines(told):
            say(line)


def _lines(told: HandoverTold) -> Iterator[str]:
    yield f"Handover, {told.since[:16]} to {told.until[:16]} UTC, from the {told.source}"
    for one in told.tables:
        yield ""
        yield from _table(one)


def _table(one: TableHandover) -> Iterator[str]:
    yield f"{one.table}: {f'open since {one.session[:16]}' if one.session else 'closed'}"
    yield f"faults that stand: {len(one.faults)}"
    for fault in one.faults:
        yield from (f"  {line}" for line in fault_lines(fault))
    yield from _noted("alerts that stand", one.alerts)
    yield from _noted("open incidents", one.incidents)
    yield from _noted("open work orders", one.work_orders)
    yield from _noted("done and exchanged", one.done)
    over = ", ".join(f"{device} {times}" for device, times in sorted(one.cleared.items())) or "none"
    yield f"faults of the shift that are over: {over}"
    if one.upkeep:
        yield "due:"
        yield from (f"  {line}" for line in upkeep_lines(one.upkeep))


def _noted(title: str, notes: tuple[Noted, ...]) -> Iterator[str]:
    yield f"{title}: {len(notes) or 'none'}"
    yield from (f"  {note.at[:16]} {note.text}" for note in notes)
