"""Reading and writing message bodies: what both directions share."""

from __future__ import annotations

import struct


class BadBody(ValueError):
    """A checked frame whose data is not what its code demands; says which message, and what is wrong."""


def unpack(layout: struct.Struct, data: bytes, what: str) -> tuple[int, ...]:
    """All of `data` by one layout. Raises `BadBody`."""
    if len(data) != layout.size:
        raise BadBody(f"{what}: {len(data)} bytes instead of {layout.size}")
    return layout.unpack(data)


def pack(layout: struct.Struct, *values: int) -> bytes:
    """The reverse of `unpack`. Raises ValueError where a value does not fit."""
    try:
        return layout.pack(*values)
    except struct.error as error:
        raise ValueError(f"{values}: {error}") from error


def exactly(size: int, data: bytes, what: str) -> bytes:
    """`data`, if it has `size` bytes. Raises `BadBody`."""
    if len(data) != size:
        raise BadBody(f"{what}: {len(data)} bytes instead of {size}")
    return data
