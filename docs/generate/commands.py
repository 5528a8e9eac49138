"""`docs/howto/commands.md`: every command of `tableside` with its options, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from tableside.cli.groups import tableside

INTRODUCTION = """\
# The commands

Made by `make docs` from the commands themselves. `tableside COMMAND --help` says the same.

A command that asks the daemon finds its socket by `--socket`, by the environment's `TABLESIDE_SOCKET`, or in the host's
file that `--config` or `TABLESIDE_CONFIG` names. `--table`, or `TABLESIDE_TABLE`, says which table where the host has
several; `TABLESIDE_STAFF` saves typing `--as`. Steps of the procedures take `--pin STAFF` (the second way: the PIN is
asked for) and `--id` (of an earlier try whose answer got lost: nothing is done twice). `--json` prints ASCII JSON, the
same on every terminal. Every command ends with a documented code: [exit-codes.md](exit-codes.md).
"""
# Said once above.
EVERYWHERE = frozenset({"help", "socket", "config", "as_json", "table", "pin", "request_id"})


def page() -> str:
    """The whole page."""
    context = click.Context(tableside, info_name="tableside")
    return "\n".join((INTRODUCTION, *_group(tableside, context))).rstrip() + "\n"


def _group(group: click.Group, context: click.Context) -> Iterator[str]:
    rows: list[str] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            if name != "do":  # the same acts as the steps, under other names
                yield from _group(command, inner)
        else:
            rows.append(f"| `{_usage(command, inner)}` | {_said(command)} |")
    if rows:
        title = context.command_path.replace("tableside ", "", 1)
        head = "Without a group" if title == "tableside" else title
        yield f"## {head}\n\n{_said(group)}\n\n| | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _usage(command: click.Command, context: click.Context) -> str:
    parts = [context.command_path]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            name = (parameter.name or "").upper()
            parts.append(name if parameter.required else f"[{name}]")
        elif isinstance(parameter, click.Option) and parameter.name not in EVERYWHERE:
            value = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
            again = " …" if parameter.multiple else ""
            text = f"{parameter.opts[0]}{value}{again}"
            parts.append(text if parameter.required else f"[{text}]")
    return " ".join(parts).replace("|", "\\|")


def _said(command: click.Command) -> str:
    return " ".join((command.help or "").split())
