"""`tableside diag pm`: what is due at machines and cards."""

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
    from tableside.diagnosis.maintenance import Upkeep


@click.command("pm")
@click.argument("serial", default="")
@recordings
@click.option("--table", default="", help="Only this table; all of the host's where none is named.")
@reaching_daemon
def pm(serial: str, files: tuple[Path, ...], table: str, socket: str | None, config: str, as_json: bool) -> int:
    """Parts, cleaning and age of the cards against the limits of the table's file: machine SERIAL, or all.

    Ends with 1 where something is due. What was done is recorded by `tableside device record`.
    """
    import msgspec

    from tableside.cli.sources import Asked, source_of
    from tableside.diagnosis.maintenance import upkeep_told

    source = source_of(Asked(files, table, socket, config))
    told = upkeep_told(source.kind, source.stories, source.until_ns, serial)
    if serial and not told.upkeep:
        raise Failed(ExitCode.NO_DEVICE, f"nothing is known of machine {serial}, or nothing is set or recorded for it")
    if as_json:
        say_json(msgspec.to_builtins(told))
    else:
        for line in upkeep_lines(told.upkeep):
            say(line)
    return ExitCode.FOUND if any(one.state == "due" for one in told.upkeep) else ExitCode.DONE


def upkeep_lines(upkeep: tuple[Upkeep, ...]) -> Iterator[str]:
    """A line each, what is due first."""
    order = {"due": 0, "soon": 1, "well": 2, "no limit": 3}
    for one in sorted(upkeep, key=lambda one: order[one.state]):
        of = f"{one.serial} ({one.model})" if one.serial else f"table {one.table}"
        since = "since" if one.done else "never recorded, counted since"
        yield f"{one.state.upper() if one.state == 'due' else one.state}: {one.what} of {of}{_percent(one)}"
        cards, hours = f"{one.cards} cards{_limit(one.after_cards)}", f"{one.hours:.0f} h{_limit(one.after_hours)}"
        yield f"  {since} {one.since[:10]}: {cards}, {hours}"
    if not upkeep:
        yield "nothing is set in the table's file ([[maintenance]]), and nothing recorded"


def _percent(one: Upkeep) -> str:
    return "" if one.percent is None else f", {one.percent:.0f} %"


def _limit(after: int) -> str:
    return f" of {after}" if after else ""
