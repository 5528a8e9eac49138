"""`tableside diag verify-firmware`: a machine's own word for what it runs, against the list of what it may run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tableside.cli.answered import told
from tableside.cli.connection import Connection, new_id, socket_path
from tableside.cli.failing import Failed
from tableside.cli.options import reaching_daemon
from tableside.cli.plain import say, say_json, warn
from tableside.exit_codes import ExitCode

if TYPE_CHECKING:
    from tableside.configuration.shape import Device

# On stderr, so that what a script reads is the proof alone.
NOT_JOURNALLED = "no daemon holds the port: asked directly, and nothing of it is on record"


@click.command("verify-firmware")
@click.argument("device")
@click.option("--table", default="", help="Which table; none needed where the host has one.")
@reaching_daemon
def verify_firmware(device: str, table: str, socket: str | None, config: str, as_json: bool) -> int:
    """Ask the machine behind the firmware port DEVICE which firmware it runs, and look it up in the list.

    The machine says it of itself: self-reported. Ends with 1 where it is not on the list, 81 where it does not tell.
    Through the daemon it goes on record; where no daemon runs the port is asked directly.
    """
    try:
        with Connection(socket_path(socket, config)) as daemon:
            proof = _through(daemon, device, table, as_json=as_json)
    except Failed as failed:
        if failed.code is not ExitCode.NO_DAEMON or socket is not None:
            raise
        warn(NOT_JOURNALLED)
        proof = _directly(_configured(Path(config), table, device))
    if as_json:
        say_json(proof)
    else:
        for line in proof_lines(proof):
            say(line)
    return ExitCode.DONE if proof["is_listed"] else ExitCode.FOUND if proof["is_told"] else ExitCode.NO_DEVICE


def proof_lines(proof: dict[str, Any]) -> Iterator[str]:
    """A proof for people."""
    if not proof["is_told"]:
        yield f"{proof['of']}: not told: {proof['why']}"
        return
    word = f"version {proof['version']} is on the list" if proof["is_listed"] else "NOT ON THE LIST"
    yield f"{proof['of']}: {proof['maker']} {proof['model']}: {word} ({proof['trust']})"
    for difference in proof["differences"]:
        yield f"  {difference}"
    for name, digest in proof["components"]:
        yield f"  {digest}  {name}"
    yield f"  under key {proof['key']}"


def _through(daemon: Connection, device: str, table: str, *, as_json: bool) -> dict[str, Any]:
    told(
        daemon.ask({"id": new_id(), "act": "verify-firmware", "table": table, "device": device}),
        as_json=as_json,
    )
    for line in daemon.follow():
        if "proof" in line:
            return cast(dict[str, Any], line["proof"])
        warn(f"{device}: {line['progress']}")
    raise Failed(ExitCode.NO_DAEMON, "the daemon has hung up")


def _configured(config: Path, table: str, name: str) -> Device:
    from tableside.cli.configured import device_of
    from tableside.configuration.shape import DeviceRole

    device = device_of(config, table, name)
    if device.role is not DeviceRole.FIRMWARE_PORT:
        raise Failed(ExitCode.NO_DEVICE, f'"{name}" is no firmware port; role = "firmware_port" has one')
    return device


def _directly(device: Device) -> dict[str, Any]:
    import asyncio

    from tableside.control.views import proof_view
    from tableside.diagnosis.asked_directly import prove_directly

    return proof_view(asyncio.run(prove_directly(device, lambda word: warn(f"{device.name}: {word}"))))
