"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Callable
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


config_option = click.option(
    "--config",
    envvar="TABLESIDE_CONFIG",
    default=DEFAULT_CONFIG,
    show_default=True,
    help="The host's file.",
)
