"""`tableside config`: what is wrong with a configuration."""

from __future__ import annotations

from pathlib import Path

import click

from tableside.cli.plain import say, say_json
from tableside.cli.whole_help import WholeHelp
from tableside.counted import counted
from tableside.exit_codes import ExitCode


@click.group(cls=WholeHelp)
def config() -> None:
    """Check a configuration."""


@config.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One line of JSON a mistake, ASCII only.")
def check(file: Path, as_json: bool) -> int:
    """Say everything that is wrong with a host's or a table's file, each mistake with its line and remedy.

    Ends with 78 where the daemon would not start.
    """
    from tableside.config import check as find

    mistakes = find(file)
    for mistake in mistakes:
        if as_json:
            say_json(
                {
                    "file": str(mistake.file),
                    "line": mistake.line,
                    "column": mistake.column,
                    "key": mistake.key,
                    "problem": mistake.problem,
                    "allowed": mistake.allowed,
                    "nearest": mistake.nearest,
                    "severity": mistake.severity.value,
                }
            )
        else:
            say(str(mistake))
    refused = sum(mistake.is_refused for mistake in mistakes)
    if not as_json:
        told = f"{counted(refused, 'mistake')}, {counted(len(mistakes) - refused, 'warning')}"
        say(told if mistakes else "nothing is wrong")
    return ExitCode.CONFIG if refused else ExitCode.DONE
