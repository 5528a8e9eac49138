"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tableside.cli.connection import DEFAULT_CONFIG

F = TypeVar("F", bound=Callable[..., Any])


def reaching_daemon(command: F) -> F:
    """Where the daemon is, and how to print."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="One line of JSON, ASCII only."),
        click.option("--socket", envvar="TABLESIDE_SOCKET", help="The daemon's control socket."),
        config_option,
    ):
        command = option(command)
    return command


def recordings(command: F) -> F:
    """Journals to read instead of a running daemon."""
    return click.option(
        "--recording",
        "files",
        type=click.Path(path_type=Path),
        multiple=True,
        help="A journal instead of the daemon, again for each: a machine is followed by its serial number.",
    )(command)


config_option = click.option(
    "--config",
    envvar="TABLESIDE_CONFIG",
    default=DEFAULT_CONFIG,
    show_default=True,
    help="The host's file.",
)
