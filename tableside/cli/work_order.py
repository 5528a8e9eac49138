"""`tableside diag work-order`: work on one device, its technical alerts mute meanwhile."""

from __future__ import annotations

from pathlib import Path

import click

from tableside.cli.answered import settle
from tableside.cli.asked import asking
from tableside.cli.connection import Connection, new_id, socket_path
from tableside.cli.options import reaching_daemon, recordings
from tableside.cli.plain import say, say_json
from tableside.cli.whole_help import WholeHelp


@click.group("work-order", cls=WholeHelp)
def work_order() -> None:
    """Work on one device: its technical alerts are mute until the order is closed or its time is over; no others."""


@work_order.command("open")
@click.argument("device")
@click.option("--number", required=True, help="The order's number, as the house writes it.")
@click.option(
    "--hours", type=click.IntRange(1, 12), default=4, show_default=True, help="It ends by itself after so long."
)
@asking
def open_order(
    device: str, number: str, hours: int, staff: str, table: str, socket: str | None, config: str, as_json: bool
) -> None:
    """Begin work on DEVICE. What stops play, keeps a rule of the game or tells of tampering is never mute."""
    _ask("open-work-order", {"device": device, "order": number, "hours": hours}, staff, table, socket, config, as_json)


@work_order.command("close")
@click.argument("device")
@click.option("--work", required=True, help="What was done, in your words.")
@asking
def close_order(device: str, work: str, staff: str, table: str, socket: str | None, config: str, as_json: bool) -> None:
    """End work on DEVICE: what was mute and still stands is raised."""
    _ask("close-work-order", {"device": device, "work": work}, staff, table, socket, config, as_json)


@work_order.command("list")
@recordings
@click.option("--table", default="", help="Only this table; all of the host's where none is named.")
@reaching_daemon
def list_orders(files: tuple[Path, ...], table: str, socket: str | None, config: str, as_json: bool) -> None:
    """The open work orders."""
    import msgspec

    from tableside.cli.sources import Asked, source_of
    from tableside.diagnosis.handover import orders_told

    source = source_of(Asked(files, table, socket, config))
    told = orders_told(source.kind, source.stories)
    if as_json:
        say_json(msgspec.to_builtins(told))
        return
    for one in told.tables:
        for note in one.work_orders:
            say(f"{one.table}: {note.text}")
    if not any(one.work_orders for one in told.tables):
        say("no work order is open")


def _ask(
    act: str, fields: dict[str, object], staff: str, table: str, socket: str | None, config: str, as_json: bool
) -> None:
    message: dict[str, object] = {"id": new_id(), "act": act, "table": table, "staff": staff, "fields": fields}
    with Connection(socket_path(socket, config)) as daemon:
        settle(daemon.ask(message), as_json=as_json)
