"""Checked getters for bodies: the type that a message's key demands, or BadBody saying which key and why."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.wire.tdl.cbor import BadBody, Value

# Widths of numbers, as docs/protocols/tdl.md 14.3 names them; one that is wider is of another type (3.3).
U8, U16, U32 = 0xFF, 0xFFFF, 0xFFFF_FFFF


def uint(body: Mapping[int, Value], key: int, most: int = U32) -> int:
    """An unsigned integer that must be there."""
    value = opt_uint(body, key, most)
    if value is None:
        raise _wrong(body, key, "an unsigned integer")
    return value


def opt_uint(body: Mapping[int, Value], key: int, most: int = U32) -> int | None:
    """An unsigned integer, or None where the key is absent."""
    value = body.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise _wrong(body, key, f"an unsigned integer of at most {most}")
    return value


def flag(body: Mapping[int, Value], key: int) -> bool:
    """A boolean that must be there."""
    value = opt_flag(body, key)
    if value is None:
        raise _wrong(body, key, "a boolean")
    return value


def opt_flag(body: Mapping[int, Value], key: int) -> bool | None:
    """A boolean, or None where the key is absent."""
    value = body.get(key)
    if value is not None and not isinstance(value, bool):
        raise _wrong(body, key, "a boolean")
    return value


def text(body: Mapping[int, Value], key: int) -> str:
    """A text that must be there."""
    value = body.get(key)
    if not isinstance(value, str):
        raise _wrong(body, key, "a text")
    return value


def opt_text(body: Mapping[int, Value], key: int) -> str | None:
    """A text where it is given. Raises BadBody where it is something else."""
    return text(body, key) if key in body else None


def octets(body: Mapping[int, Value], key: int) -> bytes:
    """A byte string that must be there."""
    value = body.get(key)
    if not isinstance(value, bytes):
        raise _wrong(body, key, "a byte string")
    return value


def array(body: Mapping[int, Value], key: int) -> tuple[int, ...]:
    """An array of unsigned integers that must be there."""
    value = opt_array(body, key)
    if value is None:
        raise _wrong(body, key, "an array")
    return value


def opt_array(body: Mapping[int, Value], key: int) -> tuple[int, ...] | None:
    """An array of unsigned integers, or None where the key is absent."""
    value = body.get(key)
    if value is not None and not isinstance(value, tuple):
        raise _wrong(body, key, "an array")
    return value


def _wrong(body: Mapping[int, Value], key: int, wanted: str) -> BadBody:
    name = getattr(key, "name", None)
    where = f"key {int(key)} ({type(key).__name__}.{name})" if name else f"key {int(key)}"
    there = f"is {type(body[key]).__name__}" if key in body else "is missing"
    return BadBody(f"{where} {there}, {wanted} is demanded")
