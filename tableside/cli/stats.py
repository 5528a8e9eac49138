"""`tableside diag stats`: how often machines stand still, and whether more often than others of their model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tableside.cli.failing import Failed
from tableside.cli.options import reaching_daemon, recordings
from tableside.cli.plain import say, say_json
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from tableside.diagnosis.statistics import MachineStatistics, OfModel, Rate


@click.command("stats")
@click.argument("serial", default="")
@recordings
@click.option("--table", default="", help="Only this table; of all of the host's where none is named.")
@reaching_daemon
def stats(serial: str, files: tuple[Path, ...], table: str, socket: str | None, config: str, as_json: bool) -> int:
    """Jams per 1,000 rounds (batch: shuffles) by place, MCBF, MTTR, assists of machine SERIAL, or of every machine.

    Against the median of its model, where three machines of it are known. Ends with 1 where one is worse than that.
    """
    import msgspec

    from tableside.cli.sources import Asked, source_of
    from tableside.diagnosis.statistics import statistics_told

    source = source_of(Asked(files, table, socket, config))
    told = statistics_told(source.kind, source.stories, serial)
    if serial and not told.machines:
        known = ", ".join(told.known) or "none"
        raise Failed(ExitCode.NO_DEVICE, f"no machine {serial} dealt or stood still there; known: {known}")
    if as_json:
        say_json(msgspec.to_builtins(told))
    else:
        for machine in told.machines:
            for line in _lines(machine):
                say(line)
        say(f"intervals: {told.method}; of a median: {told.median_method}")
    is_worse = any(one.of_model is not None and one.of_model.verdict == "worse" for one in told.machines)
    return ExitCode.FOUND if is_worse else ExitCode.DONE


def _lines(one: MachineStatistics) -> Iterator[str]:
    yield f"{one.serial} ({one.model}), table {', '.join(one.tables)}: {one.jams.cycles} {one.cycle}s"
    yield f"  cards given out: {one.cards_out}"
    yield f"  jams: {_rate(one.jams, one.cycle)}"
    yield from (f"    at the {place}: {times}" for place, times in one.jams_by_place.items())
    yield from (f"  {fault}: {times}" for fault, times in one.faults.items())
    yield f"  assists: {one.assists}{_each(one.cycles_between_assists, one.cycle)}{_took(one.assist_s, 'MTTA')}"
    between = _each(one.cycles_between_failures, one.cycle, "MCBF: ")
    yield f"  failures: {one.failures}{between}{_took(one.repair_s, 'MTTR')}"
    if one.standing:
        yield f"  standing now: {one.standing}; `tableside diag errors {one.serial}`"
    if one.of_model is not None:
        yield f"  {_compared(one.of_model)}"


def _rate(rate: Rate, cycle: str) -> str:
    if rate.per_thousand is None or rate.low is None or rate.high is None:
        return f"{rate.count}, and no {cycle} yet"
    return f"{rate.count}, per 1,000 {cycle}s {rate.per_thousand:.2f} (between {rate.low:.2f} and {rate.high:.2f})"


def _each(cycles: float | None, cycle: str, name: str = "") -> str:
    return "" if cycles is None else f", {name}one each {cycles:.0f} {cycle}s"


def _took(seconds: float | None, name: str) -> str:
    return "" if seconds is None else f", {name} {seconds:.0f} s"


def _compared(of: OfModel) -> str:
    if of.median is None:
        return f"its model: {of.machines} known, too few to compare"
    between = "" if of.low is None or of.high is None else f" (between {of.low:.2f} and {of.high:.2f})"
    return f"its model's median of {of.machines}: {of.median:.2f}{between}: this one is {of.verdict}"
