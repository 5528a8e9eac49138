"""What every fact of a device has: the device that told it, and where it came as a notice, its position."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Something that is so, told by a device or its driver. `device` is its name at the table."""

    device: str


class Notice(Fact, frozen=True, kw_only=True):
    """A fact that a TDL device told as a notice.

    `boot` and `number` are the notice's position, `device_ms` the device's own ms since boot modulo 2³².
    """

    boot: int
    number: int
    device_ms: int = 0
