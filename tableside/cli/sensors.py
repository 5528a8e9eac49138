"""`tableside diag sensors`: which sensors want cleaning, miscount, suspect cards, and whether it gets worse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tableside.cli.options import reaching_daemon, recordings
from tableside.cli.plain import say, say_json
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from tableside.diagnosis.sensors import Sensor, SensorsTold


@click.command("sensors")
@click.argument("device", default="")
@recordings
@click.option("--table", default="", help="Only this table; all of the host's where none is named.")
@reaching_daemon
def sensors(device: str, files: tuple[Path, ...], table: str, socket: str | None, config: str, as_json: bool) -> int:
    """Sensors of DEVICE, or of all: margin, miscounts, suspected cards, and the trend.

    A raw level and a threshold no device tells yet (TDL 1 has no message for them). Ends with 1 where a margin is low.
    """
    import msgspec

    from tableside.cli.sources import Asked, source_of
    from tableside.diagnosis.sensors import sensors_told

    source = source_of(Asked(files, table, socket, config))
    told = sensors_told(source.kind, source.stories, device)
    if as_json:
        say_json(msgspec.to_builtins(told))
    else:
        for line in _lines(told):
            say(line)
    return ExitCode.FOUND if any(one.margin == "low" for one in told.sensors) else ExitCode.DONE


def _lines(told: SensorsTold) -> Iterator[str]:
    for one in told.sensors:
        since = f" since {one.low_since[:16]}" if one.low_since else ""
        yield f"{one.table} {one.device} ({one.serial}), {one.place}: margin {one.margin}{since}; trend: {one.trend}"
        yield f"  {_counts(one)}, in {one.cards} cards"
    if not told.sensors:
        yield "no sensor has been in trouble; what a sensor's raw level is, no device tells"


def _counts(one: Sensor) -> str:
    named = (
        ("low", one.low_times),
        ("stuck", one.stuck_times),
        ("miscounts", one.miscounts),
        ("suspects", one.suspects),
    )
    return ", ".join(f"{name} {times}" for name, times in named)
