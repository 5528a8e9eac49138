"""Groups whose help lists every command with its whole first paragraph: click cuts it where the line ends."""

from __future__ import annotations

import click


class WholeHelp(click.Group):
    """A group that cuts no sentence; its groups are of its kind."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command in its order, the lines broken between words."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, first_paragraph(command)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def first_paragraph(command: click.Command) -> str:
    """What a command's help says before its first empty line, in one line."""
    return " ".join((command.help or "").strip().partition("\n\n")[0].split())
