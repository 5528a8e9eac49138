"""`tableside pin`: a PIN's hash for the configuration."""

from __future__ import annotations

import click

from tableside.cli.failing import Failed
from tableside.cli.plain import say
from tableside.exit_codes import ExitCode


@click.command()
def pin() -> None:
    """Ask for a PIN and print what `pin_hash` of the configuration keeps of it."""
    from tableside.pins import PinRefused, hash_pin

    typed = click.prompt("PIN", hide_input=True, confirmation_prompt="The same again", err=True)
    try:
        say(hash_pin(typed))
    except PinRefused as refused:
        raise Failed(ExitCode.DATA, str(refused)) from refused
