"""The command line: `tableside run`, and everything that a person or a technician asks of a running daemon.

Commands are imported when they are used, so that the first byte of an answer does not wait for what it needs not.
"""

from __future__ import annotations

import sys

from tableside.cli.failing import run_command
from tableside.cli.groups import tableside


def main() -> None:
    """The entry point: ends the process with a documented code (docs/howto/exit-codes.md)."""
    sys.exit(run_command(tableside))


__all__ = ["main"]
