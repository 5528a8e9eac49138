"""`tableside diag why`: why a device is away, in one line, and what was looked at before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

# What only the table's file can tell of a device: it is asked about by its name there.
OF_THE_FILE: Mapping[str, str] = {
    "display-page": "port of this host",
    "keyboard-badge-reader": "keyboard layout",
    "cctalk-slot": "address, seat and sorter path",
    "modbus-lamp": "unit and coils",
    "retrofit-shuffler": "unit and wiring",
    "gat-firmware-port": "list of firmware",
}
DIRECTLY = "no daemon holds the port: asked directly"


@click.command("why")
@click.argument("device")
@click.option("--driver", default="", help="Where DEVICE is an address: which driver is to try.")
@click.option("--serial-number", default="", help="Where DEVICE is an address: who should be there.")
@click.option("--model", default="", help="Where DEVICE is an address: which model should be there.")
@click.option("--osdp-address", type=int, help="Where DEVICE is an address: of a badge reader on its bus.")
@click.option("--table", default="", help="Which table; none needed where the host has one.")
@reaching_daemon
def why(
    device: str,
    driver: str,
    serial_number: str,
    model: str,
    osdp_address: int | None,
    table: str,
    socket: str | None,
    config: str,
    as_json: bool,
) -> int:
    """Say why DEVICE is away: port, our bytes, their bytes, frames, address, key, identity; the first that fails.

    Through the daemon from what it has counted and heard. Where no daemon runs, or DEVICE is an address such as
    serial:///dev/ttyUSB0?baud=9600, it is asked directly, at other speeds and addresses too. Ends with 1 where
    something is wrong.
    """
    if "://" in device:
        finding = _directly(_at(device, driver, serial_number, model, osdp_address))
    else:
        try:
            with Connection(socket_path(socket, config)) as daemon:
                asked: dict[str, object] = {"id": new_id(), "act": "why", "table": table, "device": device}
                finding = cast(dict[str, Any], told(daemon.ask(asked), as_json=as_json))
        except Failed as failed:
            if failed.code is not ExitCode.NO_DAEMON or socket is not None:
                raise
            finding = _directly(_configured(Path(config), table, device))
    if as_json:
        say_json(finding)
    else:
        for line in finding_lines(finding):
            say(line)
    return ExitCode.DONE if finding["cause"] == "nothing is wrong" else ExitCode.FOUND


def finding_lines(finding: dict[str, Any]) -> Iterator[str]:
    """What people read; the cause first."""
    yield finding["line"]
    yield f"  next: {finding['next_step']}"
    yield from (f"  {shown['step']}: {shown['said']}" for shown in finding["walked"])


def _configured(config: Path, table: str, name: str) -> Device:
    from tableside.cli.configured import device_of

    return device_of(config, table, name)


def _at(address: str, driver: str, serial_number: str, model: str, osdp_address: int | None) -> Device:
    from tableside.configuration.device_rules import DRIVERS
    from tableside.configuration.shape import Device, DeviceRole

    if driver not in DRIVERS:
        raise click.UsageError(f"--driver says who is to try at an address; there are {', '.join(DRIVERS)}")
    if (needed := OF_THE_FILE.get(driver)) is not None:
        raise click.UsageError(
            f"{driver} needs its {needed} too: name the device as the table's file does, with --config"
        )
    return Device(
        name="device",
        role=DeviceRole(DRIVERS[driver][0]),
        driver=driver,
        address=address,
        serial_number=serial_number,
        model=model,
        osdp_address=osdp_address,
    )


def _directly(device: Device) -> dict[str, Any]:
    import asyncio

    from tableside.control.views import finding_view
    from tableside.diagnosis.why import why as reason
    from tableside.diagnosis.why_directly import ask

    warn(DIRECTLY)
    evidence = asyncio.run(ask(device, warn))
    return finding_view(evidence, reason(evidence))
