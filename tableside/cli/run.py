"""`tableside run`: the daemon."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from tableside.cli.failing import Failed
from tableside.cli.options import config_option
from tableside.cli.plain import warn
from tableside.exit_codes import ExitCode


def load_log_without_rich() -> None:
    """structlog loads rich where it is installed, for coloured tracebacks; a daemon's log has none.

    Seven megabytes for as long as it runs. Whoever needs rich in this process later loads it as ever.
    """
    if "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment]  # Python's own mark for what is not to be had
    try:
        importlib.import_module("structlog")
    finally:
        del sys.modules["rich"]


@click.command()
@config_option
def run(config: str) -> int:
    """Run the daemon until SIGTERM or Ctrl-C."""
    load_log_without_rich()
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
