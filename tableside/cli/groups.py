"""The commands and where each is written: a table, so that help needs no import and a new command is one line."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from tableside.cli.failing import DEBUG_OPTION
from tableside.cli.plain import make_plain
from tableside.exit_codes import MEANINGS

# Command → (module, attribute, what it does). The steps of the procedures follow from their own table.
COMMANDS: Mapping[str, tuple[str, str, str]] = {
    "run": ("run", "run", "Run the daemon."),
    "doctor": ("doctor", "doctor", "Whether this host is fit to run its tables."),
    "config": ("config", "config", "Check a configuration."),
    "status": ("asking", "status", "How daemon, tables and devices are."),
    "alerts": ("asking", "alerts", "The standing alerts, as people read them."),
    "take": ("asking", "take", "Take an alert: you are going."),
    "diag": ("diag", "diag", "For technicians: what is wrong, where, and what went over the cables."),
    "journal": ("journal", "journal", "Read, check, copy and report on a table's record."),
    "do": ("do", "do", "Any act by its name."),
    "pin": ("pin", "pin", "What the configuration keeps of a PIN."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the tables."""
        return [*COMMANDS, *_steps()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name in COMMANDS:
            module, attribute, _ = COMMANDS[cmd_name]
            command = getattr(import_module(f"tableside.cli.{module}"), attribute)
            assert isinstance(command, click.Command)
            return command
        if cmd_name in _steps():
            from tableside.cli.do import group_of_steps

            return group_of_steps(cmd_name)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """From the tables, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, said) for name, (_, _, said) in COMMANDS.items()])
        with formatter.section("Steps of the procedures"):
            formatter.write_dl(list(_steps().items()))
        with formatter.section("Every command ends with one of these exit codes"):
            formatter.write_dl([(str(code.value), said) for code, said in MEANINGS.items()])


def _steps() -> Mapping[str, str]:
    from tableside.cli.steps import GROUPS

    return GROUPS


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.option(DEBUG_OPTION, is_flag=True, help="Show a traceback where this program itself fails.")
def tableside(debug: bool) -> None:
    """Run the hardware of a casino card table, and ask a running daemon."""
    make_plain()
