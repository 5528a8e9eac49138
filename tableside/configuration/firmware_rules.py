"""What the port of a firmware proof needs: whose firmware it is, and the list of what that device may run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from drivers.firmware.allow_list import ListRefused, read_allow_list
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import MISSING, Finding, listed, nearest_of

ROLE = "firmware_port"
_FORM = "a TOML with [[firmware]]: maker, model, version, approved_by, key, components"


def firmware_findings(device: Draft, devices: Sequence[Draft], folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with one such port; nothing for other devices."""
    if device.text("role") == ROLE:
        yield from _whose(device, devices)
        yield from _list(device, folder)


def _whose(device: Draft, devices: Sequence[Draft]) -> Iterator[Finding]:
    of = device.text("of")
    names = [name for other in devices if other.text("role") != ROLE and (name := other.text("name"))]
    if of is None and not device.has("of"):
        yield Finding(device.at("of"), MISSING, "the device whose firmware is proved there")
    elif of is not None and of not in names:
        yield Finding(device.at("of"), f'"{of}" is no device of this table', listed(names), nearest_of(of, names))


def _list(device: Draft, folder: Path) -> Iterator[Finding]:
    name, model = device.text("firmware_list"), device.text("model")
    if name is None:
        if not device.has("firmware_list"):
            yield Finding(device.at("firmware_list"), MISSING, _FORM)
        return
    path = folder / name
    try:
        allowed = read_allow_list(path.read_text("utf-8"))
    except OSError as problem:
        yield Finding(device.at("firmware_list"), f"{path}: {problem.strerror}", _FORM)
    except (ListRefused, UnicodeDecodeError) as refused:
        yield Finding(device.at("firmware_list"), f"{path}: {refused}", _FORM)
    else:
        if model is not None and not allowed.keys_for(model):
            models = listed(dict.fromkeys(entry.model for entry in allowed.firmware))
            yield Finding(device.at("model"), f'nothing is listed of "{model}" in {path}', models)
