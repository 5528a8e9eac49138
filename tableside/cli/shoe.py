"""`tableside diag shoe`: a technician tells an electronic shoe something, with the daemon away from its line."""

from __future__ import annotations

import click

from tableside.cli.failing import Failed
from tableside.cli.plain import say
from tableside.exit_codes import ExitCode

# What the check of a command covers: sources disagree, so a technician may find out which his shoe wants.
SPANS = {"with-stx": (True,), "without-stx": (False,), "try": (True, False)}


@click.command()
@click.argument("address")
@click.argument("what", type=click.Choice(("lock", "unlock", "confirm-game", "cancel-error")))
@click.option("--error", type=click.IntRange(0, 99), help="With cancel-error: its number.")
@click.option("--check", "check", type=click.Choice(tuple(SPANS)), default="with-stx", help="What the check covers.")
@click.option("--engineering", is_flag=True, help="You may do this: without it nothing is sent.")
def shoe(address: str, what: str, error: int | None, check: str, engineering: bool) -> int:
    """Tell the Angel Eye shoe at ADDRESS something. The daemon never does, and must not hold the line meanwhile.

    Ends with 1 where the shoe refuses, 80 where it does not answer: then nobody knows whether it was done.
    """
    import asyncio

    from firmware_bridge.links.address import AddressError, open_link
    from firmware_bridge.wire.angel_eye import commands
    from tableside.diagnosis.shoe_engineering import tell

    if (what == "cancel-error") != (error is not None):
        raise click.UsageError("--error belongs to cancel-error, and cancel-error needs it")
    if not engineering:
        raise Failed(ExitCode.REFUSED, f"{what} was not sent: a shoe is only listened to; --engineering says you may")
    plain = {"lock": commands.LOCK, "unlock": commands.UNLOCK, "confirm-game": commands.CONFIRM_GAME}
    command = commands.cancel_error(error) if error is not None else plain[what]
    try:
        told = asyncio.run(tell(lambda: open_link(address), command, SPANS[check]))
    except AddressError as bad:
        raise Failed(ExitCode.USAGE, str(bad)) from bad
    except ConnectionError as lost:
        raise Failed(ExitCode.NO_DEVICE, str(lost)) from lost
    span = "with STX in the check" if told.bcc_includes_stx else "without STX in the check"
    if told.answer is None:
        raise Failed(ExitCode.OUTCOME_UNKNOWN, f"no answer to {what} ({span}): nobody knows whether it was done")
    if told.answer.code is not None:
        raise Failed(ExitCode.FOUND, f"the shoe refuses {what} ({span}): NAK {told.answer.code:02X}h")
    say(f"the shoe takes {what} ({span})")
    return ExitCode.DONE
