"""What every fact of a device has: the device that told it, and where it came as a notice, its position."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Something that is so, told by a device or its driver. `device` is its name at the table."""

    device: str


class Ready(Fact, frozen=True, kw_only=True):
    """A device answers that has no session of TDL: identity as it tells it. Each kind of device has one of its own.

    What it does not tell is taken from the table's file, or left empty.
    """

    model: str
    firmware: str = ""
    serial: str = ""
    is_simulated: bool = False


class Lost(Fact, frozen=True, kw_only=True):
    """A device does not answer, and why. Each kind has one of its own; told once, and at the start.

    `silent_ms`: for how long nothing had been heard of it when this was told.
    """

    why: str
    silent_ms: int = 0


class Notice(Fact, frozen=True, kw_only=True):
    """A fact that a TDL device told as a notice.

    `boot` and `number` are the notice's position, `device_ms` the device's own ms since boot modulo 2³².
    """

    boot: int
    number: int
    device_ms: int = 0
