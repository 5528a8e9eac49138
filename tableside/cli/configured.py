"""A device as the configuration names it, for commands that ask it where no daemon runs. Slow to import."""

from __future__ import annotations

from pathlib import Path

from tableside.cli.failing import Failed
from tableside.config import ConfigRefused, HostConfig, load_host
from tableside.configuration.shape import Device
from tableside.exit_codes import ExitCode


def host_of(config: Path) -> HostConfig:
    """The host's file with its tables. Raises `Failed`."""
    try:
        return load_host(config)
    except FileNotFoundError as missing:
        raise Failed(ExitCode.NO_INPUT, f"{config}: {missing.strerror}") from None
    except ConfigRefused as refused:
        raise Failed(ExitCode.CONFIG, str(refused)) from None


def device_of(config: Path, table: str, name: str) -> Device:
    """A device by the name that its table's file gives it. Raises `Failed`."""
    host = host_of(config)
    found = [
        device for each in host.tables if table in ("", each.name) for device in each.devices if device.name == name
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise Failed(ExitCode.USAGE, f'several tables have a device "{name}": name the table with --table')
    known = ", ".join(device.name for each in host.tables if table in ("", each.name) for device in each.devices)
    raise Failed(ExitCode.NO_DEVICE, f'there is no device "{name}"; name one of {known or "no table of that name"}')
