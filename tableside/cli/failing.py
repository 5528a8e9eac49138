"""How a command ends: every failure has its code and a sentence on stderr; a traceback only with --debug."""

from __future__ import annotations

import os
import sys

import click

from tableside.cli.plain import warn
from tableside.exit_codes import ExitCode

DEBUG_OPTION = "--debug"


class Failed(Exception):
    """A command that cannot do its work: the code to end with, and what to do."""

    def __init__(self, code: ExitCode, text: str = "") -> None:
        super().__init__(text)
        self.code = code


def run_command(command: click.Command, arguments: list[str] | None = None) -> int:
    """Run a command line; returns the code to end with."""
    try:
        result = command.main(arguments, prog_name="tableside", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else ExitCode.DONE
    except Failed as failed:
        if str(failed):
            warn(str(failed))
        return failed.code
    except click.UsageError as error:
        warn(_usage(error))
        return ExitCode.USAGE
    except click.ClickException as error:
        warn(error.format_message())
        return ExitCode.NO_INPUT
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Whoever read has seen enough; what Python would still flush at the end goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except Exception as error:
        return _unforeseen(error)


def _usage(error: click.UsageError) -> str:
    where = error.ctx.get_usage() + "\n" if error.ctx is not None else ""
    return f"{where}{error.format_message()}"


def _unforeseen(error: Exception) -> int:
    if DEBUG_OPTION in sys.argv:
        import traceback

        traceback.print_exc()
    else:
        warn(f"a fault of this program: {type(error).__name__}: {error}")
        warn(f"Run it again with {DEBUG_OPTION} and report it.")
    return ExitCode.SOFTWARE
