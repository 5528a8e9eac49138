"""`tableside diag errors`: the last faults of a device, and what clears each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tableside.cli.options import reaching_daemon
from tableside.cli.plain import say, say_json, warn
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from tableside.diagnosis.errors import ErrorsTold, FaultLine

SHOWN = 20


@click.command("errors")
@click.argument("device", default="")
@click.option("--last", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="So many, newest first.")
@click.option(
    "--recording",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A journal, or a recording of a cable; again for each.",
)
@click.option("--table", default="", help="Only this table.")
@reaching_daemon
def errors(
    device: str, last: int, files: tuple[Path, ...], table: str, socket: str | None, config: str, as_json: bool
) -> int:
    """The last faults of DEVICE (its name or serial number; of all where none is named): when, where, how often.

    Each says whether it was cleared, by whom, and else what clears it. Through the daemon; where none runs, from the
    journals, and the device itself is asked what stands there now. Ends with 1 where one stands.
    """
    from tableside.cli.fault_sources import tables_told
    from tableside.diagnosis import errors as answer

    source, tables = tables_told(files, table, device, socket, config)
    told = answer.errors(source, tables, device, last)
    if as_json:
        import msgspec

        say_json(msgspec.to_builtins(told))
    else:
        for line in error_lines(told):
            say(line)
    if not told.known and device:
        warn(f"nothing is known of {device}: no fault, or no device of that name; `tableside diag status` names them")
    return ExitCode.FOUND if told.standing else ExitCode.DONE


def error_lines(told: ErrorsTold) -> Iterator[str]:
    """What people read: first how many stand."""
    of = f" of {told.device}" if told.device else ""
    last = f"the last {len(told.faults)} (UTC, from the {told.source}):"
    yield f"{told.standing} standing, {told.known} known{of}, {last}"
    for fault in told.faults:
        yield from fault_lines(fault)


def fault_lines(fault: FaultLine) -> Iterator[str]:
    """One fault, and what clears it while it stands."""
    place = f" at {fault.place}" if fault.place else ""
    times = f", {fault.times} times" if fault.times > 1 else ""
    who = f"{fault.table} {fault.device}".strip()
    yield f"{fault.last_at[:19]} {who}: {fault.what}{place}{times}: {_standing(fault)}"
    if fault.detail:
        yield f"  {fault.detail}"
    if not fault.is_cleared:
        yield f"  cleared by: {fault.clear_condition} (`tableside diag explain {fault.code}`)"


def _standing(fault: FaultLine) -> str:
    if fault.cleared_at is not None:
        return f"cleared {fault.cleared_at[:19]} by {fault.cleared_by or 'nobody named'}"
    return "STANDS" if fault.gone_at is None else f"gone {fault.gone_at[:19]}, not cleared"
