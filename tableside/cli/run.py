"""`tableside run`: the daemon."""

from __future__ import annotations

from pathlib import Path

import click

from tableside.cli.failing import Failed
from tableside.cli.options import config_option
from tableside.cli.plain import warn
from tableside.exit_codes import ExitCode


@click.command()
@config_option
def run(config: str) -> int:
    """Run the daemon until SIGTERM or Ctrl-C."""
    from tableside.config import ConfigRefused, load_host
    from tableside.process import StartRefused, run_daemon

    try:
        host = load_host(Path(config))
    except ConfigRefused as refused:
        raise Failed(ExitCode.CONFIG, str(refused)) from refused
    for warning in host.warnings:
        warn(str(warning))
    try:
        return run_daemon(host)
    except StartRefused as refused:
        raise Failed(refused.code, str(refused)) from refused
